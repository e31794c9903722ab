//! What may stand at a place: names, keys and values. The text is incomplete while somebody types, so the place is found
//! by the indentation of lines; JSON has no completion.

use fbc_graph::{Moves, PackageGraph, Semantics};
use fbc_model::blob::schema;
use lsp_types::{CompletionItem, CompletionItemKind, CompletionTextEdit, TextEdit};

use super::schema::Part;
use super::{Cursor, Loaded};

/// Names that are offered at the most; clients filter.
const MOST_ITEMS: usize = 500;

/// Where the cursor is, as far as lines tell.
#[derive(Debug, PartialEq, Eq)]
struct Typed<'t> {
    /// The keys that lead here, `-` for an item of a list.
    path: Vec<&'t str>,
    /// What is typed already.
    prefix: &'t str,
    /// Whether a key is typed, not a value.
    is_key: bool,
}

/// What may stand at the cursor.
#[must_use]
pub fn completion(cursor: &Cursor<'_>) -> Vec<CompletionItem> {
    let Some(typed) = typed(&cursor.piece.text, cursor.byte) else { return Vec::new() };
    let about = &cursor.piece.about;
    let mut items = if typed.is_key { keys(cursor, &typed) } else { Vec::new() };
    // A single word may be the beginning of an item of a list.
    items.extend(values(cursor, &typed).into_iter().enumerate().map(|(rank, (name, detail))| {
        CompletionItem {
            label: name,
            kind: Some(CompletionItemKind::VALUE),
            detail: Some(detail).filter(|detail| !detail.is_empty()),
            sort_text: Some(format!("{rank:05}")),
            ..CompletionItem::default()
        }
    }));
    items.truncate(MOST_ITEMS);
    let range = cursor.range(cursor.byte - typed.prefix.len()..cursor.byte);
    for item in &mut items {
        let text = item.insert_text.take().unwrap_or_else(|| item.label.clone());
        item.text_edit = Some(CompletionTextEdit::Edit(TextEdit::new(range, text)));
    }
    if about.schema.is_empty() && typed.path.is_empty() && typed.is_key && items.is_empty() {
        items.push(CompletionItem::new_simple("schema".to_owned(), "which kind of blob this is".to_owned()));
    }
    items
}

/// Follows the lines up from the cursor.
fn typed(text: &str, byte: usize) -> Option<Typed<'_>> {
    let before = text.get(..byte)?;
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.get(line_start..)?;
    let mut rest = line.trim_start_matches(' ');
    let mut column = line.len() - rest.len();
    let mut path = Vec::new();
    while let Some(item) = rest.strip_prefix("- ").or_else(|| if rest == "-" { Some("") } else { None }) {
        path.push("-");
        let inner = item.trim_start_matches(' ');
        column += rest.len() - inner.len();
        rest = inner;
    }
    let dashes = path.len();
    let (is_key, prefix) = match rest.split_once(": ").or_else(|| rest.strip_suffix(':').map(|key| (key, "")))
    {
        Some((key, value)) => {
            path.insert(0, key.trim_matches(['"', '\'']));
            (false, value.trim_start().trim_start_matches(['"', '\'', '[']))
        }
        None => (true, rest),
    };
    let prefix = match prefix.rsplit_once([',', '[']) {
        Some((_, last)) if !is_key => last.trim_start(),
        _ => prefix,
    };
    // From the inside out.
    let mut steps: Vec<&str> = Vec::new();
    if !is_key {
        steps.extend(path.first());
    }
    steps.extend(std::iter::repeat_n("-", dashes));
    let mut limit = column;
    let own_dash = line.len() - line.trim_start_matches(' ').len();
    let mut dash_at = (dashes > 0).then_some(own_dash);
    for line in before.get(..line_start)?.lines().rev() {
        let content = line.trim_start_matches(' ');
        let mut at = line.len() - content.len();
        if content.is_empty() || content.starts_with('#') {
            continue;
        }
        let mut content = content;
        let mut found_dashes = 0;
        let first = at;
        while let Some(item) = content.strip_prefix("- ") {
            found_dashes += 1;
            let inner = item.trim_start_matches(' ');
            at += content.len() - inner.len();
            content = inner;
        }
        if let Some(dash) = dash_at {
            // The key of the list: at the column of the dash or before it.
            if found_dashes == 0 && at <= dash && content.trim_end().ends_with(':') {
                steps.push(content.trim_end().trim_end_matches(':').trim_matches(['"', '\'']));
                (dash_at, limit) = (None, at);
            } else if found_dashes > 0 && at <= dash && content.trim_end().ends_with(':') {
                steps.push(content.trim_end().trim_end_matches(':'));
                steps.extend(std::iter::repeat_n("-", found_dashes));
                (dash_at, limit) = (Some(first), first);
            }
            continue;
        }
        if found_dashes > 0 && first < limit && at <= limit {
            if at < limit && content.trim_end().ends_with(':') {
                steps.push(content.trim_end().trim_end_matches(':'));
            }
            steps.extend(std::iter::repeat_n("-", found_dashes));
            (dash_at, limit) = (Some(first), first);
        } else if found_dashes == 0 && at < limit && content.trim_end().ends_with(':') {
            steps.push(content.trim_end().trim_end_matches(':').trim_matches(['"', '\'']));
            limit = at;
        }
        if limit == 0 && dash_at.is_none() {
            break;
        }
    }
    steps.reverse();
    Some(Typed { path: steps, prefix, is_key })
}

