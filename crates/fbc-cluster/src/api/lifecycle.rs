//! The steps that every write passes, and what follows from writes within the API server itself.

use std::sync::Arc;

use fbc_go::json::{MOST_LEVELS, ReadError, nests_deeper};

use super::model::Model;
use super::service_addresses::is_service;
use super::{ApiServer, Caller, FieldValidation, Subresource, WriteOptions, certificate_requests};
use crate::access::writes::{self, Stage, Write};
use crate::access::{Attributes, RBAC_GROUP};
use crate::admission::policies::{self, Verdict};
use crate::admission::request::Request;
use crate::admission::{mutating_policies, webhooks};
use crate::error::{ApiError, Cause, CauseReason};
use crate::kind::{GroupVersionKind, Kind, KindId};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::schema::{check, strict};
use crate::served_twice;
use crate::types::{decode, decode_fields};
use crate::validation;

impl ApiServer {
    /// Refuses what the caller has no right to in any group that the kind is served in.
    pub(super) fn authorize(
        &self,
        caller: &Caller,
        verb: &str,
        kind: &Kind,
        subresource: &str,
        name: &ObjectName,
    ) -> Result<(), ApiError> {
        let in_group = |group: &str| self.authorize_in(group, caller, verb, kind, subresource, name);
        in_group(&kind.group).or_else(|refusal| {
            let mut others = served_twice::other_groups(kind);
            if others.any(|group| in_group(group).is_ok()) { Ok(()) } else { Err(refusal) }
        })
    }

    /// Refuses what the caller has no right to in a group.
    pub(super) fn authorize_in(
        &self,
        group: &str,
        caller: &Caller,
        verb: &str,
        kind: &Kind,
        subresource: &str,
        name: &ObjectName,
    ) -> Result<(), ApiError> {
        let attributes = Attributes::Resource {
            verb,
            group,
            resource: &kind.plural,
            subresource,
            namespace: &name.namespace,
            name: &name.name,
        };
        if let Some(impersonator) = &caller.impersonator {
            self.authorizer.check_impersonation(impersonator, &caller.user, attributes)?;
        }
        self.authorizer.check(&caller.user, attributes)
    }

    /// Refuses a new object without a namespace where there must be one, and takes it off where there is none.
    ///
    /// Source: `kubernetes/apiserver:pkg/registry/rest/meta.go` (`EnsureObjectNamespaceMatchesRequestNamespace`).
    pub(super) fn settle_namespace(&self, kind: &Kind, object: &mut Object) -> Result<(), ApiError> {
        if !kind.namespaced {
            object.remove(&["metadata", "namespace"]);
        } else if object.namespace().is_empty() {
            return Err(ApiError::bad_request("an empty namespace may not be set during creation"));
        }
        Ok(())
    }

    /// Refuses fields that the kind does not have, or warns of them, as the client asks for.
    pub(super) fn check_fields(
        &self,
        id: KindId,
        kind: &Kind,
        object: &Object,
        options: WriteOptions,
    ) -> Result<(), ApiError> {
        match options.validation {
            FieldValidation::Ignore => Ok(()),
            FieldValidation::Warn => {
                self.warnings.add(strict::faults(&self.unknown_fields(id, object), &[]));
                Ok(())
            }
            FieldValidation::Strict => {
                let unknown = self.unknown_fields(id, object);
                let version = GroupVersionKind::of(object.api_version(), &kind.kind).version;
                strict::refusal(&kind.kind, &version, &unknown, &[]).map_or(Ok(()), Err)
            }
        }
    }

    /// Warns of what is unwise in a valid object.
    pub(super) fn warn_of(&self, id: KindId, kind: &Kind, before: Option<&Object>, object: &Object) {
        self.warnings.add(match self.model(id) {
            Model::BuiltIn { .. } => validation::warnings(kind, before, object),
            Model::Custom { .. } => validation::finalizer_warnings(before, object),
            Model::Untyped { .. } => Vec::new(),
        });
    }

