//! A cluster to try controllers in, and what a watch sees there in the form of the recordings.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::api::{ApiServer, Caller, DeleteOptions, Patch, Propagation, Subresource, WriteOptions};
use crate::engine::{Cluster, Controller};
use crate::kind::{Kind, Registry};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::store::Change;
use crate::time::{Milliseconds, Moment};

/// Group, version, kind, in namespaces, with a status.
const KINDS: [(&str, &str, &str, bool, bool); 25] = [
    ("", "v1", "Namespace", false, true),
    ("", "v1", "Node", false, true),
    ("", "v1", "Pod", true, true),
    ("", "v1", "ConfigMap", true, false),
    ("", "v1", "Secret", true, false),
    ("", "v1", "ServiceAccount", true, false),
    ("", "v1", "Service", true, true),
    ("", "v1", "Event", true, false),
    ("", "v1", "ResourceQuota", true, true),
    ("", "v1", "PersistentVolumeClaim", true, true),
    ("", "v1", "PersistentVolume", false, true),
    ("storage.k8s.io", "v1", "StorageClass", false, false),
    ("admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy", false, true),
    ("discovery.k8s.io", "v1", "EndpointSlice", true, false),
    ("apps", "v1", "Deployment", true, true),
    ("apps", "v1", "ReplicaSet", true, true),
    ("apps", "v1", "StatefulSet", true, true),
    ("apps", "v1", "DaemonSet", true, true),
    ("apps", "v1", "ControllerRevision", true, false),
    ("autoscaling", "v2", "HorizontalPodAutoscaler", true, true),
    ("batch", "v1", "Job", true, true),
    ("batch", "v1", "CronJob", true, true),
    ("rbac.authorization.k8s.io", "v1", "ClusterRole", false, false),
    ("apiextensions.k8s.io", "v1", "CustomResourceDefinition", false, true),
    ("example.com", "v1", "Gadget", true, true),
];

fn registry() -> Registry {
    let mut registry = Registry::default();
    for (group, version, name, namespaced, has_status) in KINDS {
        let singular = name.to_lowercase();
        registry.register(Kind {
            group: group.into(),
            versions: vec![version.into()],
            kind: name.into(),
            plural: format!("{singular}s"),
            singular,
            short_names: Vec::new(),
            categories: Vec::new(),
            namespaced,
            has_status,
            has_generation: has_status && (!group.is_empty() || name == "Pod"),
        });
    }
    registry
}

/// Cases of a suite of recordings, unless there are none here.
pub(super) fn recorded(file: &str) -> Option<Vec<Value>> {
    let cases = fbc_testing::recorded_json(&format!("kube/{file}"))?;
    Some(serde_json::from_value(cases).unwrap())
}

/// A cluster, and what a watch of it saw.
pub(super) struct Play {
    pub(super) cluster: Cluster,
    start: Moment,
    seen: u64,
    changes: Vec<(Moment, Change)>,
}

