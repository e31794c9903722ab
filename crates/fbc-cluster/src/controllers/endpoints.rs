//! Endpoint slices: the pods behind a service, a hundred in a slice.
//!
//! Only pods that changed are looked at, so that a service of thousands of them costs no more than any other. Source:
//! `kubernetes/kubernetes:pkg/controller/endpointslice/`, `staging/src/k8s.io/endpointslice/`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::{Value, json};

use super::claims::{Selectors, owned};
use super::pods::{is_finished, is_ready};
use super::write::{create, manager, outcome, update};
use crate::api::{ApiServer, DeleteOptions};
use crate::engine::{Controller, Outcome};
use crate::error::ApiError;
use crate::kind::KindId;
use crate::object::{Object, ObjectFields, ObjectName, controller_reference};
use crate::selector::LabelSelector;
use crate::store::Change;

/// The most endpoints of a slice.
///
/// Source: `kubernetes/kubernetes:pkg/controller/endpointslice/config/v1alpha1/defaults.go` (`MaxEndpointsPerSlice`).
const MOST_ENDPOINTS: usize = 100;
/// So many pods are looked at, and so many slices are written at a time; then others come first.
const PODS_AT_A_TIME: usize = 1000;
const SLICES_AT_A_TIME: usize = 20;

/// Writes endpoint slices.
#[derive(Debug, Default)]
pub(super) struct EndpointSlices {
    selectors: Selectors,
    known: BTreeMap<ObjectName, Known>,
}

/// What is known of a service and its slices.
#[derive(Debug)]
struct Known {
    /// The pods that changed, by name.
    changed: BTreeSet<String>,
    /// Whether all of them are to be looked at: something else changed.
    is_new: bool,
    /// The slice of each pod, by their names.
    slice_of: BTreeMap<String, String>,
    /// The slices that there were.
    slices: BTreeSet<String>,
}

impl Default for Known {
    fn default() -> Self {
        Self { changed: BTreeSet::new(), is_new: true, slice_of: BTreeMap::new(), slices: BTreeSet::new() }
    }
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
            self.known.remove(&change.key.name);
            requests.push(change.key.name.clone());
            return;
        }
        for pod in [&change.before, &change.after].into_iter().flatten() {
            for service in self.selectors.matching(pod) {
                self.known.entry(service.clone()).or_default().changed.insert(pod.name().to_owned());
                requests.push(service);
            }
        }
    }

    fn start_over(&mut self) {
        self.known.clear();
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(service) = api.find("", "Service", request).cloned() else { return Outcome::Done };
        let mut known = self.known.remove(request).unwrap_or_default();
        let (Some(slices), Some(pods)) =
            (api.kind_id("discovery.k8s.io", "EndpointSlice"), api.kind_id("", "Pod"))
        else {
            return Outcome::Done;
        };
        if service.is_terminating() {
            return Outcome::Done;
        }
        match (Sync { api, service: &service, slices, pods }).run(&mut known) {
            Ok(is_done) => {
                self.known.insert(request.clone(), known);
                if is_done { Outcome::Done } else { Outcome::After(0) }
            }
            // The next look is one at everything.
            Err(error) => outcome(Err::<(), _>(error)),
        }
    }
}

/// What a service selects; services without selector, and names of elsewhere, have no slices of ours.
pub(super) fn selector(service: &Object) -> Option<LabelSelector> {
    let labels = service
        .at(&["spec", "selector"])
        .filter(|labels| labels.as_object().is_some_and(|map| !map.is_empty()));
    let is_elsewhere = service.at(&["spec", "type"]).is_some_and(|kind| kind == "ExternalName");
    labels.filter(|_| !is_elsewhere).map(|labels| LabelSelector::of_map(Some(labels)))
}

/// One look at one service.
struct Sync<'c> {
    api: &'c mut ApiServer,
    service: &'c Object,
    slices: KindId,
    pods: KindId,
}

/// Endpoints by the names of their pods.
type Endpoints = BTreeMap<String, Value>;

