//! APIs of other servers: they are available while somebody stands behind their service.
//!
//! Source: `kubernetes/kube-aggregator:pkg/controllers/status/remote/remote_available_controller.go`.

use serde_json::Value;

use super::write::{manager, outcome, set_condition, update_status_as};
use crate::api::ApiServer;
use crate::engine::{Controller, Outcome};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::store::Change;

const GROUP: &str = "apiregistration.k8s.io";
/// The label of slices: their service.
const SERVICE_NAME: &str = "kubernetes.io/service-name";

/// Says whether APIs of other servers are available.
#[derive(Debug, Default)]
pub struct ApiServices;

impl Controller for ApiServices {
    fn name(&self) -> &'static str {
        "api-services"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[(GROUP, "APIService"), ("", "Service"), ("discovery.k8s.io", "EndpointSlice")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        let name = &change.key.name;
        if kind.1 == "APIService" {
            requests.push(name.clone());
            return;
        }
        let slice = change.after.as_deref().or(change.before.as_deref());
        let service = match kind.1 {
            "EndpointSlice" => slice.and_then(|slice| slice.label(SERVICE_NAME)).unwrap_or_default(),
            _ => &name.name,
        };
        let is_behind = |one: &&std::sync::Arc<Object>| {
            let of = |field: &str| one.text(&["spec", "service", field]);
            of("namespace") == name.namespace && of("name") == service
        };
        requests.extend(api.all(GROUP, "APIService").filter(is_behind).map(|one| one.object_name()));
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(service) = api.find(GROUP, "APIService", request).cloned() else { return Outcome::Done };
        let Some((status, reason, message)) = verdict(&service, api) else { return Outcome::Done };
        let mut conditions = service.list(&["status", "conditions"]).to_vec();
        set_condition(&mut conditions, api.now(), "Available", status, reason, &message);
        let mut after = service.get("status").cloned().unwrap_or_default();
        after.set(&["conditions"], Value::from(conditions));
        outcome(update_status_as(&manager(), api, &service, after))
    }
}

/// Whether an API is available: status, reason and message. Nothing for those that the API server serves by itself.
fn verdict(service: &Object, api: &ApiServer) -> Option<(&'static str, &'static str, String)> {
    let behind = service.given(&["spec", "service"])?;
    let (namespace, name) = (behind.text(&["namespace"]), behind.text(&["name"]));
    if api.find("", "Service", &ObjectName::namespaced(namespace, name)).is_none() {
        return Some(("False", "ServiceNotFound", format!("service/{name} in {namespace:?} is not present")));
    }
    let is_of_service =
        |slice: &Object| slice.namespace() == namespace && slice.label(SERVICE_NAME) == Some(name);
    let mut slices =
        api.all("discovery.k8s.io", "EndpointSlice").filter(|slice| is_of_service(slice)).peekable();
    if slices.peek().is_none() {
        let message = format!("cannot find endpointslices for service/{name} in {namespace:?}");
        return Some(("False", "EndpointsNotFound", message));
    }
    let is_ready = |endpoint: &Value| endpoint.at(&["conditions", "ready"]) != Some(&Value::Bool(false));
    if slices.any(|slice| slice.list(&["endpoints"]).iter().any(is_ready)) {
        return Some(("True", "Passed", "all checks passed".to_owned()));
    }
    let message =
        format!("endpointslices for service/{name} in {namespace:?} have no addresses with port name \"\"");
    Some(("False", "MissingEndpoints", message))
}
