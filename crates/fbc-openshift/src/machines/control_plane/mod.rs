//! The control plane machine set: as many machines of the control plane as are wanted, replaced one at a time.
//!
//! | module | what it holds |
//! |---|---|
//! | `machines` | what the set knows of its machines |
//! | `failure_domains` | which failure domain the machines of an index belong to |
//! | `updates` | which machines are made and deleted next |
//! | `generator` | makes the set anew after it was deleted |
//! | `status` | what the set and the ClusterOperator say, and what keeps the set from acting |
//!
//! Source: `openshift/cluster-control-plane-machine-set-operator:pkg/controllers/controlplanemachineset/controller.go` (MA-21
//! to MA-23).

mod error;
mod failure_domains;
mod generator;
mod machines;
mod status;
mod updates;

use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::controllers::events::Recorder;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::{Object, ObjectFields, ObjectName, controller_reference};
use fbc_cluster::random::Random;
use fbc_cluster::store::Change;
use fbc_cluster::time::{Moment, SECOND};
use serde_json::{Value, json};

pub use self::generator::ControlPlaneMachineSetGenerator;

use self::error::{MissingLabel, SetError};
use self::machines::Machines;
use self::status::{Conditions, count, judge, tell_operator};
use self::updates::{Action, Plan, on_delete, rolling};
use super::is_control_plane;
use super::{GROUP, NAMESPACE};
use crate::writer::Writer;

/// The only set has this name.
const NAME: &str = "cluster";
const FINALIZER: &str = "controlplanemachineset.machine.openshift.io";
/// The ClusterOperator that it answers for.
const OPERATOR: &str = "control-plane-machine-set";
const TEMPLATE: [&str; 3] = ["spec", "template", "machines_v1beta1_machine_openshift_io"];
/// The same error so many times in a row shows in the condition `Error`.
const CONTINUOUS_ERRORS: u32 = 15;

/// Keeps the machines of the control plane.
pub struct ControlPlaneMachineSets {
    writer: Writer,
    recorder: Recorder,
    names: Random,
    version: String,
    /// The last error, since when, and how often in a row.
    last_error: Option<(String, Moment, u32)>,
}

impl ControlPlaneMachineSets {
    /// The controller as a cluster of a version runs it; names of machines follow from the seed.
    pub fn new(version: impl Into<String>, seed: u64) -> Self {
        Self {
            writer: Writer::new("control-plane-machine-set-controller"),
            recorder: Recorder::new("control-plane-machine-set-controller"),
            names: Random::of(seed, "control-plane-machine-set-controller"),
            version: version.into(),
            last_error: None,
        }
    }
}

impl Controller for ControlPlaneMachineSets {
    fn name(&self) -> &'static str {
        "control-plane-machine-set-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (GROUP, "ControlPlaneMachineSet"),
            (GROUP, "Machine"),
            ("", "Node"),
            ("config.openshift.io", "ClusterOperator"),
        ]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        _: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let Some(object) = change.after.as_ref().or(change.before.as_ref()) else { return };
        let is_ours = match kind.1 {
            "ControlPlaneMachineSet" => object.name() == NAME && object.namespace() == NAMESPACE,
            "Machine" => object.namespace() == NAMESPACE && is_control_plane_machine(object),
            "Node" => is_control_plane(object) && readiness_changes(change),
            _ => object.name() == OPERATOR,
        };
        requests.extend(is_ours.then(|| ObjectName::namespaced(NAMESPACE, NAME)));
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(set) = api.find(GROUP, "ControlPlaneMachineSet", request).cloned() else {
            return outcome_of(self.tell(api, None));
        };
        if set.is_terminating() {
            return outcome_of(self.release(api, &set));
        }
        let mut errors = Vec::new();
        let (set, mut status, outcome) = match self.sync(api, set) {
            Ok(synced) => synced,
            Err(error) => return Outcome::Failed(error.to_string()),
        };
        let (outcome, error) = match outcome {
            Ok(outcome) => (outcome, None),
            Err(error) => (Outcome::Done, Some(error.to_string())),
        };
        self.note_error(&mut status, &set, error.as_deref(), api.now());
        errors.extend(error.map(|text| format!("error reconciling control plane machine set: {text}")));
        let written = self.writer.update_status(api, &set, status.clone());
        errors.extend(written.err().map(|error| {
            format!("error updating control plane machine set status: failed to sync status for control plane machine set object: {}", error.message)
        }));
        let is_active = set.text(&["spec", "state"]) == "Active";
        let told = self.tell(api, Some(&status).filter(|_| is_active));
        errors.extend(told.err().map(|error| error.to_string()));
        match errors.as_slice() {
            [] => outcome,
            [only] => Outcome::Failed(only.clone()),
            several => Outcome::Failed(format!("[{}]", several.join(", "))),
        }
    }

    fn events_end_waits(&self) -> bool {
        true
    }
}

