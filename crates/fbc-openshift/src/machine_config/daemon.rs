//! What happens on nodes: daemons that apply configurations, as data: how long each step takes, and what fails.
//!
//! A daemon looks once a second. Source of the steps: `openshift/machine-config-operator:pkg/daemon/update.go`,
//! `daemon.go` (MC-19 to MC-22); the times are those of the recordings unless a behaviour says otherwise.

use std::collections::BTreeMap;
use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::controllers::events::Recorder;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_cluster::time::{Milliseconds, Moment, SECOND};
use serde_json::{Value, json};

use super::annotation::{
    CONTROL_PLANE_TOPOLOGY, CURRENT_CONFIG, DESIRED_CONFIG, DESIRED_DRAIN, LAST_APPLIED_DRAIN, REASON, STATE,
};
use super::reports::{Report, report};
use super::{GROUP, membership};
use crate::DataError;
use crate::writer::Writer;

/// How an update goes on some nodes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behaviour {
    /// What the names of the nodes begin with.
    pub node: String,
    /// What the names of the configurations begin with.
    pub config: String,
    /// How long files and operating system take.
    pub update: Milliseconds,
    /// How long it takes from the end of that until the node stops answering.
    pub shutdown: Milliseconds,
    /// How long the node does not answer.
    pub reboot: Milliseconds,
    /// How long the daemon takes to start afterwards.
    pub start: Milliseconds,
    /// The state and the reason that it ends with, instead of a reboot.
    pub failure: Option<(State, String)>,
}

/// How an update fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// It may be tried again.
    Degraded,
    /// The difference cannot be applied at all.
    Unreconcilable,
}

impl State {
    fn name(self) -> &'static str {
        match self {
            Self::Degraded => "Degraded",
            Self::Unreconcilable => "Unreconcilable",
        }
    }
}

impl Default for Behaviour {
    fn default() -> Self {
        Self {
            node: String::new(),
            config: String::new(),
            update: 30 * SECOND,
            shutdown: 5 * SECOND,
            reboot: 60 * SECOND,
            start: 2 * SECOND,
            failure: None,
        }
    }
}

impl Behaviour {
    /// Reads `{node, config, update, shutdown, reboot, start, state, reason}`: times are seconds, `state` is `Degraded` or
    /// `Unreconcilable` for an update that fails.
    ///
    /// # Errors
    /// [`DataError`]
    pub fn read(value: &Value) -> Result<Self, DataError> {
        let mut behaviour = Self::default();
        let (mut state, mut reason) = (None, String::new());
        for (field, value) in
            value.as_object().ok_or_else(|| DataError::kind("a behavior of nodes", "an object"))?
        {
            let text = || value.as_str().map(str::to_owned).ok_or_else(|| DataError::kind(field, "a text"));
            let span = || {
                value
                    .as_u64()
                    .map(|seconds| seconds * SECOND)
                    .ok_or_else(|| DataError::kind(field, "seconds"))
            };
            match field.as_str() {
                "node" => behaviour.node = text()?,
                "config" => behaviour.config = text()?,
                "update" => behaviour.update = span()?,
                "shutdown" => behaviour.shutdown = span()?,
                "reboot" => behaviour.reboot = span()?,
                "start" => behaviour.start = span()?,
                "reason" => reason = text()?,
                "state" => {
                    let known = [State::Degraded, State::Unreconcilable];
                    let found = known.into_iter().find(|state| value == state.name());
                    let wanted = "Degraded or Unreconcilable";
                    state = Some(found.ok_or_else(|| DataError::kind(field, wanted))?);
                }
                other => return Err(DataError::unknown(other, &[])),
            }
        }
        behaviour.failure = state.map(|state| (state, reason));
        Ok(behaviour)
    }
}

/// What a daemon waits for on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Drain,
    Update,
    Shutdown,
    Reboot,
    Start,
    Uncordon,
}

/// The daemons of all nodes.
pub struct Daemons {
    writer: Writer,
    recorder: Recorder,
    behaviours: Vec<Behaviour>,
    /// Where each node is, for which configuration, and when the next step is due.
    under_way: BTreeMap<ObjectName, (Step, String, Moment)>,
}

impl Daemons {
    /// Daemons on nodes where the first behaviour that fits decides.
    pub fn new(behaviours: Vec<Behaviour>) -> Self {
        Self {
            writer: Writer::new("machine-config-daemon"),
            recorder: Recorder::new("machineconfigdaemon"),
            behaviours,
            under_way: BTreeMap::new(),
        }
    }
}

