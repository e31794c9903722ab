//! The machine health check controller: machines that are unhealthy for too long are replaced.
//!
//! Source: `openshift/machine-api-operator:pkg/controller/machinehealthcheck/machinehealthcheck_controller.go` (MA-16,
//! MA-18 to MA-20).

use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::controllers::events::Recorder;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::selector::LabelSelector;
use fbc_cluster::store::Change;
use fbc_cluster::time::{Milliseconds, SECOND};
use serde_json::{Value, json};

use super::GROUP;
use super::conditions::Condition;
use super::health::{NodeOf, Verdict, max_unhealthy, verdict};
use crate::writer::Writer;

/// Checks with it do nothing.
const PAUSED: &str = "cluster.x-k8s.io/paused";
/// Whether somebody else repairs machines, and who.
const STRATEGY: &str = "machine.openshift.io/remediation-strategy";
/// Asks somebody else to repair a machine.
const EXTERNAL: &str = "host.metal3.io/external-remediation";
/// How often a check looks again while it may not act. The reference does so without pause.
const RESTRICTED: Milliseconds = SECOND;

/// Replaces unhealthy machines.
pub struct HealthChecks {
    writer: Writer,
    recorder: Recorder,
}

/// A machine that a check is for.
struct CheckedMachine {
    machine: Arc<Object>,
    node: Option<Arc<Object>>,
    /// The name of its node, whether that exists or not.
    node_name: String,
    /// How events name it.
    name: String,
}

impl HealthChecks {
    /// The controller as a cluster runs it.
    pub fn new() -> Self {
        Self {
            writer: Writer::new("machine-healthcheck-controller"),
            recorder: Recorder::new("machinehealthcheck-controller"),
        }
    }
}

impl Default for HealthChecks {
    fn default() -> Self {
        Self::new()
    }
}

impl Controller for HealthChecks {
    fn name(&self) -> &'static str {
        "machine-healthcheck-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, "MachineHealthCheck"), (GROUP, "Machine"), ("", "Node")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let machine = match kind.1 {
            "MachineHealthCheck" => {
                requests.push(change.key.name.clone());
                return;
            }
            "Machine" => change.after.as_ref(),
            _ => {
                let is_its = |machine: &&Arc<Object>| {
                    machine.text(&["status", "nodeRef", "name"]) == change.key.name.name
                };
                let mut machines = api.all(GROUP, "Machine").filter(is_its);
                machines.next().filter(|_| machines.next().is_none())
            }
        };
        let Some(machine) = machine else { return };
        let checks = api.all(GROUP, "MachineHealthCheck").filter(|check| selects(check, machine));
        requests.extend(checks.map(|check| check.object_name()));
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(check) = api.find(GROUP, "MachineHealthCheck", request).cloned() else {
            return Outcome::Done;
        };
        if check.annotation(PAUSED).is_some() {
            return Outcome::Done;
        }
        self.look(api, &check).unwrap_or_else(|error| Outcome::Failed(error.message))
    }

    fn events_end_waits(&self) -> bool {
        true
    }
}

fn selects(check: &Object, machine: &Object) -> bool {
    LabelSelector::of_object(check.at(&["spec", "selector"]))
        .is_ok_and(|selector| selector.matches_object(machine))
}

impl HealthChecks {
    fn look(&mut self, api: &mut ApiServer, check: &Arc<Object>) -> Result<Outcome, ApiError> {
        let targets = targets(api, check);
        let (mut healthy, mut unhealthy, mut next) = (Vec::new(), Vec::new(), None::<Milliseconds>);
        for target in &targets {
            let node = match (&target.node, target.node_name.is_empty()) {
                (Some(node), _) => NodeOf::Present(node),
                (None, true) => NodeOf::None,
                (None, false) => NodeOf::Missing,
            };
            // Some time goes by between a change and the first look at it, also where requests take none.
            match verdict(check, &target.machine, node, api.now() + 1) {
                Verdict::Unhealthy => unhealthy.push(target),
                Verdict::Waiting(wait) => {
                    let text = format!("Machine {} has unhealthy node {}", target.name, target.node_name);
                    self.tell(api, &target.machine, "DetectedUnhealthy", "HealthCheck", &text);
                    next = Some(next.map_or(wait, |next| next.min(wait)));
                }
                Verdict::Fine => {
                    let counts = !target.machine.is_terminating()
                        && target.node.is_some()
                        && target.machine.annotation(EXTERNAL).is_none();
                    if counts {
                        healthy.push(target);
                    }
                }
            }
        }
        let total = targets.len();
        let bad = total - healthy.len();
        let limit = max_unhealthy(check, total).unwrap_or_default();
        let is_allowed = bad <= limit;
        self.write_status(api, check, total, healthy.len(), limit)?;
        if !is_allowed {
            let text = format!(
                "Remediation restricted due to exceeded number of unhealthy machines (total: {total}, unhealthy: {bad}, maxUnhealthy: {})",
                limit_text(check)
            );
            if check.condition_status("RemediationAllowed") != "False" {
                self.recorder.action(api, check, "Warning", "RemediationRestricted", "Remediate", &text);
            }
            return Ok(Outcome::Routinely(RESTRICTED));
        }
        for target in unhealthy {
            self.remediate(api, check, target)?;
        }
        self.clean(api, check, &healthy)?;
        Ok(next.map_or(Outcome::Done, Outcome::After))
    }

