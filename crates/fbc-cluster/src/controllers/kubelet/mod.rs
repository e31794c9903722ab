//! What nodes do: they say how they are, and the pods that are bound to them start, become ready, end, and go away.
//!
//! One actor plays the kubelets of all nodes. What applications do comes from [`super::behaviour`].
//!
//! | module | what it holds |
//! |---|---|
//! | `node` | what kubelets say of their nodes |
//! | `ending` | pods that are deleted report their end, and go |
//! | `course` | one container from its start on |
//! | `probe` | when probes find a container started, ready, or hanging |
//! | `pod` | the containers of a pod, and what its status says of them |
//! | `images` | images that somebody is asked for |
//! | `references` | config maps and secrets that must be there before a container can start |
//! | `pressure` | nodes that run short of memory or disk |

mod course;
mod ending;
mod images;
mod node;
mod pod;
mod pressure;
mod probe;
mod references;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;
use std::sync::Arc;

use serde_json::Value;

use self::ending::stop;
pub use self::images::{Images, Pull};
use self::images::{Pulls, Registries};
pub use self::node::{CAPACITY, KUBELET};
use self::node::{NodeAgent, is_stopped};
use self::pod::{Fates, Looks, failed, happenings, status};
pub use self::pressure::Usage;
use super::behaviour::{Behaviour, Plan, fate, plan};
use super::events::Recorder;
use super::pods::is_finished;
use super::pods_by_node::PodsByNode;
use super::write::{outcome, set_condition, update_status_as};
use crate::api::{ApiServer, Caller};
use crate::engine::{Controller, Outcome};
use crate::error::ApiError;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::store::Change;
use crate::time::{Milliseconds, Moment, SECOND};

/// Kubelets do not act in the same millisecond: pods that are bound together start in so many groups, so that few pods
/// come one after another and many come together.
const GROUPS: u32 = 16;
/// So long a kubelet waits before it looks again for what a pod refers to and that was not there; every further look
/// waits twice as long.
const FIRST_LOOK: Milliseconds = 15 * SECOND;
/// The longest wait before a kubelet looks again.
const LONGEST_LOOK: Milliseconds = 120 * SECOND;

/// Plays the kubelets.
#[derive(Debug)]
pub struct Kubelet {
    behaviours: Vec<Behaviour>,
    seed: u64,
    running: HashMap<ObjectName, Run>,
    nodes: BTreeMap<String, NodeAgent>,
    /// Nodes that were deleted: nothing happens to their pods any more.
    lost: BTreeSet<String>,
    pods: PodsByNode,
    /// How many pods have got an address.
    addresses: u32,
    registries: Registries,
    recorder: Recorder,
    /// Whether a pod that is deleted reports its end before it goes.
    reports_ends: bool,
}

impl Default for Kubelet {
    fn default() -> Self {
        Self::new(Vec::new(), 0)
    }
}

/// A pod on its node.
#[derive(Debug, Clone)]
struct Run {
    plan: Plan,
    fates: Fates,
    pulls: Pulls,
    bound: Moment,
    /// When its containers were first made: all that they refer to was there.
    started: Option<Moment>,
    /// How often something that it refers to was not there.
    misses: u32,
    /// When its deletion was seen.
    stopping: Option<Moment>,
    /// The last three bytes of its address.
    address: u32,
}

impl Kubelet {
    /// Nodes on which pods behave like this.
    pub fn new(behaviours: Vec<Behaviour>, seed: u64) -> Self {
        Self {
            behaviours,
            seed,
            running: HashMap::new(),
            nodes: BTreeMap::new(),
            lost: BTreeSet::new(),
            pods: PodsByNode::default(),
            addresses: 0,
            reports_ends: true,
            registries: Registries::default(),
            recorder: Recorder::new("kubelet"),
        }
    }

    /// Lets deleted pods go without a word, as the agents did that played kubelets in recordings.
    pub fn keep_quiet_about_ends(&mut self) {
        self.reports_ends = false;
    }

    /// Puts other behaviours in force, for pods that are bound from now on.
    pub fn set_behaviours(&mut self, behaviours: Vec<Behaviour>) {
        self.behaviours = behaviours;
    }

    /// Lets nodes pull images from somebody, for pods that begin from now on.
    pub fn set_images(&mut self, images: Rc<dyn Images>) {
        self.registries = Registries(Some(images));
    }

