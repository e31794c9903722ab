//! The machine set controller: as many machines as are wanted.
//!
//! Source: `openshift/machine-api-operator:pkg/controller/machineset/controller.go`, `status.go` (MA-12, MA-14).

use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::controllers::events::Recorder;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::error::{ApiError, FieldError, FieldReason, aggregate};
use fbc_cluster::object::{Object, ObjectFields, ObjectName, controller_reference};
use fbc_cluster::selector::LabelSelector;
use fbc_cluster::store::Change;
use fbc_cluster::time::{Moment, SECOND};
use serde_json::{Value, json};

use super::GROUP;
use super::deletion_order::{Policy, UnknownPolicy, choose};
use super::resync::Resync;
use crate::writer::Writer;

/// Keeps the number of machines.
pub struct MachineSets {
    writer: Writer,
    recorder: Recorder,
    resync: Resync,
}

impl MachineSets {
    /// The controller as a cluster runs it.
    pub fn new() -> Self {
        Self {
            writer: Writer::new("machineset-controller"),
            recorder: Recorder::new("machineset-controller"),
            resync: Resync::default(),
        }
    }
}

impl Default for MachineSets {
    fn default() -> Self {
        Self::new()
    }
}

impl Controller for MachineSets {
    fn name(&self) -> &'static str {
        "machineset-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, "MachineSet"), (GROUP, "Machine")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        self.resync.start(api.now());
        if kind.1 == "MachineSet" {
            requests.push(change.key.name.clone());
            return;
        }
        for machine in [&change.before, &change.after].into_iter().flatten() {
            match machine.controller() {
                Some(owner) if owner["kind"] == "MachineSet" => {
                    requests.push(ObjectName::namespaced(machine.namespace(), owner.text(&["name"])));
                }
                Some(_) => {}
                None => {
                    let sets = api.all(GROUP, "MachineSet");
                    let sets =
                        sets.filter(|set| set.namespace() == machine.namespace() && selects(set, machine));
                    requests.extend(sets.map(|set| set.object_name()));
                }
            }
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(set) = api.find(GROUP, "MachineSet", request).cloned() else { return Outcome::Done };
        if set.is_terminating() {
            return Outcome::Done;
        }
        let outcome = self.sync(api, &set).unwrap_or_else(|error| {
            let text = error.to_string();
            self.recorder.action(api, &set, "Warning", "ReconcileError", "Reconcile", &text);
            Outcome::Failed(text)
        });
        self.resync.bound(api.now(), outcome)
    }

    fn events_end_waits(&self) -> bool {
        true
    }
}

/// True if a set is for a machine. A set that selects everything selects nothing.
fn selects(set: &Object, machine: &Object) -> bool {
    LabelSelector::of_object(set.at(&["spec", "selector"]))
        .is_ok_and(|selector| !selector.is_everything() && selector.matches_object(machine))
}

