//! What is kept of a replay, to be compared with the recording.

use std::cell::RefCell;
use std::rc::Rc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use serde_json::Value;

use super::order::{Write, object as object_text};
use super::world::START;

/// What a watcher has seen.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) states: Vec<(u64, Value)>,
    pub(super) events: Vec<(String, String, String)>,
    pub(super) writes: Vec<Write>,
}

/// Keeps every state of the ClusterVersion, every event, and every write of a manifest.
#[derive(Default)]
pub(super) struct Watcher {
    pub(super) seen: Rc<RefCell<Seen>>,
}

impl Controller for Watcher {
    fn name(&self) -> &'static str {
        "watcher"
    }
    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("config.openshift.io", "ClusterVersion"),
            ("config.openshift.io", "ClusterOperator"),
            ("", "Event"),
            ("", "ConfigMap"),
            ("", "Namespace"),
            ("apps", "Deployment"),
            ("apps", "DaemonSet"),
            ("batch", "Job"),
            ("test.openshift.io", "Widget"),
            ("apiextensions.k8s.io", "CustomResourceDefinition"),
        ]
    }
    fn requests(
        &mut self,
        change: &Change,
        (_, kind): (&str, &str),
        api: &ApiServer,
        _: &mut Vec<ObjectName>,
    ) {
        let mut seen = self.seen.borrow_mut();
        match (kind, &change.after) {
            ("ClusterVersion", after) if change.key.name.name == "version" => {
                let state = after.as_ref().map_or(Value::Null, |object| Object::clone(object));
                seen.states.push((api.now().since(START), state));
            }
            ("Event", Some(event)) => {
                let text = |field: &str| event.text(&[field]).to_owned();
                seen.events.push((text("type"), text("reason"), text("message")));
            }
            (kind, after) => {
                let event = match (&change.before, after) {
                    (None, _) => "ADDED",
                    (_, None) => "DELETED",
                    (Some(before), Some(after)) if content(before) == content(after) => return,
                    _ => "MODIFIED",
                };
                seen.writes.push((object_text(kind, &change.key.name.to_string()), event));
            }
        }
    }
    fn reconcile(&mut self, _: &ObjectName, _: &mut ApiServer) -> Outcome {
        Outcome::Done
    }
}

/// An object without its status, without what the API server keeps about writes, and without owners: their uids differ.
fn content(object: &Object) -> Object {
    let mut object = Object::clone(object);
    object.remove(&["status"]);
    for field in ["managedFields", "resourceVersion", "generation", "ownerReferences"] {
        object.remove(&["metadata", field]);
    }
    object
}
