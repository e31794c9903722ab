//! Creating and changing objects.
//!
//! Sources: `kubernetes/apiserver:pkg/endpoints/handlers/{create,update,patch}.go`, `pkg/registry/rest/{create,meta}.go`.

use fbc_cluster::api::{FieldValidation, OTHER_NAMESPACE, Patch, Subresource, WriteOptions};
use fbc_cluster::error::{ApiError, Reason};
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::schema::strict;
use fbc_cluster::served_twice;
use serde_json::Value;

use super::caller;
use crate::actor::{Actor, Identity};
use crate::answer::Answer;
use crate::request::{BodyFormat, Query, Request, WriteQuery, decode_body};
use crate::served_resource::ServedResource;

/// An object of a request, and what there is to say about it.
pub(super) struct Sent {
    pub(super) object: Object,
    pub(super) warnings: Vec<String>,
    pub(super) options: WriteOptions,
}

impl Actor<'_> {
    pub(super) fn create(
        &mut self,
        request: &Request,
        query: &Query,
        identity: &Identity,
        resource: &ServedResource,
    ) -> Result<Answer, ApiError> {
        let presentation = self.presentation(request, query, resource)?;
        let caller = caller(identity, request, query);
        // Nobody looks at a body of somebody who has no right to send it.
        self.cluster.api.check_access(&caller, "create", &resource.kind, "", &resource.name())?;
        self.check_rest()?;
        let Sent { object, mut warnings, options } = self.sent(request, query, resource)?;
        let stored = self.cluster.api.create(&caller, object, options)?;
        warnings.extend(self.deprecation(resource));
        Ok(self.object(201, resource, &stored, presentation).with_warnings(warnings))
    }

    pub(super) fn update(
        &mut self,
        request: &Request,
        query: &Query,
        identity: &Identity,
        resource: &ServedResource,
    ) -> Result<Answer, ApiError> {
        let presentation = self.presentation(request, query, resource)?;
        let caller = caller(identity, request, query);
        let of = subresource_of(resource);
        self.cluster.api.check_access(&caller, "update", &resource.kind, of.name(), &resource.name())?;
        let Sent { object, mut warnings, options } = self.sent(request, query, resource)?;
        if object.name() != resource.place.name {
            let text = format!(
                "the name of the object ({}) does not match the name on the URL ({})",
                object.name(),
                resource.place.name
            );
            return Err(ApiError::bad_request(text));
        }
        self.cluster.api.check_version(resource.id, &object)?;
        let stored = self.cluster.api.update(&caller, object, of, options)?;
        warnings.extend(self.deprecation(resource));
        Ok(self.object(200, resource, &stored, presentation).with_warnings(warnings))
    }

    pub(super) fn patch(
        &mut self,
        request: &Request,
        query: &Query,
        identity: &Identity,
        resource: &ServedResource,
    ) -> Result<Answer, ApiError> {
        let presentation = self.presentation(request, query, resource)?;
        let caller = caller(identity, request, query);
        let of = subresource_of(resource);
        self.cluster.api.check_access(&caller, "patch", &resource.kind, of.name(), &resource.name())?;
        let write = WriteQuery::read(query)?;
        let is_custom = self.cluster.api.definition(resource.id).is_some();
        let (patch, twice) = self.sent_patch(request, &write, is_custom)?;
        if let Patch::Apply { configuration, .. } = &patch {
            self.check_kind(configuration, resource)?;
            if write.manager.is_empty() {
                return Err(ApiError::invalid(
                    "meta.k8s.io",
                    "PatchOptions",
                    "",
                    vec![fbc_cluster::error::FieldError::required(
                        "fieldManager",
                        "is required for apply patch",
                    )],
                ));
            }
        } else if write.force {
            return Err(ApiError::invalid(
                "meta.k8s.io",
                "PatchOptions",
                "",
                vec![fbc_cluster::error::FieldError::forbidden(
                    "force",
                    "may not be specified for non-apply patch",
                )],
            ));
        }
        let mut warnings = self.deprecation(resource);
        match write.validation {
            FieldValidation::Warn => warnings.extend(strict::faults(&[], &twice)),
            FieldValidation::Strict if !twice.is_empty() => return Err(twice_in_patch(&patch, &twice)),
            _ => {}
        }
        let patch = stored_patch(resource, patch);
        let name = resource.name();
        let is_new = self.cluster.api.store().get(resource.id, &name).is_none();
        let options = WriteOptions {
            dry_run: write.dry_run,
            validation: write.validation,
            names_manager: !write.manager.is_empty(),
        };
        let stored = self.cluster.api.patch(&caller, resource.id, &name, &patch, of, options)?;
        let code = if is_new { 201 } else { 200 };
        Ok(self.object(code, resource, &stored, presentation).with_warnings(warnings))
    }

    /// The patch of a request by its media type.
    pub(super) fn sent_patch(
        &self,
        request: &Request,
        write: &WriteQuery,
        is_custom: bool,
    ) -> Result<(Patch, Vec<String>), ApiError> {
        const JSON: &str = "application/json-patch+json";
        const MERGE: &str = "application/merge-patch+json";
        const STRATEGIC: &str = "application/strategic-merge-patch+json";
        const APPLY: &str = "application/apply-patch+yaml";
        let format = if request.content_type == APPLY { BodyFormat::Yaml } else { BodyFormat::Json };
        let read = || {
            decode_body(&request.body, format)
                .map_err(|error| ApiError::bad_request(format!("error decoding patch: {}", error.message)))
        };
        Ok(match request.content_type.as_str() {
            JSON => {
                let (value, twice) = read()?;
                (Patch::Json(value), twice)
            }
            MERGE => {
                let (value, twice) = read()?;
                (Patch::Merge(value), twice)
            }
            STRATEGIC if !is_custom => {
                let (value, twice) = read()?;
                (Patch::Strategic(value), twice)
            }
            APPLY => {
                let (configuration, twice) = read()?;
                (Patch::Apply { configuration, force: write.force }, twice)
            }
            _ if is_custom => return Err(crate::request::unsupported(&[JSON, MERGE, APPLY])),
            _ => return Err(crate::request::unsupported(&[JSON, MERGE, STRATEGIC, APPLY])),
        })
    }

    /// The object of a request: whole, of the right kind, in the right namespace.
    pub(super) fn sent(
        &self,
        request: &Request,
        query: &Query,
        resource: &ServedResource,
    ) -> Result<Sent, ApiError> {
        let write = WriteQuery::read(query)?;
        let format = BodyFormat::of_object(&request.content_type)?;
        let (mut object, twice) = decode_body(&request.body, format)?;
        if !object.is_object() {
            let text = format!(
                "the object provided is unrecognized (must be of type {}): couldn't get version/kind; json parse error",
                resource.kind.kind
            );
            return Err(ApiError::bad_request(text));
        }
        if object.kind().is_empty() && self.cluster.api.definition(resource.id).is_none() {
            object.set(&["kind"], resource.kind.kind.as_str());
        }
        if object.api_version().is_empty() && self.cluster.api.definition(resource.id).is_none() {
            object.set(&["apiVersion"], resource.api_version());
        }
        self.check_kind(&object, resource)?;
        if resource.kind.namespaced {
            let wanted = &resource.place.namespace;
            if object.namespace().is_empty() {
                object.set(&["metadata", "namespace"], wanted.as_str());
            } else if object.namespace() != wanted {
                return Err(ApiError::bad_request(OTHER_NAMESPACE));
            }
        } else {
            object.remove(&["metadata", "namespace"]);
        }
        let mut warnings = Vec::new();
        if write.validation == FieldValidation::Warn {
            warnings.extend(strict::faults(&[], &twice));
        }
        if write.validation == FieldValidation::Strict && !twice.is_empty() {
            let unknown = self.cluster.api.unknown_fields(resource.id, &object);
            let version = &resource.place.version;
            if let Some(error) = strict::refusal(&resource.kind.kind, version, &unknown, &twice) {
                return Err(error);
            }
        }
        let options = WriteOptions {
            dry_run: write.dry_run,
            validation: write.validation,
            names_manager: !write.manager.is_empty(),
        };
        Ok(Sent { object, warnings, options })
    }

    /// Refuses an object of another kind or version than the path says.
    fn check_kind(&self, object: &Value, resource: &ServedResource) -> Result<(), ApiError> {
        let (api_version, kind) = (object.api_version(), object.kind());
        let expected = resource.api_version();
        if kind.is_empty() {
            let text = format!("Object 'Kind' is missing in '{}'", shortened(&object.to_string()));
            return Err(ApiError::bad_request(text));
        }
        if kind != resource.kind.kind {
            let wanted = &resource.kind.kind;
            let text = match self.cluster.api.kind_of(object) {
                Ok(_) => format!(
                    "the object provided is unrecognized (must be of type {wanted}): {api_version}, Kind={kind} is sent \
                     to the path of {wanted}"
                ),
                Err(_) => format!(
                    "{kind} in version {:?} cannot be handled as a {wanted}: no kind {kind:?} is registered for version \
                     {api_version:?}",
                    api_version.rsplit('/').next().unwrap_or_default()
                ),
            };
            return Err(ApiError::bad_request(text));
        }
        if api_version != expected {
            return Err(ApiError::other(
                Reason::BadRequest,
                format!(
                    "the API version in the data ({api_version}) does not match the expected API version ({expected})"
                ),
            ));
        }
        Ok(())
    }
}