    /// Runs the mutating webhooks of products that are part of the cluster; gives back what the client sent, if it is
    /// something else now.
    pub(super) fn mutate(&self, kind: &Kind, object: &mut Object) -> Result<Option<Object>, ApiError> {
        if self.mutators.is_empty() {
            return Ok(None);
        }
        let sent = object.clone();
        for mutator in &self.mutators {
            mutator.mutate(kind, object).map_err(|denial| denial.into_refusal(mutator.name()))?;
        }
        Ok((sent != *object).then_some(sent))
    }

    /// Whether any mutating webhook may be asked.
    pub(super) fn has_mutating_admission(&self) -> bool {
        let has = |kind| self.all("admissionregistration.k8s.io", kind).next().is_some();
        has("MutatingAdmissionPolicyBinding")
            || self.webhooks.is_some() && has("MutatingWebhookConfiguration")
    }

    /// Asks mutating policies, and the mutating webhooks that configurations name, about an object that is complete;
    /// what they change is completed again.
    pub(super) fn ask_mutating_admission(
        &self,
        request: &Request<'_>,
        id: KindId,
        object: &mut Object,
    ) -> Result<(), ApiError> {
        let shape = self.shape(id, object.api_version());
        if mutating_policies::mutate(request, object, shape, self)? {
            self.complete(id, request.kind, object, Subresource::None)?;
        }
        let Some(caller) = self.webhooks.as_deref() else { return Ok(()) };
        let seen = object.clone();
        let request = &Request { object: request.object.map(|_| &seen), ..*request };
        if webhooks::mutate(caller, request, object, self)? {
            self.complete(id, request.kind, object, Subresource::None)?;
        }
        Ok(())
    }

    /// Asks policies, and the validating webhooks that configurations name.
    pub(super) fn ask_admission(&self, request: &Request<'_>) -> Result<(), ApiError> {
        let Verdict { refusal, warnings } = policies::validate(request, self);
        self.warnings.add(warnings);
        if let Some(error) = refusal {
            return Err(error);
        }
        match self.webhooks.as_deref() {
            Some(caller) => webhooks::validate(caller, request, self),
            None => Ok(()),
        }
    }

