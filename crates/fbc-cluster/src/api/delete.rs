//! Deleting objects: finalizers, grace periods, propagation.

use std::sync::Arc;

use serde_json::{Value, json};

use super::lifecycle::is_definition;
use super::{ApiServer, Caller, ListOptions};
use crate::admission::request::{Request, RequestOptions};
use crate::error::ApiError;
use crate::kind::{Kind, KindId};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::schema::conditions;
use crate::time::SECOND;

/// What becomes of the objects that a deleted object owns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Propagation {
    /// The garbage collector deletes them afterwards.
    #[default]
    Background,
    /// They go first.
    Foreground,
    /// They stay, without their owner.
    Orphan,
}

/// How to delete.
#[derive(Debug, Clone, Default)]
pub struct DeleteOptions {
    /// What becomes of owned objects.
    pub propagation: Propagation,
    /// Seconds that a pod gets; none for its own number.
    pub grace_period: Option<u64>,
    /// Delete only the object with this uid.
    pub uid: Option<String>,
    /// Delete only the object in this state.
    pub resource_version: Option<String>,
    /// Answer as if, and delete nothing.
    pub dry_run: bool,
}

/// The finalizer of a foreground deletion.
pub(crate) const FOREGROUND: &str = "foregroundDeletion";
/// The finalizer of a deletion that leaves owned objects alone.
pub(crate) const ORPHAN: &str = "orphan";

impl ApiServer {
    /// Asks for the deletion of an object; it goes at once unless something holds it.
    ///
    /// Source: `kubernetes/apiserver:pkg/registry/generic/registry/store.go`, `pkg/registry/rest/delete.go`.
    pub fn delete(
        &mut self,
        caller: &Caller,
        id: KindId,
        name: &ObjectName,
        options: &DeleteOptions,
    ) -> Result<Arc<Object>, ApiError> {
        let kind = self.kind(id)?;
        self.authorize(caller, "delete", &kind, "", name)?;
        self.ask_about_deletion(caller, id, &kind, name, options)?;
        self.delete_authorized(id, &kind, name, options)
    }

    /// Asks policies and webhooks about the deletion of an object that is there.
    fn ask_about_deletion(
        &self,
        caller: &Caller,
        id: KindId,
        kind: &Kind,
        name: &ObjectName,
        options: &DeleteOptions,
    ) -> Result<(), ApiError> {
        let Some(before) = self.store.get(id, name) else { return Ok(()) };
        self.ask_admission(&Request {
            user: &caller.user,
            kind,
            operation: "DELETE",
            subresource: "",
            before: Some(before),
            object: None,
            dry_run: options.dry_run,
            options: RequestOptions::Delete(options),
        })
    }

    /// Deletes without asking whether the caller may.
    pub(super) fn delete_authorized(
        &mut self,
        id: KindId,
        kind: &Kind,
        name: &ObjectName,
        options: &DeleteOptions,
    ) -> Result<Arc<Object>, ApiError> {
        let before = self.existing(id, kind, name)?;
        if let Some(uid) = options.uid.as_deref().filter(|uid| *uid != before.uid()) {
            let cause = format!(
                "Precondition failed: UID in precondition: {uid}, UID in object meta: {}",
                before.uid()
            );
            return Err(ApiError::conflict(&kind.group, &kind.plural, &name.name, &cause));
        }
        let present = before.text(&["metadata", "resourceVersion"]);
        if let Some(wanted) = options.resource_version.as_deref().filter(|wanted| *wanted != present) {
            let cause = format!(
                "Precondition failed: ResourceVersion in precondition: {wanted}, ResourceVersion in object meta: {present}"
            );
            return Err(ApiError::conflict(&kind.group, &kind.plural, &name.name, &cause));
        }
        if is_protected(kind, &name.name) {
            let cause = "this namespace may not be deleted";
            return Err(ApiError::forbidden(&kind.group, &kind.plural, &name.name, cause));
        }
        if is_definition(kind) && !before.is_terminating() {
            return Ok(self.begin_deletion_of_definition(id, kind, before, options));
        }
        let mut object = Object::clone(&before);
        let finalizers = finalizers_for(&object, options.propagation);
        let grace = grace_period(kind, &object, options);
        let held = !finalizers.is_empty() || grace > 0 || !object.list(&["spec", "finalizers"]).is_empty();
        if options.dry_run {
            return Ok(before);
        }
        // Watches see the end of a grace period before the pod is gone.
        let ends_early =
            object.number(&["metadata", "deletionGracePeriodSeconds"]).is_some_and(|left| left > 0);
        if !held && !ends_early {
            self.remove_now(id, kind, name);
            return Ok(before);
        }
        if finalizers.is_empty() {
            object.remove(&["metadata", "finalizers"]);
        } else {
            object.set(&["metadata", "finalizers"], json!(finalizers));
        }
        let present = object.number(&["metadata", "deletionGracePeriodSeconds"]);
        if present.is_none_or(|present| u64::try_from(present).unwrap_or_default() > grace) {
            if kind.has_generation && !object.is_terminating() {
                object.set(&["metadata", "generation"], object.generation() + 1);
            }
            object.set(&["metadata", "deletionTimestamp"], (self.now + grace * SECOND).to_string());
            object.set(&["metadata", "deletionGracePeriodSeconds"], grace);
        }
        if kind.group.is_empty() && kind.kind == "Namespace" {
            object.set(&["status", "phase"], "Terminating");
        }
        let is_over = present.is_some() && grace == 0 && finalizers.is_empty();
        if object != *before {
            let stored = self.store.put(id, object);
            self.after_write(kind, &stored);
        }
        if is_over {
            self.remove_now(id, kind, name);
        }
        Ok(self.store.get(id, name).cloned().unwrap_or(before))
    }

