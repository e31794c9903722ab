//! What a place means: ranges, updates, fields, deprecations.

use fbc_graph::package::ChannelGraph;
use fbc_graph::{Moves, PackageGraph, Semantics};
use fbc_model::blob::schema;
use fbc_model::{Bundle, Catalog};
use fbc_rules::RULES;
use fbc_version::blang::Range;
use lsp_types::{Hover, HoverContents, MarkupContent, MarkupKind};

use super::completion::context::context_at;
use super::schema::Part;
use super::{Cursor, MOST_ICON};
use crate::host::FileKind;

/// Bundles that are named at the most.
const MOST_NAMES: usize = 20;

/// What is told of a place.
#[must_use]
pub fn hover(cursor: &Cursor<'_>) -> Option<Hover> {
    if cursor.kind == FileKind::Configuration {
        return of_configuration(cursor);
    }
    let at = cursor.at()?;
    let text = cursor.text(&at.range);
    let mut parts = Vec::new();
    if !at.is_key && cursor.kind == FileKind::Catalog {
        parts.extend(told_of_value(cursor, &at.pointer, text));
    }
    parts.extend(field(cursor, &at.pointer));
    let value = parts.join("\n\n---\n\n");
    (!value.is_empty()).then(|| told(cursor, value, at.range.clone()))
}

fn told(cursor: &Cursor<'_>, value: String, bytes: std::ops::Range<usize>) -> Hover {
    Hover {
        contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }),
        range: Some(cursor.range(bytes)),
    }
}

/// What a key of `fbc.toml` means, at the key or its value; the summary of a rule where its code stands.
fn of_configuration(cursor: &Cursor<'_>) -> Option<Hover> {
    let text = cursor.piece.text.as_str();
    let is_part = |letter: char| letter.is_alphanumeric() || "-_".contains(letter);
    let (before, after) = (text.get(..cursor.byte)?, text.get(cursor.byte..)?);
    let start = before.trim_end_matches(is_part).len();
    let end = cursor.byte + after.find(|letter| !is_part(letter)).unwrap_or(after.len());
    let word = text.get(start..end)?;
    if let Some(rule) = RULES.find(word) {
        return Some(told(cursor, format!("**{}** {}: {}", rule.code, rule.name, rule.summary), start..end));
    }
    let context = context_at(cursor.kind, text, end)?;
    let steps = context.path.iter().copied().chain(context.is_key.then_some(context.prefix));
    let part = Part::of_file(cursor.kind, "")?;
    let meaning = steps.into_iter().try_fold(part, Part::step)?.description()?;
    Some(told(cursor, meaning.to_owned(), start..end))
}

fn told_of_value(cursor: &Cursor<'_>, pointer: &str, text: &str) -> Option<String> {
    let steps: Vec<&str> = pointer.split('/').skip(1).collect();
    let about = &cursor.piece.about;
    let loaded = || cursor.loaded(&about.package);
    match (about.schema.as_str(), steps.as_slice()) {
        (schema::CHANNEL, ["entries", _, "skipRange"]) => {
            Some(range(&loaded().catalog, &about.package, text))
        }
        (schema::CHANNEL, ["entries", _, "name" | "replaces"] | ["entries", _, "skips", _]) => {
            Some(updates(&loaded().catalog, &about.package, Some(&about.name), text))
        }
        (schema::BUNDLE, ["name"]) => Some(updates(&loaded().catalog, &about.package, None, text)),
        (schema::PACKAGE, ["defaultChannel"]) | (schema::CHANNEL, ["name"]) => {
            channel(&loaded().catalog, &about.package, text)
        }
        (schema::PACKAGE, ["icon", ..]) => icon(cursor),
        (schema::DEPRECATIONS, ["entries", _, "reference", "name"]) => {
            Some(updates(&loaded().catalog, &about.package, None, text))
        }
        (schema::BUNDLE, ["properties", _, "value", "versionRange"]) => Some(words(text)),
        (_, ["properties", _, "type"]) => Part::of_property(text)?.description().map(str::to_owned),
        _ => None,
    }
}

/// A range in words.
fn words(text: &str) -> String {
    match Range::parse(text) {
        Ok(range) => format!("`{text}` matches:\n\n```text\n{}```", range.explain()),
        Err(error) => format!("`{text}` is not a range: {error}"),
    }
}

/// A range in words, and the bundles of the package that it matches.
fn range(catalog: &Catalog, package: &str, text: &str) -> String {
    let mut out = words(text);
    let Ok(range) = Range::parse(text) else { return out };
    let graph = PackageGraph::from_catalog(catalog, package);
    let matched = graph
        .nodes
        .iter()
        .filter(|node| node.version.as_ref().is_some_and(|version| range.matches(&version.version)));
    let names: Vec<&str> = matched.map(|node| node.name.as_str()).collect();
    out.push_str(&match names.len() {
        0 => "\n\nNo bundle of this package matches.".to_owned(),
        count => format!("\n\n{count} of this package: {}", list(&names)),
    });
    out
}

