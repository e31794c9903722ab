//! The graph of tasks: which manifests are applied one after another, and which side by side.
//!
//! Source: `openshift/cluster-version-operator:pkg/payload/task_graph.go`.

use std::mem;

use fbc_cluster::random::Random;

use super::file_name::runlevel_and_component;
use super::manifest::Manifest;

/// What the operator is at, which decides the order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// From one release to another: runlevels in order, components of a runlevel side by side.
    Updating,
    /// Installing: everything side by side.
    Initializing,
    /// Keeping things as they are: everything, in another order each time.
    Reconciling {
        /// How often in a row it failed.
        attempt: u64,
    },
}

impl Mode {
    /// The name, as the operator writes it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Updating => "Updating",
            Self::Initializing => "Initializing",
            Self::Reconciling { .. } => "Reconciling",
        }
    }

    /// How many nodes of the graph are worked on at once; nothing where all are.
    pub fn workers(self) -> Option<usize> {
        match self {
            Self::Updating => Some(16),
            Self::Initializing => None,
            Self::Reconciling { .. } => Some(2),
        }
    }
}

/// A node of the graph: tasks that are done one after another.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Node {
    /// The nodes that must be done before, by index.
    pub before: Vec<usize>,
    /// Manifests by index.
    pub tasks: Vec<usize>,
    /// The nodes that wait for this one, by index.
    pub after: Vec<usize>,
}

/// The graph of tasks of a payload.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TaskGraph {
    /// The nodes. Of those that are ready the first one goes first.
    pub nodes: Vec<Node>,
}

/// How tasks are broken up: steps one after another, each with lists of tasks side by side.
type Steps = Vec<Vec<Vec<usize>>>;

impl TaskGraph {
    /// The graph of these manifests.
    pub fn new(manifests: &[Manifest], mode: Mode) -> Self {
        let all = Node { tasks: (0..manifests.len()).collect(), ..Node::default() };
        let mut graph = Self { nodes: vec![all] };
        let is_job = |task: usize| manifests.get(task).is_some_and(Manifest::is_job);
        graph.split(is_job);
        let name =
            |task: usize| manifests.get(task).and_then(|manifest| runlevel_and_component(&manifest.file));
        match mode {
            Mode::Updating => graph.parallelize(|tasks| by_runlevel(tasks, &name)),
            Mode::Initializing => graph.parallelize(|tasks| flat(tasks, &name)),
            Mode::Reconciling { attempt } => {
                let mut random = Random::of(attempt / STRIDE, "order of tasks");
                graph.parallelize(|tasks| {
                    let mut steps = flat(tasks, &name);
                    for step in &mut steps {
                        shuffle(step, &mut random);
                        rotate(step, attempt % STRIDE);
                    }
                    steps
                });
            }
        }
        graph
    }

    /// Puts each of some tasks into a node of its own that nothing runs beside.
    fn split(&mut self, is_alone: impl Fn(usize) -> bool) {
        let mut index = 0;
        while let Some(node) = self.nodes.get(index) {
            let position = node.tasks.iter().position(|task| is_alone(*task));
            if let Some(position) = position.filter(|_| node.tasks.len() > 1) {
                let tasks = node.tasks.clone();
                let (left, rest) = tasks.split_at(position);
                let (one, right) = rest.split_at(1);
                if !left.is_empty() {
                    let new = self.nodes.len();
                    let before = mem::replace(&mut self.nodes[index].before, vec![new]);
                    for other in &before {
                        replace(&mut self.nodes[*other].after, index, new);
                    }
                    self.nodes.push(Node { before, tasks: left.to_vec(), after: vec![index] });
                }
                if !right.is_empty() {
                    let new = self.nodes.len();
                    let after = mem::replace(&mut self.nodes[index].after, vec![new]);
                    for other in &after {
                        replace(&mut self.nodes[*other].before, index, new);
                    }
                    self.nodes.push(Node { before: vec![index], tasks: right.to_vec(), after });
                }
                self.nodes[index].tasks = one.to_vec();
            }
            index += 1;
        }
    }

    /// Breaks every node up.
    fn parallelize(&mut self, mut break_up: impl FnMut(&[usize]) -> Steps) {
        let mut index = 0;
        while let Some(node) = self.nodes.get(index) {
            let steps = break_up(&node.tasks);
            if steps.is_empty() || steps.len() == 1 && steps.iter().all(|step| step.len() == 1) {
                index += 1;
                continue;
            }
            self.nodes[index].tasks.clear();
            let after = mem::take(&mut self.nodes[index].after);
            let mut last = vec![index];
            for step in steps.into_iter().filter(|step| !step.is_empty()) {
                if last.len() > 1 && step.len() > 1 {
                    // A joint keeps the number of edges small.
                    last = self.add(vec![Vec::new()], &last);
                }
                last = self.add(step, &last);
            }
            if !after.is_empty() {
                let anchor = self.nodes.len();
                for other in &after {
                    replace(&mut self.nodes[*other].before, index, anchor);
                }
                for other in &last {
                    self.nodes[*other].after = vec![anchor];
                }
                self.nodes.push(Node { before: last, tasks: Vec::new(), after });
            }
            index += 1;
        }
    }

