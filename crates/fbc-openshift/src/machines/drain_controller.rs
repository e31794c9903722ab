//! The machine drain controller: it empties the nodes of machines that are to go, one after another.
//!
//! Source: `openshift/machine-api-operator:pkg/controller/machine/drain_controller.go` (MA-7).

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::controllers::events::Recorder;
use fbc_cluster::drain::Removal;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_cluster::time::{Milliseconds, Moment, SECOND};
use serde_json::{Value, json};

use super::GROUP;
use super::conditions::Condition;
use super::hooks::{Point, hooks};
use super::is_control_plane;
use super::resync::Resync;
use crate::drain::{Attempt, Step};
use crate::writer::Writer;

/// Machines with it are not drained.
const EXCLUDE: &str = "machine.openshift.io/exclude-node-draining";
/// How long an attempt takes at most, and the wait after an eviction that was refused: the reference asks again without
/// pause.
const REMOVAL: Removal = Removal {
    timeout: Some(20 * SECOND),
    retry: Some(SECOND),
    without_eviction: false,
    grace_period: None,
    skip_wait_for_delete: None,
    dry_run: false,
};
/// How a node is emptied that does not answer: pods there never say that they are gone.
const UNREACHABLE: Removal = Removal { grace_period: Some(1), skip_wait_for_delete: Some(SECOND), ..REMOVAL };
/// The first wait after a failed attempt; every further one doubles it.
const FIRST_BACK_OFF: Milliseconds = 5 * SECOND;
/// The longest.
const LONGEST_BACK_OFF: Milliseconds = 1000 * SECOND;
/// The wait while another node of the control plane is being drained.
const CONFLICT: Milliseconds = 20 * SECOND;
/// How long it takes until other controllers have seen a write.
const NOTICE: Milliseconds = 10;

/// Empties the nodes of machines.
pub struct DrainController {
    writer: Writer,
    recorder: Recorder,
    resync: Resync,
    /// Whether a failed drain shows in the condition `Drained`, as the documents say; the reference only tells it in
    /// events.
    shows_failures: bool,
    queue: VecDeque<ObjectName>,
    /// When machines are looked at again.
    due: BTreeMap<ObjectName, Moment>,
    failures: BTreeMap<ObjectName, u32>,
    /// The machine that is being drained. There is one worker.
    current: Option<Current>,
    /// A machine that was touched while it was drained, as it was then: the reference looks at it again before its cache
    /// knows that it is drained.
    outdated: Option<Arc<Object>>,
}

/// A drain that is going on.
struct Current {
    name: ObjectName,
    attempt: Attempt,
    /// The conditions of the machine when it began. The reference writes them back with the result, so that what the
    /// machine controller wrote meanwhile is lost until it looks again.
    conditions: Vec<Value>,
}

impl DrainController {
    /// The controller. Failures show in the condition `Drained` if that is wanted.
    pub fn new(shows_failures: bool) -> Self {
        Self {
            writer: Writer::new("machine-drain-controller"),
            recorder: Recorder::new("machine-drain-controller"),
            resync: Resync::default(),
            shows_failures,
            queue: VecDeque::new(),
            due: BTreeMap::new(),
            failures: BTreeMap::new(),
            current: None,
            outdated: None,
        }
    }
}

impl Controller for DrainController {
    fn name(&self) -> &'static str {
        "machine-drain-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, "Machine"), ("", "Pod")]
    }

    /// All machines share one request, because they share one worker.
    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let name = &change.key.name;
        if kind.1 == "Pod" {
            let concerns = self.current.as_ref().is_some_and(|current| current.attempt.concerns(name));
            requests.extend((change.after.is_none() && concerns).then(ObjectName::default));
            return;
        }
        self.resync.start(api.now());
        let looks_soon = self.outdated.as_ref().is_some_and(|machine| machine.object_name() == *name);
        if change.after.is_some() && !looks_soon && !is_own_report(change) {
            self.due.remove(name);
            self.enqueue(name.clone());
            requests.push(ObjectName::default());
        }
    }

    fn reconcile(&mut self, _: &ObjectName, api: &mut ApiServer) -> Outcome {
        let now = api.now();
        let is_due = |(name, at): (&ObjectName, &Moment)| (*at <= now).then(|| name.clone());
        let ready: Vec<ObjectName> = self.due.iter().filter_map(is_due).collect();
        for name in ready {
            self.due.remove(&name);
            self.enqueue(name);
        }
        loop {
            if let Some(mut current) = self.current.take() {
                match current.attempt.advance(api, &self.writer) {
                    Step::Busy(wait) => {
                        self.current = Some(current);
                        return Outcome::After(wait);
                    }
                    Step::Drained => self.succeed(api, &current.name, Some(current.conditions)),
                    Step::Failed(text) => self.fail(api, &current.name, &text),
                }
            }
            let Some(name) = self.queue.pop_front() else { break };
            self.look(api, &name);
        }
        match self.due.values().min() {
            Some(at) => Outcome::After(at.since(now)),
            None => Outcome::Done,
        }
    }

    fn events_end_waits(&self) -> bool {
        true
    }
}

/// True for the report of a failure, which must not begin another attempt.
fn is_own_report(change: &Change) -> bool {
    let (Some(before), Some(after)) = (&change.before, &change.after) else { return false };
    let without_report = |machine: &Object| {
        let mut machine = machine.clone();
        machine.remove(&["metadata", "resourceVersion"]);
        machine.remove(&["metadata", "managedFields"]);
        let mut conditions = machine.list(&["status", "conditions"]).to_vec();
        conditions.retain(|condition| condition["type"] != "Drained");
        machine.set(&["status", "conditions"], conditions);
        machine
    };
    after.condition_status("Drained") == "False" && without_report(before) == without_report(after)
}

