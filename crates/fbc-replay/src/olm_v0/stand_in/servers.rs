//! Servers of webhooks and APIs: who they are is said by EndpointSlices, and whether APIs answer by their APIServices.

use std::rc::Rc;

use fbc_cluster::admission::webhooks::{CallError, WebhookCall, WebhookCaller};
use fbc_cluster::api::{ApiServer, Subresource, WriteOptions};
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::kind::Kind;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use serde_json::{Value, json};

use super::{SharedModes, caller};

/// The label of slices: their service.
const SERVICE_NAME: &str = "kubernetes.io/service-name";

pub(super) struct Servers {
    modes: SharedModes,
}

impl Servers {
    pub(super) fn new(modes: &SharedModes) -> Self {
        Self { modes: Rc::clone(modes) }
    }

    /// Makes a slice for a service that OLM made, if servers answer.
    fn serve(&self, service: &Object, api: &mut ApiServer) -> Outcome {
        if !self.modes.borrow().serves || has_slice(service, api) || !service.name().ends_with("-service") {
            return Outcome::Done;
        }
        let slice = json!({
            "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
            "metadata": {
                "name": format!("{}-stand-in", service.name()), "namespace": service.namespace(),
                "labels": {SERVICE_NAME: service.name()},
            },
            "endpoints": [{"addresses": ["10.0.0.1"], "conditions": {"ready": true}}],
        });
        match api.create(&caller(), slice, WriteOptions::default()) {
            Ok(_) => Outcome::Done,
            Err(error) => Outcome::Failed(error.to_string()),
        }
    }

    /// Says whether an API answers.
    ///
    /// Source: `kubernetes/kube-aggregator:pkg/controllers/status/remote/remote_available_controller.go`.
    fn judge(request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(before) = api.find("apiregistration.k8s.io", "APIService", request).cloned() else {
            return Outcome::Done;
        };
        if before.given(&["spec", "service"]).is_none() {
            return Outcome::Done;
        }
        let (namespace, name) =
            (before.text(&["spec", "service", "namespace"]), before.text(&["spec", "service", "name"]));
        let service = api.find("", "Service", &ObjectName::namespaced(namespace, name)).cloned();
        let (status, reason, message) = match service {
            None => ("False", "ServiceNotFound", format!("service/{name} in {namespace:?} is not present")),
            Some(service) if has_slice(&service, api) => ("True", "Passed", "all checks passed".to_owned()),
            Some(_) => (
                "False",
                "EndpointsNotFound",
                format!("cannot find endpointslices for service/{name} in {namespace:?}"),
            ),
        };
        if status == "True" {
            serve(&before, api);
        }
        let old = before.condition("Available");
        if old.is_some_and(|old| old["status"] == status && old["reason"] == reason) {
            return Outcome::Done;
        }
        let mut after = Object::clone(&before);
        let now = api.now().to_string();
        after.set(
            &["status", "conditions"],
            json!([{
                "type": "Available", "status": status, "reason": reason, "message": message, "lastTransitionTime": now,
            }]),
        );
        match api.update(&caller(), after, Subresource::Status, WriteOptions::default()) {
            Ok(_) => Outcome::Done,
            Err(error) => Outcome::Failed(error.to_string()),
        }
    }
}

/// Lets an API have one resource: `glows` for the group `glow.example.com`.
fn serve(service: &Object, api: &mut ApiServer) {
    let group = service.text(&["spec", "group"]);
    let singular = group.split('.').next().unwrap_or_default();
    let mut kind = singular.to_owned();
    if let Some(first) = kind.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    if api.kind_id(group, &kind).is_some() {
        return;
    }
    api.serve_kind(Kind {
        group: group.to_owned(),
        versions: vec![service.text(&["spec", "version"]).to_owned()],
        kind,
        plural: format!("{singular}s"),
        singular: singular.to_owned(),
        short_names: Vec::new(),
        categories: Vec::new(),
        namespaced: true,
        has_status: false,
        has_generation: true,
    });
}

/// Webhooks that allow everything, if they are there.
pub(in super::super) struct Webhooks;

impl WebhookCaller for Webhooks {
    fn call(&self, call: &WebhookCall<'_>) -> Result<Value, CallError> {
        let service = &call.client["service"];
        let name = ObjectName::namespaced(service.text(&["namespace"]), service.text(&["name"]));
        let found = call.api.find("", "Service", &name);
        if found.is_none_or(|service| !has_slice(service, call.api)) {
            let cause = "dial tcp 10.0.0.1:443: connect: connection refused";
            return Err(CallError::NoAnswer(format!("Post {:?}: {cause}", call.url())));
        }
        Ok(json!({"uid": call.review["request"]["uid"], "allowed": true}))
    }
}

fn has_slice(service: &Object, api: &ApiServer) -> bool {
    api.all("discovery.k8s.io", "EndpointSlice").any(|slice| {
        slice.namespace() == service.namespace() && slice.label(SERVICE_NAME) == Some(service.name())
    })
}

impl Controller for Servers {
    fn name(&self) -> &'static str {
        "stand-in-servers"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Service"), ("apiregistration.k8s.io", "APIService"), ("discovery.k8s.io", "EndpointSlice")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        if kind.1 != "EndpointSlice" {
            requests.push(change.key.name.clone());
        }
        if kind.1 != "APIService" {
            let all = api.all("apiregistration.k8s.io", "APIService");
            requests.extend(all.map(|one| one.object_name()));
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        match api.find("", "Service", request).cloned() {
            Some(service) => self.serve(&service, api),
            None => Self::judge(request, api),
        }
    }
}
