//! The machine controller: phases of machines, from the instance that is made to the node that is deleted.
//!
//! Source: `openshift/machine-api-operator:pkg/controller/machine/controller.go` (MA-1 to MA-3, MA-6, MA-8).

use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::controllers::events::Recorder;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::error::{ApiError, FieldError, FieldReason, aggregate};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use fbc_cluster::time::{Milliseconds, SECOND};
use serde_json::Value;

use super::conditions::Condition;
use super::hooks::{Point, blocked_message, hooks};
use super::provider::{ProviderError, SharedProvider};
use super::resync::Resync;
use super::{FINALIZER, GROUP, provider};
use crate::writer::Writer;

/// The wait until a machine that is on its way is looked at again.
const REQUEUE: Milliseconds = 30 * SECOND;
/// The label of the cluster, which every machine must have.
const CLUSTER_LABEL: &str = "machine.openshift.io/cluster-api-cluster";
/// The condition that says whether there is an instance.
const INSTANCE_EXISTS: &str = "InstanceExists";

/// Keeps instances for machines.
pub struct MachineController {
    provider: SharedProvider,
    writer: Writer,
    /// The provider's part writes under its own name.
    actuator: Writer,
    recorder: Recorder,
    resync: Resync,
}

impl MachineController {
    /// A controller over a provider.
    pub fn new(provider: SharedProvider) -> Self {
        Self {
            provider,
            writer: Writer::new("machine-controller"),
            actuator: Writer::new("actuator"),
            recorder: Recorder::new("machine-controller"),
            resync: Resync::default(),
        }
    }

    /// The provider.
    pub fn provider(&self) -> &SharedProvider {
        &self.provider
    }
}

impl Controller for MachineController {
    fn name(&self) -> &'static str {
        "machine-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, "Machine")]
    }

    fn requests(
        &mut self,
        change: &Change,
        _: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        self.resync.start(api.now());
        requests.extend(change.after.is_some().then(|| change.key.name.clone()));
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(machine) = api.find(GROUP, "Machine", request).cloned() else { return Outcome::Done };
        let outcome = self.look(api, &machine).unwrap_or_else(|error| match error.is_not_found() {
            true => Outcome::Done,
            false => Outcome::Failed(error.message),
        });
        self.resync.bound(api.now(), outcome)
    }

    fn events_end_waits(&self) -> bool {
        true
    }
}

impl MachineController {
    fn look(&mut self, api: &mut ApiServer, machine: &Arc<Object>) -> Result<Outcome, ApiError> {
        let faults = faults(machine);
        if !faults.is_empty() {
            let text = format!("{}: machine validation failed: {}", machine.name(), aggregate(&faults));
            self.recorder.action(api, machine, "Warning", "FailedValidate", "Validate", &text);
            return Ok(Outcome::Failed(text));
        }
        if machine.is_terminating() {
            return self.delete(api, machine);
        }
        if !machine.finalizers().any(|finalizer| finalizer == FINALIZER) {
            let mut object = Object::clone(machine);
            let mut finalizers = machine.list(&["metadata", "finalizers"]).to_vec();
            finalizers.push(FINALIZER.into());
            object.set(&["metadata", "finalizers"], finalizers);
            return self.writer.update(api, machine, object).map(|_| Outcome::Done);
        }
        if phase(machine) == "Failed" {
            return Ok(Outcome::Done);
        }
        let exists = self.provider.borrow_mut().exists(machine, api.now());
        match exists {
            Err(error) => {
                let message = format!("Failed to check if machine exists: {}", error.text());
                let condition = Condition {
                    condition_type: INSTANCE_EXISTS,
                    status: "Unknown",
                    severity: "",
                    reason: "ErrorCheckingProvider",
                    message: &message,
                };
                self.write_status(api, machine, phase(machine), Some(&condition), None)?;
                Ok(Outcome::Failed(error.text()))
            }
            Ok(true) => self.follow(api, machine),
            Ok(false) if is_provisioned(machine) => {
                let message = "Instance not found on provider";
                let condition = Condition::warning(INSTANCE_EXISTS, "InstanceMissing", message);
                let failure = ProviderError::Other("can't find created instance".to_owned());
                self.write_status(api, machine, "Failed", Some(&condition), Some(&failure))?;
                Ok(Outcome::Done)
            }
            Ok(false) => self.create(api, machine),
        }
    }

    /// Looks after a machine whose instance exists.
    fn follow(&mut self, api: &mut ApiServer, machine: &Arc<Object>) -> Result<Outcome, ApiError> {
        let updated = self.provider.borrow_mut().update(machine);
        if updated.is_err() {
            self.write_status(api, machine, phase(machine), None, None)?;
            return Ok(Outcome::After(REQUEUE));
        }
        let machine = self.describe(api, machine)?;
        let condition = Condition::is_true(INSTANCE_EXISTS);
        let (phase, wait) = if !is_provisioned(&machine) {
            (phase(&machine), Outcome::After(REQUEUE))
        } else if machine.at(&["status", "nodeRef"]).is_none() {
            ("Provisioned", Outcome::After(REQUEUE))
        } else {
            ("Running", Outcome::Done)
        };
        self.write_status(api, &machine, phase, Some(&condition), None)?;
        Ok(wait)
    }

    /// Lets the provider make the instance, after a first look that only says so.
    fn create(&mut self, api: &mut ApiServer, machine: &Arc<Object>) -> Result<Outcome, ApiError> {
        let message = "Instance has not been created";
        let condition = Condition::warning(INSTANCE_EXISTS, "InstanceNotCreated", message);
        if phase(machine).is_empty() {
            self.write_status(api, machine, "Provisioning", Some(&condition), None)?;
            return Ok(Outcome::Done);
        }
        let created = self.provider.borrow_mut().create(machine, api.now());
        match created {
            Ok(()) => {
                self.describe(api, machine)?;
                Ok(Outcome::After(REQUEUE))
            }
            Err(error @ ProviderError::Invalid(_)) => {
                self.write_status(api, machine, "Failed", Some(&condition), Some(&error))?;
                Ok(Outcome::Done)
            }
            Err(error) => Ok(again(&error)),
        }
    }

