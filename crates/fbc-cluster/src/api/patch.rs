//! Patches of every type, server-side apply among them.

use std::sync::Arc;

use serde_json::Value;

use super::{ApiServer, Caller, FieldValidation, Subresource, WriteOptions};
use crate::apply::patch::{PatchType, patch as patched};
use crate::apply::{Operation, Write, apply, check_request, ignored_fields, unpacked};
use crate::error::{ApiError, Reason};
use crate::kind::{Kind, KindId};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::schema::{go_map, strict};

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
            match object.remove(&["metadata", "uid"]) {
                Some(Value::String(uid)) if !uid.is_empty() => {
                    let cause = format!(
                        "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
                    );
                    return Err(ApiError::conflict(&kind.group, &kind.plural, &name.name, &cause));
                }
                _ => {}
            }
            settle_name(&kind, name, &mut object)?;
            return self.create_authorized(caller, id, &kind, object, Operation::Apply, options);
        };
        let model = self.model(id);
        let shape = model.shape(before.api_version());
        let seen = if sees_owners(patch) { unpacked(&before) } else { Arc::clone(&before) };
        let mut object = match patch {
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
        self.check_patched_fields(id, patch, &object, options)?;
        settle_name(&kind, name, &mut object)?;
        let operation = match patch {
            Patch::Apply { .. } => Operation::Apply,
            _ => Operation::Update,
        };
        self.replace(caller, id, &kind, &before, object, subresource, operation, options)
    }
}

/// Gives an object the namespace of the request, and refuses another one, or another name.
///
/// Source: `kubernetes/apiserver:pkg/endpoints/handlers/{patch,rest}.go`.
fn settle_name(kind: &Kind, name: &ObjectName, object: &mut Object) -> Result<(), ApiError> {
    if !kind.namespaced {
        object.remove(&["metadata", "namespace"]);
    } else if object.namespace().is_empty() {
        object.set(&["metadata", "namespace"], name.namespace.as_str());
    } else if object.namespace() != name.namespace {
        return Err(ApiError::bad_request(OTHER_NAMESPACE));
    }
    if object.name() == name.name {
        return Ok(());
    }
    let (sent, asked) = (object.name(), &name.name);
    Err(ApiError::bad_request(format!(
        "the name of the object ({sent}) does not match the name on the URL ({asked})"
    )))
}

/// The refusal of an object of another namespace than that of its request.
pub const OTHER_NAMESPACE: &str =
    "the namespace of the provided object does not match the namespace sent on the request";

impl ApiServer {
    /// Refuses fields that the kind does not have in what a patch makes of an object, or warns of them.
    fn check_patched_fields(
        &self,
        id: KindId,
        patch: &Patch,
        object: &Object,
        options: WriteOptions,
    ) -> Result<(), ApiError> {
        if options.validation == FieldValidation::Ignore {
            return Ok(());
        }
        let unknown = self.unknown_fields(id, object);
        if options.validation == FieldValidation::Warn {
            self.warnings.add(strict::faults(&unknown, &[]));
            return Ok(());
        }
        let shown = || match patch {
            Patch::Strategic(changes) => go_map(changes),
            _ => object.to_string(),
        };
        strict::patch_refusal(shown, &unknown, &[]).map_or(Ok(()), Err)
    }

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
