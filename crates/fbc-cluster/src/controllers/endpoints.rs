//! Endpoint slices: the pods behind a service, in one slice for each service.
//!
//! Source: `kubernetes/kubernetes:pkg/controller/endpointslice/`, `staging/src/k8s.io/endpointslice/`. A real controller
//! starts another slice after 100 endpoints; nothing here reads slices in such numbers.

use std::sync::Arc;

use serde_json::{Value, json};

use super::claims::{Selectors, owned};
use super::pods::{is_finished, is_ready};
use super::write::{create, manager, outcome, update};
use crate::api::{ApiServer, DeleteOptions};
use crate::engine::{Controller, Outcome};
use crate::error::ApiError;
use crate::object::{Object, ObjectFields, ObjectName, controller_reference};
use crate::selector::LabelSelector;
use crate::store::Change;

/// Writes endpoint slices.
#[derive(Debug, Default)]
pub struct EndpointSlices {
    selectors: Selectors,
}

impl Controller for EndpointSlices {
    fn name(&self) -> &'static str {
        "endpointslice-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "Service"), ("", "Pod")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        if kind.1 == "Service" {
            let selector = change.after.as_ref().and_then(|service| selector(service));
            self.selectors.set(&change.key.name, selector);
            requests.push(change.key.name.clone());
            return;
        }
        for pod in [&change.before, &change.after].into_iter().flatten() {
            requests.extend(self.selectors.matching(pod));
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(service) = api.find("", "Service", request).cloned() else { return Outcome::Done };
        outcome(sync(api, &service))
    }
}

/// What a service selects; services without selector, and names of elsewhere, have no slices of ours.
fn selector(service: &Object) -> Option<LabelSelector> {
    let labels = service
        .at(&["spec", "selector"])
        .filter(|labels| labels.as_object().is_some_and(|map| !map.is_empty()));
    let is_elsewhere = service.at(&["spec", "type"]).is_some_and(|kind| kind == "ExternalName");
    labels.filter(|_| !is_elsewhere).map(|labels| LabelSelector::of_map(Some(labels)))
}

fn sync(api: &mut ApiServer, service: &Object) -> Result<(), ApiError> {
    let (Some(kind), Some(pods)) = (api.kind_id("discovery.k8s.io", "EndpointSlice"), api.kind_id("", "Pod"))
    else {
        return Ok(());
    };
    if service.is_terminating() {
        return Ok(());
    }
    let slice = owned(api, service, kind).into_iter().next();
    let Some(selector) = selector(service) else {
        if let Some(slice) = slice {
            api.delete(&manager(), kind, &slice.object_name(), &DeleteOptions::default())?;
        }
        return Ok(());
    };
    let store = api.store();
    let selected: Vec<Arc<Object>> = match selector.required_label() {
        Some((key, value)) => {
            let pods = store.with_label_in(pods, service.namespace(), key, value);
            pods.filter(|pod| selector.matches_object(pod)).cloned().collect()
        }
        None => Vec::new(),
    };
    let all_addresses = service.at(&["spec", "publishNotReadyAddresses"]).is_some_and(|all| all == true);
    let endpoints: Vec<Value> = selected.iter().filter_map(|pod| endpoint(pod, all_addresses)).collect();
    let ports = ports(service, selected.first().map(|pod| &**pod));
    match slice {
        Some(slice) if slice["endpoints"] == json!(endpoints) && slice["ports"] == ports => Ok(()),
        Some(slice) => {
            let mut slice = Object::clone(&slice);
            slice.set(&["endpoints"], endpoints);
            slice.set(&["ports"], ports);
            update(api, slice).map(|_| ())
        }
        None => create(
            api,
            json!({
                "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
                "endpoints": endpoints, "ports": ports,
                "metadata": {
                    "generateName": format!("{}-", service.name()), "namespace": service.namespace(),
                    "labels": {
                        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
                        "kubernetes.io/service-name": service.name(),
                    },
                    "ownerReferences": [controller_reference(service)],
                },
            }),
        )
        .map(|_| ()),
    }
}

fn endpoint(pod: &Object, all_addresses: bool) -> Option<Value> {
    let address = pod.text(&["status", "podIP"]);
    if address.is_empty() || is_finished(pod) {
        return None;
    }
    let (serves, is_terminating) = (is_ready(pod), pod.is_terminating());
    Some(json!({
        "addresses": [address], "nodeName": pod["spec"]["nodeName"],
        "conditions": {
            "ready": all_addresses || serves && !is_terminating, "serving": serves, "terminating": is_terminating,
        },
        "targetRef": {
            "kind": "Pod", "name": pod.name(), "namespace": pod.namespace(), "uid": pod.uid(),
        },
    }))
}

/// The ports of the pods; named ones are looked up in the first pod.
fn ports(service: &Object, pod: Option<&Object>) -> Value {
    let ports = service.list(&["spec", "ports"]).iter();
    let ports: Vec<Value> = ports
        .map(|port| {
            let target = port.get("targetPort").unwrap_or(&port["port"]);
            let number = match target {
                Value::String(name) => pod.and_then(|pod| named_port(pod, name)).unwrap_or(Value::Null),
                number => number.clone(),
            };
            let protocol = port.get("protocol").cloned().unwrap_or_else(|| "TCP".into());
            json!({"name": port.text(&["name"]), "port": number, "protocol": protocol})
        })
        .collect();
    Value::Array(ports)
}

fn named_port(pod: &Object, name: &str) -> Option<Value> {
    let containers = pod.list(&["spec", "containers"]).iter();
    let port =
        containers.flat_map(|container| container.list(&["ports"])).find(|port| port["name"] == name)?;
    Some(port["containerPort"].clone())
}
