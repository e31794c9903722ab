//! The cluster that a recording is played on.

use std::collections::BTreeSet;
use std::sync::Arc;

use fbc_cluster::api::{Caller, DeleteOptions, Subresource, WriteOptions};
use fbc_cluster::control_plane::api_server;
use fbc_cluster::engine::Cluster;
use fbc_cluster::error::ApiError;
use fbc_cluster::kind::KindId;
use fbc_cluster::object::{Object, ObjectFields, ObjectName, controller_reference};
use fbc_cluster::time::Moment;
use fbc_openshift::{definitions, machines, platform};
use serde_json::{Map, Value, json};

use super::agents::{NumberedNames, controllers, definition_of};
use super::case::{Case, Input, Transition};
use super::projection::{control_plane_labels, seconds, set};
use super::{Suite, Time, moment};

/// A cluster with the controllers of a suite.
pub(super) struct World {
    pub(super) suite: Suite,
    pub(super) cluster: Cluster,
    /// How far the log of changes was read for events.
    pub(super) seen: u64,
    pub(super) sampled: Time,
    /// Recorded events that ours have been found for, or not; each counts once.
    pub(super) news: BTreeSet<[String; 3]>,
}

/// Group and version of the kinds that recordings show.
pub(super) fn api_version(suite: Suite, kind: &str) -> &'static str {
    match kind {
        "Machine" | "MachineSet" | "MachineHealthCheck" => "machine.openshift.io/v1beta1",
        "ControlPlaneMachineSet" => "machine.openshift.io/v1",
        "MachineConfigPool" | "MachineConfigNode" | "ControllerConfig" => {
            "machineconfiguration.openshift.io/v1"
        }
        "Scheduler" | "Infrastructure" | "ClusterOperator" => "config.openshift.io/v1",
        "PodDisruptionBudget" => "policy/v1",
        "DaemonSet" | "ReplicaSet" => "apps/v1",
        "TestRemediation" | "TestRemediationTemplate" => "remediation.example.com/v1",
        _ if suite == Suite::MachineConfig => "v1",
        _ => "v1",
    }
}

/// Why something does not happen as it did when it was recorded.
#[derive(Debug, thiserror::Error)]
pub(super) enum InputError {
    #[error("{0:?} is not a number of pods")]
    Pods(String),
    #[error("{0} is not there")]
    Missing(String),
    #[error("{object}: {error}")]
    Refused { object: String, error: ApiError },
    #[error(transparent)]
    Api(#[from] ApiError),
}

impl InputError {
    fn of(object: &str) -> impl FnOnce(ApiError) -> Self {
        move |error| Self::Refused { object: object.to_owned(), error }
    }
}

impl World {
    pub(super) fn new(case: &Case) -> Self {
        let mut api =
            api_server(&[machines::NAMESPACE, "openshift-machine-config-operator"], 1, Moment::START);
        for definition in definitions::machine_api().into_iter().chain(definitions::machine_config()) {
            // A test holds that all are taken.
            let _ = api.install_definition(definition);
        }
        if case.suite == Suite::ControlPlane {
            for definition in definitions::of_updates() {
                let _ = api.install_definition(definition);
            }
        }
        for kind in ["TestRemediation", "TestRemediationTemplate"] {
            let _ = api.install_definition(definition_of(kind));
        }
        platform::serve(&mut api);
        api.add_mutator(Arc::new(NumberedNames::default()));
        let start = match case.suite {
            Suite::MachineConfig => -26_000,
            Suite::Machines | Suite::RealMachines => -11_000,
            Suite::ControlPlane => -20_000,
        };
        let mut world = Self {
            suite: case.suite,
            seen: api.store().revision(),
            cluster: Cluster::new(api),
            sampled: Time::MIN,
            news: BTreeSet::new(),
        };
        world.set_up(case, start);
        world.cluster.api.advance_to(moment(start));
        for controller in controllers(case) {
            world.cluster.add_controller(controller);
        }
        world.seen = world.cluster.api.store().revision();
        world
    }

