//! What may stand at a place: names, keys and values.

use fbc_graph::{Moves, PackageGraph, Semantics};
use fbc_model::blob::schema;
use lsp_types::{CompletionItem, CompletionItemKind, CompletionTextEdit, TextEdit};

use super::schema::Part;
use super::typed::{Quotes, Typed, typed};
use super::{Cursor, Loaded};

/// Names that are offered at the most; clients filter.
const MOST_ITEMS: usize = 500;

/// What may stand at the cursor.
#[must_use]
pub fn completion(cursor: &Cursor<'_>) -> Vec<CompletionItem> {
    let Some(typed) = typed(&cursor.piece.text, cursor.byte) else { return Vec::new() };
    let about = &cursor.piece.about;
    let mut items = if typed.is_key { keys(cursor, &typed) } else { Vec::new() };
    // In YAML a single word may be the beginning of an item of a list.
    let values = if typed.is_key && typed.quotes.is_some() { Vec::new() } else { values(cursor, &typed) };
    items.extend(values.into_iter().enumerate().map(|(rank, (name, detail))| CompletionItem {
        label: name,
        kind: Some(CompletionItemKind::VALUE),
        detail: Some(detail).filter(|detail| !detail.is_empty()),
        sort_text: Some(format!("{rank:05}")),
        ..CompletionItem::default()
    }));
    items.truncate(MOST_ITEMS);
    let after = cursor.piece.text.get(cursor.byte..).unwrap_or_default();
    let has_quote = typed.quotes == Some(Quotes::Open) && after.starts_with('"');
    let range = cursor.range(cursor.byte - typed.prefix.len()..cursor.byte + usize::from(has_quote));
    let has_colon = after.trim_start_matches('"').trim_start().starts_with(':');
    for item in &mut items {
        let is_key = item.kind == Some(CompletionItemKind::FIELD);
        let colon = if is_key && !has_colon { ": " } else { "" };
        let text = match typed.quotes {
            None => format!("{}{colon}", item.label),
            Some(Quotes::Missing) => format!("\"{}\"{colon}", item.label),
            Some(Quotes::Open) => format!("{}\"{colon}", item.label),
        };
        item.text_edit = Some(CompletionTextEdit::Edit(TextEdit::new(range, text)));
    }
    if about.schema.is_empty() && typed.path.is_empty() && typed.is_key && items.is_empty() {
        items.push(CompletionItem::new_simple("schema".to_owned(), "which kind of blob this is".to_owned()));
    }
    items
}

fn keys(cursor: &Cursor<'_>, typed: &Typed<'_>) -> Vec<CompletionItem> {
    let about = &cursor.piece.about;
    let pointer = |steps: &[&str]| -> String { steps.iter().map(|step| format!("/{step}")).collect() };
    let part = match typed.path.as_slice() {
        ["properties", "-", "value", inner @ ..] => {
            typed.property.and_then(|kind| Part::of_property(kind)?.at(&pointer(inner)))
        }
        path => Part::of_blob(&about.schema).and_then(|part| part.at(&pointer(path))),
    };
    let keys = part.map(Part::keys).unwrap_or_default();
    keys.into_iter()
        .map(|(key, description)| CompletionItem {
            label: key.to_owned(),
            kind: Some(CompletionItemKind::FIELD),
            documentation: description.map(|text| lsp_types::Documentation::String(text.to_owned())),
            ..CompletionItem::default()
        })
        .collect()
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
        (schema::CHANNEL, ["entries", "-", "name" | "replaces"] | ["entries", "-", "skips", ..]) => {
            names(cursor, typed)
        }
        // The key `name` is not typed yet.
        (schema::CHANNEL, ["entries", "-"]) if typed.quotes.is_none() => names(cursor, typed),
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