    fn new_run(&mut self, pod: &Object, now: Moment) -> Run {
        self.addresses += 1;
        let fates = |list: &str, is_init: bool| {
            let containers = pod.list(&["spec", list]).iter();
            containers.map(|one| fate(&self.behaviours, pod, one, is_init, self.seed)).collect()
        };
        Run {
            plan: plan(&self.behaviours, pod, self.seed),
            fates: Fates { init: fates("initContainers", true), main: fates("containers", false) },
            pulls: Pulls::default(),
            bound: now,
            started: None,
            misses: 0,
            stopping: None,
            address: self.addresses,
        }
    }
}

impl Controller for Kubelet {
    fn name(&self) -> &'static str {
        "kubelet"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Pod"), ("", "Node")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let name = &change.key.name;
        if kind.1 == "Node" {
            return self.follow_node(change, api.now(), requests);
        }
        self.pods.follow(name, change.after.as_deref());
        let Some(pod) = change.after.as_deref().filter(|pod| !pod.text(&["spec", "nodeName"]).is_empty())
        else {
            self.running.remove(name);
            return;
        };
        let now = api.now();
        if change.before.as_deref().is_some_and(|before| before.uid() != pod.uid()) {
            self.running.remove(name);
        }
        let is_new = !self.running.contains_key(name);
        if is_new {
            let run = self.new_run(pod, now);
            self.running.insert(name.clone(), run);
        }
        let Some(run) = self.running.get_mut(name) else { return };
        let stops = pod.is_terminating() && run.stopping.is_none();
        if stops {
            run.stopping = Some(now);
        }
        let added = |pod: &Object| pod.list(&["spec", "ephemeralContainers"]).len();
        let grows = change.before.as_deref().is_some_and(|before| added(before) != added(pod));
        if is_new || stops || grows {
            requests.push(name.clone());
        }
        let phase = |pod: &Object| pod.text(&["status", "phase"]).to_owned();
        if run.plan.usage != Usage::default() && change.before.as_deref().map(phase) != Some(phase(pod)) {
            requests.push(ObjectName::cluster(pod.text(&["spec", "nodeName"])));
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        // Pods have namespaces, nodes have none.
        if request.namespace.is_empty() {
            return self.look_after_node(api, request).unwrap_or_else(|error| outcome(Err::<(), _>(error)));
        }
        let (Some(run), Some(pod)) =
            (self.running.get(request).cloned(), api.find("", "Pod", request).cloned())
        else {
            return Outcome::Done;
        };
        let node = pod.text(&["spec", "nodeName"]);
        if self.lost.contains(node) || self.nodes.get(node).is_some_and(|agent| agent.is_stopped) {
            return Outcome::Done;
        }
        self.advance(api, &pod, &run).unwrap_or_else(|error| outcome(Err::<(), _>(error)))
    }
}

impl Kubelet {
    /// Follows a node: whether it is there, works, and what is said of it.
    fn follow_node(&mut self, change: &Change, now: Moment, requests: &mut Vec<ObjectName>) {
        let name = &change.key.name;
        let Some(node) = change.after.as_deref() else {
            self.nodes.remove(&name.name);
            self.lost.insert(name.name.clone());
            requests.push(name.clone());
            return;
        };
        self.lost.remove(&name.name);
        let is_new = !self.nodes.contains_key(&name.name);
        let agent = self.nodes.entry(name.name.clone()).or_default();
        agent.listen(node);
        let stops = is_stopped(node);
        let resumes = std::mem::replace(&mut agent.is_stopped, stops) && !stops;
        let was_told = change.before.as_ref().map(|before| before.annotation(KUBELET).map(str::to_owned));
        if is_new || was_told != Some(node.annotation(KUBELET).map(str::to_owned)) {
            requests.push(name.clone());
        }
        if resumes {
            // Who was to stop in the meantime begins to stop now.
            for pod in self.pods.on(&name.name) {
                if let Some(run) = self.running.get_mut(pod) {
                    run.stopping = run.stopping.map(|_| now);
                }
                requests.push(pod.clone());
            }
        }
    }

    /// Says how a node is, and ends pods that it has no room for any more.
    fn look_after_node(&mut self, api: &mut ApiServer, name: &ObjectName) -> Result<Outcome, ApiError> {
        let now = api.now();
        let Some(agent) = self.nodes.get_mut(&name.name) else {
            api.heartbeats_mut().stop(&name.name, now);
            return Ok(Outcome::Done);
        };
        agent.report(api, name)?;
        if agent.is_stopped {
            return Ok(Outcome::Done);
        }
        let mut pods = Vec::new();
        for pod in self.pods.on(&name.name) {
            let Some(run) = self.running.get(pod).filter(|run| run.plan.usage != Usage::default()) else {
                continue;
            };
            let found = api.find("", "Pod", pod).filter(|pod| pod.text(&["status", "phase"]) == "Running");
            pods.extend(found.map(|pod| (Arc::clone(pod), run.plan.usage)));
        }
        let Some(node) = api.find("", "Node", name).cloned() else { return Ok(Outcome::Done) };
        let measures = agent.pressures.look(&node, &pods, now);
        agent.tell_pressures(api, &node, &measures.conditions)?;
        if let Some((pod, message)) = measures.evict {
            self.end(api, &pod, "Evicted", &message, Some("TerminationByKubelet"))?;
        }
        Ok(measures.again.map_or(Outcome::Done, Outcome::After))
    }

