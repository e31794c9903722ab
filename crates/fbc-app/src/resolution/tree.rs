//! The why-tree as text and as JSON: catalogs, and below each its bundles with what removed them.

use std::io::{self, Write};

use fbc_go::text::padded;
use fbc_resolve::{
    BundleExplanation, CatalogExplanation, CatalogVerdict, Edge, Explanation, Filter, Request,
};
use serde_json::{Value, json};

use super::advice::{Advice, version};

/// What became of a catalog, in words.
pub fn verdict(verdict: &CatalogVerdict) -> String {
    let has = |has_package: bool| if has_package { ", though it has the package" } else { "" };
    match verdict {
        CatalogVerdict::NotSelected { requirement, has_package } => {
            format!("not selected: it does not have {requirement}{}", has(*has_package))
        }
        CatalogVerdict::Unavailable { has_package } => format!("Unavailable{}", has(*has_package)),
        CatalogVerdict::Refused(message) => message.clone(),
        CatalogVerdict::NotAsked => "not asked".to_owned(),
        CatalogVerdict::NoPackage => "does not have the package".to_owned(),
        CatalogVerdict::NoCandidate => "every bundle is removed".to_owned(),
        CatalogVerdict::Deprecated => "its candidate is deprecated, another catalog's is not".to_owned(),
        CatalogVerdict::Outranked => "another catalog has a higher priority".to_owned(),
        CatalogVerdict::Tied => "another catalog has the same priority".to_owned(),
        CatalogVerdict::Chosen => "chosen".to_owned(),
    }
}

/// The key of the verdict in JSON.
fn verdict_key(verdict: &CatalogVerdict) -> &'static str {
    match verdict {
        CatalogVerdict::NotSelected { .. } => "not-selected",
        CatalogVerdict::Unavailable { .. } => "unavailable",
        CatalogVerdict::Refused(_) => "refused",
        CatalogVerdict::NotAsked => "not-asked",
        CatalogVerdict::NoPackage => "no-package",
        CatalogVerdict::NoCandidate => "no-candidate",
        CatalogVerdict::Deprecated => "deprecated",
        CatalogVerdict::Outranked => "outranked",
        CatalogVerdict::Tied => "tied",
        CatalogVerdict::Chosen => "chosen",
    }
}

fn filter_key(filter: Filter) -> &'static str {
    match filter {
        Filter::Channels => "channels",
        Filter::Range => "range",
        Filter::NoVersion => "no-version",
        Filter::Edges => "edges",
    }
}

/// An edge, in words.
fn edge(edge: Edge<'_>) -> String {
    match edge {
        Edge::Replaces { channel } => format!("replaces what is installed, in {channel}"),
        Edge::Skips { channel } => format!("skips what is installed, in {channel}"),
        Edge::SkipRange { channel, range } => format!("skipRange {range} in {channel}"),
        Edge::Same => "is what is installed".to_owned(),
    }
}

/// What became of a bundle, in words.
pub fn fate(bundle: &BundleExplanation<'_>, catalog: &CatalogVerdict, request: &Request) -> String {
    let mut words = Vec::new();
    for filter in &bundle.removed_by {
        words.push(match filter {
            Filter::Channels => format!("not in {}", request.channels.join(", ")),
            Filter::Range => format!("outside of {}", request.version),
            Filter::NoVersion => "has no version".to_owned(),
            Filter::Edges => "no edge leads to it".to_owned(),
        });
    }
    if !words.is_empty() {
        let removed = format!("removed: {}", words.join("; "));
        return match bundle.edge {
            Some(found) => format!("{removed} ({})", edge(found)),
            None => removed,
        };
    }
    let passes = if !bundle.is_candidate {
        "passes, but another one is preferred"
    } else if *catalog == CatalogVerdict::Chosen {
        "chosen"
    } else {
        "the candidate of this catalog"
    };
    match bundle.edge {
        Some(found) => format!("{passes}: {}", edge(found)),
        None => passes.to_owned(),
    }
}