    /// Puts the objects of the start in their places, the oldest first.
    fn set_up(&mut self, case: &Case, start: Time) {
        let mut objects: Vec<(Time, &String, &Map<String, Value>)> = case
            .initial
            .iter()
            .map(|(name, fields)| {
                let created = fields.get("creationTimestamp").and_then(Value::as_str).and_then(seconds);
                let created = created.map(|seconds| seconds * 1000).or_else(|| age_in_note(&case.note, name));
                (created.unwrap_or(start), name, fields)
            })
            .collect();
        // Owners come before what they own.
        let oldest = objects.iter().map(|(created, _, _)| *created).min().unwrap_or(start);
        for (created, _, _) in objects.iter_mut().filter(|(_, name, _)| name.contains("Set/")) {
            *created = oldest;
        }
        objects.sort_by_key(|(created, name, _)| (*created, !name.contains("Set/"), (*name).clone()));
        for (created, name, fields) in objects {
            self.cluster.api.advance_to(moment(created));
            // What is refused shows as a difference.
            let _ = self.create(case, name, fields);
            if fields.contains_key("deletionTimestamp") {
                let _ = self.delete(name);
            }
        }
    }

    /// What the controllers do first is not part of these recordings.
    pub(super) fn settle(&mut self) {
        if matches!(self.suite, Suite::Machines | Suite::RealMachines) {
            self.run_until(-1);
            self.seen = self.cluster.api.store().revision();
        }
    }

    /// The time in the recording.
    pub(super) fn now(&self) -> Time {
        let (now, zero) = (self.cluster.api.now(), moment(0));
        let span = |later: Moment, earlier: Moment| Time::try_from(later.since(earlier)).unwrap_or(Time::MAX);
        if now < zero { -span(zero, now) } else { span(now, zero) }
    }

    pub(super) fn advance_to(&mut self, at: Time) {
        self.cluster.api.advance_to(moment(at));
    }

    pub(super) fn run_until(&mut self, at: Time) {
        // A fight between controllers stops the run, and shows as a difference.
        let _ = self.cluster.run_until(moment(at));
    }

    /// Lets something happen from outside.
    pub(super) fn apply(&mut self, case: &Case, input: &Input) -> Result<(), InputError> {
        match input {
            Input::Step(text) => self.step(text),
            Input::Write(transition) => self.write(case, transition),
        }
    }

    /// Steps that show in no write: what happens to instances and kubelets.
    fn step(&mut self, text: &str) -> Result<(), InputError> {
        if let Some(machine) = between(text, "instance of ", " vanishes") {
            let name = ObjectName::namespaced(machines::NAMESPACE, machine);
            if let Some(controller) =
                self.cluster.controller::<machines::machine_controller::MachineController>()
            {
                controller.provider().borrow_mut().lose(&name);
            }
        }
        if let Some((_, number)) = text.split_once("disruption budget minAvailable ") {
            let number: i64 = number.parse().map_err(|_| InputError::Pods(number.to_owned()))?;
            let budget = json!({
                "apiVersion": "policy/v1", "kind": "PodDisruptionBudget",
                "metadata": {"name": "web", "namespace": "default"},
                "spec": {"minAvailable": number, "selector": {"matchLabels": {"app": "web"}}},
            });
            let caller = Caller::administrator("recording");
            self.cluster.api.create(&caller, budget, WriteOptions::default())?;
        }
        if let Some(name) = text.strip_prefix("delete PodDisruptionBudget ") {
            self.delete(&format!("PodDisruptionBudget/{name}"))?;
        }
        if let Some(node) = between(text, "kubelet of ", " stops")
            && let Some(controller) = self.cluster.controller::<machines::provider::Instances>()
        {
            controller.provider().borrow_mut().stop_kubelet(node);
        }
        Ok(())
    }

    fn write(&mut self, case: &Case, transition: &Transition) -> Result<(), InputError> {
        match transition.event.as_str() {
            "ADDED" => self.create(case, &transition.object, &transition.change),
            "DELETED" => self.remove(&transition.object),
            _ => self.modify(&transition.object, &transition.change),
        }
    }

