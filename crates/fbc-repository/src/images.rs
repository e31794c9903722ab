//! The images that catalogs and templates name, in their text: where they stand, and other references in their places.

use std::collections::BTreeMap;

use fbc_go::base64;
use fbc_lint::manifests::running;
use fbc_model::{bundle_object, go_type, image_reference};
use fbc_yaml::edit::{Action, Change, EditError, Editor, document};
use fbc_yaml::stream::{self, Fault};
use fbc_yaml::{Document, Kind, Node};

use crate::blob::is_blob;

/// An image in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedImage {
    /// The document.
    pub document: usize,
    /// The object that names it, as a JSON pointer.
    pub pointer: String,
    /// The key.
    pub key: String,
    /// The place in the manifest that the value holds in base64, as a JSON pointer; nothing if the value is the image.
    pub within: Option<String>,
    /// The reference.
    pub reference: String,
}

/// Why a text cannot be searched for images.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsearchable {
    /// It is not YAML or JSON.
    Malformed {
        /// The line, from 1.
        line: usize,
        /// What is wrong, in the words of the parser.
        message: String,
    },
    /// Nothing in it has a schema.
    NoBlob,
}

/// Makes sure that a text is a catalog or template, all of which can be read.
///
/// # Errors
/// [`Unsearchable`]
pub fn check(text: &[u8]) -> Result<(), Unsearchable> {
    let mut has_blob = false;
    for one in stream::read::<_, ()>(text, &|document: Document| Ok(document)) {
        let malformed = |message: String, byte: usize| {
            let before = text.get(..byte).unwrap_or(text);
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            Unsearchable::Malformed { line, message }
        };
        match one.outcome {
            Ok(document) => has_blob |= is_blob(&document),
            Err(Fault::Malformed { message, byte }) => return Err(malformed(message, byte)),
            Err(Fault::Separator { rest, byte }) => {
                return Err(malformed(format!("a line begins with `---` and goes on: {rest}"), byte));
            }
            Err(Fault::Rejected(())) => {}
        }
    }
    if has_blob { Ok(()) } else { Err(Unsearchable::NoBlob) }
}

/// All images that a catalog or template names: bundles and related images, images of bundles in templates, and those that
/// run by the ClusterServiceVersion inside of `olm.bundle.object`. What cannot be read is left out.
#[must_use]
pub fn images(text: &[u8]) -> Vec<NamedImage> {
    let read = stream::read::<_, ()>(text, &|document: Document| Ok(document));
    let mut found = Vec::new();
    for (number, one) in read.iter().enumerate() {
        if let Ok(document) = &one.outcome {
            Search { document: number, found: &mut found }.blob(document.root(), "");
        }
    }
    found
}

struct Search<'f> {
    document: usize,
    found: &'f mut Vec<NamedImage>,
}

impl Search<'_> {
    fn blob(&mut self, node: Node<'_>, pointer: &str) {
        match go_type::text(node, "schema").as_str() {
            "olm.bundle" => {
                self.image(node, pointer, "image");
                self.list(node, pointer, "relatedImages", "image");
                for (place, property) in items(node, pointer, "properties") {
                    if go_type::text(property, "type") == bundle_object::PROPERTY_TYPE
                        && let Some((key, value)) = go_type::member(property, "value")
                    {
                        self.manifest(value, &format!("{place}/{key}"));
                    }
                }
            }
            "olm.template.basic" | "olm.template.substitutes" => {
                items(node, pointer, "entries").for_each(|(place, entry)| self.blob(entry, &place));
                self.list(node, pointer, "substitutions", "name");
            }
            "olm.semver" => {
                for (channel, value) in node.members() {
                    self.list(value, &format!("{pointer}/{channel}"), "bundles", "image");
                }
            }
            _ => {}
        }
    }

    fn manifest(&mut self, value: Node<'_>, pointer: &str) {
        let text = value.get_str(DATA).and_then(manifest_of);
        let Some(Ok(manifest)) = text.as_deref().map(stream::read_one) else { return };
        if manifest.root().get_str("kind") == Some("ClusterServiceVersion") {
            for image in running(manifest.root(), pointer) {
                self.found.push(NamedImage {
                    document: self.document,
                    pointer: image.pointer,
                    key: DATA.to_owned(),
                    within: image.within,
                    reference: image.image,
                });
            }
        }
    }

    fn list(&mut self, node: Node<'_>, pointer: &str, name: &str, key: &str) {
        items(node, pointer, name).for_each(|(place, item)| self.image(item, &place, key));
    }

    fn image(&mut self, node: Node<'_>, pointer: &str, key: &str) {
        let member = go_type::member(node, key);
        let Some((key, reference)) = member.and_then(|(key, value)| Some((key, value.as_str()?))) else {
            return;
        };
        if !reference.is_empty() {
            self.found.push(NamedImage {
                document: self.document,
                pointer: pointer.to_owned(),
                key: key.to_owned(),
                within: None,
                reference: reference.to_owned(),
            });
        }
    }
}

