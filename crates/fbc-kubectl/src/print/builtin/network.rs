//! Services, endpoints, ingresses and network policies.

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use serde_json::Value;

use super::{Column, Definition, always, joined, name, object_age, text_or, wide};
use crate::print::{NONE, none_if_empty, pairs_text, selector_text};

pub(super) const TABLES: &[Definition] = &[
    Definition { group: "", kind: "Service", columns: SERVICE, cells: service },
    Definition { group: "", kind: "Endpoints", columns: ENDPOINTS, cells: endpoints },
    Definition {
        group: "discovery.k8s.io",
        kind: "EndpointSlice",
        columns: ENDPOINT_SLICE,
        cells: endpoint_slice,
    },
    Definition {
        group: "networking.k8s.io",
        kind: "NetworkPolicy",
        columns: NETWORK_POLICY,
        cells: network_policy,
    },
    Definition { group: "networking.k8s.io", kind: "Ingress", columns: INGRESS, cells: ingress },
];

const SERVICE: &[Column] = &[
    always("NAME"),
    always("TYPE"),
    always("CLUSTER-IP"),
    always("EXTERNAL-IP"),
    always("PORT(S)"),
    always("AGE"),
    wide("SELECTOR"),
];
const ENDPOINTS: &[Column] = &[always("NAME"), always("ENDPOINTS"), always("AGE")];
const ENDPOINT_SLICE: &[Column] =
    &[always("NAME"), always("ADDRESSTYPE"), always("PORTS"), always("ENDPOINTS"), always("AGE")];
const NETWORK_POLICY: &[Column] = &[always("NAME"), always("POD-SELECTOR"), always("AGE")];
const INGRESS: &[Column] =
    &[always("NAME"), always("CLASS"), always("HOSTS"), always("ADDRESS"), always("PORTS"), always("AGE")];

/// The longest list of addresses of a load balancer in a table.
const LOAD_BALANCER_WIDTH: usize = 16;

/// Addresses at which a load balancer can be reached.
fn load_balancer(object: &Value) -> String {
    let address = |entry: &Value| text_or(entry, &["ip"], entry.text(&["hostname"]));
    let mut addresses: Vec<String> =
        object.list(&["status", "loadBalancer", "ingress"]).iter().map(address).collect();
    addresses.sort();
    addresses.dedup();
    addresses.join(",")
}

/// As [`load_balancer`], cut to what fits in a column.
fn short_load_balancer(object: &Value) -> String {
    let text = load_balancer(object);
    match text.char_indices().nth(LOAD_BALANCER_WIDTH) {
        Some(_) => text.chars().take(LOAD_BALANCER_WIDTH - 3).chain("...".chars()).collect(),
        None => text,
    }
}

fn service(object: &Value, now: Moment) -> Vec<String> {
    let spec = &object["spec"];
    let declared = spec.list(&["externalIPs"]).iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",");
    let kind = text_or(object, &["spec", "type"], "ClusterIP");
    let external = match kind.as_str() {
        "ExternalName" => spec.text(&["externalName"]).to_owned(),
        "LoadBalancer" => {
            let parts = [load_balancer(object), declared];
            let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
            if parts.is_empty() { "<pending>".to_owned() } else { parts.join(",") }
        }
        _ => none_if_empty(declared),
    };
    let port = |port: &Value| {
        let number = port.number(&["port"]).unwrap_or_default();
        let protocol = text_or(port, &["protocol"], "TCP");
        match port.number(&["nodePort"]).filter(|number| *number > 0) {
            Some(node_port) => format!("{number}:{node_port}/{protocol}"),
            None => format!("{number}/{protocol}"),
        }
    };
    let ports: Vec<String> = spec.list(&["ports"]).iter().map(port).collect();
    vec![
        name(object),
        kind,
        text_or(object, &["spec", "clusterIP"], NONE),
        external,
        none_if_empty(ports.join(",")),
        object_age(object, now),
        none_if_empty(pairs_text(spec.get("selector"))),
    ]
}

/// The first three addresses with ports of an Endpoints object.
pub(crate) fn endpoints_text(object: &Value) -> String {
    const SHOWN: usize = 3;
    let subsets = object.list(&["subsets"]);
    let all: Vec<String> = subsets
        .iter()
        .flat_map(|subset| {
            subset.list(&["ports"]).iter().flat_map(move |port| {
                let number = port.number(&["port"]).unwrap_or_default();
                subset
                    .list(&["addresses"])
                    .iter()
                    .map(move |address| format!("{}:{number}", address.text(&["ip"])))
            })
        })
        .collect();
    let shown = all.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(",");
    match all.len() {
        _ if subsets.is_empty() => NONE.to_owned(),
        length if length > SHOWN => format!("{shown} + {} more...", length - SHOWN),
        _ => shown,
    }
}

fn endpoints(object: &Value, now: Moment) -> Vec<String> {
    vec![name(object), endpoints_text(object), object_age(object, now)]
}

fn endpoint_slice(object: &Value, now: Moment) -> Vec<String> {
    let ports: Vec<String> = object
        .list(&["ports"])
        .iter()
        .filter_map(|port| port.number(&["port"]))
        .map(|port| port.to_string())
        .collect();
    let addresses: Vec<&str> = object
        .list(&["endpoints"])
        .iter()
        .flat_map(|endpoint| endpoint.list(&["addresses"]))
        .filter_map(Value::as_str)
        .collect();
    let shown = |texts: &[&str]| {
        let first = texts.iter().take(3).copied().collect::<Vec<_>>().join(",");
        if texts.len() > 3 { format!("{first} + {} more...", texts.len() - 3) } else { first }
    };
    let unset = |text: String| if text.is_empty() { "<unset>".to_owned() } else { text };
    let ports: Vec<&str> = ports.iter().map(String::as_str).collect();
    vec![
        name(object),
        object.text(&["addressType"]).to_owned(),
        unset(shown(&ports)),
        unset(shown(&addresses)),
        object_age(object, now),
    ]
}

fn network_policy(object: &Value, now: Moment) -> Vec<String> {
    let selector = none_if_empty(selector_text(&object["spec"]["podSelector"]));
    vec![name(object), selector, object_age(object, now)]
}

fn ingress(object: &Value, now: Moment) -> Vec<String> {
    let rules = object.list(&["spec", "rules"]);
    let hosts = joined(rules, &["host"]);
    let ports = if object.list(&["spec", "tls"]).is_empty() { "80" } else { "80, 443" };
    vec![
        name(object),
        text_or(object, &["spec", "ingressClassName"], NONE),
        if hosts.is_empty() { "*".to_owned() } else { hosts },
        short_load_balancer(object),
        ports.to_owned(),
        object_age(object, now),
    ]
}