impl Controller for Daemons {
    fn name(&self) -> &'static str {
        "machine-config-daemon"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Node")]
    }

    fn requests(&mut self, change: &Change, _: (&str, &str), _: &ApiServer, requests: &mut Vec<ObjectName>) {
        match &change.after {
            Some(_) => requests.push(change.key.name.clone()),
            None => drop(self.under_way.remove(&change.key.name)),
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(node) = api.find("", "Node", request).cloned() else { return Outcome::Done };
        self.advance(api, &node).unwrap_or_else(|error| Outcome::Failed(error.message))
    }
}

impl Daemons {
    fn advance(&mut self, api: &mut ApiServer, node: &Arc<Object>) -> Result<Outcome, ApiError> {
        let name = node.object_name();
        let Some(desired) = node.annotation(DESIRED_CONFIG) else { return self.register(api, node) };
        let Some((step, config, due)) = self.under_way.get(&name).cloned() else {
            let is_there = node.annotation(CURRENT_CONFIG) == Some(desired);
            return if is_there {
                Ok(Outcome::Done)
            } else {
                Ok(self.wait(api, &name, Step::Drain, desired))
            };
        };
        // A new target takes the place of the old one until files are written.
        if config != desired && matches!(step, Step::Drain | Step::Update) {
            let asked = node.annotation(DESIRED_DRAIN).unwrap_or_default();
            if asked != drain_of(desired) && step == Step::Update {
                return Ok(self.wait(api, &name, Step::Drain, desired));
            }
        }
        let now = api.now();
        if now < due {
            return Ok(Outcome::After(due.since(now)));
        }
        let behaviour = self.behaviour(&name.name, &config);
        let is_applied = |wanted: &str| node.annotation(LAST_APPLIED_DRAIN) == Some(wanted);
        match step {
            Step::Drain if node.annotation(DESIRED_DRAIN) != Some(&drain_of(desired)) => {
                self.ask_for_drain(api, node, desired)
            }
            Step::Drain if is_single(node) || is_applied(&drain_of(desired)) => {
                Ok(self.next(api, &name, Step::Update, desired, behaviour.update))
            }
            Step::Update => match behaviour.failure {
                Some((state, reason)) => self.give_up(api, node, state, &reason),
                None => {
                    self.annotate(api, node, &[(STATE, "Rebooting")])?;
                    self.recorder.normal(api, node, "Reboot", "Node will reboot into the new configuration");
                    Ok(self.next(api, &name, Step::Shutdown, &config, behaviour.shutdown))
                }
            },
            Step::Shutdown => {
                self.set_ready(api, node, false)?;
                Ok(self.next(api, &name, Step::Reboot, &config, behaviour.reboot))
            }
            Step::Reboot => {
                self.set_ready(api, node, true)?;
                Ok(self.next(api, &name, Step::Start, &config, behaviour.start))
            }
            Step::Start => {
                self.annotate(api, node, &[(DESIRED_DRAIN, &uncordon_of(&config))])?;
                Ok(self.wait(api, &name, Step::Uncordon, &config))
            }
            Step::Uncordon if is_single(node) || is_applied(&uncordon_of(&config)) => {
                self.complete(api, node, &config)
            }
            // The drain controller has not answered yet; its answer brings this back.
            Step::Drain | Step::Uncordon => Ok(Outcome::Done),
        }
    }

    /// A new node has the configuration that its pool had when it was made.
    fn register(&self, api: &mut ApiServer, node: &Arc<Object>) -> Result<Outcome, ApiError> {
        let pools: Vec<Arc<Object>> = api.all(GROUP, "MachineConfigPool").cloned().collect();
        let Some(pool) = membership::pools_of(node, &pools).ok().and_then(|pools| pools.first().copied())
        else {
            return Ok(Outcome::Done);
        };
        let config = pool.text(&["spec", "configuration", "name"]);
        if config.is_empty() {
            return Ok(Outcome::Routinely(SECOND));
        }
        if api.find(GROUP, "MachineConfigNode", &node.object_name()).is_none() {
            let report = json!({
                "apiVersion": format!("{GROUP}/v1"), "kind": "MachineConfigNode",
                "metadata": {"name": node.name()},
                "spec": {
                    "node": {"name": node.name()}, "pool": {"name": pool.name()},
                    "configVersion": {"desired": config},
                },
            });
            self.writer.create(api, report)?;
        }
        let drained = uncordon_of(config);
        let texts = [
            (CURRENT_CONFIG, config),
            (DESIRED_CONFIG, config),
            (STATE, "Done"),
            (REASON, ""),
            (DESIRED_DRAIN, &drained),
            (LAST_APPLIED_DRAIN, &drained),
        ];
        self.annotate(api, node, &texts)?;
        Ok(Outcome::Done)
    }