/// Why a set does not get what it wants.
#[derive(Debug, thiserror::Error)]
enum SyncError {
    #[error("{set:?} machineset validation failed: {}", aggregate(faults))]
    Invalid { set: String, faults: Vec<FieldError> },
    #[error("failed to update machine set status: {0}")]
    Status(ApiError),
    #[error("failed to sync machines: {0}")]
    Machines(#[from] ScaleError),
}

/// Why there are not as many machines as there should be.
#[derive(Debug, thiserror::Error)]
enum ScaleError {
    #[error(transparent)]
    Policy(#[from] UnknownPolicy),
    #[error(transparent)]
    Deletion(#[from] ApiError),
    #[error("{}", .0.join("; "))]
    NotMade(Vec<String>),
}

impl MachineSets {
    fn sync(&mut self, api: &mut ApiServer, set: &Arc<Object>) -> Result<Outcome, SyncError> {
        let faults = faults(set);
        if !faults.is_empty() {
            return Err(SyncError::Invalid { set: set.name().to_owned(), faults });
        }
        let machines = self.claim(api, set);
        let scaled = self.scale(api, set, &machines);
        let status = status(api, set, &machines);
        let written = self.writer.update_status(api, set, status);
        let set = written.map_err(SyncError::Status)?;
        scaled?;
        let number = |path: &[&str]| set.number(path).unwrap_or_default();
        let (wanted, wait) = (number(&["spec", "replicas"]), number(&["spec", "minReadySeconds"]));
        let is_waiting = wait > 0
            && number(&["status", "readyReplicas"]) == wanted
            && number(&["status", "availableReplicas"]) != wanted;
        let wait = u64::try_from(wait).unwrap_or_default() * SECOND;
        Ok(if is_waiting { Outcome::After(wait) } else { Outcome::Done })
    }

    /// The machines of a set, by name; machines without an owner are adopted.
    fn claim(&self, api: &mut ApiServer, set: &Arc<Object>) -> Vec<Arc<Object>> {
        let is_ours = |machine: &&Arc<Object>| {
            let owner = machine.controller();
            machine.namespace() == set.namespace()
                && !machine.is_terminating()
                && owner.is_none_or(|owner| owner["uid"] == set.uid())
                && selects(set, machine)
        };
        let found: Vec<Arc<Object>> = api.all(GROUP, "Machine").filter(is_ours).cloned().collect();
        let adopt = |machine: Arc<Object>| {
            if machine.controller().is_some() {
                return Some(machine);
            }
            let mut object = Object::clone(&machine);
            let mut owners = machine.owner_references().to_vec();
            owners.push(controller_reference(set));
            object.set(&["metadata", "ownerReferences"], owners);
            self.writer.update(api, &machine, object).ok()
        };
        found.into_iter().filter_map(adopt).collect()
    }

    /// Makes machines that are missing, or deletes those that are too many.
    fn scale(
        &self,
        api: &mut ApiServer,
        set: &Arc<Object>,
        machines: &[Arc<Object>],
    ) -> Result<(), ScaleError> {
        let wanted = set.number(&["spec", "replicas"]).and_then(|number| usize::try_from(number).ok());
        let wanted = wanted.unwrap_or_default();
        if let Some(surplus) = machines.len().checked_sub(wanted + 1) {
            let policy = Policy::parse(set.text(&["spec", "deletePolicy"]))?;
            for machine in choose(machines, surplus + 1, policy, api.now()) {
                let deleted = self.writer.delete(api, GROUP, "Machine", &machine.object_name());
                deleted?;
            }
            return Ok(());
        }
        let mut errors = Vec::new();
        for _ in machines.len()..wanted {
            errors.extend(self.writer.create(api, new_machine(set)).err().map(|error| error.message));
        }
        if errors.is_empty() { Ok(()) } else { Err(ScaleError::NotMade(errors)) }
    }
}

fn new_machine(set: &Object) -> Object {
    let mut machine = json!({
        "apiVersion": format!("{GROUP}/v1beta1"), "kind": "Machine",
        "metadata": {
            "generateName": format!("{}-", set.name()), "namespace": set.namespace(),
            "ownerReferences": [controller_reference(set)],
        },
        "spec": set.at(&["spec", "template", "spec"]).cloned().unwrap_or_else(|| json!({})),
    });
    for field in ["labels", "annotations"] {
        if let Some(value) = set.at(&["spec", "template", "metadata", field]) {
            machine.set(&["metadata", field], value.clone());
        }
    }
    machine
}

/// Counts of the machines that there were before scaling.
fn status(api: &ApiServer, set: &Object, machines: &[Arc<Object>]) -> Value {
    let labels = LabelSelector::of_map(set.at(&["spec", "template", "metadata", "labels"]));
    let minimum = set.number(&["spec", "minReadySeconds"]).and_then(|seconds| u64::try_from(seconds).ok());
    let minimum = minimum.unwrap_or_default() * SECOND;
    let ready: Vec<Moment> = machines
        .iter()
        .filter_map(|machine| {
            let name = machine.at(&["status", "nodeRef", "name"])?.as_str()?;
            let node = api.find("", "Node", &ObjectName::cluster(name))?;
            let condition = node.condition("Ready").filter(|condition| condition["status"] == "True")?;
            Some(Moment::parse(condition.text(&["lastTransitionTime"])).unwrap_or(api.now()))
        })
        .collect();
    let is_available = |since: &&Moment| minimum == 0 || **since + minimum <= api.now();
    let selector = selector_text(set.at(&["spec", "selector"]).unwrap_or(&Value::Null));
    let mut status = set.get("status").cloned().unwrap_or_else(|| json!({}));
    let counts = [
        ("replicas", machines.len()),
        ("fullyLabeledReplicas", machines.iter().filter(|machine| labels.matches_object(machine)).count()),
        ("readyReplicas", ready.len()),
        ("availableReplicas", ready.iter().filter(is_available).count()),
    ];
    for (field, count) in counts {
        if count == 0 {
            status.remove(&[field]);
        } else {
            status.set(&[field], count);
        }
    }
    status.set(&["labelSelector"], selector);
    status.set(&["observedGeneration"], set.generation());
    status
}

/// A selector as command lines write it.
///
/// Source: `kubernetes/apimachinery:pkg/apis/meta/v1/helpers.go` (`FormatLabelSelector`).
fn selector_text(selector: &Value) -> String {
    let labels = selector.get("matchLabels").and_then(Value::as_object).into_iter().flatten();
    let mut parts: Vec<String> =
        labels.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect();
    for expression in selector.list(&["matchExpressions"]) {
        let values: Vec<&str> = expression.list(&["values"]).iter().filter_map(Value::as_str).collect();
        let key = expression.text(&["key"]);
        parts.push(match expression.text(&["operator"]) {
            "In" => format!("{key} in ({})", values.join(",")),
            "NotIn" => format!("{key} notin ({})", values.join(",")),
            "Exists" => key.to_owned(),
            _ => format!("!{key}"),
        });
    }
    parts.sort();
    if parts.is_empty() { "<none>".to_owned() } else { parts.join(",") }
}

/// What stands against a set.
fn faults(set: &Object) -> Vec<FieldError> {
    let selector = set.at(&["spec", "selector"]).cloned().unwrap_or_else(|| json!({}));
    let labels = set.at(&["spec", "template", "metadata", "labels"]);
    let mut faults = Vec::new();
    let parsed = LabelSelector::of_object(Some(&selector));
    let is_empty = parsed.as_ref().is_ok_and(LabelSelector::is_everything);
    if is_empty {
        let detail = "empty selector is not valid for MachineSet.";
        faults.push(FieldError::new("spec.selector", FieldReason::Invalid, selector.to_string(), detail));
    }
    match parsed {
        Err(_) => {
            let detail = "invalid label selector.";
            faults.push(FieldError::new("spec.selector", FieldReason::Invalid, selector.to_string(), detail));
        }
        Ok(parsed) if !parsed.matches(labels) => {
            let value = labels.map_or("null".to_owned(), Value::to_string);
            let detail = "`selector` does not match template `labels`";
            faults.push(FieldError::new(
                "spec.template.metadata.labels",
                FieldReason::Invalid,
                value,
                detail,
            ));
        }
        Ok(_) => {}
    }
    faults
}
