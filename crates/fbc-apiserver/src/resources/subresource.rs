//! Parts and actions of objects: status, scale, eviction, binding, log and others.

use fbc_cluster::api::{Caller, Patch, Subresource, WriteOptions};
use fbc_cluster::error::{ApiError, Reason};
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::selector::LabelSelector;
use fbc_kubectl::print::selector_text;
use http::Method;
use serde_json::{Value, json};

use super::write::Sent;
use super::{Subresources, caller, method_not_allowed, not_found};
use crate::actor::{Actor, Identity};
use crate::answer::{Answer, Content, success};
use crate::present::{Presentation, TextFormat};
use crate::request::{BodyFormat, Query, Request, WriteQuery, decode_body, delete_options};
use crate::served_resource::ServedResource;

impl Actor<'_> {
    pub(super) fn subresource(
        &mut self,
        request: &Request,
        query: &Query,
        identity: &Identity,
        resource: &ServedResource,
    ) -> Result<Answer, ApiError> {
        let known = Subresources::of(&self.cluster.api, resource.id, &resource.kind, &resource.place.version);
        if !known.iter().any(|one| one.name == resource.place.subresource) {
            return Ok(not_found());
        }
        let verb = match request.method {
            Method::GET | Method::HEAD => "get",
            Method::POST => "create",
            Method::PUT => "update",
            Method::PATCH => "patch",
            Method::DELETE => "delete",
            _ => return Err(method_not_allowed()),
        };
        let caller = caller(identity, request, query);
        let name = resource.name();
        let subresource = resource.place.subresource.as_str();
        self.cluster.api.check_access(&caller, verb, &resource.kind, subresource, &name)?;
        // Browsers and WebSockets send GET for what is more than to read
        // (`kubernetes/kubernetes:pkg/registry/core/pod/rest/subresources.go`).
        if verb == "get" && ["exec", "attach", "portforward"].contains(&subresource) {
            self.cluster.api.check_access(&caller, "create", &resource.kind, subresource, &name)?;
        }
        match (subresource, verb) {
            ("status" | "approval" | "ephemeralcontainers" | "resize", "get") => {
                let object = self.found(resource)?;
                let presentation = self.presentation(request, query, resource)?;
                Ok(self.object(200, resource, &object, presentation))
            }
            ("status" | "approval" | "ephemeralcontainers" | "resize", "update") => {
                self.update(request, query, identity, resource)
            }
            ("status" | "approval" | "ephemeralcontainers" | "resize", "patch") => {
                self.patch(request, query, identity, resource)
            }
            ("scale", _) => self.scale(request, query, &caller, resource),
            ("eviction", "create") => self.eviction(request, query, &caller, resource),
            ("binding", "create") => self.binding(request, query, &caller, resource),
            ("finalize", "update") => self.finalize(request, query, &caller, resource),
            ("token", "create") => self.token(request, &caller, resource),
            ("log", "get") => {
                let pod = self.found(resource)?;
                Ok(Answer::text(self.pod_log(&pod, query)?))
            }
            ("exec" | "attach", "get" | "create") => {
                let pod = self.found(resource)?;
                Err(ApiError::bad_request(format!(
                    "pod {} is simulated: no process runs in it that {subresource} could reach",
                    pod.name()
                )))
            }
            ("proxy", _) if resource.kind.kind == "Service" => self.proxy_to_service(request, resource),
            ("portforward", "get" | "create") => self.port_forward(request, &*self.found(resource)?),
            ("proxy", _) => {
                let object = self.found(resource)?;
                let text = format!(
                    "{} {:?} is simulated: nothing listens on its ports",
                    resource.kind.kind.to_lowercase(),
                    object.name()
                );
                Err(ApiError::other(Reason::ServiceUnavailable, text))
            }
            _ => Err(method_not_allowed()),
        }
    }

    fn found(&self, resource: &ServedResource) -> Result<std::sync::Arc<Object>, ApiError> {
        let found = self.cluster.api.store().get(resource.id, &resource.name()).cloned();
        found.ok_or_else(|| {
            ApiError::not_found(&resource.kind.group, &resource.kind.plural, &resource.place.name)
        })
    }

    /// The number of replicas, read or set.
    ///
    /// Source: `kubernetes/kubernetes:pkg/registry/apps/deployment/storage/storage.go` (`ScaleREST`).
    fn scale(
        &mut self,
        request: &Request,
        query: &Query,
        caller: &Caller,
        resource: &ServedResource,
    ) -> Result<Answer, ApiError> {
        let before = self.found(resource)?;
        let present = self.scale_of(&before, resource);
        let write = WriteQuery::read(query)?;
        let wanted = match request.method {
            Method::GET | Method::HEAD => return Ok(Answer::json(present)),
            Method::PUT => {
                let (scale, _) = decode_body(&request.body, BodyFormat::of_object(&request.content_type)?)?;
                if scale.kind() != "Scale" && !scale.kind().is_empty() {
                    return Err(ApiError::bad_request(format!("{} is not a Scale", scale.kind())));
                }
                scale
            }
            Method::PATCH => {
                let is_custom = self.cluster.api.definition(resource.id).is_some();
                let (patch, _) = self.sent_patch(request, &write, is_custom)?;
                patched_scale(&present, &patch)?
            }
            _ => return Err(method_not_allowed()),
        };
        let version = wanted.text(&["metadata", "resourceVersion"]);
        if !version.is_empty() && version != before.text(&["metadata", "resourceVersion"]) {
            let cause =
                "the object has been modified; please apply your changes to the latest version and try again";
            return Err(ApiError::conflict(
                &resource.kind.group,
                &resource.kind.plural,
                before.name(),
                cause,
            ));
        }
        let replicas = wanted.number(&["spec", "replicas"]).unwrap_or_default();
        let path = self.scale_paths(resource).0;
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let options = WriteOptions { dry_run: write.dry_run, ..WriteOptions::default() };
        let api = &mut self.cluster.api;
        // Either verb needs its own right.
        let stored = if request.method == Method::PUT {
            let mut changed = Object::clone(&before);
            changed.set(&path, replicas);
            api.update(caller, changed, Subresource::Scale, options)?
        } else {
            let mut change = json!({});
            change.set(&path, replicas);
            api.patch(
                caller,
                resource.id,
                &resource.name(),
                &Patch::Merge(change),
                Subresource::Scale,
                options,
            )?
        };
        Ok(Answer::json(self.scale_of(&stored, resource)))
    }

    /// The paths of the number that is wanted, of the number there is, and of the selector.
    fn scale_paths(&self, resource: &ServedResource) -> (Vec<String>, Vec<String>, Vec<String>) {
        let path = |text: &str| text.split('.').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let definition = self.cluster.api.definition(resource.id);
        let version = definition.and_then(|definition| definition.version(&resource.place.version));
        match version.and_then(|version| version.scale.as_ref()) {
            Some(scale) => (
                path(&scale.spec_replicas_path),
                path(&scale.status_replicas_path),
                path(&scale.label_selector_path),
            ),
            None => (path(".spec.replicas"), path(".status.replicas"), path(".spec.selector")),
        }
    }

    fn scale_of(&self, object: &Object, resource: &ServedResource) -> Value {
        let (wanted, present, selector) = self.scale_paths(resource);
        let number = |path: &[String]| {
            object.number(&path.iter().map(String::as_str).collect::<Vec<_>>()).unwrap_or_default()
        };
        let selector: Vec<&str> = selector.iter().map(String::as_str).collect();
        let selector = match object.at(&selector).filter(|_| !selector.is_empty()) {
            Some(Value::String(text)) => text.clone(),
            Some(value @ Value::Object(_)) if LabelSelector::of_object(Some(value)).is_ok() => {
                selector_text(value)
            }
            _ => String::new(),
        };
        let mut status = json!({"replicas": number(&present)});
        if !selector.is_empty() {
            status["selector"] = selector.into();
        }
        let metadata = &object["metadata"];
        json!({
            "kind": "Scale", "apiVersion": "autoscaling/v1",
            "metadata": {
                "name": metadata["name"], "namespace": metadata["namespace"], "uid": metadata["uid"],
                "resourceVersion": metadata["resourceVersion"], "creationTimestamp": metadata["creationTimestamp"],
            },
            "spec": {"replicas": number(&wanted)}, "status": status,
        })
    }

    fn eviction(
        &mut self,
        request: &Request,
        query: &Query,
        caller: &Caller,
        resource: &ServedResource,
    ) -> Result<Answer, ApiError> {
        let (eviction, _) = decode_body(&request.body, BodyFormat::of_object(&request.content_type)?)?;
        if !["", "Eviction"].contains(&eviction.kind()) {
            return Err(ApiError::bad_request(format!("not a Eviction object: {}", eviction.kind())));
        }
        let sent = eviction.name();
        if !sent.is_empty() && sent != resource.place.name {
            return Err(ApiError::bad_request("name in URL does not match name in Eviction object"));
        }
        let mut options = delete_options(query, eviction.at(&["deleteOptions"]).unwrap_or(&Value::Null))?;
        options.dry_run |= WriteQuery::read(query)?.dry_run;
        self.cluster.api.evict(caller, &resource.name(), &options)?;
        Ok(Answer::new(201, Content::Json(success())))
    }

    /// Gives a pod its node.
    ///
    /// Source: `kubernetes/kubernetes:pkg/registry/core/pod/storage/storage.go` (`BindingREST`).
    fn binding(
        &mut self,
        request: &Request,
        query: &Query,
        caller: &Caller,
        resource: &ServedResource,
    ) -> Result<Answer, ApiError> {
        let (binding, _) = decode_body(&request.body, BodyFormat::of_object(&request.content_type)?)?;
        let pod = self.found(resource)?;
        let node = binding.text(&["target", "name"]);
        let conflict = |cause: &str| Err(ApiError::conflict("", "pods/binding", pod.name(), cause));
        if node.is_empty() {
            let cause = fbc_cluster::error::FieldError::required("target.name", "");
            return Err(ApiError::invalid("", "Binding", &resource.place.name, vec![cause]));
        }
        if pod.is_terminating() {
            return conflict(&format!("pod {} is being deleted, cannot be assigned to a host", pod.name()));
        }
        let present = pod.text(&["spec", "nodeName"]);
        if !present.is_empty() {
            return conflict(&format!("pod {} is already assigned to node {present:?}", pod.name()));
        }
        let mut bound = Object::clone(&pod);
        bound.set(&["spec", "nodeName"], node);
        let mut conditions: Vec<Value> = pod.list(&["status", "conditions"]).to_vec();
        conditions.retain(|condition| condition["type"] != "PodScheduled");
        conditions.push(json!({
            "type": "PodScheduled", "status": "True", "lastProbeTime": null,
            "lastTransitionTime": self.cluster.now().to_string(),
        }));
        bound.set(&["status", "conditions"], conditions);
        let options = WriteOptions { dry_run: WriteQuery::read(query)?.dry_run, ..WriteOptions::default() };
        // The right to bind is what counts; it was checked.
        let server = Caller::administrator(caller.manager.as_str());
        self.cluster.api.update(&server, bound, Subresource::Binding, options)?;
        Ok(Answer::new(201, Content::Json(success())))
    }

    /// Takes finalizers off a namespace.
    fn finalize(
        &mut self,
        request: &Request,
        query: &Query,
        caller: &Caller,
        resource: &ServedResource,
    ) -> Result<Answer, ApiError> {
        let Sent { object, options, .. } = self.sent(request, query, resource)?;
        let mut changed = Object::clone(&*self.found(resource)?);
        changed.set(&["spec", "finalizers"], object.list(&["spec", "finalizers"]).to_vec());
        let server = Caller::administrator(caller.manager.as_str());
        let stored = self.cluster.api.update(&server, changed, Subresource::Finalize, options)?;
        Ok(self.object(200, resource, &stored, Presentation::Whole(TextFormat::Json)))
    }
}

/// A scale with a patch applied to it.
fn patched_scale(scale: &Value, patch: &Patch) -> Result<Value, ApiError> {
    use fbc_cluster::apply::Shape;
    use fbc_cluster::apply::patch::{PatchType, patch as patched};
    let shape = Shape::untyped();
    match patch {
        Patch::Json(changes) => Ok(patched(scale, changes, PatchType::Json, &shape)?),
        Patch::Merge(changes) | Patch::Strategic(changes) => {
            Ok(patched(scale, changes, PatchType::Merge, &shape)?)
        }
        Patch::Apply { configuration, .. } => Ok(patched(scale, configuration, PatchType::Merge, &shape)?),
    }
}
