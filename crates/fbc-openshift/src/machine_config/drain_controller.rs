//! The drain controller: it cordons, drains and uncordons nodes whose daemons ask for it.
//!
//! Source: `openshift/machine-config-operator:pkg/controller/drain/drain_controller.go` (MC-23 to MC-25).

use std::collections::BTreeMap;
use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::drain::Removal;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_cluster::time::{MINUTE, Milliseconds, Moment, SECOND};

use super::annotation::{DESIRED_DRAIN, LAST_APPLIED_DRAIN};
use super::node_controller::DELAY;
use super::node_state::is_cordoned;
use super::reports::{Report, report};
use crate::delays::Delays;
use crate::drain::{Attempt, Step};
use crate::writer::Writer;

/// How long an attempt takes at most.
const TIMEOUT: Milliseconds = 90 * SECOND;
/// So many nodes are drained side by side.
const WORKERS: usize = 5;
/// The wait after a failed attempt.
const PAUSE: Milliseconds = MINUTE;
/// After so long, attempts become rarer.
const PATIENCE: Milliseconds = 10 * MINUTE;
/// The wait from then on.
const LONG_PAUSE: Milliseconds = 5 * MINUTE;
/// Requests that are not understood are tried so often at once.
const RETRIES: u32 = 15;

/// Cordons, drains and uncordons.
pub struct DrainController {
    writer: Writer,
    delays: Delays,
    /// Attempts that are going on, and since when the node has been drained before them.
    attempts: BTreeMap<ObjectName, (Attempt, Milliseconds)>,
    /// Since when nodes are drained.
    ongoing: BTreeMap<ObjectName, Moment>,
    failures: BTreeMap<ObjectName, u32>,
}

impl DrainController {
    /// The controller as a cluster runs it by default.
    pub fn new() -> Self {
        Self {
            writer: Writer::new("machineconfigcontroller-draincontroller"),
            delays: Delays::default(),
            attempts: BTreeMap::new(),
            ongoing: BTreeMap::new(),
            failures: BTreeMap::new(),
        }
    }
}

impl Default for DrainController {
    fn default() -> Self {
        Self::new()
    }
}

impl Controller for DrainController {
    fn name(&self) -> &'static str {
        "machine-config-drain-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Node"), ("", "Pod")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let name = &change.key.name;
        if kind.1 == "Pod" {
            let concerned = self.attempts.iter().filter(|(_, (attempt, _))| attempt.concerns(name));
            if change.after.is_none() {
                requests.extend(concerned.map(|(node, _)| node.clone()));
            }
            return;
        }
        let Some(after) = &change.after else {
            self.attempts.remove(name);
            self.ongoing.remove(name);
            return;
        };
        let same = change.before.as_ref().is_some_and(|before| {
            before.annotation(DESIRED_DRAIN) == after.annotation(DESIRED_DRAIN)
                && is_cordoned(before) == is_cordoned(after)
        });
        if !same {
            self.delays.add(name, api.now(), DELAY);
            requests.push(name.clone());
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(node) = api.find("", "Node", request).cloned() else { return Outcome::Done };
        if let Some((mut attempt, before)) = self.attempts.remove(request) {
            match attempt.advance(api, &self.writer) {
                Step::Busy(wait) => {
                    self.attempts.insert(request.clone(), (attempt, before));
                    Outcome::After(wait)
                }
                Step::Drained => {
                    self.finish(api, &node).unwrap_or_else(|error| self.fail(api, request, error))
                }
                Step::Failed(text) => self.pause(api, &node, before, &text),
            }
        } else if !self.delays.take(request, api.now()) {
            self.rest(api, request)
        } else if self.attempts.len() >= WORKERS {
            self.delays.add(request, api.now(), SECOND);
            self.rest(api, request)
        } else {
            self.act(api, &node).unwrap_or_else(|error| self.fail(api, request, error))
        }
    }
}

impl DrainController {
    /// Begins what a node asks for.
    fn act(&mut self, api: &mut ApiServer, node: &Arc<Object>) -> Result<Outcome, ApiError> {
        let name = node.object_name();
        let wanted = node.annotation(DESIRED_DRAIN).unwrap_or_default();
        if wanted == node.annotation(LAST_APPLIED_DRAIN).unwrap_or_default() {
            return Ok(self.rest(api, &name));
        }
        match wanted.split('-').next().unwrap_or_default() {
            "uncordon" => {
                self.set_cordoned(api, node, false)?;
                let was = is_cordoned(node);
                let message = format!("UnCordoned node. The node is reporting Unschedulable = {was}");
                let phase = Report {
                    condition_type: "UpdateComplete",
                    status: "True",
                    reason: "Uncordoned",
                    message: "Uncordoned Node as part of completing upgrade phase",
                };
                let step = Report {
                    condition_type: "Uncordoned",
                    status: "True",
                    reason: "UpdateCompleteUncordoned",
                    message: &message,
                };
                report(&self.writer, api, node, &[phase, step])?;
                self.confirm(api, node)?;
                Ok(self.rest(api, &name))
            }
            "drain" => self.start(api, node),
            verb => {
                let failures = self.failures.entry(name.clone()).or_default();
                *failures += 1;
                let text = format!("node {}: non-recognized drain verb detected {verb}", name.name);
                if *failures <= RETRIES {
                    self.delays.add(&name, api.now(), 0);
                    return Ok(Outcome::Failed(text));
                }
                *failures = 0;
                self.delays.add(&name, api.now(), PAUSE);
                Ok(self.rest(api, &name))
            }
        }
    }

