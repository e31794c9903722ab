//! What a file looks like at large: symbols, folds, links and hints.

use std::ops::Range;
use std::path::Path;

use fbc_graph::{Moves, PackageGraph, Semantics};
use fbc_model::blob::schema;
use fbc_yaml::locate::{Child, Locator};
use lsp_types::{
    DocumentLink, DocumentSymbol, FoldingRange, InlayHint, InlayHintKind, InlayHintLabel, Position,
    SymbolKind, Url,
};

use super::{Loaded, MOST_ICON, locator, unquoted};
use crate::buffer::{Buffer, Piece};
use crate::catalog::CatalogState;
use crate::host::FileKind;
use crate::position::Encoding;

/// Folds within documents are made of files up to this size.
const MOST_BYTES_FOR_KEYS: usize = 4 << 20;

/// The documents of a file by name, channels with their entries; of files that are not of a catalog, what they list.
#[must_use]
pub fn symbols(buffer: &Buffer, kind: FileKind, encoding: Encoding) -> Vec<DocumentSymbol> {
    let is_small = buffer.len() <= MOST_BYTES_FOR_KEYS;
    let pieces = buffer.pieces.iter().enumerate();
    match kind {
        FileKind::Catalog => pieces
            .filter(|(_, piece)| !piece.about.schema.is_empty())
            .map(|(number, piece)| symbol(buffer, number, piece, is_small, encoding))
            .collect(),
        FileKind::Configuration => Vec::new(),
        _ => pieces
            .filter(|_| is_small)
            .flat_map(|(number, piece)| keys(buffer, number, piece, encoding))
            .collect(),
    }
}

/// The keys at the top of a document, and the items of their lists by what names them.
fn keys(buffer: &Buffer, number: usize, piece: &Piece, encoding: Encoding) -> Vec<DocumentSymbol> {
    let locator = locator(piece);
    let range = |bytes| buffer.range(number, bytes, encoding);
    let symbol = |key: Child| {
        let span = key.key.clone()?;
        let items = locator.children(&format!("/{}", key.step)).into_iter().filter(|item| item.key.is_none());
        let children: Vec<DocumentSymbol> = items
            .filter_map(|item| {
                let at = format!("/{}/{}", key.step, item.step);
                let name = ITEM_NAMES.iter().map(|name| locator.find(&format!("{at}/{name}")));
                let bytes = unquoted(&piece.text, &name.into_iter().find(|found| found.is_exact)?.value);
                let text =
                    piece.text.get(bytes.clone()).filter(|text| !text.is_empty() && !text.contains('\n'))?;
                Some(made(text.to_owned(), String::new(), SymbolKind::FIELD, range(item.value), range(bytes)))
            })
            .collect();
        let whole = range(span.start..key.value.end.max(span.end));
        let mut symbol = made(key.step, String::new(), SymbolKind::OBJECT, whole, range(span));
        symbol.children = Some(children).filter(|children| !children.is_empty());
        Some(symbol)
    };
    locator.children("").into_iter().filter_map(symbol).collect()
}

/// What names an item of a list in templates, scenarios and image sets, the best first.
const ITEM_NAMES: [&str; 5] = ["name", "step", "image", "catalog", "schema"];

fn symbol(
    buffer: &Buffer,
    number: usize,
    piece: &Piece,
    with_entries: bool,
    encoding: Encoding,
) -> DocumentSymbol {
    let about = &piece.about;
    let kind = match about.schema.as_str() {
        schema::PACKAGE => SymbolKind::PACKAGE,
        schema::CHANNEL => SymbolKind::INTERFACE,
        schema::BUNDLE => SymbolKind::CLASS,
        schema::DEPRECATIONS => SymbolKind::EVENT,
        _ => SymbolKind::OBJECT,
    };
    let whole = buffer.range(number, 0..piece.text.trim_end().len(), encoding);
    let mut children = Vec::new();
    if with_entries && about.schema == schema::CHANNEL {
        let locator = locator(piece);
        for child in locator.children("/entries") {
            let name = locator.find(&format!("/entries/{}/name", child.step));
            let name = unquoted(&piece.text, &name.value);
            let text = piece.text.get(name.clone()).unwrap_or_default().to_owned();
            if !text.is_empty() && !text.contains('\n') {
                let range = buffer.range(number, child.value, encoding);
                children.push(made(
                    text,
                    String::new(),
                    SymbolKind::FIELD,
                    range,
                    buffer.range(number, name, encoding),
                ));
            }
        }
    }
    let name = if about.name.is_empty() { about.schema.clone() } else { about.name.clone() };
    let start = lsp_types::Range::new(whole.start, whole.start);
    let mut symbol = made(name, about.schema.clone(), kind, whole, start);
    symbol.children = Some(children).filter(|children| !children.is_empty());
    symbol
}