/// The set as it is now, its new status, and what its machines came to.
type Synced = (Arc<Object>, Value, Result<Outcome, SetError>);

fn outcome_of(done: Result<(), SetError>) -> Outcome {
    match done {
        Ok(()) => Outcome::Done,
        Err(error) => Outcome::Failed(error.to_string()),
    }
}

impl ControlPlaneMachineSets {
    fn sync(&mut self, api: &mut ApiServer, set: Arc<Object>) -> Result<Synced, SetError> {
        let mut status = set.get("status").cloned().unwrap_or_else(|| json!({}));
        if !set.finalizers().any(|finalizer| finalizer == FINALIZER) {
            let mut finalizers: Vec<Value> = set.finalizers().map(Value::from).collect();
            finalizers.push(FINALIZER.into());
            let mut after = Object::clone(&set);
            after.set(&["metadata", "finalizers"], finalizers);
            let written = self.writer.update(api, &set, after).map_err(SetError::during(
                "error adding finalizer: error updating control plane machine set",
            ))?;
            // Its own write brings it back.
            return Ok((written, status, Ok(Outcome::Done)));
        }
        let machines = match Machines::look(api, &set) {
            Ok(machines) => machines,
            Err(error) => return Ok((set, status, Err(error))),
        };
        count(&mut status, &set, &machines, api.now());
        judge(&mut status, &set, &machines, api);
        let is_degraded = status
            .list(&["conditions"])
            .iter()
            .any(|condition| condition["type"] == "Degraded" && condition["status"] == "True");
        if is_degraded || set.text(&["spec", "state"]) != "Active" {
            return Ok((set, status, Ok(Outcome::Done)));
        }
        let outcome = self.act(api, &set, &machines, &mut status);
        Ok((set, status, outcome))
    }

    /// Takes the machines over, and replaces what is outdated.
    fn act(
        &mut self,
        api: &mut ApiServer,
        set: &Object,
        machines: &Machines,
        status: &mut Value,
    ) -> Result<Outcome, SetError> {
        for info in machines.all() {
            let owner = info.machine.controller();
            let is_ours = owner.is_some_and(|owner| {
                owner["kind"] == "ControlPlaneMachineSet" && owner["name"] == set.name()
            });
            if is_ours {
                continue;
            }
            if owner.is_some() {
                let message = "Observed already owned machine(s) in target machines";
                let generation = Some(set.generation());
                let mut conditions = Conditions { status, now: api.now() };
                conditions.set("Degraded", true, "MachinesAlreadyOwned", message, generation);
                continue;
            }
            let mut owners = info.machine.owner_references().to_vec();
            owners.push(controller_reference(set));
            let mut after = Object::clone(&info.machine);
            after.set(&["metadata", "ownerReferences"], owners);
            self.writer.update(api, &info.machine, after).map_err(SetError::during(
                "error reconciling machines: error ensuring owner references: error patching machine",
            ))?;
        }
        let plan = match set.text(&["spec", "strategy", "type"]) {
            "RollingUpdate" => rolling(&machines.indexes, machines.replicas),
            "OnDelete" => on_delete(&machines.indexes),
            other => {
                let why = match other {
                    "Recreate" => "update strategy \"Recreate\" is not supported".to_owned(),
                    other => format!("unknown update strategy: {other}"),
                };
                let message = format!("invalid value for spec.strategy.type: {why}");
                let mut conditions = Conditions { status, now: api.now() };
                conditions.set("Degraded", true, "InvalidStrategy", &message, None);
                Plan::default()
            }
        };
        for action in &plan.actions {
            match action {
                Action::Create(index) => self.create(api, set, machines, *index)?,
                Action::Delete(name) => self.delete(api, set, name)?,
            }
        }
        Ok(if plan.waits { Outcome::After(5 * SECOND) } else { Outcome::Done })
    }

    fn create(
        &mut self,
        api: &mut ApiServer,
        set: &Object,
        machines: &Machines,
        index: i64,
    ) -> Result<(), SetError> {
        let template = set.at(&TEMPLATE).cloned().unwrap_or_default();
        let prefix = name_prefix(set, &template).map_err(|error| SetError::Name { index, error })?;
        let mut machine = json!({
            "apiVersion": format!("{GROUP}/v1beta1"), "kind": "Machine",
            "metadata": {
                "name": format!("{prefix}-{}-{index}", self.names.suffix()), "namespace": set.namespace(),
                "ownerReferences": [controller_reference(set)],
            },
            "spec": template.get("spec").cloned().unwrap_or_else(|| json!({})),
        });
        for field in ["labels", "annotations"] {
            if let Some(value) = template.at(&["metadata", field]) {
                machine.set(&["metadata", field], value.clone());
            }
        }
        machine.set(&["spec", "providerSpec", "value"], machines.specification(index));
        let created = self.writer.create(api, machine);
        let created = created.map_err(|error| SetError::Creation { index, error })?;
        self.recorder.normal(api, set, "Created", &format!("created machine: {}", created.name()));
        Ok(())
    }