impl DrainController {
    fn enqueue(&mut self, name: ObjectName) {
        if !self.queue.contains(&name) {
            self.queue.push_back(name);
        }
    }

    /// Begins with a machine if it is to be drained.
    fn look(&mut self, api: &mut ApiServer, name: &ObjectName) {
        let outdated = self.outdated.take_if(|machine| machine.object_name() == *name);
        let Some(machine) = api.find(GROUP, "Machine", name).cloned() else {
            self.failures.remove(name);
            return;
        };
        let machine = outdated.unwrap_or(machine);
        let is_ours = machine.is_terminating()
            && machine.text(&["status", "phase"]) == "Deleting"
            && machine.condition_status("Drained") != "True";
        if !is_ours {
            return;
        }
        if machine.annotation(EXCLUDE).is_some() || machine.at(&["status", "nodeRef"]).is_none() {
            self.tell(api, &machine, "DrainSkipped", "Node drain skipped");
            self.finish(api, name, "Node drain skipped", None);
            return;
        }
        if !hooks(&machine, Point::PreDrain).is_empty() {
            self.tell(api, &machine, "DrainBlocked", "Drain blocked by pre-drain hook");
            return;
        }
        self.tell(api, &machine, "DrainProceeds", "Node drain proceeds");
        let node = ObjectName::cluster(machine.text(&["status", "nodeRef", "name"]));
        let Some(node) = api.find("", "Node", &node).cloned() else {
            self.succeed(api, name, None);
            return;
        };
        if !is_cordoned(&node) && is_control_plane(&node) && another_is_cordoned(api) {
            self.tell(
                api,
                &machine,
                "DrainRequeued",
                "Node drain requeued: drain not permitted: requeue in: 20s",
            );
            self.failures.remove(name);
            self.due.insert(name.clone(), api.now() + CONFLICT);
            return;
        }
        let cordoned = self
            .writer
            .change(api, "", "Node", &node.object_name(), |node| node.set(&["spec", "unschedulable"], true));
        if let Err(error) = cordoned {
            self.fail(api, name, &error.message);
            return;
        }
        let is_silent = node.condition_status("Ready") == "Unknown";
        let removal = if is_silent { UNREACHABLE } else { REMOVAL };
        self.current = Some(Current {
            name: name.clone(),
            attempt: Attempt::start(api, node.name(), removal),
            conditions: machine.list(&["status", "conditions"]).to_vec(),
        });
    }

    fn succeed(&mut self, api: &mut ApiServer, name: &ObjectName, conditions: Option<Vec<Value>>) {
        let Some(machine) = api.find(GROUP, "Machine", name).cloned() else { return };
        if self.queue.contains(name) {
            self.queue.retain(|other| other != name);
            self.outdated = Some(Arc::clone(&machine));
            self.due.insert(name.clone(), api.now() + NOTICE);
        }
        if conditions.is_some() {
            let text = format!("Node {:?} drained", machine.text(&["status", "nodeRef", "name"]));
            self.tell(api, &machine, "Deleted", &text);
        }
        self.tell(api, &machine, "DrainSucceeded", "Node drain succeeded");
        self.finish(api, name, "Drain finished successfully", conditions);
    }

    /// Writes that a machine is drained.
    fn finish(
        &mut self,
        api: &mut ApiServer,
        name: &ObjectName,
        message: &str,
        conditions: Option<Vec<Value>>,
    ) {
        self.failures.remove(name);
        let condition = Condition { message, ..Condition::is_true("Drained") };
        if self.set_condition(api, name, &condition, conditions).is_err() {
            self.due.insert(name.clone(), api.now() + FIRST_BACK_OFF);
        }
    }

    fn fail(&mut self, api: &mut ApiServer, name: &ObjectName, error: &str) {
        let Some(machine) = api.find(GROUP, "Machine", name).cloned() else { return };
        let text = format!("Node drain requeued: {error}");
        self.tell(api, &machine, "DrainRequeued", &text);
        if self.shows_failures {
            let message = format!("could not drain machine: {error}");
            // The next attempt tells the same; nothing is lost if this cannot be written.
            let _ =
                self.set_condition(api, name, &Condition::warning("Drained", "DrainError", &message), None);
        }
        let failures = self.failures.entry(name.clone()).or_default();
        let wait = FIRST_BACK_OFF.checked_shl(*failures).unwrap_or(LONGEST_BACK_OFF).min(LONGEST_BACK_OFF);
        *failures = (*failures + 1).min(30);
        let now = api.now();
        self.due.insert(name.clone(), now + wait.min(self.resync.next(now)));
    }

    fn set_condition(
        &self,
        api: &mut ApiServer,
        name: &ObjectName,
        condition: &Condition<'_>,
        conditions: Option<Vec<Value>>,
    ) -> Result<(), ApiError> {
        let now = api.now();
        let change = |machine: &mut Object| {
            if let Some(conditions) = conditions {
                machine.set(&["status", "conditions"], conditions);
            }
            condition.set(machine, now);
        };
        self.writer.change_status(api, GROUP, "Machine", name, change).map(drop)
    }

    fn tell(&mut self, api: &mut ApiServer, machine: &Arc<Object>, reason: &str, message: &str) {
        self.recorder.action(api, machine, "Normal", reason, "Drain", message);
    }
}

fn is_cordoned(node: &Object) -> bool {
    node.at(&["spec", "unschedulable"]) == Some(&json!(true))
}

fn another_is_cordoned(api: &ApiServer) -> bool {
    api.all("", "Node").any(|node| is_control_plane(node) && is_cordoned(node))
}