    /// Asks the validating webhooks of products that are part of the cluster.
    pub(super) fn ask_validators(
        &self,
        kind: &Kind,
        before: Option<&Object>,
        object: &Object,
    ) -> Result<(), ApiError> {
        for validator in &self.validators {
            validator
                .validate(kind, before, object)
                .map_err(|denial| denial.into_refusal(validator.name()))?;
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
        let mut error = ApiError::forbidden(&kind.group, &kind.plural, object.name(), &cause);
        let text = format!("namespace {namespace} is being terminated");
        let cause = Cause::new(CauseReason::NamespaceTerminating, text).at("metadata.namespace");
        error.details.causes = vec![cause];
        Err(error)
    }

    /// Refuses new objects of a definition that is on its way out.
    pub(super) fn check_definition(&self, id: KindId, kind: &Kind, object: &Object) -> Result<(), ApiError> {
        match self.model(id).creation_refusal() {
            Some(cause) => Err(ApiError::forbidden(&kind.group, &kind.plural, object.name(), cause)),
            None => Ok(()),
        }
    }

    /// Reads an object as the API server does: drops what the kind does not have, fills in defaults. Where only the
    /// status is written, or the node of a pod, the rest is what is stored, and has been read so before.
    pub(super) fn complete(
        &self,
        id: KindId,
        kind: &Kind,
        object: &mut Object,
        subresource: Subresource,
    ) -> Result<(), ApiError> {
        if nests_deeper(object, MOST_LEVELS) {
            let fault = ReadError::Depth;
            return Err(ApiError::bad_request(format!(
                "couldn't get version/kind; json parse error: {fault}"
            )));
        }
        let model = self.model(id);
        if let Some(version) = model.version(object.api_version()) {
            version.admit(object)?;
        }
        if let Model::BuiltIn { of, .. } = model {
            write_in_preferred_version(kind, object);
            let decoded = match subresource {
                Subresource::Status | Subresource::Binding | Subresource::Approval => {
                    decode_fields(object, *of, &["metadata", "status"])
                }
                _ => decode(object, *of),
            };
            decoded.map_err(|error| {
                let name = &kind.kind;
                let version = kind.versions.first().map(String::as_str).unwrap_or_default();
                ApiError::bad_request(format!(
                    "{name} in version {version:?} cannot be handled as a {name}: {error}"
                ))
            })?;
            if subresource.is_about_wishes() {
                validation::default(object);
            }
        }
        Ok(())
    }

    /// Validates what is about to be stored, and asks whether its writer may do what follows from it.
    pub(super) fn admit(&self, id: KindId, write: &Write<'_>) -> Result<(), ApiError> {
        let Write { kind, subresource, before, object, .. } = *write;
        writes::check(Stage::Storage, write, self)?;
        let model = self.model(id);
        let is_whole = matches!(subresource, Subresource::None | Subresource::Scale);
        let mut errors = match (before, model.is_built_in() && is_whole) {
            (None, true) => validation::validate(kind, object),
            (Some(before), true) => validation::validate_update(kind, before, object),
            (None, false) => validation::validate_metadata(kind, object),
            (Some(before), false) => validation::validate_metadata_update(kind, before, object),
        };
        if let Some(before) = before {
            errors.extend(validation::validate_pod_part_update(before, object, subresource));
        }
        if let Some(before) = before
            && certificate_requests::is_request(kind)
        {
            errors.extend(validation::validate_certificate_request_update(before, object, subresource));
        }
        if let Some(version) = model.version(object.api_version()) {
            errors.extend(version.validate(object, before));
        }
        if is_definition(kind) {
            // Judged there too, together with what definitions ask of their names.
            errors.retain(|error| before.is_some() || error.field != "metadata.name");
            errors.extend(check::validate(object, before, &self.specifications));
        }
        if !errors.is_empty() {
            return Err(ApiError::invalid(&kind.group, &kind.kind, object.name(), errors));
        }
        if is_whole {
            self.warn_of(id, kind, before, object);
        }
        writes::check(Stage::Valid, write, self)
    }

    /// What the API server itself makes of a write: definitions that are established serve a kind, roles and
    /// bindings give rights.
    pub(super) fn after_write(&mut self, kind: &Kind, stored: &Arc<Object>) {
        if is_definition(kind) && stored.condition_status("Established") == "True" {
            self.serve(stored);
        } else if kind.group == RBAC_GROUP {
            self.authorizer.observe(stored);
        }
    }

    /// What the API server itself makes of a removal.
    pub(super) fn after_removal(&mut self, kind: &Kind, gone: &Arc<Object>) {
        if kind.group == RBAC_GROUP {
            self.authorizer.forget(&kind.kind, &gone.object_name());
        } else if is_service(kind) {
            self.addresses.release(gone);
        }
        if !is_definition(kind) {
            return;
        }
        if gone.condition_status("Established") != "True" {
            return;
        }
        let served = self.kind_id(gone.text(&["spec", "group"]), gone.text(&["spec", "names", "kind"]));
        if let Some(id) = served.filter(|id| !self.model(*id).is_built_in()) {
            self.registry.remove(id);
            self.models.remove(&id);
        }
    }

    /// Serves the kind of a definition.
    fn serve(&mut self, definition: &Object) {
        let served =
            self.kind_id(definition.text(&["spec", "group"]), definition.text(&["spec", "names", "kind"]));
        if let Some(model) = served.and_then(|id| self.models.get_mut(&id))
            && model.follow(definition)
        {
            return;
        }
        let model = Model::custom(definition, &self.specifications);
        if let Model::Custom { definition, .. } = &model {
            let id = self.registry.register(definition.to_kind());
            self.models.insert(id, model);
        }
    }
}

/// Objects are stored in the preferred version of their kind, whatever version they were written in. Versions of a
/// definition differ in their schemas alone (conversion strategy `None`).
pub(super) fn write_in_preferred_version(kind: &Kind, object: &mut Object) {
    let version = kind.versions.first().map(String::as_str).unwrap_or_default();
    let present = object.api_version();
    let is_preferred = match present.rsplit_once('/') {
        Some((group, present)) => group == kind.group && present == version,
        None => kind.group.is_empty() && present == version,
    };
    if !is_preferred {
        object.set(&["apiVersion"], kind.preferred().api_version());
    }
}

/// True for the kind of definitions.
pub(super) fn is_definition(kind: &Kind) -> bool {
    kind.kind == "CustomResourceDefinition" && kind.group == "apiextensions.k8s.io"
}
