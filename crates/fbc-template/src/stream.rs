//! Basic templates as streams of documents: blobs one after another, bundles with nothing but their images. opm took these
//! for templates before basic templates got a schema; some repositories hold both forms in one file.
//!
//! Source: `operator-framework/operator-registry:alpha/template/basic/basic.go` (v1.28),
//! `trustification/trusted-profile-analyzer-operator-fbc:v4.21/graph.yaml`.

use std::path::Path;

use fbc_model::Catalog;
use fbc_model::edit::EntryPlace;
use fbc_model::go_type;
use fbc_model::load;
use fbc_yaml::{Document, Node, json_writer, stream};

use crate::basic;
use crate::document::ENTRIES;
use crate::error::{TemplateError, TemplateFault};
use crate::kind::TemplateKind;
use crate::render::{Named, Renderer};

/// The kind of template that a file holds, also where the template is not its first document, or a stream of documents.
#[must_use]
pub fn kind_of(text: &[u8]) -> Option<TemplateKind> {
    if let Ok(kind) = crate::detect(text) {
        return Some(kind);
    }
    let documents = documents(text)?;
    // What stands before the first `---` is a document of its own, if only of comments.
    let first = documents.iter().map(Document::root).find(|root| !root.is_null());
    let first = first.and_then(|root| TemplateKind::from_schema(&go_type::text(root, "schema")).ok());
    if first == Some(TemplateKind::Semver) {
        return first;
    }
    let is_template = documents.iter().any(|document| is_basic(document.root()))
        || documents.iter().any(|document| is_only_named(document.root()));
    is_template.then_some(TemplateKind::Stream)
}

/// Where the entries of a template are written, in the order of their numbers; nothing for templates without entries.
#[must_use]
pub fn entry_places(text: &[u8]) -> Option<Vec<EntryPlace>> {
    let documents = documents(text)?;
    let all = documents.iter().enumerate().flat_map(|(document, read)| match template_entries(read.root()) {
        Some(entries) => {
            (0..entries.len()).map(|entry| EntryPlace { document, entry: Some(entry) }).collect()
        }
        None => vec![EntryPlace { document, entry: None }],
    });
    Some(match kind_of(text)? {
        TemplateKind::Semver | TemplateKind::Raw => return None,
        // What follows the first document does not count.
        TemplateKind::Basic | TemplateKind::Substitutes => {
            all.take_while(|place| place.document == 0).collect()
        }
        TemplateKind::Stream => all.collect(),
    })
}

/// The documents of a file that can be read as a whole.
fn documents(text: &[u8]) -> Option<Vec<Document>> {
    let read = stream::read::<_, ()>(text, &|document| Ok(document));
    read.into_iter().map(|one| one.outcome.ok()).collect()
}

fn is_basic(root: Node<'_>) -> bool {
    root.get_str("schema") == Some(basic::SCHEMA)
}

/// The entries of a template document; nothing for a blob.
fn template_entries(root: Node<'_>) -> Option<Vec<Node<'_>>> {
    let is_template = root.get_str("schema").is_some_and(|schema| TemplateKind::from_schema(schema).is_ok());
    is_template.then(|| root.get(ENTRIES.name).into_iter().flat_map(Node::items).collect())
}

/// Whether a blob is a bundle of which only the image is named.
fn is_only_named(root: Node<'_>) -> bool {
    root.get_str("schema") == Some("olm.bundle")
        && root.get_str("image").is_some_and(|image| !image.is_empty())
        && ["package", "properties", "relatedImages"].iter().all(|key| root.get(key).is_none())
}

/// Expands a stream.
pub(crate) fn render(text: &[u8], renderer: &Renderer<'_>) -> Result<Catalog, TemplateError> {
    let refuse = |message: &str| TemplateError::from(TemplateFault::Entry { message: message.to_owned() });
    let documents = documents(text).ok_or_else(|| refuse("the file cannot be read"))?;
    let mut blobs = String::new();
    for document in &documents {
        for blob in template_entries(document.root()).unwrap_or_else(|| vec![document.root()]) {
            json_writer::write_compact(&mut blobs, blob);
            blobs.push('\n');
        }
    }
    let mut catalog = load::load_bytes(Path::new(""), blobs.as_bytes());
    catalog.files.clear();
    if let Some(fault) = std::mem::take(&mut catalog.faults).into_iter().next() {
        return Err(refuse(&fault.message));
    }
    let mut named = Named::default();
    for bundle in &mut catalog.bundles {
        // A bundle that is written out is one.
        if !bundle.image.is_empty() && bundle.package.is_empty() && bundle.properties.is_empty() {
            let rendered = renderer
                .bundle(&bundle.image)
                .map_err(|fault| TemplateError::from(TemplateFault::Bundle(fault)))?;
            named.charge(&bundle.image, &rendered.bundle)?;
            *bundle = fbc_model::Bundle { origin: bundle.origin, ..rendered.bundle };
        }
    }
    Ok(catalog)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Images, yaml};

    const CHANNEL: &str =
        "schema: olm.channel\npackage: testop\nname: stable\nentries: [{name: testop.v0.1.0}]\n";
    const PACKAGE: &str = "schema: olm.package\nname: testop\ndefaultChannel: stable\n";

    #[test]
    fn a_stream_equals_the_template_with_its_entries() {
        let images = Images::from_rows(&[("r/b:1", "testop", "0.1.0", "")]);
        let stream = format!("---\n{CHANNEL}---\n{PACKAGE}---\nschema: olm.bundle\nimage: r/b:1\n");
        let mixed = format!(
            "---\n{CHANNEL}---\nschema: olm.template.basic\nentries:\n- {{schema: olm.package, name: testop, defaultChannel: stable}}\n\
             - {{schema: olm.bundle, image: r/b:1, name: testop.v0.1.0}}\n"
        );
        let basic = "schema: olm.template.basic\nentries:\n- {schema: olm.package, name: testop, defaultChannel: stable}\n\
            - {schema: olm.channel, package: testop, name: stable, entries: [{name: testop.v0.1.0}]}\n\
            - {schema: olm.bundle, image: r/b:1}\n";
        let expected = yaml(TemplateKind::Basic, basic, &images).unwrap();
        for text in [&stream, &mixed] {
            assert_eq!(kind_of(text.as_bytes()), Some(TemplateKind::Stream), "{text}");
            assert_eq!(yaml(TemplateKind::Stream, text, &images).unwrap(), expected, "{text}");
        }
        let places = |text: &str| {
            let places = entry_places(text.as_bytes()).unwrap();
            places.iter().map(|place| (place.document, place.entry)).collect::<Vec<_>>()
        };
        assert_eq!(places(&stream), [(0, None), (1, None), (2, None)]);
        assert_eq!(places(&mixed), [(0, None), (1, Some(0)), (1, Some(1))]);
        assert_eq!(places(basic), [(0, Some(0)), (0, Some(1)), (0, Some(2))]);
    }

    #[test]
    fn a_catalog_is_not_a_template() {
        let images = Images::from_rows(&[("r/b:1", "testop", "0.1.0", "")]);
        let basic = "schema: olm.template.basic\nentries: [{schema: olm.bundle, image: r/b:1}]\n";
        let catalog = yaml(TemplateKind::Basic, basic, &images).unwrap();
        for text in [catalog.as_str(), CHANNEL, "", "a: [", "schema: my.own\n"] {
            assert_eq!(kind_of(text.as_bytes()), None, "{text}");
        }
    }
}
