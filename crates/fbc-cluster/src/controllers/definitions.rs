//! Custom resource definitions: their conditions follow from their names, and their objects go before they do.
//!
//! Which conditions a definition gets says [`crate::schema::conditions`]; this controller writes them, one step at a time.
//! Source: `kubernetes/apiextensions-apiserver:pkg/controller/{status,establish,finalizer}`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::write::{manager, outcome, set_condition, update, update_status_as};
use crate::api::{ApiServer, Caller, DeleteOptions};
use crate::engine::{Controller, Outcome};
use crate::error::ApiError;
use crate::kind::KindId;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::schema::conditions::{self, FINALIZER};
use crate::store::Change;
use crate::time::{MINUTE, Milliseconds, Moment, SECOND};

/// The group of definitions.
pub const GROUP: &str = "apiextensions.k8s.io";
/// The kind of definitions.
pub const KIND: &str = "CustomResourceDefinition";
/// How often the objects of a definition on its way out are counted.
const COUNT_EVERY: Milliseconds = 5 * SECOND;
/// How long the objects may take before the condition says that they do.
const PATIENCE: Milliseconds = MINUTE;

/// The next status of a definition, given the definitions of its group: one step, as one controller of the API server
/// would write it. The same status as before means that nothing is left to do.
fn next_status(definition: &Object, group: &[Arc<Object>], now: Moment) -> Value {
    let mut next = definition.clone();
    let others = group.iter().map(Arc::as_ref);
    let _ = conditions::accept_names(&mut next, others, now)
        || conditions::establish(&mut next, now)
        || conditions::structural_condition(&mut next, now)
        || conditions::approval_condition(&mut next, now);
    next["status"].take()
}

/// Writes the status of definitions and removes the objects of those that go.
#[derive(Debug, Default)]
pub struct Definitions {
    by_group: BTreeMap<String, BTreeSet<ObjectName>>,
    /// When the objects of a definition were deleted.
    emptied: BTreeMap<ObjectName, Moment>,
    /// The last object that was deleted of definitions with many.
    emptying: BTreeMap<ObjectName, ObjectName>,
}

/// These controllers are part of the API server, which shows in the owners of their fields.
fn api_server() -> Caller {
    Caller::administrator("kube-apiserver")
}

impl Controller for Definitions {
    fn name(&self) -> &'static str {
        "customresourcedefinition-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, KIND)]
    }

    fn requests(
        &mut self,
        change: &Change,
        _kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let Some(definition) = change.latest() else { return };
        let name = &change.key.name;
        let siblings = self.by_group.entry(definition.text(&["spec", "group"]).to_owned()).or_default();
        if change.after.is_some() {
            siblings.insert(name.clone());
            requests.push(name.clone());
        } else {
            siblings.remove(name);
            self.emptied.remove(name);
            self.emptying.remove(name);
        }
        // Names that are given back may be what another definition of the group waits for.
        let accepted = |object: Option<&Arc<Object>>| {
            object.and_then(|object| object.at(&["status", "acceptedNames"])).cloned()
        };
        if change.before.is_some() && accepted(change.before.as_ref()) != accepted(change.after.as_ref()) {
            requests.extend(siblings.iter().filter(|sibling| *sibling != name).cloned());
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(definition) = api.find(GROUP, KIND, request).cloned() else { return Outcome::Done };
        if definition.is_terminating() {
            if !definition.finalizers().any(|finalizer| finalizer == FINALIZER) {
                return Outcome::Done;
            }
            return self
                .finish(api, request, &definition)
                .unwrap_or_else(|error| outcome(Err::<(), _>(error)));
        }
        let has_its_names = definition.at(&["spec", "names"]) == definition.at(&["status", "acceptedNames"]);
        // Nobody can take names away that are accepted.
        let siblings = self.by_group.get(definition.text(&["spec", "group"])).filter(|_| !has_its_names);
        let group: Vec<Arc<Object>> =
            siblings.into_iter().flatten().filter_map(|name| api.find(GROUP, KIND, name).cloned()).collect();
        let status = next_status(&definition, &group, api.now());
        outcome(update_status_as(&api_server(), api, &definition, status))
    }
}

impl Definitions {
    fn finish(
        &mut self,
        api: &mut ApiServer,
        name: &ObjectName,
        definition: &Arc<Object>,
    ) -> Result<Outcome, ApiError> {
        let now = api.now();
        let kind =
            api.kind_id(definition.text(&["spec", "group"]), definition.text(&["spec", "names", "kind"]));
        let was_established = definition.condition_status("Established") == "True";
        let kind = kind.filter(|_| was_established);
        let Some(started) = self.emptied.get(name).copied() else {
            let text = "CustomResource deletion is in progress";
            write_terminating(api, definition, "True", "InstanceDeletionInProgress", text)?;
            let stopped_at = self.emptying.remove(name);
            if let Some(stop) = kind.and_then(|kind| delete_all(api, kind, stopped_at)) {
                self.emptying.insert(name.clone(), stop?);
                return Ok(Outcome::After(0));
            }
            self.emptied.insert(name.clone(), now);
            let is_empty = kind.is_none_or(|kind| api.store().count(kind) == 0);
            return Ok(if is_empty { Outcome::After(0) } else { Outcome::After(COUNT_EVERY) });
        };
        if kind.is_some_and(|kind| api.store().count(kind) > 0) {
            let elapsed = now.since(started);
            if elapsed >= PATIENCE {
                let text =
                    "could not confirm zero CustomResources remaining: timed out waiting for the condition";
                write_terminating(api, definition, "True", "InstanceDeletionCheck", text)?;
            }
            return Ok(Outcome::After(COUNT_EVERY - elapsed % COUNT_EVERY));
        }
        let mut object = Object::clone(definition);
        let finalizers: Vec<&str> = definition.finalizers().filter(|one| *one != FINALIZER).collect();
        object.set(&["metadata", "finalizers"], json!(finalizers));
        update(api, object)?;
        Ok(Outcome::Done)
    }
}

fn write_terminating(
    api: &mut ApiServer,
    definition: &Arc<Object>,
    status: &str,
    reason: &str,
    message: &str,
) -> Result<Arc<Object>, ApiError> {
    let mut conditions = definition.list(&["status", "conditions"]).to_vec();
    set_condition(&mut conditions, api.now(), "Terminating", status, reason, message);
    let mut next = definition.get("status").cloned().unwrap_or_default();
    next.set(&["conditions"], conditions);
    update_status_as(&api_server(), api, definition, next)
}

/// Deletes all objects of a kind after the one where it stopped before; where it stops now, if there is so much that others
/// come first.
fn delete_all(
    api: &mut ApiServer,
    kind: KindId,
    after: Option<ObjectName>,
) -> Option<Result<ObjectName, ApiError>> {
    let names = api.store().of_kind(kind).map(|object| object.object_name());
    let names: Vec<ObjectName> = names.filter(|name| Some(name) > after.as_ref()).collect();
    for name in names {
        match api.delete(&manager(), kind, &name, &DeleteOptions::default()) {
            Err(error) if !error.is_not_found() => return Some(Err(error)),
            _ => {}
        }
        if api.has_written_much() {
            return Some(Ok(name));
        }
    }
    None
}