    fn create(&mut self, case: &Case, name: &str, fields: &Map<String, Value>) -> Result<(), InputError> {
        let (kind, own_name) = name.split_once('/').unwrap_or((name, ""));
        let mut object = json!({
            "apiVersion": api_version(self.suite, kind), "kind": kind,
            "metadata": {"name": own_name},
        });
        let namespace = match kind {
            "Machine"
            | "MachineSet"
            | "MachineHealthCheck"
            | "ControlPlaneMachineSet"
            | "TestRemediationTemplate" => machines::NAMESPACE,
            "Pod" | "PodDisruptionBudget" | "DaemonSet" => "default",
            _ => "",
        };
        if !namespace.is_empty() {
            object.set(&["metadata", "namespace"], namespace);
        }
        prepare(case, kind, &mut object);
        for (field, value) in fields {
            set(self.suite, kind, &mut object, field, value);
        }
        if let Some(owner) = fields.get("owner").and_then(Value::as_str).filter(|_| kind != "Pod") {
            if let Some(owner) = self.find(owner) {
                object.set(&["metadata", "ownerReferences"], json!([controller_reference(&owner)]));
            } else {
                let (kind, name) = owner.split_once('/').unwrap_or(("Other", owner));
                let reference = json!({
                    "apiVersion": "v1", "kind": kind, "name": name, "uid": "of-somebody-else", "controller": true,
                });
                object.set(&["metadata", "ownerReferences"], json!([reference]));
            }
        }
        let caller = Caller::administrator("recording");
        let status = object.get("status").cloned();
        let wanted = object.clone();
        if kind == "ControlPlaneMachineSet" {
            // The recordings begin with the second generation.
            object.set(&["spec", "machineNamePrefix"], "first");
        }
        let created = self.cluster.api.create(&caller, object, WriteOptions::default());
        let mut created = created.map_err(InputError::of(name))?;
        if kind == "ControlPlaneMachineSet" {
            let updated =
                self.cluster.api.update(&caller, wanted, Subresource::None, WriteOptions::default());
            created = updated.map_err(InputError::of(name))?;
        }
        let Some(mut status) = status else { return Ok(()) };
        if let Some(uid) = self.uid_of_node(&status) {
            status.set(&["nodeRef", "uid"], uid);
        }
        let mut object = Object::clone(&created);
        object.set(&["status"], status);
        self.cluster
            .api
            .update(&caller, object, Subresource::Status, WriteOptions::default())
            .map(drop)
            .map_err(InputError::of(name))
    }

    /// Nodes have other uids here than in the recordings.
    fn uid_of_node(&self, status: &Value) -> Option<String> {
        let name = status.at(&["nodeRef", "name"])?.as_str()?;
        Some(self.cluster.api.find("", "Node", &ObjectName::cluster(name))?.uid().to_owned())
    }

    fn modify(&mut self, name: &str, change: &Map<String, Value>) -> Result<(), InputError> {
        let caller = Caller::administrator("recording");
        let kind = name.split('/').next().unwrap_or_default();
        let before = self.find(name).ok_or_else(|| InputError::Missing(name.to_owned()))?;
        let mut after = Object::clone(&before);
        for (field, value) in change {
            set(self.suite, kind, &mut after, field, value);
        }
        let (mut plain, status) = (after.clone(), after.get("status").cloned());
        plain.set(&["status"], before.get("status").cloned().unwrap_or_default());
        if plain.get("status") == Some(&Value::Null) {
            plain.remove(&["status"]);
        }
        if plain != *before {
            self.cluster
                .api
                .update(&caller, plain, Subresource::None, WriteOptions::default())
                .map_err(InputError::of(name))?;
        }
        if let Some(mut status) = status.filter(|status| before.get("status") != Some(status)) {
            if let Some(uid) = self.uid_of_node(&status) {
                status.set(&["nodeRef", "uid"], uid);
            }
            let Some(present) = self.find(name) else { return Ok(()) };
            let mut object = Object::clone(&present);
            object.set(&["status"], status);
            self.cluster
                .api
                .update(&caller, object, Subresource::Status, WriteOptions::default())
                .map_err(InputError::of(name))?;
        }
        if change.get("deletionTimestamp").is_some_and(|time| !time.is_null()) {
            return self.delete(name);
        }
        Ok(())
    }

