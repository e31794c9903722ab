//! The upgrade graph of the package under the cursor: the picture that `fbc graph` draws.

use fbc_graph::{PackageGraph, Semantics, document, page, svg};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::Cursor;

/// The method of the request.
pub const METHOD: &str = "fbc/graph";

/// What is asked.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GraphParams {
    /// The file.
    pub text_document: lsp_types::TextDocumentIdentifier,
    /// The place in it.
    pub position: lsp_types::Position,
    /// The form.
    #[serde(default)]
    pub format: GraphFormat,
}

/// The forms of the graph.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum GraphFormat {
    /// A picture.
    #[default]
    Svg,
    /// A page that needs no network.
    Html,
    /// The graph as data, as `fbc graph -o json` writes it.
    Json,
}

/// The graph of the package under the cursor; null where there is none.
#[must_use]
pub fn graph(cursor: &Cursor<'_>, format: GraphFormat) -> Value {
    let package = &cursor.piece.about.package;
    if package.is_empty() {
        return Value::Null;
    }
    let loaded = cursor.loaded(package);
    let graph = PackageGraph::from_catalog(&loaded.catalog, package);
    let channels: Vec<usize> = (0..graph.channels.len()).collect();
    let content = match format {
        GraphFormat::Svg => Value::from(svg::draw(&graph, &channels, Semantics::V1)),
        GraphFormat::Html => Value::from(page::draw(&[(graph, channels)], Semantics::V1)),
        GraphFormat::Json => {
            json!({ "packages": [document::describe(&graph, &[Semantics::V0, Semantics::V1])] })
        }
    };
    json!({ "package": package, "format": format, "content": content })
}