/// Writes the tree, indented.
pub fn write(explanation: &Explanation<'_>, request: &Request, out: &mut dyn Write) -> io::Result<()> {
    for CatalogExplanation { catalog, verdict: found, bundles } in &explanation.catalogs {
        writeln!(out, "  catalog {}, priority {}: {}", catalog.name, catalog.priority, verdict(found))?;
        let rows: Vec<[String; 3]> = bundles
            .iter()
            .map(|bundle| {
                let deprecated = if bundle.bundle.is_deprecated { " (deprecated)" } else { "" };
                let shown = format!("{}{deprecated}", version(bundle.bundle));
                let channels =
                    if bundle.channels.is_empty() { "-".to_owned() } else { bundle.channels.join(",") };
                [shown, channels, fate(bundle, found, request)]
            })
            .collect();
        let width = |column: fn(&[String; 3]) -> &String| {
            rows.iter().map(|row| column(row).chars().count()).max().unwrap_or_default()
        };
        let (versions, channels) = (width(|[version, ..]| version), width(|[_, channels, _]| channels));
        for [version, channel, fate] in &rows {
            writeln!(out, "    {}  {}  {fate}", padded(version, versions), padded(channel, channels))?;
        }
    }
    Ok(())
}

/// The tree as JSON.
pub fn json(explanation: &Explanation<'_>, advice: &Advice) -> Value {
    let bundle = |bundle: &BundleExplanation<'_>| {
        let mut value = json!({
            "bundle": bundle.bundle.blob.name,
            "version": bundle.bundle.version.as_ref().ok().map(|version| version.to_version().to_string()),
            "channels": bundle.channels,
            "deprecated": bundle.bundle.is_deprecated,
            "candidate": bundle.is_candidate,
            "removedBy": bundle.removed_by.iter().copied().map(filter_key).collect::<Vec<_>>(),
        });
        if let (Some(found), Some(object)) = (bundle.edge, value.as_object_mut()) {
            object.insert("edge".to_owned(), edge_json(found));
        }
        value
    };
    let catalog = |CatalogExplanation { catalog, verdict: found, bundles }: &CatalogExplanation<'_>| {
        json!({
            "name": catalog.name,
            "priority": catalog.priority,
            "verdict": verdict_key(found),
            "reason": verdict(found),
            "bundles": bundles.iter().map(bundle).collect::<Vec<_>>(),
        })
    };
    let names = |bundles: &[&fbc_resolve::IndexedBundle]| -> Vec<String> {
        bundles.iter().map(|bundle| bundle.blob.name.clone()).collect()
    };
    let wanted = explanation.wanted.as_ref().map(|wanted| {
        json!({
            "catalog": wanted.catalog.name,
            "bundle": wanted.bundle.blob.name,
            "removedBy": wanted.removed_by.iter().copied().map(filter_key).collect::<Vec<_>>(),
            "edgeInOtherChannel": wanted.edge_elsewhere.map(edge_json),
            "reachable": names(&wanted.reachable),
            "nearest": wanted.nearest.map(|bundle| &bundle.blob.name),
            "route": wanted.route.as_deref().map(names),
            "routeInAllChannels": wanted.route_elsewhere.as_deref().map(names),
        })
    });
    json!({
        "why": advice.why,
        "remedies": advice.remedies,
        "wanted": wanted,
        "installedIsKnown": explanation.installed_is_known,
        "catalogs": explanation.catalogs.iter().map(catalog).collect::<Vec<_>>(),
    })
}

fn edge_json(edge: Edge<'_>) -> Value {
    match edge {
        Edge::Replaces { channel } => json!({ "kind": "replaces", "channel": channel }),
        Edge::Skips { channel } => json!({ "kind": "skips", "channel": channel }),
        Edge::SkipRange { channel, range } => {
            json!({ "kind": "skipRange", "channel": channel, "range": range })
        }
        Edge::Same => json!({ "kind": "same" }),
    }
}