impl Play {
    /// A cluster with the namespace `ns`.
    pub(super) fn new(controllers: Vec<Box<dyn Controller>>) -> Self {
        let mut cluster = Cluster::new(ApiServer::new(registry(), 1));
        for controller in controllers {
            cluster.add_controller(controller);
        }
        let mut play = Self { cluster, start: Moment::START, seen: 0, changes: Vec::new() };
        play.create(json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "ns"}}));
        play
    }

    pub(super) fn create(&mut self, object: Object) -> String {
        let mut object = object;
        let namespaced =
            KINDS.iter().any(|(_, _, kind, namespaced, _)| *kind == object.kind() && *namespaced);
        if namespaced && object.namespace().is_empty() {
            object.set(&["metadata", "namespace"], "ns");
        }
        let stored = self.cluster.api.create(&caller(), object, WriteOptions::default()).unwrap();
        stored.uid().to_owned()
    }

    /// An object by `Kind/name`.
    pub(super) fn get(&self, name: &str) -> Option<&Object> {
        let (kind, object) = self.key(name);
        self.cluster.api.store().get(kind, &object).map(|object| &**object)
    }

    fn key(&self, name: &str) -> (crate::kind::KindId, ObjectName) {
        let (kind, name) = name.split_once('/').unwrap();
        let (group, _, _, namespaced, _) = KINDS.iter().find(|(_, _, one, ..)| *one == kind).unwrap();
        let name = if *namespaced { ObjectName::namespaced("ns", name) } else { ObjectName::cluster(name) };
        (self.cluster.api.kind_id(group, kind).unwrap(), name)
    }

    pub(super) fn delete(&mut self, name: &str, propagation: Propagation) {
        let (kind, name) = self.key(name);
        let options = DeleteOptions { propagation, ..DeleteOptions::default() };
        self.cluster.api.delete(&caller(), kind, &name, &options).unwrap();
    }

    pub(super) fn patch(&mut self, name: &str, changes: Value) {
        let (kind, name) = self.key(name);
        let patch = Patch::Merge(changes);
        let options = WriteOptions::default();
        self.cluster.api.patch(&caller(), kind, &name, &patch, Subresource::None, options).unwrap();
    }

    /// Runs until a time after the start of the case.
    pub(super) fn run_to(&mut self, at: Milliseconds) {
        let end = self.start + at;
        loop {
            let more = self.cluster.step(end).unwrap();
            self.look();
            if !more {
                break;
            }
        }
        self.cluster.run_until(end).unwrap();
    }

    /// The time since the case started.
    pub(super) fn elapsed(&self) -> Milliseconds {
        self.cluster.now().since(self.start)
    }

    /// Forgets what was seen: the case starts now.
    pub(super) fn begin(&mut self) {
        self.look();
        self.changes.clear();
        self.start = self.cluster.now();
    }

    fn look(&mut self) {
        let (store, now) = (self.cluster.api.store(), self.cluster.now());
        let changes = store.changes_since(self.seen).expect("looked at often enough");
        self.changes.extend(changes.map(|change| (now, change.clone())));
        self.seen = store.revision();
    }

    /// What the watch saw of these kinds, in the form of the recordings, unchanged projections left out.
    pub(super) fn transitions(&mut self, project: impl Fn(&Object) -> Map<String, Value>) -> Vec<Transition> {
        self.look();
        let mut transitions = Vec::new();
        for (at, change) in &self.changes {
            let Some(latest) = change.latest() else { continue };
            let object = format!("{}/{}", latest.kind(), latest.name());
            let (before, after) = (change.before.as_deref(), change.after.as_deref());
            let (event, fields) = match (before, after) {
                (None, Some(after)) => ("ADDED", Value::Object(project(after))),
                (Some(before), Some(after)) => {
                    let fields = difference(&project(before), &project(after));
                    if fields.is_empty() {
                        continue;
                    }
                    ("MODIFIED", Value::Object(fields))
                }
                _ => ("DELETED", Value::Null),
            };
            transitions.push(Transition { at: at.since(self.start), object, event: event.into(), fields });
        }
        transitions
    }
}

/// One notification of a watch.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Transition {
    pub(super) at: Milliseconds,
    pub(super) object: String,
    pub(super) event: String,
    pub(super) fields: Value,
}

impl Transition {
    /// From a recording.
    pub(super) fn read(value: &Value) -> Self {
        let fields = value.get("set").or_else(|| value.get("change")).cloned().unwrap_or_default();
        Self {
            at: value["at_ms"].as_u64().unwrap(),
            object: value.text(&["object"]).to_owned(),
            event: value.text(&["event"]).to_owned(),
            fields,
        }
    }
}

/// The transitions of each object in their order, without times. Objects whose names differ in random characters only
/// stand under one name, in an order that does not depend on those.
pub(super) fn by_object(transitions: &[Transition]) -> BTreeMap<String, Vec<Vec<(String, Value)>>> {
    let mut by_object: BTreeMap<&str, Vec<(String, Value)>> = BTreeMap::new();
    for transition in transitions {
        let entry = (transition.event.clone(), transition.fields.clone());
        by_object.entry(&transition.object).or_default().push(entry);
    }
    let mut together: BTreeMap<String, Vec<Vec<(String, Value)>>> = BTreeMap::new();
    for (object, entries) in by_object {
        together.entry(without_suffix(object)).or_default().push(entries);
    }
    for sequences in together.values_mut() {
        sequences.sort_by_key(|sequence| format!("{sequence:?}"));
    }
    together
}

/// `Pod/web-745fc8b8c9-x7k2p` and `Pod/web-745fc8b8c9-<r01>` as `Pod/web-745fc8b8c9-*`.
pub(super) fn without_suffix(object: &str) -> String {
    let is_random = |suffix: &str| {
        suffix.starts_with("<r")
            || suffix.len() == 5 && suffix.chars().all(|one| "bcdfghjklmnpqrstvwxz2456789".contains(one))
    };
    match object.rsplit_once('-') {
        Some((stem, suffix)) if object.starts_with("Pod/") && is_random(suffix) => format!("{stem}-*"),
        _ => object.to_owned(),
    }
}

fn difference(before: &Map<String, Value>, after: &Map<String, Value>) -> Map<String, Value> {
    let mut changes = Map::new();
    for (field, value) in after {
        if before.get(field) != Some(value) {
            changes.insert(field.clone(), value.clone());
        }
    }
    for field in before.keys().filter(|field| !after.contains_key(*field)) {
        changes.insert(field.clone(), Value::Null);
    }
    changes
}

pub(super) fn caller() -> Caller {
    Caller::administrator("test")
}