    fn ask_for_drain(
        &mut self,
        api: &mut ApiServer,
        node: &Arc<Object>,
        config: &str,
    ) -> Result<Outcome, ApiError> {
        self.annotate(api, node, &[(STATE, "Working")])?;
        if is_single(node) {
            self.recorder.normal(api, node, "Drain", "Drain not required, skipping");
        } else {
            self.recorder.normal(api, node, "Cordon", "Cordoned node to apply update");
            self.recorder.normal(api, node, "Drain", "Draining node to update config.");
        }
        self.annotate(api, node, &[(DESIRED_DRAIN, &drain_of(config))])?;
        Ok(self.wait(api, &node.object_name(), Step::Drain, config))
    }

    fn give_up(
        &mut self,
        api: &mut ApiServer,
        node: &Arc<Object>,
        state: State,
        reason: &str,
    ) -> Result<Outcome, ApiError> {
        self.annotate(api, node, &[(STATE, state.name()), (REASON, reason)])?;
        let message = format!("Node {} upgrade failure. {reason}", node.name());
        let degraded = Report {
            condition_type: "NodeDegraded",
            status: "True",
            reason: "NodeDegraded",
            message: &message,
        };
        report(&self.writer, api, node, &[degraded])?;
        self.recorder.warning(api, node, "FailedToReconcile", reason);
        // Another target is another try.
        self.under_way.insert(node.object_name(), (Step::Update, config_of(node), Moment(u64::MAX)));
        Ok(Outcome::Done)
    }

    fn complete(
        &mut self,
        api: &mut ApiServer,
        node: &Arc<Object>,
        config: &str,
    ) -> Result<Outcome, ApiError> {
        let text = format!("Update completed for config {config} and node has been uncordoned");
        self.recorder.normal(api, node, "Uncordon", &text);
        self.annotate(api, node, &[(CURRENT_CONFIG, config), (STATE, "Done"), (REASON, "")])?;
        let text = format!("Setting node {}, currentConfig {config} to Done", node.name());
        self.recorder.normal(api, node, "NodeDone", &text);
        let message = format!("Node {} Updated", node.name());
        let updated =
            Report { condition_type: "Updated", status: "True", reason: "Updated", message: &message };
        let healthy = Report {
            condition_type: "NodeDegraded",
            status: "False",
            reason: "NodeDegraded",
            message: "This node is not degraded",
        };
        if let Some(node) = api.find("", "Node", &node.object_name()).cloned() {
            report(&self.writer, api, &node, &[updated, healthy])?;
        }
        self.under_way.remove(&node.object_name());
        Ok(Outcome::After(0))
    }

    fn behaviour(&self, node: &str, config: &str) -> Behaviour {
        let fits = |one: &&Behaviour| node.starts_with(&one.node) && config.starts_with(&one.config);
        self.behaviours.iter().find(fits).cloned().unwrap_or_default()
    }

    /// Goes on with a step when the daemon looks next.
    fn wait(&mut self, api: &ApiServer, name: &ObjectName, step: Step, config: &str) -> Outcome {
        let next_look = SECOND - api.now().0 % SECOND;
        self.next(api, name, step, config, next_look)
    }

    fn next(
        &mut self,
        api: &ApiServer,
        name: &ObjectName,
        step: Step,
        config: &str,
        wait: Milliseconds,
    ) -> Outcome {
        self.under_way.insert(name.clone(), (step, config.to_owned(), api.now() + wait));
        Outcome::After(wait)
    }

    fn annotate(&self, api: &mut ApiServer, node: &Object, texts: &[(&str, &str)]) -> Result<(), ApiError> {
        let change = |node: &mut Object| {
            for (key, text) in texts {
                node.set(&["metadata", "annotations", key], *text);
            }
        };
        self.writer.change(api, "", "Node", &node.object_name(), change).map(drop)
    }

    fn set_ready(&self, api: &mut ApiServer, node: &Object, ready: bool) -> Result<(), ApiError> {
        let now = api.now().to_string();
        let (status, reason) = if ready { ("True", "KubeletReady") } else { ("False", "KubeletNotReady") };
        let change = |node: &mut Object| {
            let mut conditions = node.list(&["status", "conditions"]).to_vec();
            conditions.retain(|condition: &Value| condition["type"] != "Ready");
            conditions.push(json!({
                "type": "Ready", "status": status, "reason": reason, "lastTransitionTime": now,
                "lastHeartbeatTime": now,
            }));
            node.set(&["status", "conditions"], conditions);
        };
        self.writer.change_status(api, "", "Node", &node.object_name(), change).map(drop)
    }
}

fn config_of(node: &Object) -> String {
    node.annotation(DESIRED_CONFIG).unwrap_or_default().to_owned()
}

fn drain_of(config: &str) -> String {
    format!("drain-{config}")
}

fn uncordon_of(config: &str) -> String {
    format!("uncordon-{config}")
}

/// True on the only node of a cluster, which is not drained.
fn is_single(node: &Object) -> bool {
    node.annotation(CONTROL_PLANE_TOPOLOGY) == Some("SingleReplica")
}