    fn write_status(
        &self,
        api: &mut ApiServer,
        check: &Arc<Object>,
        total: usize,
        healthy: usize,
        limit: usize,
    ) -> Result<(), ApiError> {
        let (now, bad) = (api.now(), total - healthy);
        let mut object = Object::clone(check);
        let message = format!(
            "Remediation is not allowed, the number of not started or unhealthy machines exceeds maxUnhealthy (total: {total}, unhealthy: {bad}, maxUnhealthy: {})",
            limit_text(check)
        );
        if bad <= limit {
            Condition::is_true("RemediationAllowed").set(&mut object, now);
        } else {
            Condition::warning("RemediationAllowed", "TooManyUnhealthy", &message).set(&mut object, now);
        }
        object.set(&["status", "expectedMachines"], total);
        object.set(&["status", "currentHealthy"], healthy);
        object.set(&["status", "remediationsAllowed"], limit.saturating_sub(bad));
        let status = object.get("status").cloned().unwrap_or_default();
        self.writer.update_status(api, check, status).map(drop)
    }

    /// Replaces a machine, or asks somebody else to repair it.
    fn remediate(
        &mut self,
        api: &mut ApiServer,
        check: &Object,
        target: &CheckedMachine,
    ) -> Result<(), ApiError> {
        let machine = &target.machine;
        if let Some(template) = check.at(&["spec", "remediationTemplate"]).filter(|value| value.is_object()) {
            return self.request_remediation(api, machine, template);
        }
        let has_failed = machine.text(&["status", "phase"]) == "Failed";
        if !has_failed && check.annotation(STRATEGY) == Some("external-baremetal") {
            if machine.annotation(EXTERNAL).is_none() {
                let mut object = Object::clone(machine);
                object.set(&["metadata", "annotations", EXTERNAL], "");
                self.writer.update(api, machine, object)?;
                let text = format!(
                    "Requesting external remediation of node associated with machine {}",
                    target.name
                );
                self.tell(api, machine, "ExternalAnnotationAdded", "Remediate", &text);
            }
            return Ok(());
        }
        if machine.controller().is_none() {
            let text = format!("Machine {} has no controller owner, skipping remediation", target.name);
            self.tell(api, machine, "SkippedNoController", "Remediate", &text);
            return Ok(());
        }
        if machine.is_terminating() {
            return Ok(());
        }
        self.writer.delete(api, GROUP, "Machine", &machine.object_name())?;
        let text =
            format!("Machine {} has been remediated by requesting to delete Machine object", target.name);
        self.tell(api, machine, "MachineDeleted", "Remediate", &text);
        Ok(())
    }

    /// Makes a request from a template, named as the machine.
    fn request_remediation(
        &self,
        api: &mut ApiServer,
        machine: &Object,
        template: &Value,
    ) -> Result<(), ApiError> {
        let (group, kind) = request_kind(template);
        if api.find(&group, &kind, &machine.object_name()).is_some() {
            return Ok(());
        }
        let name = ObjectName::namespaced(machine.namespace(), template.text(&["name"]));
        let Some(from) = api.find(&group, template.kind(), &name).cloned() else {
            return Err(ApiError::not_found(&group, template.kind(), &name.name));
        };
        let mut request = json!({
            "apiVersion": from.api_version(), "kind": kind,
            "metadata": {
                "name": machine.name(), "namespace": machine.namespace(),
                "annotations": {
                    "machine.openshift.io/cloned-from-name": name.name,
                    "machine.openshift.io/cloned-from-groupkind": format!("{}.{group}", template.kind()),
                },
                "ownerReferences": [{
                    "apiVersion": machine.api_version(), "kind": "Machine", "name": machine.name(),
                    "uid": machine.uid(),
                }],
            },
        });
        if let Some(specification) = from.at(&["spec", "template", "spec"]) {
            request.set(&["spec"], specification.clone());
        }
        self.writer.create(api, request).map(drop)
    }

    /// Takes requests of machines away that are healthy again.
    fn clean(
        &self,
        api: &mut ApiServer,
        check: &Object,
        healthy: &[&CheckedMachine],
    ) -> Result<(), ApiError> {
        let Some(template) = check.at(&["spec", "remediationTemplate"]).filter(|value| value.is_object())
        else {
            return Ok(());
        };
        let (group, kind) = request_kind(template);
        for target in healthy {
            let name = target.machine.object_name();
            if api.find(&group, &kind, &name).is_some_and(|request| !request.is_terminating()) {
                self.writer.delete(api, &group, &kind, &name)?;
            }
        }
        Ok(())
    }

    fn tell(&mut self, api: &mut ApiServer, machine: &Object, reason: &str, action: &str, text: &str) {
        self.recorder.action(api, machine, "Normal", reason, action, text);
    }
}

/// Group and kind of the requests that a template is for.
fn request_kind(template: &Value) -> (String, String) {
    let group = template.api_version().split_once('/').map_or("", |(group, _)| group);
    (group.to_owned(), template.kind().trim_end_matches("Template").to_owned())
}

fn limit_text(check: &Object) -> String {
    match check.at(&["spec", "maxUnhealthy"]) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Null) | None => "<nil>".to_owned(),
        Some(other) => other.to_string(),
    }
}

/// The machines of a check, by name.
fn targets(api: &ApiServer, check: &Object) -> Vec<CheckedMachine> {
    let machines = api.all(GROUP, "Machine");
    let machines =
        machines.filter(|machine| machine.namespace() == check.namespace() && selects(check, machine));
    machines
        .map(|machine| {
            let node_name = machine.text(&["status", "nodeRef", "name"]).to_owned();
            CheckedMachine {
                machine: Arc::clone(machine),
                node: api.find("", "Node", &ObjectName::cluster(&*node_name)).cloned(),
                name: format!("{}/{}/{}/{node_name}", check.namespace(), check.name(), machine.name()),
                node_name,
            }
        })
        .collect()
}