    fn delete(&mut self, name: &str) -> Result<(), InputError> {
        let caller = Caller::administrator("recording");
        let Some((id, object)) = self.locate(name) else { return Ok(()) };
        let deleted = self.cluster.api.delete(&caller, id, &object.object_name(), &DeleteOptions::default());
        deleted.map(drop).map_err(InputError::of(name))
    }

    /// Takes an object away, whatever holds it.
    fn remove(&mut self, name: &str) -> Result<(), InputError> {
        let caller = Caller::administrator("recording");
        let Some((_, before)) = self.locate(name) else { return Ok(()) };
        if before.finalizers().next().is_some() {
            let mut after = Object::clone(&before);
            after.remove(&["metadata", "finalizers"]);
            let updated = self.cluster.api.update(&caller, after, Subresource::None, WriteOptions::default());
            updated.map_err(InputError::of(name))?;
        }
        let Some((id, object)) = self.locate(name) else { return Ok(()) };
        let options = DeleteOptions { grace_period: Some(0), ..DeleteOptions::default() };
        let deleted = self.cluster.api.delete(&caller, id, &object.object_name(), &options);
        deleted.map(drop).map_err(InputError::of(name))
    }

    pub(super) fn find(&self, name: &str) -> Option<Arc<Object>> {
        self.locate(name).map(|(_, object)| object)
    }

    /// An object by `Kind/name`; names are unique in recordings whatever the namespace.
    fn locate(&self, name: &str) -> Option<(KindId, Arc<Object>)> {
        let (kind, name) = name.split_once('/')?;
        let version = api_version(self.suite, kind);
        let group = version.split_once('/').map_or("", |(group, _)| group);
        let id = self.cluster.api.kind_id(group, kind)?;
        self.cluster
            .api
            .store()
            .of_kind(id)
            .find(|object| object.name() == name)
            .map(|object| (id, Arc::clone(object)))
    }
}

fn between<'t>(text: &'t str, before: &str, after: &str) -> Option<&'t str> {
    let start = text.find(before)? + before.len();
    let rest = text.get(start..)?;
    rest.get(..rest.find(after)?)
}

/// Ages of machines stand in the notes alone: `a 31 days, b 214 days, c 2 days old`.
fn age_in_note(note: &str, object: &str) -> Option<Time> {
    let machine = object.strip_prefix("Machine/workers-")?;
    let days: Time = between(note, &format!("{machine} "), " days")?.parse().ok()?;
    Some(-days * 24 * 3_600_000)
}

/// What objects of a kind have that recordings do not show.
fn prepare(case: &Case, kind: &str, object: &mut Object) {
    match kind {
        "Pod" => {
            object.set(&["spec", "containers"], json!([{"name": "main", "image": "registry.example/app"}]));
            object.set(&["status", "phase"], "Running");
            object.set(&["status", "conditions"], json!([{"type": "Ready", "status": "True"}]));
        }
        "Machine" if case.suite == Suite::ControlPlane => {
            object.set(&["metadata", "labels"], control_plane_labels());
        }
        "Node" if case.suite == Suite::ControlPlane => {
            object.set(&["metadata", "labels"], json!({"node-role.kubernetes.io/master": ""}));
        }
        "ControlPlaneMachineSet" => {
            object.set(&["spec", "selector", "matchLabels"], control_plane_labels());
        }
        "ClusterOperator" => {
            object.set(&["spec"], json!({}));
        }
        "Machine" if !case.steps.iter().any(|(_, text)| text.contains("empty spec")) => {
            object.set(&["spec", "providerSpec", "value"], json!({}));
        }
        "DaemonSet" => {
            let labels = json!({"app": object.name()});
            object.set(&["spec", "selector", "matchLabels"], labels.clone());
            object.set(&["spec", "template", "metadata", "labels"], labels);
            let containers = json!([{"name": "main", "image": "registry.example/app"}]);
            object.set(&["spec", "template", "spec", "containers"], containers);
        }
        _ => {}
    }
}
