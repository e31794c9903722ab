//! What a cluster takes from the graph of an update service.
//!
//! Source: `openshift/cluster-version-operator:pkg/cincinnati/cincinnati.go` (`GetUpdates`).

use fbc_cluster::object::ObjectFields;
use fbc_version::Version;
use serde_json::{Value, json};

use super::graph::{Graph, Node};
use super::risk::is_valid_rule;
use crate::release::Release;

/// What a cluster is offered.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Offer {
    /// The release that it has.
    pub current: Release,
    /// Updates without known risks.
    pub updates: Vec<Release>,
    /// Updates with risks, as they stand in ClusterVersion.
    pub conditional: Vec<Value>,
}

/// Why there is no offer: reason and message of `RetrievedUpdates`, without its beginning.
pub type Refusal = (&'static str, String);

/// What a cluster of a version takes from a graph.
///
/// # Errors
/// Reason and message of the condition `RetrievedUpdates`.
pub fn offer(graph: &Graph, version: &Version, channel: &str, becomes_multi: bool) -> Result<Offer, Refusal> {
    let invalid = |message: String| ("ResponseInvalid", message);
    let Some((index, node)) = graph.nodes.iter().enumerate().find(|(_, node)| node.version == *version)
    else {
        let message =
            format!("currently reconciling cluster version {version} not found in the {channel:?} channel");
        return Err(("VersionNotFound", message));
    };
    let release = |node: &Node, what: &str| {
        node.release().map_err(|error| invalid(format!("invalid {what} node: {error}")))
    };
    let current = release(node, "current")?;
    if becomes_multi {
        return Ok(Offer { updates: vec![current.clone()], current, conditional: Vec::new() });
    }
    let mut updates = Vec::new();
    for (_, to) in graph.edges.iter().filter(|(from, _)| *from == index) {
        let node = graph.nodes.get(*to).ok_or_else(|| invalid(format!("there is no node {to}")))?;
        updates.push(release(node, "recommended update")?);
    }
    let text = version.to_string();
    let mut conditional = Vec::new();
    for group in &graph.conditional_edges {
        for (_, to) in group.edges.iter().filter(|(from, _)| *from == text) {
            let node = graph.nodes.iter().find(|node| node.version.to_string() == *to);
            let node = node.ok_or_else(|| invalid(format!("no node for conditional update {to}")))?;
            conditional.push((release(node, "conditional update")?, group.risks.clone()));
        }
    }
    updates.retain(|update: &Release| conditional.iter().all(|(release, _)| release.image != update.image));
    // A risk without any rule that is understood could not be stored.
    let mut conditional: Vec<(Release, Vec<Value>)> = conditional
        .into_iter()
        .filter_map(|(release, risks)| {
            Some((release, risks.into_iter().map(with_valid_rules).collect::<Option<_>>()?))
        })
        .collect();
    let images: Vec<String> = conditional.iter().map(|(release, _)| release.image.clone()).collect();
    conditional.retain(|(release, _)| images.iter().filter(|image| **image == release.image).count() == 1);
    let conditional = conditional
        .into_iter()
        .map(|(release, risks)| json!({"release": release.to_value(), "risks": risks, "conditions": []}));
    Ok(Offer { current, updates, conditional: conditional.collect() })
}

/// The risk with the rules that are understood; nothing if none is.
pub(super) fn with_valid_rules(mut risk: Value) -> Option<Value> {
    let rules: Vec<Value> =
        risk.list(&["matchingRules"]).iter().filter(|rule| is_valid_rule(rule)).cloned().collect();
    if rules.is_empty() {
        return None;
    }
    risk.set(&["matchingRules"], rules);
    Some(risk)
}
