//! Names of bundles for an entry of a channel, the likely ones first.

use fbc_graph::PackageGraph;
use fbc_version::Version;

use super::Offer;
use crate::features::{Cursor, locator};

/// What the name is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// The entry itself.
    Name,
    /// What the entry replaces.
    Replaces,
    /// One of those that it skips.
    Skips,
}

/// The names, each with a few words. A new entry most likely is a bundle that the channel does not list, and replaces
/// the newest bundle before it that no other entry replaces or skips.
pub(super) fn names(cursor: &Cursor<'_>, wanted: Use) -> Vec<Offer> {
    let about = &cursor.piece.about;
    let loaded = cursor.loaded(&about.package);
    let graph = PackageGraph::from_catalog(&loaded.catalog, &about.package);
    let entries = graph
        .channels
        .iter()
        .find(|channel| channel.name == about.name)
        .map_or(&[][..], |channel| &channel.entries);
    let own = entry_at(cursor).unwrap_or_default();
    let own_version = graph.nodes.iter().find(|node| node.name == own).and_then(|node| node.version.as_ref());
    let own_version = own_version.map(|version| version.version.clone()).or_else(|| version_of_name(&own));
    let others = || entries.iter().filter(|entry| entry.name != own);
    let is_listed = |name: &str| others().any(|entry| entry.name == name);
    let is_free = |name: &str| {
        !others().any(|entry| entry.replaces == name || entry.skips.iter().any(|skip| skip == name))
    };
    let mut ranked: Vec<(u8, String, String)> = Vec::new();
    // Newest first, also within a rank, since the sort is stable.
    // What is being typed is a name in the graph as well, of nothing.
    let is_offered = |name: &str| wanted == Use::Name || name != own;
    let nodes = graph.nodes.iter().rev();
    for node in
        nodes.filter(|node| is_offered(&node.name) && (node.version.is_some() || is_listed(&node.name)))
    {
        let version = node.version.as_ref().map(|version| &version.version);
        let is_earlier = match (version, &own_version) {
            (Some(version), Some(own)) => version.compare_precedence(own).is_lt(),
            _ => true,
        };
        let is_head = is_listed(&node.name) && is_free(&node.name);
        let rank = match (wanted, is_earlier, is_listed(&node.name)) {
            (Use::Name, _, is_listed) => u8::from(is_listed),
            (Use::Replaces, true, true) if is_head => 0,
            (_, true, true) => 1,
            (_, true, false) => 2,
            (_, false, _) => 3,
        };
        let mut detail = version.map_or(String::new(), ToString::to_string);
        if is_head {
            detail.push_str(", the head of the channel without this entry");
        }
        ranked.push((rank, node.name.clone(), detail));
    }
    ranked.sort_by_key(|(rank, ..)| *rank);
    ranked.into_iter().map(|(_, name, detail)| Offer::text(name, detail)).collect()
}

/// The name of the entry that the cursor is in: the last one that begins before it.
fn entry_at(cursor: &Cursor<'_>) -> Option<String> {
    let locator = locator(cursor.piece);
    let entries = locator.children("/entries");
    let entry = entries.iter().rev().find(|entry| entry.value.start <= cursor.byte)?;
    let name = locator.find(&format!("/entries/{}/name", entry.step));
    name.is_exact.then(|| cursor.text(&name.value).to_owned())
}

/// The version in a name such as `foo.v1.2.3`.
fn version_of_name(name: &str) -> Option<Version> {
    name.split_once('.')?.1.trim_start_matches('v').parse().ok()
}