fn keys(cursor: &Cursor<'_>, typed: &Typed<'_>) -> Vec<CompletionItem> {
    let about = &cursor.piece.about;
    let pointer = |steps: &[&str]| -> String { steps.iter().map(|step| format!("/{step}")).collect() };
    let part = match typed.path.as_slice() {
        ["properties", "-", "value", inner @ ..] => {
            property_type(cursor).and_then(|kind| Part::of_property(kind)?.at(&pointer(inner)))
        }
        path => Part::of_blob(&about.schema).and_then(|part| part.at(&pointer(path))),
    };
    let keys = part.map(Part::keys).unwrap_or_default();
    keys.into_iter()
        .map(|(key, description)| CompletionItem {
            label: key.to_owned(),
            kind: Some(CompletionItemKind::FIELD),
            insert_text: Some(format!("{key}: ")),
            documentation: description.map(|text| lsp_types::Documentation::String(text.to_owned())),
            ..CompletionItem::default()
        })
        .collect()
}

/// The type of the property that the cursor is in: the last one above it.
fn property_type<'t>(cursor: &Cursor<'t>) -> Option<&'t str> {
    let before = cursor.piece.text.get(..cursor.byte)?;
    let line =
        before.lines().rev().find(|line| line.trim_start().trim_start_matches("- ").starts_with("type:"))?;
    Some(line.split_once("type:")?.1.trim().trim_matches(['"', '\'']))
}

/// Names and values, the likely ones first, each with a few words.
fn values(cursor: &Cursor<'_>, typed: &Typed<'_>) -> Vec<(String, String)> {
    let about = &cursor.piece.about;
    let bare = |texts: &[&str]| texts.iter().map(|text| ((*text).to_owned(), String::new())).collect();
    match (about.schema.as_str(), typed.path.as_slice()) {
        (_, ["schema"]) => bare(&[schema::PACKAGE, schema::CHANNEL, schema::BUNDLE, schema::DEPRECATIONS]),
        (_, ["package"]) => {
            let names = cursor.state.packages();
            names.into_iter().filter(|name| !name.is_empty()).map(|name| (name, String::new())).collect()
        }
        (schema::PACKAGE, ["defaultChannel"]) => {
            let loaded = Loaded::of(cursor.state, &about.package);
            let channels = loaded.catalog.channels.iter();
            channels
                .map(|channel| (channel.name.clone(), format!("{} entries", channel.entries().len())))
                .collect()
        }
        (
            schema::CHANNEL,
            ["entries", "-", "name" | "replaces"] | ["entries", "-", "skips", ..] | ["entries", "-"],
        ) => names(cursor, typed),
        (schema::DEPRECATIONS, ["entries", "-", "reference", "schema"]) => {
            bare(&[schema::BUNDLE, schema::CHANNEL, schema::PACKAGE])
        }
        (schema::DEPRECATIONS, ["entries", "-", "reference", "name"]) => {
            let loaded = Loaded::of(cursor.state, &about.package);
            let bundles =
                loaded.catalog.bundles.iter().map(|bundle| (bundle.name.clone(), "bundle".to_owned()));
            let channels = loaded.catalog.channels.iter().map(|one| (one.name.clone(), "channel".to_owned()));
            bundles.chain(channels).collect()
        }
        (schema::BUNDLE, ["properties", "-", "type"]) => {
            let schemas =
                fbc_lint::schema::all().iter().filter_map(|file| file.name.strip_prefix("property/"));
            schemas.map(|name| (name.to_owned(), String::new())).collect()
        }
        (kind, path) => {
            let pointer: String = path.iter().map(|step| format!("/{step}")).collect();
            let part = Part::of_blob(kind).and_then(|part| part.at(&pointer));
            bare(&part.map(Part::values).unwrap_or_default())
        }
    }
}