    /// Does what is due for a pod and says when something is due next.
    fn advance(&mut self, api: &mut ApiServer, pod: &Arc<Object>, run: &Run) -> Result<Outcome, ApiError> {
        let now = api.now();
        if let Some(since) = run.stopping {
            return stop(api, pod, since + run.lag(), run.plan.stops, self.reports_ends);
        }
        if is_finished(pod) {
            return Ok(Outcome::Done);
        }
        let begin = run.bound + run.plan.start + run.lag();
        if now < begin {
            return Ok(Outcome::After(begin.since(now)));
        }
        let node = pod.text(&["spec", "nodeName"]);
        let is_new = pod.at(&["status", "startTime"]).is_none();
        let refusal = self.nodes.get(node).filter(|_| is_new).and_then(|agent| agent.pressures.refusal(pod));
        if let Some(message) = refusal {
            self.end(api, pod, "Evicted", &message, None)?;
            return Ok(Outcome::Done);
        }
        let deadline =
            pod.number(&["spec", "activeDeadlineSeconds"]).and_then(|seconds| u64::try_from(seconds).ok());
        let deadline = deadline.map(|seconds| begin + seconds * SECOND);
        if deadline.is_some_and(|deadline| deadline <= now) {
            let message = "Pod was active on the node longer than the specified deadline";
            self.end(api, pod, "DeadlineExceeded", message, None)?;
            return Ok(Outcome::Done);
        }
        if run.started.is_none()
            && let Some(missing) = references::missing(api, pod)
        {
            let looks = Looks::blocked(pod, &missing);
            update_status_as(&caller(), api, pod, status(pod, &looks, run.address, now))?;
            let (reason, message) = missing.event;
            self.recorder.warning(api, pod, reason, &message);
            let wait = FIRST_LOOK << run.misses.min(5);
            if let Some(run) = self.running.get_mut(&pod.object_name()) {
                run.misses += 1;
            }
            return Ok(Outcome::After(wait.min(LONGEST_LOOK)));
        }
        let made = if run.misses > 0 { now } else { begin };
        let started = run.started.unwrap_or(made);
        let mut pulls = run.pulls.clone();
        pulls.ask(&self.registries, pod, now);
        let looks = Looks::at(pod, &run.fates, &pulls, started, now);
        let happenings = happenings(pod, &looks);
        let mut status = status(pod, &looks, run.address, now);
        pulls.tell(&mut status);
        let next = looks.next().into_iter().chain(deadline).min();
        let pull = pulls.next().filter(|pull| next.is_none_or(|next| *pull < next));
        if let Some(run) = self.running.get_mut(&pod.object_name()) {
            run.started = Some(started);
            run.pulls = pulls;
        }
        update_status_as(&caller(), api, pod, status)?;
        for (is_warning, reason, message) in happenings {
            if is_warning {
                self.recorder.warning(api, pod, reason, &message);
            } else {
                self.recorder.normal(api, pod, reason, &message);
            }
        }
        // Who waits for an image that nobody has is still.
        Ok(match (pull, next) {
            (Some(pull), _) => Outcome::Routinely(pull.since(now)),
            (None, Some(next)) => Outcome::After(next.since(now).max(1)),
            (None, None) => Outcome::Done,
        })
    }

    /// Ends a pod for good; it stays as a record.
    fn end(
        &mut self,
        api: &mut ApiServer,
        pod: &Arc<Object>,
        reason: &str,
        message: &str,
        disruption: Option<&str>,
    ) -> Result<(), ApiError> {
        let now = api.now();
        let mut status = failed(pod, reason, message, now);
        if let Some(disruption) = disruption {
            let mut conditions = status.list(&["conditions"]).to_vec();
            set_condition(&mut conditions, now, "DisruptionTarget", "True", disruption, message);
            status.set(&["conditions"], Value::from(conditions));
        }
        update_status_as(&caller(), api, pod, status)?;
        self.recorder.warning(api, pod, reason, message);
        Ok(())
    }
}

fn caller() -> Caller {
    Caller::administrator("kubelet")
}

impl Run {
    fn lag(&self) -> Milliseconds {
        Milliseconds::from(self.address % GROUPS)
    }
}
