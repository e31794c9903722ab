//! What may stand at a place: names, keys and values.

use fbc_model::blob::schema;
use lsp_types::{CompletionItem, CompletionItemKind, CompletionTextEdit, TextEdit};

use self::bundles::Use;
use self::context::{Context, Quotes, context_at};
use super::Cursor;
use super::schema::Part;
use crate::host::FileKind;

mod bundles;
pub(super) mod context;

/// Names that are offered at the most; clients filter.
const MOST_ITEMS: usize = 500;

/// A value that may stand at a place.
struct Offer {
    text: String,
    /// A few words on it; may be empty.
    detail: String,
    /// Whether it is a text, which has quotes in JSON and TOML.
    is_text: bool,
}

impl Offer {
    fn text(text: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { text: text.into(), detail: detail.into(), is_text: true }
    }
}

/// What may stand at the cursor.
#[must_use]
pub fn completion(cursor: &Cursor<'_>) -> Vec<CompletionItem> {
    let text = cursor.piece.text.as_str();
    let Some(context) = context_at(cursor.kind, text, cursor.byte) else { return Vec::new() };
    let part = part(cursor, &context);
    let after = text.get(cursor.byte..).unwrap_or_default();
    let has_quote = context.quotes == Some(Quotes::Open) && after.starts_with('"');
    let range = cursor.range(cursor.byte - context.prefix.len()..cursor.byte + usize::from(has_quote));
    let item = |label: &str, is_text: bool, end: &str| {
        let text = match context.quotes.filter(|_| is_text) {
            None => format!("{label}{end}"),
            Some(Quotes::Missing) => format!("\"{label}\"{end}"),
            Some(Quotes::Open) => format!("{label}\"{end}"),
        };
        CompletionItem {
            label: label.to_owned(),
            text_edit: Some(CompletionTextEdit::Edit(TextEdit::new(range, text))),
            ..CompletionItem::default()
        }
    };
    let mut items = Vec::new();
    if context.is_key {
        let end = match cursor.kind {
            _ if after.trim_start_matches('"').trim_start().starts_with([':', '=']) => "",
            FileKind::Configuration => " = ",
            _ => ": ",
        };
        items.extend(keys(cursor, &context, part).into_iter().map(|(key, meaning)| CompletionItem {
            kind: Some(CompletionItemKind::FIELD),
            documentation: meaning.map(|text| lsp_types::Documentation::String(text.to_owned())),
            ..item(key, true, end)
        }));
    }
    // In YAML a single word may be the beginning of an item of a list.
    let is_yaml = context.quotes.is_none() && cursor.kind != FileKind::Configuration;
    if !context.is_key || is_yaml {
        let values = values(cursor, &context, part).into_iter().enumerate();
        items.extend(values.map(|(rank, offer)| CompletionItem {
            kind: Some(CompletionItemKind::VALUE),
            detail: Some(offer.detail).filter(|detail| !detail.is_empty()),
            sort_text: Some(format!("{rank:05}")),
            ..item(&offer.text, offer.is_text, "")
        }));
    }
    items.truncate(MOST_ITEMS);
    items
}

/// What the schemas say of the place.
fn part(cursor: &Cursor<'_>, context: &Context<'_>) -> Option<Part> {
    let (start, steps) = match (cursor.kind, context.path.as_slice()) {
        (FileKind::Catalog, ["properties", "-", "value", inner @ ..]) => {
            (context.property_type.and_then(Part::of_property), inner)
        }
        (kind, path) => (Part::of_file(kind, &cursor.piece.about.schema), path),
    };
    steps.iter().try_fold(start?, |part, step| part.step(step))
}

/// Keys, each with what it means.
fn keys(
    cursor: &Cursor<'_>,
    context: &Context<'_>,
    part: Option<Part>,
) -> Vec<(&'static str, Option<&'static str>)> {
    let is_new = cursor.kind == FileKind::Catalog && cursor.piece.about.schema.is_empty();
    match part.map(Part::keys).unwrap_or_default() {
        keys if keys.is_empty() && is_new && context.path.is_empty() => {
            vec![("schema", Some("which kind of blob this is"))]
        }
        keys => keys,
    }
}

/// Names and values, the likely ones first.
fn values(cursor: &Cursor<'_>, context: &Context<'_>, part: Option<Part>) -> Vec<Offer> {
    let about = &cursor.piece.about;
    let bare = |texts: &[&str]| texts.iter().map(|text| Offer::text(*text, "")).collect();
    let is_catalog = cursor.kind == FileKind::Catalog;
    match (about.schema.as_str(), context.path.as_slice()) {
        _ if !is_catalog => of_schema(part),
        (_, ["schema"]) => bare(&[schema::PACKAGE, schema::CHANNEL, schema::BUNDLE, schema::DEPRECATIONS]),
        (_, ["package"]) => {
            let names = cursor.state.packages();
            names.into_iter().filter(|name| !name.is_empty()).map(|name| Offer::text(name, "")).collect()
        }
        (schema::PACKAGE, ["defaultChannel"]) => {
            let loaded = cursor.loaded(&about.package);
            let channels = loaded.catalog.channels.iter();
            channels.map(|one| Offer::text(&one.name, format!("{} entries", one.entries().len()))).collect()
        }
        (schema::CHANNEL, ["entries", "-", "name"]) => bundles::names(cursor, Use::Name),
        (schema::CHANNEL, ["entries", "-", "replaces"]) => bundles::names(cursor, Use::Replaces),
        (schema::CHANNEL, ["entries", "-", "skips", ..]) => bundles::names(cursor, Use::Skips),
        // The key `name` is not typed yet.
        (schema::CHANNEL, ["entries", "-"]) if context.quotes.is_none() => bundles::names(cursor, Use::Name),
        (schema::DEPRECATIONS, ["entries", "-", "reference", "schema"]) => {
            bare(&[schema::BUNDLE, schema::CHANNEL, schema::PACKAGE])
        }
        (schema::DEPRECATIONS, ["entries", "-", "reference", "name"]) => {
            let loaded = cursor.loaded(&about.package);
            let bundles = loaded.catalog.bundles.iter().map(|one| Offer::text(&one.name, "bundle"));
            let channels = loaded.catalog.channels.iter().map(|one| Offer::text(&one.name, "channel"));
            bundles.chain(channels).collect()
        }
        (schema::BUNDLE, ["properties", "-", "type"]) => {
            let schemas =
                fbc_lint::schema::all().iter().filter_map(|file| file.name.strip_prefix("property/"));
            schemas.map(|name| Offer::text(name, "")).collect()
        }
        _ => of_schema(part),
    }
}

fn of_schema(part: Option<Part>) -> Vec<Offer> {
    let Some(part) = part else { return Vec::new() };
    let offer = |text: &str| Offer { is_text: !part.is_switch(), ..Offer::text(text, "") };
    part.values().into_iter().map(offer).collect()
}