/// Bundles of the package. For `replaces` the head of the channel comes first, for `name` what no channel lists.
fn names(cursor: &Cursor<'_>, typed: &Typed<'_>) -> Vec<(String, String)> {
    let about = &cursor.piece.about;
    let loaded = Loaded::of(cursor.state, &about.package);
    let graph = PackageGraph::of(&loaded.catalog, &about.package);
    let channel = graph.channels.iter().find(|channel| channel.name == about.name);
    let head = channel.and_then(|channel| Moves::of(&graph, &[channel], Semantics::V0).head);
    let is_listed =
        |name: &str| channel.is_some_and(|channel| channel.entries.iter().any(|entry| entry.name == name));
    let wants_new = typed.path.last() == Some(&"name");
    let mut ranked: Vec<(u8, String, String)> = Vec::new();
    for (number, node) in graph.nodes.iter().enumerate().rev() {
        let version = node.version.as_ref().map_or(String::new(), |version| version.version.to_string());
        let is_head = head == Some(number);
        let rank = match wants_new {
            true => u8::from(is_listed(&node.name)),
            false => match (is_head, is_listed(&node.name)) {
                (true, _) => 0,
                (false, true) => 1,
                (false, false) => 2,
            },
        };
        let detail = if is_head { format!("{version}, the head of the channel") } else { version };
        ranked.push((rank, node.name.clone(), detail));
    }
    // Newest first within a rank: the sort is stable.
    ranked.sort_by_key(|(rank, ..)| *rank);
    ranked.into_iter().map(|(_, name, detail)| (name, detail)).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
    use super::*;

    #[test]
    fn the_place_of_the_cursor() {
        let text = "---\nschema: olm.channel\nentries:\n- name: a\n  skips:\n  - x\n  - y\n- name: b\n  replaces: a\n  ski\nproperties:\n  - type: t\n    value:\n      group: g\n";
        let at = |needle: &str| {
            let end = text.find(needle).unwrap() + needle.len();
            let typed = typed(text, end).unwrap();
            (typed.path.join("/"), typed.prefix.to_owned(), typed.is_key)
        };
        let expected = |path: &str, prefix: &str, is_key| (path.to_owned(), prefix.to_owned(), is_key);
        assert_eq!(at("schema: olm"), expected("schema", "olm", false));
        assert_eq!(at("- name: b"), expected("entries/-/name", "b", false));
        assert_eq!(at("replaces: "), expected("entries/-/replaces", "", false));
        assert_eq!(at("- y"), expected("entries/-/skips/-", "y", true));
        assert_eq!(at("  ski\n").0, "");
        assert_eq!(at("replaces: a\n  ski"), expected("entries/-", "ski", true));
        assert_eq!(at("- type: t"), expected("properties/-/type", "t", false));
        assert_eq!(at("group: g"), expected("properties/-/value/group", "g", false));
        let flow = "entries:\n- name: a\n  skips: [x, yy";
        let typed = typed(flow, flow.len()).unwrap();
        assert_eq!((typed.path, typed.prefix), (vec!["entries", "-", "skips"], "yy"));
    }
}
