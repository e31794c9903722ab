//! Reading what the Cluster Version Operator applies and asks.

use fbc_openshift::cluster_operators;
use fbc_openshift::cluster_update::{Pool, PoolFault};
use fbc_openshift::cluster_version::DEFAULT_SERVICE;
use fbc_openshift::update_service::Facts;

use super::field::Field;
use super::reference;
use crate::model::{ClusterVersion, Graph, PayloadImage, Signatures, UpdateService};

/// The fields of the section.
pub(crate) const CLUSTER_VERSION_FIELDS: [&str; 8] =
    ["release", "installed", "payloads", "signatures", "updateServices", "facts", "operators", "pools"];
/// The fields about signatures.
pub(crate) const SIGNATURES_FIELDS: [&str; 2] = ["keys", "stores"];
/// The fields of a payload.
pub(crate) const PAYLOAD_FIELDS: [&str; 3] = ["image", "content", "broken"];
/// The fields of an update service.
pub(crate) const UPDATE_SERVICE_FIELDS: [&str; 3] = ["url", "status", "graph"];

/// Reads the section `clusterVersion`.
pub(super) fn cluster_version(field: &Field<'_>) -> Option<ClusterVersion> {
    field.only(&CLUSTER_VERSION_FIELDS)?;
    let items = |key: &str| field.get(key).map(|field| field.items()).unwrap_or_default();
    let payloads: Vec<PayloadImage> = items("payloads").iter().filter_map(payload).collect();
    if payloads.is_empty() {
        field.fault(
            "has no payloads",
            Some("payloads name directories with `manifests` and `release-manifests`".to_owned()),
        );
    }
    let operator = |field: &Field<'_>| {
        let read = cluster_operators::Behaviour::read(&field.value());
        read.map_err(|error| field.fault(&format!("is not a behavior of a cluster operator: {error}"), None))
            .ok()
    };
    Some(ClusterVersion {
        place: field.place(),
        release: field.get("release").and_then(|field| field.text()).map(str::to_owned),
        is_installed: field.get("installed").and_then(|field| field.boolean()).unwrap_or(true),
        payloads,
        signatures: field.get("signatures").and_then(|field| signatures(&field)),
        services: items("updateServices").iter().filter_map(update_service).collect(),
        facts: field.get("facts").and_then(|field| facts(&field)),
        operators: items("operators").iter().filter_map(operator).collect(),
        pools: field.get("pools").map_or_else(Pool::defaults, |field| pools(&field)),
    })
}

/// A directory, or a directory and the pull spec of its image.
fn payload(field: &Field<'_>) -> Option<PayloadImage> {
    if field.is_text() {
        return Some(PayloadImage { image: None, content: reference(field)?, is_broken: false });
    }
    field.only(&PAYLOAD_FIELDS)?;
    let image = field.get("image").and_then(|field| field.text()).map(str::to_owned);
    let is_broken = field.get("broken").and_then(|field| field.boolean()).unwrap_or_default();
    Some(PayloadImage {
        image,
        content: field.required("content").and_then(|field| reference(&field))?,
        is_broken,
    })
}

fn signatures(field: &Field<'_>) -> Option<Signatures> {
    field.only(&SIGNATURES_FIELDS)?;
    let keys = field.get("keys").map(|keys| keys.one_or_more()).unwrap_or_default();
    let mut stores = Vec::new();
    if let Some(field) = field.get("stores") {
        if !field.is_object() {
            field.fault(
                "must be an object",
                Some("write addresses of stores with their directories".to_owned()),
            );
        }
        for address in field.keys() {
            let directory = field.member(&address).and_then(|directory| reference(&directory));
            stores.extend(directory.map(|directory| (address, directory)));
        }
    }
    Some(Signatures { keys: keys.iter().filter_map(reference).collect(), stores })
}

/// Reads what an update service answers.
pub(super) fn update_service(field: &Field<'_>) -> Option<UpdateService> {
    field.only(&UPDATE_SERVICE_FIELDS)?;
    let text = |key: &str| field.get(key).and_then(|field| field.text()).map(str::to_owned);
    let graph = match field.get("graph") {
        None => Graph::Empty,
        Some(graph) if graph.is_text() => Graph::File(reference(&graph)?),
        Some(graph) => Graph::Inline(graph.value()),
    };
    if matches!(graph, Graph::Empty) && !field.has("status") {
        field.fault(
            "has neither graph nor status",
            Some("a service answers with a graph, or fails".to_owned()),
        );
    }
    Some(UpdateService {
        address: text("url").unwrap_or_else(|| DEFAULT_SERVICE.to_owned()),
        status: text("status").unwrap_or_else(|| "200 OK".to_owned()),
        graph,
    })
}

/// Reads lines of metrics.
pub(super) fn facts(field: &Field<'_>) -> Option<Facts> {
    let mut facts = Facts::default();
    for item in field.one_or_more() {
        match Facts::parse(item.any_text()?) {
            Ok(more) => facts.series.extend(more.series),
            Err(error) => item.fault(
                &format!("is not a metric: {}", error.fault),
                Some("write it like cluster_infrastructure_provider{type=\"AWS\"} 1".to_owned()),
            ),
        }
    }
    Some(facts)
}

fn pools(field: &Field<'_>) -> Vec<Pool> {
    let pool = |name: String| {
        let member = field.member(&name)?;
        if member.is_object() {
            member.only(&Pool::FIELDS)?;
        }
        let read = Pool::read(&name, &member.value());
        let tell = |fault: PoolFault| {
            let place = fault.field.and_then(|field| member.member(&field));
            place.as_ref().unwrap_or(&member).fault(&fault.message, None);
        };
        read.map_err(tell).ok()
    };
    field.keys().into_iter().filter_map(pool).collect()
}
