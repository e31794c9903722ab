//! What the directory `metadata` of a bundle says: annotations, dependencies, properties.
//!
//! The reference decodes every file into each of three Go types, and takes the first file that fits and says
//! something. A scalar where Go wants text is made text on the way, and keys count in upper and lower case.
//! Sources: `operator-framework/operator-registry:pkg/registry/parse.go` (`addMetadata`) and
//! `kubernetes-sigs/yaml:yaml.go` (`convertToJSONableObject`).

use fbc_go::json::escape_html;
use fbc_model::go_type;
use fbc_yaml::stream::Syntax;
use fbc_yaml::{Document, Kind, Node, json_writer};

use crate::folder::FirstDocument;

/// The annotations of a bundle that opm reads; empty where absent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Annotations {
    /// The package.
    pub package: String,
    /// The channels, separated by commas.
    pub channels: String,
    /// The default channel.
    pub default_channel: String,
}

/// A property or dependency with its value as JSON text, in the form in which opm keeps it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawProperty {
    /// The type.
    pub kind: String,
    /// The value; empty where there is none.
    pub value: String,
}

/// What the files say.
#[derive(Debug, Default)]
pub(crate) struct Metadata {
    pub(crate) annotations: Option<Annotations>,
    pub(crate) dependencies: Vec<RawProperty>,
    pub(crate) properties: Vec<RawProperty>,
}

/// Something that does not fit the Go type; the reference then goes on to the next file.
struct Unfit;

/// Reads the files, in their order.
pub(crate) fn read(files: &[FirstDocument]) -> Metadata {
    let mut metadata = Metadata::default();
    for (_, document, syntax) in files {
        if metadata.annotations.is_none() {
            let found = decoded(document, annotations);
            metadata.annotations = found.filter(|found| *found != Annotations::default());
        }
        if metadata.dependencies.is_empty() {
            let read = |text: &mut Texts<'_>| raw_properties(text, "dependencies", *syntax);
            metadata.dependencies = decoded(document, read).unwrap_or_default();
        }
        if metadata.properties.is_empty() {
            let read = |text: &mut Texts<'_>| raw_properties(text, "properties", *syntax);
            metadata.properties = decoded(document, read).unwrap_or_default();
        }
    }
    metadata
}

/// A document on its way into a Go type: what the type takes as text may be infinite or no number.
struct Texts<'n> {
    root: Node<'n>,
    not_numbers: usize,
}

/// A document as a Go type; nothing if it does not fit.
fn decoded<'n, T>(document: &'n Document, read: impl Fn(&mut Texts<'n>) -> Result<T, Unfit>) -> Option<T> {
    let mut texts = Texts { root: document.root(), not_numbers: 0 };
    let value = read(&mut texts).ok()?;
    // Where a type has no text, JSON has no way to say it.
    (document.not_numbers().count() == texts.not_numbers).then_some(value)
}

fn annotations(texts: &mut Texts<'_>) -> Result<Annotations, Unfit> {
    let annotations = member(texts.root, "annotations", Kind::Object)?;
    let mut text = |name: &str| match annotations {
        Some(annotations) => {
            texts.text(annotations, &format!("operators.operatorframework.io.bundle.{name}.v1"))
        }
        None => Ok(String::new()),
    };
    Ok(Annotations {
        package: text("package")?,
        channels: text("channels")?,
        default_channel: text("channel.default")?,
    })
}

fn raw_properties(texts: &mut Texts<'_>, list: &str, syntax: Syntax) -> Result<Vec<RawProperty>, Unfit> {
    let items = member(texts.root, list, Kind::Array)?.into_iter().flat_map(Node::items);
    items
        .map(|item| match item.kind() {
            Kind::Object => {
                Ok(RawProperty { kind: texts.text(item, "type")?, value: raw_value(item, syntax) })
            }
            Kind::Null => Ok(RawProperty { kind: String::new(), value: String::new() }),
            _ => Err(Unfit),
        })
        .collect()
}

/// A member of a kind; nothing where there is none, or it is null.
fn member<'n>(node: Node<'n>, name: &str, kind: Kind) -> Result<Option<Node<'n>>, Unfit> {
    match go_type::field(node, name) {
        Some(value) if value.kind() != kind => Err(Unfit),
        value => Ok(value),
    }
}

impl Texts<'_> {
    fn text(&mut self, node: Node<'_>, name: &str) -> Result<String, Unfit> {
        let Some(value) = go_type::field(node, name) else { return Ok(String::new()) };
        match value.kind() {
            Kind::String => Ok(value.as_str().unwrap_or_default().to_owned()),
            Kind::Bool => Ok(json_writer::compact(value)),
            Kind::Number => {
                self.not_numbers += usize::from(value.as_f64().is_some_and(|number| !number.is_finite()));
                Ok(go_type::number_as_text(value))
            }
            Kind::Null | Kind::Array | Kind::Object => Err(Unfit),
        }
    }
}

/// The JSON text that opm keeps of the value: from YAML it comes out of Go's encoder, which escapes what HTML would
/// read.
fn raw_value(item: Node<'_>, syntax: Syntax) -> String {
    let value = item.get("value").or_else(|| go_type::field(item, "value"));
    let text = value.map(json_writer::compact).unwrap_or_default();
    match syntax {
        Syntax::Yaml => escape_html(&text),
        Syntax::Json => text,
    }
}