/// A patch of an object as it is stored.
fn stored_patch(resource: &ServedResource, patch: Patch) -> Patch {
    let whole = |mut part: Value| {
        served_twice::stored_part(&resource.kind, &mut part);
        part
    };
    match patch {
        Patch::Merge(changes) => Patch::Merge(whole(changes)),
        Patch::Strategic(changes) => Patch::Strategic(whole(changes)),
        Patch::Apply { configuration, force } => Patch::Apply { configuration: whole(configuration), force },
        Patch::Json(Value::Array(mut operations)) => {
            for operation in &mut operations {
                for field in ["path", "from"] {
                    let Some(path) = operation.get(field).and_then(Value::as_str) else { continue };
                    let (first, rest) = path
                        .trim_start_matches('/')
                        .split_once('/')
                        .unwrap_or((path.trim_start_matches('/'), ""));
                    let first = served_twice::stored_field(&resource.kind, first);
                    let path = if rest.is_empty() { format!("/{first}") } else { format!("/{first}/{rest}") };
                    operation.set(&[field], path);
                }
            }
            Patch::Json(operations.into())
        }
        patch @ Patch::Json(_) => patch,
    }
}

/// The refusal of a patch that has fields twice.
fn twice_in_patch(patch: &Patch, twice: &[String]) -> ApiError {
    let shown = || match patch {
        Patch::Json(patch) | Patch::Merge(patch) | Patch::Strategic(patch) => patch.to_string(),
        Patch::Apply { .. } => String::new(),
    };
    match patch {
        Patch::Apply { .. } => ApiError::bad_request(format!(
            "error strict decoding patch: {}",
            strict::faults(&[], twice).join(", ")
        )),
        _ => strict::patch_refusal(shown, &[], twice)
            .unwrap_or_else(|| ApiError::bad_request("error decoding patch")),
    }
}

/// The part of an object that a path means.
pub(super) fn subresource_of(resource: &ServedResource) -> Subresource {
    match resource.place.subresource.as_str() {
        "status" => Subresource::Status,
        "approval" => Subresource::Approval,
        "ephemeralcontainers" => Subresource::EphemeralContainers,
        "resize" => Subresource::Resize,
        _ => Subresource::None,
    }
}

/// The beginning of a text, for messages.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 200;
    let end = text.char_indices().nth(LONGEST).map_or(text.len(), |(at, _)| at);
    text.get(..end).unwrap_or(text).to_owned()
}
