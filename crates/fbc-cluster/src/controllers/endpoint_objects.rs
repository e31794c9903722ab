//! `Endpoints`: the pods behind a service, all in one object, as older clients read them.
//!
//! Source: `kubernetes/kubernetes:pkg/controller/endpoint/endpoints_controller.go`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::claims::Selectors;
use super::endpoints::{is_ready_for, pods_of, ports_of, selector};
use super::write::{create, manager, outcome, update};
use crate::api::{ApiServer, DeleteOptions};
use crate::engine::{Controller, Outcome};
use crate::object::{Object, ObjectFields, ObjectName};
use crate::store::Change;
use crate::time::{Milliseconds, Moment, SECOND};

/// The label of objects that this controller writes.
const MANAGED_BY: (&str, &str) = ("endpoints.kubernetes.io/managed-by", "endpoint-controller");
/// The label of services without an address.
const HEADLESS: &str = "service.kubernetes.io/headless";
/// The annotation of objects that do not name all pods.
const OVER_CAPACITY: &str = "endpoints.kubernetes.io/over-capacity";
/// The most addresses of an object.
const MOST_ADDRESSES: usize = 1000;

/// Objects with more addresses are written once in so long at most: each time all of them are written.
const MANY_ADDRESSES: usize = 100;
const BETWEEN_LARGE_WRITES: Milliseconds = SECOND;

/// Writes `Endpoints`.
#[derive(Debug, Default)]
pub struct EndpointObjects {
    selectors: Selectors,
    /// When objects with many addresses were written last.
    written: BTreeMap<ObjectName, Moment>,
}

impl Controller for EndpointObjects {
    fn name(&self) -> &'static str {
        "endpoints-controller"
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
        // What does not change an endpoint is of no interest.
        let seen = |pod: &Option<std::sync::Arc<Object>>| {
            pod.as_ref().map(|pod| {
                let is_ready = super::pods::is_ready(pod);
                let gone = super::pods::is_finished(pod) || pod.is_terminating();
                (pod.text(&["status", "podIP"]).to_owned(), is_ready, gone, pod["metadata"]["labels"].clone())
            })
        };
        if change.before.is_some() && seen(&change.before) == seen(&change.after) {
            return;
        }
        for pod in [&change.before, &change.after].into_iter().flatten() {
            requests.extend(self.selectors.matching(pod));
        }
    }

    fn start_over(&mut self) {
        self.written.clear();
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        let Some(id) = api.kind_id("", "Endpoints") else { return Outcome::Done };
        let present = api.find("", "Endpoints", request).cloned();
        let Some(service) = api.find("", "Service", request).cloned() else {
            self.written.remove(request);
            return match present {
                Some(_) => outcome(api.delete(&manager(), id, request, &DeleteOptions::default())),
                None => Outcome::Done,
            };
        };
        let Some(selector) = selector(&service) else { return Outcome::Done };
        let now = api.now();
        if let Some(next) = self.written.get(request).map(|last| *last + BETWEEN_LARGE_WRITES)
            && now < next
        {
            return Outcome::After(next.since(now));
        }
        let wanted = endpoints(api, &service, &selector);
        let Some(present) = present else { return outcome(create(api, wanted)) };
        let mut changed = Object::clone(&present);
        for path in [&["subsets"][..], &["metadata", "labels"], &["metadata", "annotations", OVER_CAPACITY]] {
            match wanted.at(path) {
                Some(value) => changed.set(path, value.clone()),
                None => drop(changed.remove(path)),
            }
        }
        if changed == *present {
            return Outcome::Done;
        }
        let subsets = changed.list(&["subsets"]).iter();
        let count: usize = subsets.map(|subset| subset.list(&["addresses"]).len()).sum();
        if count > MANY_ADDRESSES {
            self.written.insert(request.clone(), now);
        }
        outcome(update(api, changed))
    }
}

/// What the object of a service says.
fn endpoints(api: &ApiServer, service: &Object, selector: &crate::selector::LabelSelector) -> Object {
    let mut by_ports: BTreeMap<String, (Value, Vec<Value>, Vec<Value>)> = BTreeMap::new();
    let (mut count, mut is_over) = (0, false);
    let mut pods: Vec<_> = pods_of(api, service, selector).collect();
    pods.sort_by_key(|pod| (pod.text(&["status", "podIP"]).to_owned(), pod.uid().to_owned()));
    for pod in pods {
        let Some(is_ready) = is_ready_for(service, pod) else { continue };
        if count == MOST_ADDRESSES {
            is_over = true;
            break;
        }
        count += 1;
        let ports = ports_of(service, pod);
        let (_, ready, unready) =
            by_ports.entry(ports.to_string()).or_insert_with(|| (ports, Vec::new(), Vec::new()));
        let address = json!({
            "ip": pod["status"]["podIP"], "nodeName": pod["spec"]["nodeName"],
            "targetRef": {"kind": "Pod", "name": pod.name(), "namespace": pod.namespace(), "uid": pod.uid()},
        });
        if is_ready { ready.push(address) } else { unready.push(address) }
    }
    let subsets = by_ports.into_values().map(|(ports, ready, unready)| {
        let mut subset = json!({});
        for (field, list) in [("addresses", ready), ("notReadyAddresses", unready)] {
            if !list.is_empty() {
                subset[field] = list.into();
            }
        }
        if ports.as_array().is_some_and(|ports| !ports.is_empty()) {
            subset["ports"] = ports;
        }
        subset
    });
    let subsets: Vec<Value> = subsets.collect();
    let mut labels = service.at(&["metadata", "labels"]).cloned().unwrap_or_else(|| json!({}));
    labels[MANAGED_BY.0] = MANAGED_BY.1.into();
    if service.text(&["spec", "clusterIP"]) == "None" {
        labels[HEADLESS] = "".into();
    }
    let mut object = json!({
        "apiVersion": "v1", "kind": "Endpoints",
        "metadata": {"name": service.name(), "namespace": service.namespace(), "labels": labels},
    });
    if !subsets.is_empty() {
        object["subsets"] = subsets.into();
    }
    if is_over {
        object.set(&["metadata", "annotations", OVER_CAPACITY], "truncated");
    }
    object
}