    /// Adds nodes behind others.
    fn add(&mut self, step: Vec<Vec<usize>>, before: &[usize]) -> Vec<usize> {
        let new: Vec<usize> = (self.nodes.len()..self.nodes.len() + step.len()).collect();
        let nodes = step.into_iter().map(|tasks| Node { before: before.to_vec(), tasks, after: Vec::new() });
        self.nodes.extend(nodes);
        for other in before {
            self.nodes[*other].after.extend(&new);
        }
        new
    }
}

/// After how many failures in a row the order is drawn anew.
const STRIDE: u64 = 8;

fn replace(list: &mut [usize], old: usize, new: usize) {
    list.iter_mut().filter(|one| **one == old).for_each(|one| *one = new);
}

type Name<'n> = dyn Fn(usize) -> Option<(&'n str, &'n str)> + 'n;

/// The longest runs of tasks of one runlevel, each cut where the component changes.
fn runs(tasks: &[usize], name: &Name<'_>) -> Vec<Vec<Vec<usize>>> {
    let mut runs: Vec<Vec<Vec<usize>>> = Vec::new();
    let mut last = None;
    for task in tasks {
        let this = name(*task);
        match (runs.last_mut(), last, this) {
            (Some(run), Some((runlevel, component)), Some((this_runlevel, this_component)))
                if runlevel == this_runlevel =>
            {
                match run.last_mut() {
                    Some(group) if component == this_component => group.push(*task),
                    _ => run.push(vec![*task]),
                }
            }
            _ => runs.push(vec![vec![*task]]),
        }
        last = this;
    }
    runs
}

/// Runs with several groups are steps whose groups go side by side; all runs between them are one after another.
fn by_runlevel(tasks: &[usize], name: &Name<'_>) -> Steps {
    if tasks.len() <= 1 {
        return Vec::new();
    }
    let mut steps: Steps = Vec::new();
    let mut is_open = false;
    for mut run in runs(tasks, name) {
        match (run.pop(), steps.last_mut().and_then(|step| step.last_mut())) {
            (Some(group), Some(serial)) if run.is_empty() && is_open => serial.extend(group),
            (Some(group), _) => {
                is_open = run.is_empty();
                run.push(group);
                steps.push(run);
            }
            (None, _) => {}
        }
    }
    steps
}

/// All groups side by side, whatever their runlevels.
fn flat(tasks: &[usize], name: &Name<'_>) -> Steps {
    match tasks.len() {
        0 | 1 => Vec::new(),
        _ => vec![runs(tasks, name).into_iter().flatten().collect()],
    }
}

fn shuffle(step: &mut [Vec<usize>], random: &mut Random) {
    for last in (1..step.len()).rev() {
        let other = usize::try_from(random.below(last as u64 + 1)).unwrap_or_default();
        step.swap(last, other);
    }
}