fn made(
    name: String,
    detail: String,
    kind: SymbolKind,
    range: lsp_types::Range,
    selection_range: lsp_types::Range,
) -> DocumentSymbol {
    let detail = Some(detail).filter(|detail| !detail.is_empty());
    #[allow(deprecated, reason = "the type has no other constructor")]
    DocumentSymbol {
        name,
        detail,
        kind,
        tags: None,
        deprecated: None,
        range,
        selection_range,
        children: None,
    }
}

/// Documents, and the lists and objects at their top.
#[must_use]
pub fn folds(buffer: &Buffer, encoding: Encoding) -> Vec<FoldingRange> {
    let mut folds = Vec::new();
    let is_small = buffer.len() <= MOST_BYTES_FOR_KEYS;
    let mut push = |range: lsp_types::Range| {
        if range.end.line > range.start.line {
            folds.push(FoldingRange {
                start_line: range.start.line,
                end_line: range.end.line,
                ..FoldingRange::default()
            });
        }
    };
    for (number, piece) in buffer.pieces.iter().enumerate() {
        push(buffer.range(number, 0..piece.text.trim_end().len(), encoding));
        if is_small {
            for child in locator(piece).children("").into_iter().filter(|child| child.is_container) {
                let start = child.key.map_or(child.value.start, |key| key.start);
                push(buffer.range(number, start..child.value.end, encoding));
            }
        }
    }
    folds
}

/// Images as links to their registries, and icons.
#[must_use]
pub fn links(buffer: &Buffer, kind: FileKind, encoding: Encoding) -> Vec<DocumentLink> {
    let mut links = Vec::new();
    if buffer.len() > MOST_BYTES_FOR_KEYS || kind == FileKind::Configuration {
        return links;
    }
    for (number, piece) in buffer.pieces.iter().enumerate() {
        let locator = locator(piece);
        let mut link = |bytes, target, tooltip: &str| {
            links.push(DocumentLink {
                range: buffer.range(number, bytes, encoding),
                target: Some(target),
                tooltip: Some(tooltip.to_owned()),
                data: None,
            });
        };
        let pointers = match (kind, piece.about.schema.as_str()) {
            (FileKind::Catalog, schema::BUNDLE) => {
                let related = locator.children("/relatedImages").into_iter();
                let related = related.map(|child| format!("/relatedImages/{}/image", child.step));
                std::iter::once("/image".to_owned()).chain(related).collect()
            }
            (FileKind::Catalog, schema::PACKAGE) => {
                if let Some((bytes, target)) = icon(piece, &locator) {
                    link(bytes, target, "the icon");
                }
                Vec::new()
            }
            (FileKind::Catalog, _) => Vec::new(),
            _ => image_pointers(&locator),
        };
        for pointer in pointers {
            let found = locator.find(&pointer);
            let bytes = unquoted(&piece.text, &found.value);
            let target = piece.text.get(bytes.clone()).filter(|_| found.is_exact).and_then(page_of);
            if let Some(target) = target {
                link(bytes, target, "the repository of the image");
            }
        }
    }
    links
}

/// Values that are images, wherever they stand.
fn image_pointers(locator: &Locator) -> Vec<String> {
    let mut found = Vec::new();
    let mut waiting = vec![String::new()];
    while let Some(at) = waiting.pop() {
        for child in locator.children(&at) {
            let pointer = format!("{at}/{}", child.step.replace('~', "~0").replace('/', "~1"));
            let is_image = matches!(child.step.to_lowercase().as_str(), "image" | "catalog")
                || at.starts_with("/mirror/additionalImages/") && child.step == "name"
                || at.starts_with("/substitutions/") && child.step == "name";
            if child.is_container {
                waiting.push(pointer);
            } else if is_image {
                found.push(pointer);
            }
        }
    }
    found.sort();
    found
}

/// The picture of a package, as an address that holds it; the link stands on its media type, since the data is long.
fn icon(piece: &Piece, locator: &Locator) -> Option<(Range<usize>, Url)> {
    let text = |pointer: &str| {
        let found = locator.find(pointer);
        let bytes = unquoted(&piece.text, &found.value);
        let text = piece.text.get(bytes.clone()).filter(|_| found.is_exact)?;
        (!text.is_empty() && !text.contains(char::is_whitespace)).then_some((bytes, text))
    };
    let ((_, data), (bytes, media_type)) = (text("/icon/base64data")?, text("/icon/mediatype")?);
    let is_picture = media_type.starts_with("image/") && data.len() <= MOST_ICON;
    is_picture.then(|| Some((bytes, Url::parse(&format!("data:{media_type};base64,{data}")).ok()?)))?
}