impl Sync<'_> {
    /// Brings slices up to date. False if something is left to do.
    fn run(&mut self, known: &mut Known) -> Result<bool, ApiError> {
        let slices = owned(self.api, self.service, self.slices);
        let Some(selector) = selector(self.service) else {
            for slice in slices {
                self.delete(&slice)?;
            }
            return Ok(true);
        };
        let ports = ports(self.service, self.selected(&selector).next().map(|pod| &**pod));
        let names: BTreeSet<String> = slices.iter().map(|slice| slice.name().to_owned()).collect();
        if known.is_new || known.slices != names {
            known.slice_of = slices.iter().flat_map(|slice| placed(slice)).collect();
            known.changed = self.selected(&selector).map(|pod| pod.name().to_owned()).collect();
            known.changed.extend(known.slice_of.keys().cloned());
            known.slices = names;
            known.is_new = false;
        }
        let mut changes: BTreeMap<String, Vec<(String, Option<Value>)>> = BTreeMap::new();
        let mut new = Endpoints::new();
        for _ in 0..PODS_AT_A_TIME {
            let Some(pod) = known.changed.pop_first() else { break };
            let endpoint = self.endpoint(&pod, &selector);
            match (known.slice_of.get(&pod), endpoint) {
                (Some(slice), endpoint) => changes.entry(slice.clone()).or_default().push((pod, endpoint)),
                (None, Some(endpoint)) => drop(new.insert(pod, endpoint)),
                (None, None) => {}
            }
        }
        let (mut written, mut left) = (0, slices.len());
        for slice in &slices {
            let changes = changes.remove(slice.name()).unwrap_or_default();
            if written >= SLICES_AT_A_TIME {
                known.changed.extend(changes.into_iter().map(|(pod, _)| pod));
                continue;
            }
            let is_full = slice.list(&["endpoints"]).len() >= MOST_ENDPOINTS;
            if changes.is_empty() && (is_full || new.is_empty()) && slice["ports"] == ports {
                continue;
            }
            let mut endpoints = endpoints(slice);
            for (pod, endpoint) in changes {
                match endpoint {
                    Some(endpoint) => drop(endpoints.insert(pod, endpoint)),
                    None => {
                        endpoints.remove(&pod);
                        known.slice_of.remove(&pod);
                    }
                }
            }
            while endpoints.len() < MOST_ENDPOINTS
                && let Some((pod, endpoint)) = new.pop_first()
            {
                known.slice_of.insert(pod.clone(), slice.name().to_owned());
                endpoints.insert(pod, endpoint);
            }
            if endpoints.is_empty() && left > 1 {
                self.delete(slice)?;
                known.slices.remove(slice.name());
                left -= 1;
                written += 1;
            } else if self.write(slice, endpoints, &ports)? {
                written += 1;
            }
        }
        while (left == 0 || !new.is_empty()) && written < SLICES_AT_A_TIME {
            let rest = new.keys().nth(MOST_ENDPOINTS).cloned();
            let rest = rest.map(|first| new.split_off(&first)).unwrap_or_default();
            let pods: Vec<String> = new.keys().cloned().collect();
            let slice = self.create(std::mem::replace(&mut new, rest), &ports)?;
            known.slice_of.extend(pods.into_iter().map(|pod| (pod, slice.name().to_owned())));
            known.slices.insert(slice.name().to_owned());
            left += 1;
            written += 1;
        }
        known.changed.extend(new.into_keys());
        Ok(known.changed.is_empty())
    }

    /// The pods that are selected, by name.
    fn selected<'s>(&'s self, selector: &'s LabelSelector) -> impl Iterator<Item = &'s Arc<Object>> {
        pods_of(self.api, self.service, selector)
    }

    /// The endpoint of a pod, if it is there, selected, and has one.
    fn endpoint(&self, pod: &str, selector: &LabelSelector) -> Option<Value> {
        let name = ObjectName::namespaced(self.service.namespace(), pod);
        let pod = self.api.store().get(self.pods, &name).filter(|pod| selector.matches_object(pod))?;
        let all_addresses =
            self.service.at(&["spec", "publishNotReadyAddresses"]).is_some_and(|all| all == true);
        endpoint(pod, all_addresses)
    }

    fn delete(&mut self, slice: &Object) -> Result<(), ApiError> {
        let options = DeleteOptions::default();
        self.api.delete(&manager(), self.slices, &slice.object_name(), &options).map(drop)
    }

    /// Writes a slice, unless it says the same already.
    fn write(&mut self, slice: &Object, endpoints: Endpoints, ports: &Value) -> Result<bool, ApiError> {
        let endpoints = Value::Array(endpoints.into_values().collect());
        if slice["endpoints"] == endpoints && slice["ports"] == *ports {
            return Ok(false);
        }
        let mut slice = Object::clone(slice);
        slice.set(&["endpoints"], endpoints);
        slice.set(&["ports"], ports.clone());
        update(self.api, slice).map(|_| true)
    }

    fn create(&mut self, endpoints: Endpoints, ports: &Value) -> Result<Arc<Object>, ApiError> {
        let service = self.service;
        let slice = json!({
            "apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
            "endpoints": endpoints.into_values().collect::<Vec<_>>(), "ports": ports,
            "metadata": {
                "generateName": format!("{}-", service.name()), "namespace": service.namespace(),
                "labels": {
                    "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
                    "kubernetes.io/service-name": service.name(),
                },
                "ownerReferences": [controller_reference(service)],
            },
        });
        create(self.api, slice)
    }
}

/// The pods of a service.
pub(super) fn pods_of<'s>(
    api: &'s ApiServer,
    service: &'s Object,
    selector: &'s LabelSelector,
) -> impl Iterator<Item = &'s Arc<Object>> {
    let label = selector.required_label().zip(api.kind_id("", "Pod"));
    let pods = label.map(|((key, value), id)| api.store().with_label_in(id, service.namespace(), key, value));
    pods.into_iter().flatten().filter(|pod| selector.matches_object(pod))
}

/// Whether a pod answers for a service; nothing if it is none of its endpoints.
pub(super) fn is_ready_for(service: &Object, pod: &Object) -> Option<bool> {
    if pod.text(&["status", "podIP"]).is_empty() || is_finished(pod) {
        return None;
    }
    let all_addresses = service.at(&["spec", "publishNotReadyAddresses"]).is_some_and(|all| *all == true);
    if pod.is_terminating() && !all_addresses {
        return None;
    }
    Some(all_addresses || is_ready(pod))
}

/// The ports of a pod that a service names.
pub(super) fn ports_of(service: &Object, pod: &Object) -> Value {
    let mut ports = ports(service, Some(pod));
    for port in ports.as_array_mut().into_iter().flatten().filter(|port| port.text(&["name"]).is_empty()) {
        port.remove(&["name"]);
    }
    if let Value::Array(ports) = &mut ports {
        ports.retain(|port| !port["port"].is_null());
    }
    ports
}

/// The endpoints of a slice.
fn endpoints(slice: &Object) -> Endpoints {
    let endpoints = slice.list(&["endpoints"]).iter();
    endpoints.map(|one| (one.text(&["targetRef", "name"]).to_owned(), one.clone())).collect()
}

/// The pods of a slice, and its name.
fn placed(slice: &Object) -> impl Iterator<Item = (String, String)> {
    let endpoints = slice.list(&["endpoints"]).iter();
    endpoints.map(|one| (one.text(&["targetRef", "name"]).to_owned(), slice.name().to_owned()))
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
