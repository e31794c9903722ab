//! The API server of the engine as command lines use it.

use std::sync::Arc;

use fbc_cluster::access::{Attributes, User};
use fbc_cluster::api::{
    ApiServer, Caller, DeleteOptions as Deletion, FieldValidation, ListOptions, Patch, Propagation,
    Subresource, WriteOptions,
};
use fbc_cluster::apply::patch::{PatchType as AppliedPatch, last_applied, three_way_patch};
use fbc_cluster::apply::{LAST_APPLIED, Shape, unpack};
use fbc_cluster::error::ApiError;
use fbc_cluster::kind::{KindId, Registry};
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::time::Moment;
use serde_json::{Value, json};

use super::{AccessQuestion, Answer, Applied, ApplyMode, Change, DeleteOptions, Request, Server};
use crate::command_line::{Cascade, PatchType, Validation};

fn caller(request: &Request) -> Caller {
    let impersonator = request.impersonator.as_ref().map(|(name, groups)| known_user(name, groups));
    Caller { user: user(request), manager: request.field_manager.clone(), impersonator }
}

/// The user of a request. Service accounts bring their groups along, unless others are given.
fn user(request: &Request) -> User {
    known_user(&request.user, &request.groups)
}

fn known_user(name: &str, groups: &[String]) -> User {
    let account = name.strip_prefix("system:serviceaccount:").and_then(|name| name.split_once(':'));
    match account.filter(|_| groups.is_empty()) {
        Some((namespace, name)) => User::service_account(namespace, name),
        None => {
            let groups: Vec<&str> = groups.iter().map(String::as_str).collect();
            User::new(name, &groups)
        }
    }
}

/// Command lines ask for strict validation unless they say otherwise.
fn options(request: &Request) -> WriteOptions {
    let validation = match request.validation {
        Validation::Strict => FieldValidation::Strict,
        _ => FieldValidation::Ignore,
    };
    WriteOptions { dry_run: request.dry_run, validation, names_manager: true }
}

/// A copy of an object as clients see it.
fn shown(object: Arc<Object>) -> Object {
    let mut copy = Arc::unwrap_or_clone(object);
    unpack(&mut copy);
    copy
}

fn owned(answer: Result<Arc<Object>, ApiError>) -> Answer<Object> {
    answer.map(shown).map_err(Box::new)
}

/// The warning about an object that was not made by `apply`.
fn without_annotation(kind: &str, name: &str) -> String {
    format!(
        "Warning: resource {kind}/{name} is missing the {LAST_APPLIED} annotation which is required by kubectl apply. \
         kubectl apply should only be used on resources created declaratively by either kubectl create --save-config \
         or kubectl apply. The missing annotation will be patched automatically."
    )
}

