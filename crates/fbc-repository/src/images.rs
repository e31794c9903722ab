//! The images that catalogs and templates name, in their text: where they stand, and other references in their places.

use std::collections::BTreeMap;

use fbc_model::image_reference;
use fbc_yaml::edit::{Action, Change, EditError, Editor, document};
use fbc_yaml::{Document, Node, stream};

/// An image in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedImage {
    /// The document.
    pub document: usize,
    /// The object that names it, as a JSON pointer.
    pub pointer: String,
    /// The key.
    pub key: String,
    /// The reference.
    pub reference: String,
}

/// All images that a catalog or template names: bundles and related images, images of bundles in templates. What cannot be
/// read is left out.
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
        match node.get_str("schema").unwrap_or_default() {
            "olm.bundle" => {
                self.image(node, pointer, "image");
                self.list(node.get("relatedImages"), &format!("{pointer}/relatedImages"), "image");
            }
            "olm.template.basic" | "olm.template.substitutes" => {
                let entries = node.get("entries").into_iter().flat_map(Node::items).enumerate();
                entries.for_each(|(index, entry)| self.blob(entry, &format!("{pointer}/entries/{index}")));
                self.list(node.get("substitutions"), &format!("{pointer}/substitutions"), "name");
            }
            "olm.semver" => {
                // Go's decoder takes keys in whatever case.
                for (list, value) in node.members() {
                    for (key, bundles) in
                        value.members().filter(|(key, _)| key.eq_ignore_ascii_case("bundles"))
                    {
                        self.list(Some(bundles), &format!("{pointer}/{list}/{key}"), "image");
                    }
                }
            }
            _ => {}
        }
    }

    fn list(&mut self, list: Option<Node<'_>>, pointer: &str, key: &str) {
        for (index, item) in list.into_iter().flat_map(Node::items).enumerate() {
            self.image(item, &format!("{pointer}/{index}"), key);
        }
    }

    fn image(&mut self, node: Node<'_>, pointer: &str, key: &str) {
        let member = node.members().find(|(name, _)| name.eq_ignore_ascii_case(key));
        let Some((key, reference)) = member.and_then(|(key, value)| Some((key, value.as_str()?))) else {
            return;
        };
        if !reference.is_empty() {
            self.found.push(NamedImage {
                document: self.document,
                pointer: pointer.to_owned(),
                key: key.to_owned(),
                reference: reference.to_owned(),
            });
        }
    }
}

/// The text with other references in the places of some; comments and layout stay.
///
/// # Errors
/// A reference is written in a way that cannot be edited safely.
pub fn replaced(text: &[u8], references: &BTreeMap<String, String>) -> Result<Vec<u8>, EditError> {
    let mut editor = Editor::new(text);
    for image in images(text) {
        if let Some(new) = references.get(&image.reference) {
            let value = document(|builder| builder.string(new));
            let set = Action::Set { key: image.key, value };
            editor.change(image.document, &Change::new(image.pointer, set))?;
        }
    }
    editor.finish()
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