fn rotate(step: &mut [Vec<usize>], number: u64) {
    let length = step.len() as u64;
    if length > 0 {
        let shift = if length < STRIDE { number % length } else { number * length / STRIDE % length };
        step.rotate_left(usize::try_from(shift).unwrap_or_default());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn manifests(files: &[String]) -> Vec<Manifest> {
        let manifest = |file: &String| {
            let is_job = file.ends_with("job");
            let (version, kind, group) =
                if is_job { ("batch/v1", "Job", "batch") } else { ("v1", "ConfigMap", "") };
            Manifest {
                directory: "",
                file: file.clone(),
                line: 1,
                object: Arc::new(json!({"apiVersion": version, "kind": kind, "metadata": {"name": "x"}})),
                group: group.to_owned(),
                raw: String::new(),
            }
        };
        files.iter().map(manifest).collect()
    }

    fn graph(names: &[&str], mode: Mode) -> Vec<(Vec<usize>, String)> {
        let files: Vec<String> = names.iter().map(|name| format!("0000_{name}")).collect();
        let graph = TaskGraph::new(&manifests(&files), mode);
        let text = |node: &Node| node.tasks.iter().map(|task| names[*task]).collect::<Vec<_>>().join(" ");
        graph.nodes.iter().map(|node| (node.before.clone(), text(node))).collect()
    }

    /// D-CVO-39, D-CVO-40, D-CVO-41, D-CVO-42; vector 1
    #[test]
    fn components_of_a_runlevel_go_side_by_side() {
        let all = ["10_a_1", "10_a_2", "10_b_1", "20_c_1", "25_d_1", "30_e_1", "30_f_1"];
        let expected = |list: &[(Vec<usize>, &str)]| -> Vec<(Vec<usize>, String)> {
            list.iter().map(|(before, text)| (before.clone(), (*text).to_owned())).collect()
        };
        let first = [
            (vec![], ""),
            (vec![0], "10_a_1 10_a_2"),
            (vec![0], "10_b_1"),
            (vec![1, 2], "20_c_1 25_d_1"),
            (vec![3], "30_e_1"),
            (vec![3], "30_f_1"),
        ];
        assert_eq!(graph(&all, Mode::Updating), expected(&first));
        let without = ["10_a_1", "10_a_2", "20_c_1", "25_d_1", "30_e_1", "30_f_1"];
        let second = [
            (vec![], ""),
            (vec![0], "10_a_1 10_a_2 20_c_1 25_d_1"),
            (vec![1], "30_e_1"),
            (vec![1], "30_f_1"),
        ];
        assert_eq!(graph(&without, Mode::Updating), expected(&second));
    }

    #[test]
    fn installations_go_side_by_side_whatever_the_runlevel() {
        let names = ["10_a_1", "20_b_1", "20_b_2", "30_c_1"];
        let found: Vec<String> =
            graph(&names, Mode::Initializing).into_iter().map(|(_, tasks)| tasks).collect();
        assert_eq!(found, ["", "10_a_1", "20_b_1 20_b_2", "30_c_1"]);
    }

    #[test]
    fn a_job_is_alone_between_barriers() {
        let names = ["10_a_1", "10_b_1", "10_b_2_job", "10_c_1", "10_d_1"];
        let graph = graph(&names, Mode::Initializing);
        let of = |text: &str| graph.iter().position(|(_, tasks)| tasks == text).expect("the node is there");
        let is_before = |first: usize, second: usize| {
            let mut pending = vec![second];
            while let Some(node) = pending.pop() {
                if node == first {
                    return true;
                }
                pending.extend(&graph[node].0);
            }
            false
        };
        let job = of("10_b_2_job");
        assert!(is_before(of("10_a_1"), job) && is_before(of("10_b_1"), job));
        assert!(is_before(job, of("10_c_1")) && is_before(job, of("10_d_1")));
        assert!(!is_before(of("10_c_1"), of("10_d_1")));
    }

    proptest! {
        /// D-CVO-39: whatever the names, a lower runlevel is never beside or behind a higher one, and no task is lost.
        #[test]
        fn runlevels_are_in_order(levels in prop::collection::vec((0_u32..5, 0_u32..3, prop::bool::ANY), 1..30)) {
            let mut levels = levels;
            levels.sort_unstable();
            let files: Vec<String> = levels
                .iter()
                .enumerate()
                .map(|(number, (level, component, job))| {
                    format!("0000_{level}_c{component}_{number}{}", if *job && number % 7 == 0 { "job" } else { "" })
                })
                .collect();
            let manifests = manifests(&files);
            for mode in [Mode::Updating, Mode::Initializing, Mode::Reconciling { attempt: 11 }] {
                let graph = TaskGraph::new(&manifests, mode);
                let mut tasks: Vec<usize> = graph.nodes.iter().flat_map(|node| node.tasks.clone()).collect();
                tasks.sort_unstable();
                prop_assert_eq!(tasks, (0..files.len()).collect::<Vec<_>>());
                for (index, node) in graph.nodes.iter().enumerate() {
                    for other in &node.before {
                        prop_assert!(graph.nodes[*other].after.contains(&index));
                    }
                }
            }
            let graph = TaskGraph::new(&manifests, Mode::Updating);
            let reach = |from: usize| {
                let mut seen = vec![false; graph.nodes.len()];
                let mut pending = vec![from];
                while let Some(node) = pending.pop() {
                    if !mem::replace(&mut seen[node], true) {
                        pending.extend(&graph.nodes[node].after);
                    }
                }
                seen
            };
            let place = |task: usize| graph.nodes.iter().position(|node| node.tasks.contains(&task)).unwrap_or_default();
            for low in 0..levels.len() {
                let seen = reach(place(low));
                for high in low + 1..levels.len() {
                    if levels[low].0 < levels[high].0 {
                        prop_assert!(seen[place(high)], "{} before {}", files[low], files[high]);
                    }
                }
            }
        }
    }
}
