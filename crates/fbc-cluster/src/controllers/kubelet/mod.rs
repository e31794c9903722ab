//! What nodes do: they say how they are, and the pods that are bound to them start, become ready, end, and go away.
//!
//! One actor plays the kubelets of all nodes. What happens when comes from [`super::behaviour`].

mod node;
mod references;
mod status;

use std::collections::BTreeMap;
use std::sync::Arc;

pub use self::node::{CAPACITY, KUBELET};
use self::node::{NodeAgent, is_stopped};
use self::references::Missing;
use self::status::write_status;
use super::behaviour::{Behaviour, Fate, Plan, plan};
use super::events::Recorder;
use super::pods::is_finished;
use super::pods_by_node::PodsByNode;
use crate::api::{ApiServer, Caller, DeleteOptions};
use crate::engine::{Controller, Outcome};
use crate::error::ApiError;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::store::Change;
use crate::time::{Milliseconds, Moment, SECOND};

/// The wait before a container is started again for the first time; every further one doubles it.
const FIRST_RESTART: Milliseconds = 10 * SECOND;
/// Kubelets do not act in the same millisecond: pods that are bound together start in so many groups, so that few pods
/// come one after another and many come together.
const GROUPS: u32 = 16;
/// So long the end of a pod takes beyond its grace period.
const END: Milliseconds = 80;
/// The longest wait before a container is started again.
const LONGEST_RESTART: Milliseconds = 300 * SECOND;

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
    running: BTreeMap<ObjectName, Run>,
    nodes: BTreeMap<String, NodeAgent>,
    /// Nodes that were deleted: nothing happens to their pods any more.
    lost: std::collections::BTreeSet<String>,
    pods: PodsByNode,
    /// How many pods have got an address.
    addresses: u32,
    events: Recorder,
}

impl Default for Kubelet {
    fn default() -> Self {
        Self {
            behaviours: Vec::new(),
            seed: 0,
            running: BTreeMap::new(),
            nodes: BTreeMap::new(),
            lost: std::collections::BTreeSet::new(),
            pods: PodsByNode::default(),
            addresses: 0,
            events: Recorder::new("kubelet"),
        }
    }
}

/// A pod on its node.
#[derive(Debug, Clone, Copy)]
struct Run {
    plan: Plan,
    bound: Moment,
    /// When its containers were first made: all that they refer to was there.
    started: Option<Moment>,
    /// How often something that it refers to was not there.
    misses: u32,
    /// When its deletion was seen.
    stopping: Option<Moment>,
    restarts: u32,
    /// The last three bytes of its address.
    address: u32,
}

/// What the containers of a pod do.
#[derive(Debug, Clone, PartialEq)]
enum State {
    /// They wait for this reason.
    Waiting(&'static str),
    /// They wait for something that they refer to.
    Blocked(Missing),
    Running {
        ready: bool,
    },
    /// They ended with this code.
    Ended(i64),
}

impl Kubelet {
    /// Nodes on which pods behave like this.
    pub fn new(behaviours: Vec<Behaviour>, seed: u64) -> Self {
        Self { behaviours, seed, ..Self::default() }
    }

