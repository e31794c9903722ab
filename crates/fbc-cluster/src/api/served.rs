//! What a front end over HTTP asks besides reads and writes: rights, versions, unknown fields, definitions.

use std::sync::Arc;

use super::model::Model;
use super::{ApiServer, Caller, ListOptions};
use crate::apply::take_owners;
use crate::budget::{Exhausted, MOST_OBJECT_BYTES, TooLarge};
use crate::error::{ApiError, FieldError};
use crate::kind::{Kind, KindId};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::schema::Definition;
use crate::served_twice;
use crate::types::decode;

impl ApiServer {
    /// Refuses what the caller has no right to in the group of a kind.
    ///
    /// # Errors
    /// The refusal of the API server.
    pub fn check_access(
        &self,
        caller: &Caller,
        verb: &str,
        kind: &Kind,
        subresource: &str,
        name: &ObjectName,
    ) -> Result<(), ApiError> {
        self.authorize_in(&kind.group, caller, verb, kind, subresource, name)
    }

    /// Refuses a replacement that does not say which version it replaces, where the kind asks for that. Command lines, and
    /// what is part of the cluster, replace what they have read.
    ///
    /// Source: `kubernetes/apiserver:pkg/registry/generic/registry/store.go` (`AllowUnconditionalUpdate`).
    pub fn check_version(&self, id: KindId, object: &Object) -> Result<(), ApiError> {
        let Some(kind) = self.registry.get(id) else { return Ok(()) };
        let is_there = self.store.get(id, &object.object_name()).is_some();
        let version = object.text(&["metadata", "resourceVersion"]);
        if !is_there || !matches!(version, "" | "0") || !self.model(id).strategy().versioned {
            return Ok(());
        }
        let text = "must be specified for an update";
        let cause = FieldError::invalid_number("metadata.resourceVersion", 0, text);
        Err(ApiError::invalid(&kind.group, &kind.plural, object.name(), vec![cause]))
    }

    /// The id under which objects of a kind are stored: its own, or that of its twin in another group.
    pub fn stored_as(&self, id: KindId) -> KindId {
        let kind = self.registry.get(id);
        kind.and_then(|kind| served_twice::stored_kind(&self.registry, kind)).map_or(id, |(stored, _)| stored)
    }

    /// The objects that are asked for, by namespace and name, without questions about rights.
    pub fn selected<'s>(
        &'s self,
        id: KindId,
        options: &'s ListOptions,
    ) -> impl Iterator<Item = &'s Arc<Object>> {
        self.listed(id, options)
    }

    /// An object as clients of a served version (`apiVersion`) see it; the same one if there is no other version. Versions of a
    /// definition differ in their schemas alone (conversion strategy `None`). An object says that it is of the preferred one, in
    /// whatever version it was written. Defaults beyond what an object may have are left out.
    pub fn in_version(&self, id: KindId, object: &Arc<Object>, api_version: &str) -> Arc<Object> {
        self.in_version_within(id, object, api_version, &mut MOST_OBJECT_BYTES.clone()).0
    }

    /// The same for many objects, whose defaults take room in what is left of [`crate::budget::Budget::bytes`].
    ///
    /// # Errors
    /// The defaults of this version take more room than there is for objects.
    pub fn all_in_version(
        &self,
        id: KindId,
        objects: &mut [Arc<Object>],
        api_version: &str,
    ) -> Result<(), ApiError> {
        let most = self.budget().bytes;
        let mut room = most;
        for object in objects {
            let (seen, filled) = self.in_version_within(id, object, api_version, &mut room);
            filled.map_err(|TooLarge| Exhausted::Bytes(most).refusal())?;
            *object = seen;
        }
        Ok(())
    }

    fn in_version_within(
        &self,
        id: KindId,
        object: &Arc<Object>,
        api_version: &str,
        room: &mut u64,
    ) -> (Arc<Object>, Result<(), TooLarge>) {
        let Some(kind) = self.registry.get(id) else { return (Arc::clone(object), Ok(())) };
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        if group != kind.group {
            return (served_twice::shown(object, group, version), Ok(()));
        }
        let is_only_version = self.definition(id).is_none_or(|definition| definition.versions.len() == 1);
        if is_only_version && object.api_version() == api_version {
            return (Arc::clone(object), Ok(()));
        }
        let mut converted = Object::clone(object);
        converted.set(&["apiVersion"], api_version);
        let version = self.model(id).version(version);
        let filled = version.map_or(Ok(()), |version| version.admit_within(&mut converted, room));
        (Arc::new(converted), filled)
    }

    /// The paths of fields that the kind does not have.
    pub fn unknown_fields(&self, id: KindId, object: &Object) -> Vec<String> {
        let model = self.model(id);
        match (model, model.version(object.api_version())) {
            (_, Some(version)) => version.unknown_fields(object),
            // What does not fit at all is refused a step later, in other words.
            (Model::BuiltIn { of, .. }, _) => {
                let mut copy = object.clone();
                // What is stored holds its owners in a form of its own.
                take_owners(&mut copy);
                decode(&mut copy, *of).map(|decoding| decoding.unknown_fields).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    /// The definition of a custom kind.
    pub fn definition(&self, id: KindId) -> Option<&Definition> {
        match self.model(id) {
            Model::Custom { definition, .. } => Some(definition),
            _ => None,
        }
    }
}