/// The columns of tables that other servers make.
///
/// Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/package-server/storage/reststorage.go`.
fn aggregated_columns(group: &str) -> Vec<Value> {
    if group != "packages.operators.coreos.com" {
        return Vec::new();
    }
    vec![
        json!({"name": "Catalog", "type": "string", "jsonPath": ".status.catalogSourceDisplayName"}),
        json!({"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}),
    ]
}

impl Server for ApiServer {
    fn now(&self) -> Moment {
        ApiServer::now(self)
    }

    fn kinds(&self) -> &Registry {
        self.registry()
    }

    fn printer_columns(&self, kind: KindId) -> Vec<Value> {
        let Some(kind) = self.registry().get(kind) else { return Vec::new() };
        let name = ObjectName::cluster(kind.qualified_plural());
        let Some(definition) = self.find("apiextensions.k8s.io", "CustomResourceDefinition", &name) else {
            return aggregated_columns(&kind.group);
        };
        let preferred = kind.preferred().version;
        let versions = definition.list(&["spec", "versions"]);
        let version = versions.iter().find(|version| version.text(&["name"]) == preferred);
        version.map(|version| version.list(&["additionalPrinterColumns"]).to_vec()).unwrap_or_default()
    }

    fn get(&self, request: &Request, kind: KindId, name: &ObjectName) -> Answer<Object> {
        owned(ApiServer::get(self, &caller(request), kind, name))
    }

    fn list(&self, request: &Request, kind: KindId, namespace: Option<&str>) -> Answer<Vec<Object>> {
        let options = ListOptions { namespace: namespace.map(str::to_owned), ..ListOptions::default() };
        let found = ApiServer::list(self, &caller(request), kind, &options).map_err(Box::new)?;
        Ok(found.into_iter().map(shown).collect())
    }

    fn take_warnings(&mut self) -> Vec<String> {
        ApiServer::take_warnings(self)
    }

    fn unknown_fields(&self, object: &Object) -> Vec<String> {
        self.kind_of(object).map(|(id, _)| ApiServer::unknown_fields(self, id, object)).unwrap_or_default()
    }

    fn create(&mut self, request: &Request, object: Object) -> Answer<Object> {
        owned(ApiServer::create(self, &caller(request), object, options(request)))
    }

    fn update(&mut self, request: &Request, object: Object) -> Answer<Object> {
        owned(ApiServer::update(self, &caller(request), object, Subresource::None, options(request)))
    }

    fn patch(
        &mut self,
        request: &Request,
        kind: KindId,
        name: &ObjectName,
        (of, patch): (PatchType, &Value),
        subresource: Option<&str>,
    ) -> Answer<Object> {
        let patch = match of {
            PatchType::Strategic => Patch::Strategic(patch.clone()),
            PatchType::Merge => Patch::Merge(patch.clone()),
            PatchType::Json => Patch::Json(patch.clone()),
        };
        let subresource = match subresource {
            Some("status") => Subresource::Status,
            Some("scale") => Subresource::Scale,
            _ => Subresource::None,
        };
        owned(ApiServer::patch(self, &caller(request), kind, name, &patch, subresource, options(request)))
    }

    fn apply(&mut self, request: &Request, object: Object, mode: ApplyMode) -> Answer<Applied> {
        let (id, kind) = self.kind_of(&object)?;
        let name = object.object_name();
        let caller = caller(request);
        let before = match mode {
            // The server itself looks whether the object is there.
            ApplyMode::ServerSide { .. } => self.store().get(id, &name).cloned(),
            ApplyMode::ClientSide => match ApiServer::get(self, &caller, id, &name) {
                Ok(before) => Some(before),
                Err(error) if error.is_not_found() => None,
                Err(error) => return Err(Box::new(error)),
            },
        };
        let mut warnings = Vec::new();
        let after = match (mode, &before) {
            (ApplyMode::ServerSide { force }, _) => {
                let patch = Patch::Apply { configuration: object, force };
                ApiServer::patch(self, &caller, id, &name, &patch, Subresource::None, options(request))?
            }
            (ApplyMode::ClientSide, None) => {
                ApiServer::create(self, &caller, last_applied(&object), options(request))?
            }
            (ApplyMode::ClientSide, Some(before)) => {
                if before.annotation(LAST_APPLIED).is_none() {
                    warnings.push(without_annotation(&kind.plural, &name.name));
                }
                let version = kind.preferred().version;
                let shape = Shape::built_in(&kind.group, &version, &kind.kind);
                let three = three_way_patch(&object, before, shape.as_ref()).map_err(ApiError::from)?;
                if three.is_empty() {
                    before.clone()
                } else {
                    let patch = match three.of {
                        AppliedPatch::Strategic => Patch::Strategic(three.patch),
                        _ => Patch::Merge(three.patch),
                    };
                    ApiServer::patch(self, &caller, id, &name, &patch, Subresource::None, options(request))?
                }
            }
        };
        let change = match &before {
            None => Change::Created,
            Some(before) if before["metadata"]["resourceVersion"] == after["metadata"]["resourceVersion"] => {
                Change::Unchanged
            }
            Some(_) => Change::Configured,
        };
        Ok(Applied { object: shown(after), change, warnings })
    }

    fn delete(
        &mut self,
        request: &Request,
        kind: KindId,
        name: &ObjectName,
        options: DeleteOptions,
    ) -> Answer<()> {
        let propagation = match options.cascade {
            Cascade::Background => Propagation::Background,
            Cascade::Foreground => Propagation::Foreground,
            Cascade::Orphan => Propagation::Orphan,
        };
        let grace_period = options.grace_period.and_then(|seconds| u64::try_from(seconds).ok());
        let deletion =
            Deletion { propagation, grace_period, dry_run: request.dry_run, ..Deletion::default() };
        ApiServer::delete(self, &caller(request), kind, name, &deletion).map(drop).map_err(Box::new)
    }

    fn evict(&mut self, request: &Request, name: &ObjectName, grace_period: Option<u64>) -> Answer<()> {
        let options = Deletion { grace_period, dry_run: request.dry_run, ..Deletion::default() };
        ApiServer::evict(self, &caller(request), name, &options).map_err(Box::new)
    }

    fn can_i(&self, request: &Request, question: &AccessQuestion) -> bool {
        let attributes = if question.resource.starts_with('/') {
            Attributes::Path { verb: &question.verb, path: &question.resource }
        } else {
            Attributes::Resource {
                verb: &question.verb,
                group: &question.group,
                resource: &question.resource,
                subresource: &question.subresource,
                namespace: &question.namespace,
                name: &question.name,
            }
        };
        self.authorizer().allows(&user(request), attributes)
    }
}