    /// Writes what the provider knows of the instance into the machine.
    fn describe(&self, api: &mut ApiServer, machine: &Arc<Object>) -> Result<Arc<Object>, ApiError> {
        let mut object = Object::clone(machine);
        self.provider.borrow().describe(&mut object);
        let status = object.get("status").cloned().unwrap_or_default();
        if let Some(before) = machine.get("status") {
            object.set(&["status"], before.clone());
        } else {
            object.remove(&["status"]);
        }
        let updated = self.actuator.update(api, machine, object)?;
        self.actuator.update_status(api, &updated, status)
    }

    fn delete(&mut self, api: &mut ApiServer, machine: &Arc<Object>) -> Result<Outcome, ApiError> {
        let machine = &self.write_status(api, machine, "Deleting", None, None)?;
        let is_ours = machine.finalizers().any(|finalizer| finalizer == FINALIZER);
        if !is_ours || machine.condition_status("Drained") != "True" {
            return Ok(Outcome::Done);
        }
        if !hooks(machine, Point::PreTerminate).is_empty() {
            return Ok(Outcome::Done);
        }
        let now = api.now();
        let deleted = self.provider.borrow_mut().delete(machine, now);
        if let Err(error) = deleted {
            let has_addresses = !machine.list(&["status", "addresses"]).is_empty();
            if has_addresses || !matches!(error, ProviderError::Invalid(_)) {
                return Ok(again(&error));
            }
        }
        let exists = self.provider.borrow_mut().exists(machine, now);
        match exists {
            Err(error) => return Ok(again(&error)),
            Ok(true) => return Ok(Outcome::After(REQUEUE)),
            Ok(false) => {}
        }
        if machine.at(&["status", "nodeRef"]).is_some() {
            let node = ObjectName::cluster(machine.text(&["status", "nodeRef", "name"]));
            self.writer.delete(api, "", "Node", &node)?;
        }
        let mut object = Object::clone(machine);
        let kept: Vec<Value> =
            machine.finalizers().filter(|finalizer| *finalizer != FINALIZER).map(Value::from).collect();
        object.set(&["metadata", "finalizers"], kept);
        self.writer.update(api, machine, object).map(|_| Outcome::Done)
    }

    /// Writes phase and conditions. Those of hooks are worked out with every write.
    fn write_status(
        &self,
        api: &mut ApiServer,
        machine: &Arc<Object>,
        phase: &str,
        condition: Option<&Condition<'_>>,
        failure: Option<&ProviderError>,
    ) -> Result<Arc<Object>, ApiError> {
        let now = api.now();
        let mut machine = Arc::clone(machine);
        if phase == "Failed" {
            let mut object = Object::clone(&machine);
            object.set(&["metadata", "annotations", provider::INSTANCE_STATE], "Unknown");
            machine = self.writer.update(api, &machine, object)?;
        }
        let mut object = Object::clone(&machine);
        if let Some(condition) = condition {
            condition.set(&mut object, now);
        }
        for point in Point::ALL {
            match blocked_message(&machine, point) {
                Some(message) => {
                    Condition::warning(point.condition(), "HookPresent", &message).set(&mut object, now);
                }
                None => Condition::is_true(point.condition()).set(&mut object, now),
            }
        }
        object.set(&["status", "phase"], phase);
        for field in ["errorReason", "errorMessage"] {
            object.remove(&["status", field]);
        }
        if let Some(failure) = failure {
            if matches!(failure, ProviderError::Invalid(_)) {
                object.set(&["status", "errorReason"], "InvalidConfiguration");
            }
            object.set(&["status", "errorMessage"], failure.text());
        }
        for field in ["instanceState", "vmState"] {
            let path = ["status", "providerStatus", field];
            if phase == "Failed" && object.at(&path).is_some() {
                object.set(&path, "Unknown");
            }
        }
        if object != *machine {
            object.set(&["status", "lastUpdated"], now.to_string());
        }
        let status = object.get("status").cloned().unwrap_or_default();
        self.writer.update_status(api, &machine, status)
    }
}

fn phase(machine: &Object) -> &str {
    machine.text(&["status", "phase"])
}

fn is_provisioned(machine: &Object) -> bool {
    !machine.list(&["status", "addresses"]).is_empty() || !machine.text(&["spec", "providerID"]).is_empty()
}

/// A call of the provider is made again after the wait that it asks for, or after the back-off.
fn again(error: &ProviderError) -> Outcome {
    match error {
        ProviderError::Later(wait) => Outcome::After(*wait),
        other => Outcome::Failed(other.text()),
    }
}

/// What a machine must have before anything happens to it.
fn faults(machine: &Object) -> Vec<FieldError> {
    let mut faults = Vec::new();
    if machine.label(CLUSTER_LABEL).unwrap_or_default().is_empty() {
        let labels = machine.at(&["metadata", "labels"]).map_or("null".to_owned(), Value::to_string);
        let detail = format!("missing {CLUSTER_LABEL} label.");
        faults.push(FieldError::new("spec.labels", FieldReason::Invalid, labels, detail));
    }
    if machine.at(&["spec", "providerSpec", "value"]).is_none_or(Value::is_null) {
        let detail = "value field must be set";
        faults.push(FieldError::new("spec.spec.providerspec", FieldReason::Invalid, "{}", detail));
    }
    faults
}