    /// Asks for the deletion of all objects that a list names.
    ///
    /// Source: `kubernetes/apiserver:pkg/endpoints/handlers/delete.go` (`DeleteCollection`).
    pub fn delete_collection(
        &mut self,
        caller: &Caller,
        id: KindId,
        list: &ListOptions,
        options: &DeleteOptions,
    ) -> Result<Vec<Arc<Object>>, ApiError> {
        let names = self.deleted_with(caller, id, list)?;
        names.iter().map(|name| self.delete_listed(caller, id, name, options)).collect()
    }

    /// The objects that [`ApiServer::delete_collection`] deletes, for whoever does it in parts.
    pub fn deleted_with(
        &self,
        caller: &Caller,
        id: KindId,
        list: &ListOptions,
    ) -> Result<Vec<ObjectName>, ApiError> {
        let kind = self.kind(id)?;
        let namespace = list.namespace.as_deref().unwrap_or_default();
        let place = ObjectName::namespaced(namespace, "");
        self.authorize(caller, "deletecollection", &kind, "", &place)?;
        Ok(self.listed(id, list).map(|object| object.object_name()).collect())
    }

    /// Deletes one of [`ApiServer::deleted_with`].
    pub fn delete_listed(
        &mut self,
        caller: &Caller,
        id: KindId,
        name: &ObjectName,
        options: &DeleteOptions,
    ) -> Result<Arc<Object>, ApiError> {
        let kind = self.kind(id)?;
        self.ask_about_deletion(caller, id, &kind, name, options)?;
        self.delete_authorized(id, &kind, name, options)
    }

    /// Writes into a definition that it is to go; the controller of definitions does the rest.
    fn begin_deletion_of_definition(
        &mut self,
        id: KindId,
        kind: &Kind,
        before: Arc<Object>,
        options: &DeleteOptions,
    ) -> Arc<Object> {
        if options.dry_run {
            return before;
        }
        let mut object = Object::clone(&before);
        conditions::begin_deletion(&mut object, self.now);
        let stored = self.store.put(id, object);
        self.after_write(kind, &stored);
        stored
    }

    /// Takes an object away that nothing holds any more.
    pub(super) fn remove_now(&mut self, id: KindId, kind: &Kind, name: &ObjectName) {
        if let Some(gone) = self.store.remove(id, name) {
            self.after_removal(kind, &gone);
        }
    }
}

/// The namespaces that no cluster is without.
///
/// Source: `kubernetes/apiserver:pkg/admission/plugin/namespace/lifecycle/admission.go`.
fn is_protected(kind: &Kind, name: &str) -> bool {
    kind.kind == "Namespace"
        && kind.group.is_empty()
        && ["default", "kube-system", "kube-public"].contains(&name)
}

/// The finalizers with those that the propagation asks for, and without the other one.
fn finalizers_for(object: &Object, propagation: Propagation) -> Vec<Value> {
    let wanted = match propagation {
        Propagation::Background => None,
        Propagation::Foreground => Some(FOREGROUND),
        Propagation::Orphan => Some(ORPHAN),
    };
    let mut finalizers: Vec<Value> = object
        .finalizers()
        .filter(|finalizer| ![FOREGROUND, ORPHAN].contains(finalizer) || Some(*finalizer) == wanted)
        .map(Value::from)
        .collect();
    if let Some(wanted) = wanted.filter(|wanted| !finalizers.iter().any(|finalizer| finalizer == wanted)) {
        finalizers.push(wanted.into());
    }
    finalizers
}

/// Seconds until a pod that is deleted goes away; pods that never started on a node, and all other objects, go at once.
///
/// Source: `kubernetes/kubernetes:pkg/registry/core/pod/strategy.go`.
fn grace_period(kind: &Kind, object: &Object, options: &DeleteOptions) -> u64 {
    if !kind.group.is_empty() || kind.kind != "Pod" || object.text(&["spec", "nodeName"]).is_empty() {
        return 0;
    }
    if ["Succeeded", "Failed"].contains(&object.text(&["status", "phase"])) {
        return 0;
    }
    let own = object
        .number(&["spec", "terminationGracePeriodSeconds"])
        .and_then(|seconds| u64::try_from(seconds).ok());
    options.grace_period.or(own).unwrap_or(30)
}
