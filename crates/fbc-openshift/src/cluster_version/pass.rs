//! One run over a payload: nodes of the graph of tasks on workers, tries, waits, and what is reported on the way.
//!
//! Sources: `openshift/cluster-version-operator:pkg/cvo/sync_worker.go` (`apply`), `pkg/payload/task_graph.go` (`RunGraph`).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::{Milliseconds, Moment, SECOND};
use serde_json::Value;

use super::apply::{ApplyError, Deletions, apply, precreate};
use super::capability_sets::{Capabilities, apply_time_refusal};
use super::update_error::{Effect, UpdateError, summarize};
use crate::release::inclusion::is_overridden;
use crate::release::{Inclusion, Mode, Payload, TaskGraph};

/// Waits between the tries of a task.
const RETRIES: [Milliseconds; 2] = [10 * SECOND, 13 * SECOND];
/// The same while a cluster is installed.
const RETRIES_WHILE_INSTALLING: [Milliseconds; 3] = [SECOND, 2 * SECOND, 4 * SECOND];

/// What a pass works on.
#[derive(Debug, Clone)]
pub(super) struct Job {
    pub(super) payload: Rc<Payload>,
    pub(super) mode: Mode,
    pub(super) overrides: Vec<Value>,
    pub(super) capabilities: Capabilities,
    pub(super) gates: BTreeSet<String>,
    pub(super) task_duration: Milliseconds,
    pub(super) request_duration: Milliseconds,
    pub(super) deadline: Moment,
}

/// A run over a payload.
#[derive(Debug)]
pub(super) struct Pass {
    job: Job,
    inclusion: Inclusion,
    graph: TaskGraph,
    nodes: Vec<NodeState>,
    workers: usize,
    /// Tasks that are done.
    pub(super) done: usize,
    /// What is told once everything else is done.
    reports: Vec<UpdateError>,
    /// All workers share one client, which sends one request after another.
    client_free: Moment,
}

/// Where a node of the graph is.
#[derive(Debug)]
enum NodeState {
    Waiting,
    Running { position: usize, tries: usize, at: Moment, error: Option<ApplyError> },
    Done,
    Failed(UpdateError),
    Cancelled,
}

/// What a step of a pass came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// It goes on at a moment.
    Until(Moment),
    /// Everything is done; what is to be told about it.
    Complete(Option<UpdateError>),
    /// It ended early. Without an error if it was only cancelled.
    Failed(Option<UpdateError>),
}

/// What the pass tells on the way: it reached a task with so many done.
pub(super) type Reports = Vec<usize>;

impl Pass {
    /// A pass that has not begun.
    pub(super) fn new(job: Job) -> Self {
        let graph = TaskGraph::new(&job.payload.manifests, job.mode);
        let nodes = graph.nodes.iter().map(|_| NodeState::Waiting).collect();
        let workers = job.mode.workers().unwrap_or(graph.nodes.len());
        let inclusion = job.capabilities.inclusion(&job.gates);
        Self { job, inclusion, graph, nodes, workers, done: 0, reports: Vec::new(), client_free: Moment(0) }
    }

    /// The number of manifests.
    pub(super) fn total(&self) -> usize {
        self.job.payload.manifests.len()
    }

    /// Ends everything that is going on.
    pub(super) fn cancel(&mut self) {
        for state in &mut self.nodes {
            let NodeState::Running { error, .. } = state else { continue };
            // A task between two tries tells why it is not done; all others are only stopped.
            *state = match error.take() {
                Some(error) => NodeState::Failed(error.given_up("")),
                None => NodeState::Cancelled,
            };
        }
        for state in &mut self.nodes {
            if matches!(state, NodeState::Waiting) {
                *state = NodeState::Cancelled;
            }
        }
    }

    /// Does all that is due.
    pub(super) fn step(
        &mut self,
        api: &mut ApiServer,
        since: &mut BTreeMap<String, Moment>,
        deletions: &mut Deletions,
        reports: &mut Reports,
    ) -> Progress {
        let now = api.now();
        if now >= self.job.deadline {
            self.cancel();
        }
        loop {
            self.start(api, since);
            let due = self
                .nodes
                .iter()
                .position(|state| matches!(state, NodeState::Running { at, .. } if *at <= now));
            let Some(index) = due.filter(|_| self.client_free <= now) else { break };
            self.work(index, api, since, deletions, reports);
            self.client_free = now + self.job.request_duration;
        }
        let next = self.nodes.iter().filter_map(|state| match state {
            NodeState::Running { at, .. } => Some((*at).max(self.client_free)),
            _ => None,
        });
        match next.min() {
            Some(at) => Progress::Until(at.min(self.job.deadline)),
            None => self.result(),
        }
    }

