//! What a front end over HTTP asks besides reads and writes: rights, versions, unknown fields, definitions.

use std::sync::Arc;

use super::model::Model;
use super::{ApiServer, Caller, ListOptions};
use crate::budget::{Exhausted, MOST_OBJECT_BYTES, TooLarge};
use crate::error::ApiError;
use crate::kind::{GroupVersionKind, Kind, KindId};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::schema::Definition;
use crate::types::decode;

impl ApiServer {
    /// Refuses what the caller has no right to, and answers with the kind that is meant.
    ///
    /// # Errors
    /// The refusal of the API server.
    pub fn check_access(
        &self,
        caller: &Caller,
        verb: &str,
        id: KindId,
        subresource: &str,
        name: &ObjectName,
    ) -> Result<Arc<Kind>, ApiError> {
        let kind = self.kind(id)?;
        self.authorize(caller, verb, &kind, subresource, name)?;
        Ok(kind)
    }

    /// The objects that are asked for, by namespace and name, without questions about rights.
    pub fn selected<'s>(
        &'s self,
        id: KindId,
        options: &'s ListOptions,
    ) -> impl Iterator<Item = &'s Arc<Object>> {
        self.listed(id, options)
    }

    /// An object as clients of a served version see it; the same one if there is no other version. Versions of a
    /// definition differ in their schemas alone (conversion strategy `None`). An object says that it is of the preferred one, in
    /// whatever version it was written. Defaults beyond what an object may have are left out.
    pub fn in_version(&self, id: KindId, object: &Arc<Object>, version: &str) -> Arc<Object> {
        self.in_version_within(id, object, version, &mut MOST_OBJECT_BYTES.clone()).0
    }

    /// The same for many objects, whose defaults take room in what is left of [`crate::budget::Budget::bytes`].
    ///
    /// # Errors
    /// The defaults of this version take more room than there is for objects.
    pub fn all_in_version(
        &self,
        id: KindId,
        objects: &mut [Arc<Object>],
        version: &str,
    ) -> Result<(), ApiError> {
        let most = self.budget().bytes;
        let mut room = most;
        for object in objects {
            let (seen, filled) = self.in_version_within(id, object, version, &mut room);
            filled.map_err(|TooLarge| Exhausted::Bytes(most).refusal())?;
            *object = seen;
        }
        Ok(())
    }

    fn in_version_within(
        &self,
        id: KindId,
        object: &Arc<Object>,
        version: &str,
        room: &mut u64,
    ) -> (Arc<Object>, Result<(), TooLarge>) {
        let Some(kind) = self.registry.get(id) else { return (Arc::clone(object), Ok(())) };
        let wanted = GroupVersionKind { version: version.to_owned(), ..kind.preferred() }.api_version();
        let is_only_version = self.definition(id).is_none_or(|definition| definition.versions.len() == 1);
        if is_only_version && object.api_version() == wanted {
            return (Arc::clone(object), Ok(()));
        }
        let mut converted = Object::clone(object);
        converted.set(&["apiVersion"], wanted);
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
                decode(&mut object.clone(), *of).map(|decoding| decoding.unknown_fields).unwrap_or_default()
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