    /// Puts other behaviours in force, for pods that are bound from now on.
    pub fn set_behaviours(&mut self, behaviours: Vec<Behaviour>) {
        self.behaviours = behaviours;
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
        let (behaviours, seed) = (&self.behaviours, self.seed);
        self.addresses += u32::from(is_new);
        let address = self.addresses;
        let run = self.running.entry(name.clone()).or_insert_with(|| Run {
            plan: plan(behaviours, pod, seed),
            bound: now,
            started: None,
            misses: 0,
            stopping: None,
            restarts: 0,
            address,
        });
        let stops = pod.is_terminating() && run.stopping.is_none();
        if stops {
            run.stopping = Some(now);
        }
        if is_new || stops {
            requests.push(name.clone());
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        // Pods have namespaces, nodes have none.
        if request.namespace.is_empty() {
            let Some(agent) = self.nodes.get(&request.name) else {
                let now = api.now();
                api.heartbeats_mut().stop(&request.name, now);
                return Outcome::Done;
            };
            return super::write::outcome(agent.report(api, request));
        }
        let (Some(run), Some(pod)) = (self.running.get_mut(request), api.find("", "Pod", request).cloned())
        else {
            return Outcome::Done;
        };
        let node = pod.text(&["spec", "nodeName"]);
        if self.lost.contains(node) || self.nodes.get(node).is_some_and(|agent| agent.is_stopped) {
            return Outcome::Done;
        }
        run.advance(api, &pod, &mut self.events)
            .unwrap_or_else(|error| super::write::outcome(Err::<(), _>(error)))
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
}

fn caller() -> Caller {
    Caller::administrator("kubelet")
}

impl Run {
    /// Does what is due and says when something is due next.
    fn advance(
        &mut self,
        api: &mut ApiServer,
        pod: &Arc<Object>,
        events: &mut Recorder,
    ) -> Result<Outcome, ApiError> {
        let now = api.now();
        if let Some(since) = self.stopping {
            return stop(api, pod, since + self.lag());
        }
        if is_finished(pod) {
            return Ok(Outcome::Done);
        }
        let begin = self.bound + self.plan.start + self.lag();
        if now < begin {
            return Ok(Outcome::After(begin.since(now)));
        }
        if self.started.is_none()
            && let Some(missing) = references::missing(api, pod)
        {
            self.misses += 1;
            let (reason, message) = missing.event.clone();
            write_status(api, pod, &State::Blocked(missing), self)?;
            events.warning(api, pod, reason, &message);
            let wait = FIRST_LOOK << (self.misses - 1).min(5);
            return Ok(Outcome::After(wait.min(LONGEST_LOOK)));
        }
        let made = if self.misses > 0 { now } else { begin };
        let started = *self.started.get_or_insert(made);
        let (state, next) = self.state(pod, started, now);
        write_status(api, pod, &state, self)?;
        Ok(next.map_or(Outcome::Done, |next| Outcome::After(next.since(now).max(1))))
    }

    fn lag(&self) -> Milliseconds {
        Milliseconds::from(self.address % GROUPS)
    }

    /// What the containers do at a moment, and when that changes.
    fn state(&mut self, pod: &Object, begin: Moment, now: Moment) -> (State, Option<Moment>) {
        let until = |after: Milliseconds, before: State, then: State| {
            let at = begin + after;
            if now < at { (before, Some(at)) } else { (then, None) }
        };
        let ready = State::Running { ready: true };
        let restarts = pod.text(&["spec", "restartPolicy"]) != "Never";
        match self.plan.fate {
            Fate::Ready { after } => until(after, State::Running { ready: false }, ready),
            Fate::NeverReady => (State::Running { ready: false }, None),
            Fate::ImagePullError => {
                let (first, then) = (State::Waiting("ErrImagePull"), State::Waiting("ImagePullBackOff"));
                until(FIRST_RESTART, first, then)
            }
            Fate::Complete { after } => until(after, ready, State::Ended(0)),
            Fate::Fail { after, exit_code } if !restarts => until(after, ready, State::Ended(exit_code)),
            Fate::Crash { after } if !restarts => until(after, ready, State::Ended(1)),
            Fate::Fail { after, .. } | Fate::Crash { after } => self.crash(begin, after, now),
        }
    }

    /// Runs, ends and waits in turns.
    fn crash(&mut self, begin: Moment, after: Milliseconds, now: Moment) -> (State, Option<Moment>) {
        let mut started = begin;
        self.restarts = 0;
        loop {
            let ended = started + after.max(1);
            if now < ended {
                return (State::Running { ready: true }, Some(ended));
            }
            let wait = (FIRST_RESTART << self.restarts.min(5)).min(LONGEST_RESTART);
            started = ended + wait;
            if now < started {
                return (State::Waiting("CrashLoopBackOff"), Some(started));
            }
            self.restarts += 1;
        }
    }
}

/// Takes a pod away once its grace period is over.
fn stop(api: &mut ApiServer, pod: &Object, since: Moment) -> Result<Outcome, ApiError> {
    let now = api.now();
    let seconds = pod.number(&["metadata", "deletionGracePeriodSeconds"]).unwrap_or_default();
    let end = since + u64::try_from(seconds).unwrap_or_default() * SECOND;
    let end = if seconds > 0 { end + END } else { end };
    if now < end && !is_finished(pod) {
        return Ok(Outcome::After(end.since(now)));
    }
    let Some(kind) = api.kind_id("", "Pod") else { return Ok(Outcome::Done) };
    let uid = Some(pod.uid().to_owned());
    let options = DeleteOptions { grace_period: Some(0), uid, ..DeleteOptions::default() };
    api.delete(&caller(), kind, &pod.object_name(), &options)?;
    Ok(Outcome::Done)
}