    /// Begins nodes whose prerequisites are done, the first ones first.
    fn start(&mut self, api: &mut ApiServer, since: &mut BTreeMap<String, Moment>) {
        let now = api.now();
        loop {
            let running =
                self.nodes.iter().filter(|state| matches!(state, NodeState::Running { .. })).count();
            if running >= self.workers {
                return;
            }
            let is_done = |node: &usize| matches!(self.nodes.get(*node), Some(NodeState::Done));
            let ready = self.graph.nodes.iter().zip(&self.nodes).position(|(node, state)| {
                matches!(state, NodeState::Waiting) && node.before.iter().all(is_done)
            });
            let Some(index) = ready else { return };
            let tasks = self.graph.nodes.get(index).map(|node| node.tasks.clone()).unwrap_or_default();
            let state = if tasks.is_empty() {
                NodeState::Done
            } else {
                NodeState::Running { position: 0, tries: 0, at: now, error: None }
            };
            if let Some(place) = self.nodes.get_mut(index) {
                *place = state;
            }
            for task in tasks {
                let Some(manifest) = self.job.payload.manifests.get(task) else { continue };
                if manifest.is_cluster_operator() && self.refusal(&manifest.object).is_none() {
                    since.entry(manifest.object.name().to_owned()).or_insert(now);
                    precreate(api, &manifest.object);
                }
            }
        }
    }

    /// Why a manifest is not applied.
    fn refusal(&self, object: &Object) -> Option<String> {
        apply_time_refusal(&self.inclusion, object)
            .or_else(|| is_overridden(object, &self.job.overrides).then(|| "overridden".to_owned()))
    }

    /// Tries the present task of a node.
    fn work(
        &mut self,
        index: usize,
        api: &mut ApiServer,
        since: &mut BTreeMap<String, Moment>,
        deletions: &mut Deletions,
        reports: &mut Reports,
    ) {
        let Some(NodeState::Running { position, tries, .. }) = self.nodes.get(index) else { return };
        let (position, tries) = (*position, *tries);
        let task = self.graph.nodes.get(index).and_then(|node| node.tasks.get(position).copied());
        let payload = Rc::clone(&self.job.payload);
        let manifest = task.and_then(|task| payload.manifests.get(task));
        let (Some(task), Some(manifest)) = (task, manifest) else {
            self.set(index, NodeState::Done);
            return;
        };
        let now = api.now();
        if tries == 0 {
            reports.push(self.done);
        }
        let next = |at: Moment| NodeState::Running { position: position + 1, tries: 0, at, error: None };
        if self.refusal(&manifest.object).is_some() {
            self.set(index, next(now));
            return;
        }
        let name = task_name(&manifest.object, task, self.total());
        if manifest.is_cluster_operator() {
            since.entry(manifest.object.name().to_owned()).or_insert(now);
        }
        let state = match apply(api, manifest, self.job.mode, deletions) {
            Ok(()) => {
                if manifest.is_cluster_operator() {
                    since.remove(manifest.object.name());
                }
                self.done += 1;
                next(now + self.job.task_duration)
            }
            Err(ApplyError::Final(error)) if error.effect == Some(Effect::Report) => {
                self.reports.push(*error);
                self.done += 1;
                next(now + self.job.task_duration)
            }
            Err(ApplyError::Final(error)) => NodeState::Failed(*error),
            Err(error) => {
                let waits: &[Milliseconds] = match self.job.mode {
                    Mode::Initializing => &RETRIES_WHILE_INSTALLING,
                    _ => &RETRIES,
                };
                match waits.get(tries) {
                    Some(wait) => {
                        // The error of the last try is kept with the name that it is told with.
                        let error = ApplyError::Final(Box::new(error.given_up(&name)));
                        NodeState::Running { position, tries: tries + 1, at: now + *wait, error: Some(error) }
                    }
                    None => NodeState::Failed(error.given_up(&name)),
                }
            }
        };
        self.set(index, state);
    }

    fn set(&mut self, index: usize, state: NodeState) {
        if let Some(place) = self.nodes.get_mut(index) {
            *place = state;
        }
    }

    fn result(&mut self) -> Progress {
        let errors: Vec<UpdateError> = self
            .nodes
            .iter()
            .filter_map(|state| match state {
                NodeState::Failed(error) => Some(error.clone()),
                _ => None,
            })
            .collect();
        if !errors.is_empty() {
            return Progress::Failed(summarize(errors));
        }
        let is_done = self.nodes.iter().all(|state| matches!(state, NodeState::Done));
        if is_done {
            Progress::Complete(summarize(std::mem::take(&mut self.reports)))
        } else {
            Progress::Failed(None)
        }
    }
}

/// `deployment "openshift-a/b" (3 of 30)`
fn task_name(object: &Object, index: usize, total: usize) -> String {
    format!("{} \"{}\" ({} of {total})", object.kind().to_lowercase(), object.object_name(), index + 1)
}