fn list(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(MOST_NAMES).map(|name| format!("`{name}`")).collect();
    let left = names.len().saturating_sub(MOST_NAMES);
    let more = if left > 0 { format!(" and {left} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// What a bundle is, and what it is updated to.
fn updates(catalog: &Catalog, package: &str, in_channel: Option<&str>, name: &str) -> String {
    let graph = PackageGraph::from_catalog(catalog, package);
    let Some(node) = graph.node_by_name(name) else {
        return format!("`{name}` is not in package `{package}`.");
    };
    let mut out = format!("**{name}**");
    let known = graph.nodes.get(node);
    if let Some(version) = known.and_then(|node| node.version.as_ref()) {
        out.push_str(&format!(" · version {}", version.version));
    }
    let bundle = catalog.bundles.iter().find(|bundle| bundle.name == name);
    match bundle {
        Some(bundle) => out.push_str(&needs(bundle)),
        None => out.push_str(
            "\n\nThe catalog has no such bundle: clusters cannot install it, but may have it installed.",
        ),
    }
    if let Some(message) = known.and_then(|node| node.deprecation.as_ref()) {
        out.push_str(&format!("\n\n**Deprecated**: {}", message.trim_end()));
    }
    for channel in
        graph.channels.iter().filter(|channel| in_channel.is_none_or(|wanted| wanted == channel.name))
    {
        if !channel.edges.iter().any(|edges| edges.node == node) && in_channel.is_none() {
            continue;
        }
        out.push_str(&format!("\n\nIn channel `{}`:", channel.name));
        for (semantics, word) in [(Semantics::V0, "OLM v0"), (Semantics::V1, "OLM v1")] {
            out.push_str(&format!("\n- {word}: {}", next(&graph, channel, semantics, node)));
        }
    }
    out
}

/// The next update of a node in a channel, in words.
fn next(graph: &PackageGraph<'_>, channel: &ChannelGraph<'_>, semantics: Semantics, node: usize) -> String {
    let moves = Moves::new(graph, &[channel], semantics);
    if moves.refusal.is_some() {
        return "no updates: the channel is refused".to_owned();
    }
    match moves.next.get(node).copied().flatten() {
        Some(step) => {
            let to = graph.node_name(step.to);
            let edge = match step.edge {
                fbc_graph::EdgeKind::Replaces => "replaces",
                fbc_graph::EdgeKind::Skips => "skips",
                fbc_graph::EdgeKind::SkipRange => "skipRange",
            };
            let end = moves.routes.get(node).map(|route| (route.hops, graph.node_name(route.end)));
            match end {
                Some((hops, end)) if hops > 1 => {
                    format!("updates to `{to}` ({edge}); after {hops} updates at `{end}`")
                }
                _ => format!("updates to `{to}` ({edge})"),
            }
        }
        None if moves.head == Some(node) => "the head of the channel".to_owned(),
        None => "no update leads away from it".to_owned(),
    }
}

/// Which clusters a bundle is for, as far as its properties say.
fn needs(bundle: &Bundle) -> String {
    let mut out = String::new();
    let value = |kind: &str| {
        let property = bundle.properties.iter().find(|property| property.kind == kind)?;
        property.value.clone()
    };
    let most = value("olm.maxOpenShiftVersion");
    out.push_str(&match most.as_ref().and_then(|value| value.node().as_str()) {
        Some(most) => {
            format!("\n\nRuns on OpenShift up to {most}; with it installed a cluster is not updated beyond.")
        }
        None => "\n\nRuns on every release of OpenShift, as far as the catalog says.".to_owned(),
    });
    let metadata = value("olm.csv.metadata");
    if let Some(minimum) = metadata.as_ref().and_then(|value| value.node().get_str("minKubeVersion")) {
        out.push_str(&format!(" Needs Kubernetes {minimum} or later."));
    }
    if !bundle.image.is_empty() {
        out.push_str(&format!("\n\n`{}`", bundle.image));
    }
    out
}

/// What a channel is.
fn channel(catalog: &Catalog, package: &str, name: &str) -> Option<String> {
    let graph = PackageGraph::from_catalog(catalog, package);
    let channel = graph.channels.iter().find(|channel| channel.name == name)?;
    let moves = Moves::new(&graph, &[channel], Semantics::V0);
    let head = moves.head.map_or("none".to_owned(), |head| format!("`{}`", graph.node_name(head)));
    let mut out = format!("Channel **{name}** · {} entries · head {head}", channel.entries.len());
    if let Some(message) = &channel.deprecation {
        out.push_str(&format!("\n\n**Deprecated**: {}", message.trim_end()));
    }
    Some(out)
}

fn icon(cursor: &Cursor<'_>) -> Option<String> {
    let loaded = cursor.loaded(&cursor.piece.about.package);
    let icon = loaded.catalog.packages.first()?.icon.clone()?;
    let locator = super::locator(cursor.piece);
    let data = cursor.text(&locator.find("/icon/base64data").value);
    let is_one_line = !data.is_empty() && !data.contains(char::is_whitespace);
    (is_one_line && data.len() <= MOST_ICON)
        .then(|| format!("![icon](data:{};base64,{data})", icon.media_type))
}

/// What a field is for.
fn field(cursor: &Cursor<'_>, pointer: &str) -> Option<String> {
    let root = Part::of_file(cursor.kind, &cursor.piece.about.schema)?;
    let mut steps = pointer.split('/').skip(1);
    if let (Some("properties"), Some(number), Some("value")) = (steps.next(), steps.next(), steps.next()) {
        let locator = super::locator(cursor.piece);
        let kind = locator.find(&format!("/properties/{number}/type"));
        let inner: String = steps.map(|step| format!("/{step}")).collect();
        let part = Part::of_property(cursor.text(&kind.value))?.at(&inner)?;
        return part.description().map(str::to_owned);
    }
    root.at(pointer)?.description().map(str::to_owned)
}