    /// Cordons a node unless that was done for this drain, and begins an attempt.
    fn start(&mut self, api: &mut ApiServer, node: &Arc<Object>) -> Result<Outcome, ApiError> {
        let name = node.object_name();
        let now = api.now();
        let before = self.ongoing.get(&name).map_or(0, |since| now.since(*since));
        if !self.ongoing.contains_key(&name) || !is_cordoned(node) {
            self.set_cordoned(api, node, true)?;
            self.ongoing.insert(name.clone(), now);
            let was = is_cordoned(node);
            let message = format!("Cordoned node. The node is reporting Unschedulable = {was}");
            let phase = executed("Cordoned", "Cordoned Node as part of update executed phase");
            let step = Report {
                condition_type: "Cordoned",
                status: "True",
                reason: "UpdateExecutedCordoned",
                message: &message,
            };
            report(&self.writer, api, node, &[phase, step])?;
        }
        let message = format!("Draining node. {}", until(node));
        let phase = executed("Drained", "Draining Node as part of update executed phase");
        report(&self.writer, api, node, &[phase, drained("Unknown", &message)])?;
        let removal = Removal { timeout: Some(TIMEOUT), ..Removal::default() };
        let attempt = Attempt::start(api, &name.name, removal);
        self.attempts.insert(name, (attempt, before));
        Ok(Outcome::After(0))
    }

    /// Tells of a node that is empty, unless somebody let pods come back meanwhile.
    fn finish(&mut self, api: &mut ApiServer, node: &Arc<Object>) -> Result<Outcome, ApiError> {
        let wanted = node.annotation(DESIRED_DRAIN).unwrap_or_default();
        let message = format!(
            "Drained node. The drain is complete as the desired drainer matches current drainer: {wanted}"
        );
        let phase = executed("Drained", "Drained Node as part of update executed phase");
        report(&self.writer, api, node, &[phase, drained("True", &message)])?;
        let name = node.object_name();
        self.ongoing.remove(&name);
        if is_cordoned(node) {
            self.confirm(api, node)?;
            // A look that was due meanwhile comes before the cache of the reference knows what was just written.
            if self.delays.take(&name, api.now()) {
                return self.start(api, node);
            }
        }
        Ok(self.rest(api, &name))
    }

    /// Tells of an attempt that failed, and waits.
    fn pause(
        &mut self,
        api: &mut ApiServer,
        node: &Arc<Object>,
        before: Milliseconds,
        error: &str,
    ) -> Outcome {
        let name = node.object_name();
        let pause = if before > PATIENCE { LONG_PAUSE } else { PAUSE };
        self.delays.add(&name, api.now(), pause);
        let message = format!("Error: Node Drain has not succeeded. Error is: {error} {}", until(node));
        let phase = executed("Drained", "Node Drain has not succeeded");
        // The next attempt tells the same; nothing is lost if this cannot be written.
        let _ = report(&self.writer, api, node, &[phase, drained("Unknown", &message)]);
        self.rest(api, &name)
    }

    fn fail(&mut self, api: &ApiServer, name: &ObjectName, error: ApiError) -> Outcome {
        self.delays.add(name, api.now(), 0);
        Outcome::Failed(error.message)
    }

    /// Waits for whatever is due next.
    fn rest(&self, api: &ApiServer, name: &ObjectName) -> Outcome {
        self.delays.wait(name, api.now()).map_or(Outcome::Done, Outcome::After)
    }

    fn set_cordoned(&self, api: &mut ApiServer, node: &Object, cordoned: bool) -> Result<(), ApiError> {
        let change = |node: &mut Object| {
            if cordoned {
                node.set(&["spec", "unschedulable"], true);
            } else {
                node.remove(&["spec", "unschedulable"]);
            }
        };
        self.writer.change(api, "", "Node", &node.object_name(), change).map(drop)
    }

    /// Writes that the request of a node is fulfilled.
    fn confirm(&self, api: &mut ApiServer, node: &Object) -> Result<(), ApiError> {
        let wanted = node.annotation(DESIRED_DRAIN).unwrap_or_default();
        let change = |node: &mut Object| node.set(&["metadata", "annotations", LAST_APPLIED_DRAIN], wanted);
        self.writer.change(api, "", "Node", &node.object_name(), change).map(drop)
    }
}

fn executed<'r>(reason: &'r str, message: &'r str) -> Report<'r> {
    Report { condition_type: "UpdateExecuted", status: "Unknown", reason, message }
}

fn drained<'r>(status: &'r str, message: &'r str) -> Report<'r> {
    Report { condition_type: "Drained", status, reason: "UpdateExecutedDrained", message }
}

fn until(node: &Object) -> String {
    format!(
        "The drain will not be complete until desired drainer {} matches current drainer {}",
        node.annotation(DESIRED_DRAIN).unwrap_or_default(),
        node.annotation(LAST_APPLIED_DRAIN).unwrap_or_default()
    )
}