/// The items of a list with their places. Go's decoder takes its name in whatever case.
fn items<'d>(node: Node<'d>, pointer: &str, name: &str) -> impl Iterator<Item = (String, Node<'d>)> {
    let list = go_type::member(node, name).map(|(key, list)| (format!("{pointer}/{key}"), list));
    list.into_iter().flat_map(|(place, list)| {
        list.items().enumerate().map(move |(index, item)| (format!("{place}/{index}"), item))
    })
}

/// The key of a manifest in base64.
const DATA: &str = "data";

/// The manifest in a text of base64, if it is a ClusterServiceVersion by the look of it.
fn manifest_of(data: &str) -> Option<Vec<u8>> {
    let text = base64::decode(data).ok()?;
    memchr::memmem::find(&text, b"ClusterServiceVersion").is_some().then_some(text)
}

/// The text with other references in the places of some; comments and layout stay.
///
/// # Errors
/// A reference is written in a way that cannot be edited safely.
pub fn replaced(text: &[u8], references: &BTreeMap<String, String>) -> Result<Vec<u8>, EditError> {
    let mut editor = Editor::new(text);
    // The places in each manifest, which is rewritten once.
    let mut manifests: BTreeMap<(usize, String), Vec<(String, &String)>> = BTreeMap::new();
    for image in images(text) {
        let Some(new) = references.get(&image.reference) else { continue };
        match image.within {
            Some(within) => manifests.entry((image.document, image.pointer)).or_default().push((within, new)),
            None => editor.change(image.document, &set(image.pointer, image.key, new))?,
        }
    }
    let read = stream::read::<_, ()>(text, &|document: Document| Ok(document));
    for ((number, pointer), places) in manifests {
        let document = read.get(number).and_then(|one| one.outcome.as_ref().ok());
        let value = document.and_then(|document| node_at(document.root(), &pointer));
        let Some(manifest) = value.and_then(|value| manifest_of(value.get_str(DATA)?)) else { continue };
        let mut inside = Editor::new(&manifest);
        for (within, new) in places {
            if let Some((parent, key)) = within.rsplit_once('/') {
                inside.change(0, &set(parent.to_owned(), key.to_owned(), new))?;
            }
        }
        let data = base64::encode(&inside.finish()?);
        editor.change(number, &set(pointer, DATA.to_owned(), &data))?;
    }
    editor.finish()
}

/// The value at one of the pointers that [`Search`] makes, whose keys need no escapes.
fn node_at<'d>(root: Node<'d>, pointer: &str) -> Option<Node<'d>> {
    pointer.split('/').skip(1).try_fold(root, |node, step| match node.kind() {
        Kind::Array => node.items().nth(step.parse().ok()?),
        _ => node.get(step),
    })
}

fn set(pointer: String, key: String, value: &str) -> Change {
    let value = document(|builder| builder.string(value));
    Change::new(pointer, Action::Set { key, value })
}

