//! Patches of every type, server-side apply among them.

use std::sync::Arc;

use serde_json::Value;

use super::{ApiServer, Caller, Subresource, WriteOptions};
use crate::apply::patch::{PatchType, patch as patched};
use crate::apply::{Operation, Write, apply, check_request, ignored_fields, unpacked};
use crate::error::{ApiError, Reason};
use crate::kind::{Kind, KindId};
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
            let mut object =
                self.applied(caller, id, &kind, None, configuration, false, name, subresource)?;
            object.remove(&["metadata", "resourceVersion"]);
            if !name.namespace.is_empty() {
                object.set(&["metadata", "namespace"], name.namespace.as_str());
            }
            return self.create_authorized(caller, id, &kind, object, Operation::Apply, options);
        };
        let model = self.model(id);
        let shape = model.shape(before.api_version());
        let seen = if sees_owners(patch) { unpacked(&before) } else { Arc::clone(&before) };
        let object = match patch {
            Patch::Json(changes) => patched(&seen, changes, PatchType::Json, shape)?,
            Patch::Merge(changes) => patched(&seen, changes, PatchType::Merge, shape)?,
            Patch::Strategic(changes) if model.is_built_in() => {
                patched(&seen, changes, PatchType::Strategic, shape)?
            }
            Patch::Strategic(_) => {
                let text = "the body of the request was in an unknown format - accepted media types include: \
                            application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml";
                return Err(ApiError::other(Reason::UnsupportedMediaType, text));
            }
            Patch::Apply { configuration, force } => {
                self.applied(caller, id, &kind, Some(&before), configuration, *force, name, subresource)?
            }
        };
        self.check_fields(id, &kind, &object, options)?;
        for (what, sent, asked) in
            [("name", object.name(), &name.name), ("namespace", object.namespace(), &name.namespace)]
        {
            if sent != asked {
                let text = format!(
                    "the {what} of the object ({sent}) does not match the {what} on the URL ({asked})"
                );
                return Err(ApiError::bad_request(text));
            }
        }
        let operation = match patch {
            Patch::Apply { .. } => Operation::Apply,
            _ => Operation::Update,
        };
        self.replace(caller, id, &kind, &before, object, subresource, operation, options)
    }
}

impl ApiServer {
    /// What server-side apply makes of an object and a configuration.
    #[expect(clippy::too_many_arguments, reason = "the parts of one request")]
    fn applied(
        &self,
        caller: &Caller,
        id: KindId,
        kind: &Kind,
        before: Option<&Object>,
        configuration: &Value,
        force: bool,
        name: &ObjectName,
        subresource: Subresource,
    ) -> Result<Object, ApiError> {
        check_request(configuration, &name.name, &caller.manager)?;
        let write = Write {
            manager: &caller.manager,
            subresource: subresource.name(),
            time: self.now,
            ignored: ignored_fields(kind.has_status, subresource.name()),
        };
        Ok(apply(before, configuration, &write, force, self.model(id).shape(configuration.api_version()))?)
    }
}

/// Whether a patch may look at `metadata.managedFields`.
fn sees_owners(patch: &Patch) -> bool {
    let is_about = |path: &str| {
        ["", "/metadata", "/metadata/managedFields"].contains(&path)
            || path.starts_with("/metadata/managedFields/")
    };
    match patch {
        Patch::Json(operations) => operations.as_array().into_iter().flatten().any(|operation| {
            ["path", "from"]
                .iter()
                .any(|field| operation.get(field).and_then(Value::as_str).is_some_and(is_about))
        }),
        Patch::Merge(changes) | Patch::Strategic(changes) => {
            changes.at(&["metadata", "managedFields"]).is_some()
        }
        Patch::Apply { .. } => false,
    }
}