    fn delete(&mut self, api: &mut ApiServer, set: &Object, name: &str) -> Result<(), SetError> {
        let object = ObjectName::namespaced(NAMESPACE, name);
        self.writer.delete(api, GROUP, "Machine", &object).map_err(|error| SetError::Deletion {
            object: object.to_string(),
            doing: format!("could not delete machine {name} in namespace {NAMESPACE}"),
            error,
        })?;
        self.recorder.normal(api, set, "Deleted", &format!("deleted machine: {name}"));
        Ok(())
    }

    /// A set that goes leaves its machines behind.
    fn release(&self, api: &mut ApiServer, set: &Arc<Object>) -> Result<(), SetError> {
        let is_owned =
            |machine: &&Arc<Object>| machine.owner_references().iter().any(|owner| owner["uid"] == set.uid());
        let owned: Vec<Arc<Object>> = api.all(GROUP, "Machine").filter(is_owned).cloned().collect();
        for machine in owned {
            let mut owners = machine.owner_references().to_vec();
            owners.retain(|owner| owner["uid"] != set.uid());
            let mut after = Object::clone(&machine);
            after.set(&["metadata", "ownerReferences"], owners);
            let doing = format!("error removing owner reference from machine {}", machine.name());
            self.writer.update(api, &machine, after).map_err(SetError::during(doing))?;
        }
        let kept: Vec<Value> =
            set.finalizers().filter(|finalizer| *finalizer != FINALIZER).map(Value::from).collect();
        let mut after = Object::clone(set);
        after.set(&["metadata", "finalizers"], kept);
        self.writer
            .update(api, set, after)
            .map(drop)
            .map_err(SetError::during("failed to update control plane machine set"))
    }

    /// The same error again and again shows in a condition.
    fn note_error(&mut self, status: &mut Value, set: &Object, error: Option<&str>, now: Moment) {
        self.last_error = error.map(|text| match self.last_error.take() {
            Some((last, since, count)) if last == text => (last, since, count + 1),
            _ => (text.to_owned(), now, 1),
        });
        let generation = Some(set.generation());
        let mut conditions = Conditions { status, now };
        match &self.last_error {
            Some((text, since, count)) if *count >= CONTINUOUS_ERRORS => {
                let message = format!(
                    "The control plane machine set has experienced the following error more than {CONTINUOUS_ERRORS} consecutive times since {since}: {text}"
                );
                conditions.set("Error", true, "ContinuousErrors", &message, generation);
            }
            _ => conditions.set("Error", false, "AsExpected", "", generation),
        }
    }

    /// Tells the ClusterOperator. A cluster without it, which no payload was applied to, hears nothing.
    fn tell(&self, api: &mut ApiServer, status: Option<&Value>) -> Result<(), SetError> {
        let now = api.now();
        let name = ObjectName::cluster(OPERATOR);
        let written =
            self.writer.change_status(api, "config.openshift.io", "ClusterOperator", &name, |operator| {
                tell_operator(operator, status, &self.version, now);
            });
        written.map(drop).map_err(SetError::Status)
    }
}

/// What names of machines begin with.
fn name_prefix(set: &Object, template: &Value) -> Result<String, MissingLabel> {
    let own = set.text(&["spec", "machineNamePrefix"]);
    if !own.is_empty() {
        return Ok(own.to_owned());
    }
    let label = |name: &'static str| {
        let value = template.at(&["metadata", "labels", name]).and_then(Value::as_str);
        value.ok_or(MissingLabel(name))
    };
    let cluster = label("machine.openshift.io/cluster-api-cluster")?;
    Ok(format!("{cluster}-{}", label("machine.openshift.io/cluster-api-machine-role")?))
}

/// The number at the end of the name of a machine.
fn index_of(name: &str) -> Option<i64> {
    let number = name.rsplit('-').next()?;
    number.parse::<i32>().ok().map(i64::from)
}

fn is_control_plane_machine(machine: &Object) -> bool {
    machine.label("machine.openshift.io/cluster-api-machine-role") == Some("master")
        && matches!(
            machine.label("machine.openshift.io/cluster-api-machine-type"),
            Some("master" | "control-plane")
        )
}

fn readiness_changes(change: &Change) -> bool {
    match (&change.before, &change.after) {
        (Some(before), Some(after)) => before.condition_status("Ready") != after.condition_status("Ready"),
        _ => true,
    }
}