/// The repository of a reference that names no digest, as it is written, and what its tag is; `latest` where none is.
/// Nothing for what has a digest, or is not an image.
#[must_use]
pub fn tagged(reference: &str) -> Option<(&str, &str)> {
    let parsed = image_reference::parse(reference).ok().filter(|parsed| parsed.digest.is_none())?;
    match &parsed.tag {
        Some(tag) => {
            Some((reference.strip_suffix(tag.as_str())?.strip_suffix(':')?, reference.rsplit_once(':')?.1))
        }
        None => Some((reference, "latest")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGEST: &str = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    #[test]
    fn images_are_replaced_in_their_places() {
        for (text, expected) in [
            (
                "schema: olm.bundle\nimage: r.io/a:1 # the first\nrelatedImages:\n- {name: x, image: r.io/a:1}\n- {image: r.io/b}\n",
                "schema: olm.bundle\nimage: r.io/a@D # the first\nrelatedImages:\n- {name: x, image: r.io/a@D}\n- {image: r.io/b}\n",
            ),
            (
                "schema: olm.template.basic\nentries:\n- {schema: olm.channel, name: r.io/a:1}\n- schema: olm.bundle\n  image: 'r.io/a:1'\n",
                "schema: olm.template.basic\nentries:\n- {schema: olm.channel, name: r.io/a:1}\n- schema: olm.bundle\n  image: r.io/a@D\n",
            ),
            (
                "Schema: x\nschema: olm.semver\nStable:\n  Bundles:\n  - Image: r.io/a:1\n",
                "Schema: x\nschema: olm.semver\nStable:\n  Bundles:\n  - Image: r.io/a@D\n",
            ),
            (
                "schema: olm.template.substitutes\nsubstitutions:\n- name: r.io/a:1\n  base: r.io/a:1\n",
                "schema: olm.template.substitutes\nsubstitutions:\n- name: r.io/a@D\n  base: r.io/a:1\n",
            ),
            (
                "Schema: olm.template.basic\nEntries:\n- Schema: olm.bundle\n  RelatedImages:\n  - Image: r.io/a:1\n",
                "Schema: olm.template.basic\nEntries:\n- Schema: olm.bundle\n  RelatedImages:\n  - Image: r.io/a@D\n",
            ),
            (
                "{\"schema\": \"olm.bundle\", \"image\": \"r.io/a:1\"}",
                "{\"schema\": \"olm.bundle\", \"image\": \"r.io/a@D\"}",
            ),
        ] {
            let map = [("r.io/a:1".to_owned(), format!("r.io/a@{DIGEST}"))].into();
            let new = String::from_utf8(replaced(text.as_bytes(), &map).unwrap()).unwrap();
            assert_eq!(
                new.replace(['\'', '"'], ""),
                expected.replace("@D", &format!("@{DIGEST}")).replace(['\'', '"'], "")
            );
        }
    }

    #[test]
    fn a_text_without_blobs_cannot_be_searched() {
        let malformed =
            |line, message: &str| Err(Unsearchable::Malformed { line, message: message.to_owned() });
        for (text, expected) in [
            ("# bundles\n---\nSchema: olm.semver\n", Ok(())),
            ("{\"schema\": \"olm.bundle\"}{}", Ok(())),
            ("hello\n", Err(Unsearchable::NoBlob)),
            ("", Err(Unsearchable::NoBlob)),
            ("schema: a\n---x\n", malformed(2, "a line begins with `---` and goes on: x")),
        ] {
            assert_eq!(check(text.as_bytes()), expected, "{text}");
        }
        let broken = check(b"schema: a\nx:\n  y: z: 1\n");
        assert!(matches!(broken, Err(Unsearchable::Malformed { line: 3, .. })), "{broken:?}");
    }

    #[test]
    fn images_inside_of_manifests_are_replaced_too() {
        let csv = r#"{"kind": "ClusterServiceVersion", "metadata": {"annotations": {"containerImage": "r.io/a:1"}},
            "spec": {"relatedImages": [{"name": "x", "image": "r.io/b:1"}], "install": {"spec": {"deployments": [
            {"name": "d", "spec": {"template": {"spec": {"containers": [{"name": "c", "image": "r.io/a:1",
            "env": [{"name": "RELATED_IMAGE_B", "value": "r.io/b:1"}, {"name": "OTHER", "value": "r.io/a:1"}]}]}}}}]}}}}"#;
        let bundle = |csv: &str| {
            format!(
                "schema: olm.bundle\nimage: r.io/c:1\nproperties:\n- type: olm.bundle.object # the description\n  value:\n    data: {}\n",
                base64::encode(csv.as_bytes())
            )
        };
        let text = bundle(csv);
        let named: Vec<String> = images(text.as_bytes()).into_iter().map(|image| image.reference).collect();
        assert_eq!(named, ["r.io/c:1", "r.io/b:1", "r.io/a:1", "r.io/b:1"]);
        let pinned = format!("r.io/b@{DIGEST}");
        let map = [("r.io/b:1".to_owned(), pinned.clone())].into();
        let new = String::from_utf8(replaced(text.as_bytes(), &map).unwrap()).unwrap();
        assert_eq!(new, bundle(&csv.replace("r.io/b:1", &pinned)));
        let back = [(pinned, "r.io/b:1".to_owned())].into();
        assert_eq!(replaced(new.as_bytes(), &back).unwrap(), text.as_bytes());
    }

    #[test]
    fn tags() {
        for (reference, expected) in [
            ("r.io/a:1", Some(("r.io/a", "1"))),
            ("r.io:5000/a/b", Some(("r.io:5000/a/b", "latest"))),
            ("r.io:5000/a/b:v2", Some(("r.io:5000/a/b", "v2"))),
            ("../bundles/x", None),
            ("", None),
        ] {
            assert_eq!(tagged(reference), expected, "{reference}");
        }
        assert_eq!(tagged(&format!("r.io/a@{DIGEST}")), None);
        assert_eq!(tagged(&format!("r.io/a:1@{DIGEST}")), None);
    }
}