/// The page of a repository.
fn page_of(image: &str) -> Option<Url> {
    let (host, path) = image.split('@').next()?.split_once('/')?;
    let path = match path.rsplit_once(':') {
        Some((path, tag)) if !tag.contains('/') => path,
        _ => path,
    };
    let is_name =
        |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._/:".contains(&byte));
    if !host.contains('.') || !is_name(host) || !is_name(path) {
        return None;
    }
    let address = match host {
        "quay.io" => format!("https://quay.io/repository/{path}"),
        "docker.io" => format!("https://hub.docker.com/r/{path}"),
        "registry.redhat.io" => format!("https://catalog.redhat.com/software/containers/{path}"),
        host => format!("https://{host}/{path}"),
    };
    Url::parse(&address).ok()
}

/// The head of each channel, and what each entry is updated to.
#[must_use]
pub fn hints(
    state: &CatalogState,
    path: &Path,
    range: lsp_types::Range,
    encoding: Encoding,
) -> Vec<InlayHint> {
    let Some(file) = state.files.get(path) else { return Vec::new() };
    let starts = file.buffer.starts(encoding);
    let mut hints = Vec::new();
    let mut loaded: Option<(String, Loaded)> = None;
    for (number, piece) in file.buffer.pieces.iter().enumerate() {
        let start = starts.get(number).map_or(0, |start| start.line);
        let is_seen = start <= range.end.line && start + piece.lines >= range.start.line;
        if !is_seen || piece.about.schema != schema::CHANNEL || piece.fault.is_some() {
            continue;
        }
        let package = &piece.about.package;
        if loaded.as_ref().is_none_or(|(name, _)| name != package) {
            loaded = Some((package.clone(), Loaded::of(state, package)));
        }
        let Some((_, package_loaded)) = &loaded else { continue };
        of_channel(&package_loaded.catalog, piece, &mut |byte, text| {
            let position = file.buffer.position(number, byte, encoding);
            if position.line >= range.start.line && position.line <= range.end.line {
                hints.push(hint(position, text));
            }
        });
    }
    hints
}

fn of_channel(catalog: &fbc_model::Catalog, piece: &Piece, push: &mut dyn FnMut(usize, String)) {
    let graph = PackageGraph::from_catalog(catalog, &piece.about.package);
    let Some(channel) = graph.channels.iter().find(|channel| channel.name == piece.about.name) else {
        return;
    };
    let moves = [Semantics::V0, Semantics::V1].map(|semantics| Moves::new(&graph, &[channel], semantics));
    let locator = locator(piece);
    for (number, edges) in channel.edges.iter().enumerate() {
        let found = locator.find(&format!("/entries/{number}/name"));
        if !found.is_exact {
            continue;
        }
        let [v0, v1] =
            moves.each_ref().map(|moves| moves.next.get(edges.node).copied().flatten().map(|step| step.to));
        let name = |node: usize| graph.node_name(node).to_owned();
        let text = match (v0, v1) {
            _ if channel.analysis.head() == Some(number) => "head of the channel".to_owned(),
            (None, None) => "no update".to_owned(),
            (Some(v0), Some(v1)) if v0 == v1 => format!("→ {}", name(v0)),
            (Some(v0), Some(v1)) => format!("→ {} (v1: {})", name(v0), name(v1)),
            (Some(v0), None) => format!("→ {} (v1: none)", name(v0)),
            (None, Some(v1)) => format!("→ none (v1: {})", name(v1)),
        };
        push(found.value.end, text);
    }
}

fn hint(position: Position, text: String) -> InlayHint {
    InlayHint {
        position,
        label: InlayHintLabel::String(text),
        kind: Some(InlayHintKind::TYPE),
        text_edits: None,
        tooltip: None,
        padding_left: Some(true),
        padding_right: None,
        data: None,
    }
}

#[cfg(test)]
mod tests {
    use super::page_of;

    #[test]
    fn images_have_pages() {
        let page = |image: &str| page_of(image).map(|url| url.to_string());
        assert_eq!(page("quay.io/a/b:v1@sha256:00").as_deref(), Some("https://quay.io/repository/a/b"));
        assert_eq!(page("registry.example.com/x").as_deref(), Some("https://registry.example.com/x"));
        assert_eq!(page("busybox"), None);
        assert_eq!(page("evil.example/\"><b>"), None);
    }
}
