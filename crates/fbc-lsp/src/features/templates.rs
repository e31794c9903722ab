//! Names in templates: those of the blobs that a template lists itself.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_model::blob::schema;
use fbc_yaml::{Node, stream};
use lsp_types::{Location, TextEdit, Url};

use super::mentions::Named;
use super::{locator, unquoted};
use crate::buffer::{Buffer, Piece};
use crate::host::{FileKind, Host, kind_of};
use crate::position::Encoding;

/// Files and directories of a workspace that are looked at for templates.
const MOST_ENTRIES: usize = 20_000;
/// Bytes of a file that may be a template.
const MOST_BYTES: u64 = 4 << 20;

/// A name in a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateMention {
    /// What it names.
    pub named: Named,
    /// The package that it belongs to.
    pub package: String,
    /// The name.
    pub name: String,
    /// Its bytes in the document, without quotes.
    pub bytes: Range<usize>,
    /// Whether it is what the others mean. A bundle is named by its image, so that its entries in channels count.
    pub is_definition: bool,
}

/// Templates by their addresses, with their texts.
pub type Templates = BTreeMap<Url, Arc<Buffer>>;

/// The names in a document of a template, in no order.
#[must_use]
pub fn mentions(piece: &Piece) -> Vec<TemplateMention> {
    let Ok(document) = stream::read_one(piece.text.as_bytes()) else { return Vec::new() };
    let (root, locator) = (document.root(), locator(piece));
    let mut found = Found {
        place: &|pointer| {
            let found = locator.find(pointer);
            found.is_exact.then(|| unquoted(&piece.text, &found.value))
        },
        all: Vec::new(),
    };
    let entries = || root.get("entries").into_iter().flat_map(Node::items).enumerate();
    for (number, blob) in entries() {
        found.blob(blob, &format!("/entries/{number}"));
    }
    let package = entries().find_map(|(_, blob)| blob.get_str("package")).unwrap_or_default();
    for (number, one) in root.get("substitutions").into_iter().flat_map(Node::items).enumerate() {
        found.push(one, package, Named::Bundle, &format!("/substitutions/{number}"), "base", false);
    }
    found.all
}

struct Found<'p> {
    place: &'p dyn Fn(&str) -> Option<Range<usize>>,
    all: Vec<TemplateMention>,
}

impl Found<'_> {
    fn blob(&mut self, blob: Node<'_>, at: &str) {
        let kind = blob.get_str("schema").unwrap_or_default();
        let package_key = if kind == schema::PACKAGE { "name" } else { "package" };
        let package = blob.get_str(package_key).unwrap_or_default();
        self.push(blob, package, Named::Package, at, package_key, kind == schema::PACKAGE);
        let entries = || blob.get("entries").into_iter().flat_map(Node::items).enumerate();
        match kind {
            schema::PACKAGE => self.push(blob, package, Named::Channel, at, "defaultChannel", false),
            schema::BUNDLE => self.push(blob, package, Named::Bundle, at, "name", true),
            schema::CHANNEL => {
                self.push(blob, package, Named::Channel, at, "name", true);
                for (number, entry) in entries() {
                    let at = format!("{at}/entries/{number}");
                    self.push(entry, package, Named::Bundle, &at, "name", true);
                    self.push(entry, package, Named::Bundle, &at, "replaces", false);
                    for (index, skip) in entry.get("skips").into_iter().flat_map(Node::items).enumerate() {
                        self.put(
                            skip.as_str(),
                            package,
                            Named::Bundle,
                            &format!("{at}/skips/{index}"),
                            false,
                        );
                    }
                }
            }
            schema::DEPRECATIONS => {
                for (number, entry) in entries() {
                    let Some(reference) = entry.get("reference") else { continue };
                    let named = match reference.get_str("schema") {
                        Some(schema::BUNDLE) => Named::Bundle,
                        Some(schema::CHANNEL) => Named::Channel,
                        _ => continue,
                    };
                    self.push(
                        reference,
                        package,
                        named,
                        &format!("{at}/entries/{number}/reference"),
                        "name",
                        false,
                    );
                }
            }
            _ => {}
        }
    }

    fn push(
        &mut self,
        object: Node<'_>,
        package: &str,
        named: Named,
        at: &str,
        key: &str,
        is_definition: bool,
    ) {
        self.put(object.get_str(key), package, named, &format!("{at}/{key}"), is_definition);
    }

    fn put(&mut self, name: Option<&str>, package: &str, named: Named, pointer: &str, is_definition: bool) {
        let Some(name) = name.filter(|name| !name.is_empty()) else { return };
        let Some(bytes) = (self.place)(pointer) else { return };
        let (package, name) = (package.to_owned(), name.to_owned());
        self.all.push(TemplateMention { named, package, name, bytes, is_definition });
    }
}

/// The name at a byte of a document of a template.
#[must_use]
pub fn mention_at(piece: &Piece, byte: usize) -> Option<TemplateMention> {
    mentions(piece).into_iter().find(|one| one.bytes.start <= byte && byte <= one.bytes.end)
}

/// Where templates mention the same as a name, and whether they define it there.
#[must_use]
pub fn places(
    templates: &Templates,
    named: Named,
    package: &str,
    name: &str,
    encoding: Encoding,
) -> Vec<(Location, bool)> {
    let mut places = Vec::new();
    for (url, buffer) in templates {
        for (number, piece) in buffer.pieces.iter().enumerate() {
            let same = mentions(piece)
                .into_iter()
                .filter(|one| one.named == named && one.package == package && one.name == name);
            places.extend(same.map(|one| {
                let range = buffer.range(number, one.bytes, encoding);
                (Location::new(url.clone(), range), one.is_definition)
            }));
        }
    }
    places
}

/// The edits that give something another name in templates.
#[must_use]
pub fn edits(places: Vec<(Location, bool)>, to: &str) -> Vec<(Url, TextEdit)> {
    places.into_iter().map(|(place, _)| (place.uri, TextEdit::new(place.range, to.to_owned()))).collect()
}

/// The templates in directories of the disk. Hidden directories, and those that hold what programs wrote, are passed over.
#[must_use]
pub fn in_folders(host: &dyn Host, folders: &[PathBuf]) -> Templates {
    let mut templates = Templates::new();
    let mut entries = 0;
    for folder in folders {
        let tree = host.tree(folder);
        let mut waiting = vec![PathBuf::new()];
        while let Some(directory) = waiting.pop() {
            for entry in tree.list(&directory).unwrap_or_default() {
                entries += 1;
                if entries > MOST_ENTRIES {
                    return templates;
                }
                let name = entry.name.to_string_lossy().into_owned();
                let path = directory.join(&entry.name);
                let is_passed_over = name.starts_with('.') || name == "node_modules" || name == "target";
                if entry.is_directory && !is_passed_over {
                    waiting.push(path);
                } else if !entry.is_directory && tree.size(&path).is_none_or(|size| size <= MOST_BYTES) {
                    let text = is_document(&name).then(|| tree.read(&path).ok()).flatten();
                    templates.extend(text.and_then(|text| template(&folder.join(&path), text)));
                }
            }
        }
    }
    templates
}

fn is_document(name: &str) -> bool {
    [".yaml", ".yml", ".json"].iter().any(|end| name.ends_with(end))
}

fn template(path: &Path, bytes: Vec<u8>) -> Option<(Url, Arc<Buffer>)> {
    let text = String::from_utf8(bytes).ok()?;
    let is_template = kind_of(path, &text) == Some(FileKind::Template);
    is_template.then(|| Some((Url::from_file_path(path).ok()?, Arc::new(Buffer::new(&text)))))?
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_templates() {
        let text = "\
schema: olm.template.substitutes
entries:
- schema: olm.package
  name: foo
  defaultChannel: \"stable\"
- schema: olm.channel
  package: foo
  name: stable
  entries:
  - name: foo.v1
  - {name: foo.v2, replaces: foo.v1, skips: [foo.v0]}
- schema: olm.bundle
  image: quay.io/foo/foo:v1
- schema: olm.deprecations
  package: foo
  entries:
  - reference: {schema: olm.bundle, name: foo.v1}
    message: old
substitutions:
- name: quay.io/foo/foo:v1-fixed
  base: foo.v1
";
        let buffer = Buffer::new(text);
        let found: Vec<TemplateMention> = buffer.pieces.iter().flat_map(|piece| mentions(piece)).collect();
        assert!(
            found.iter().all(|one| one.package == "foo" && text.get(one.bytes.clone()) == Some(&one.name))
        );
        let count = |named, name| {
            let same = found.iter().filter(|one| one.named == named && one.name == name);
            (same.clone().count(), same.filter(|one| one.is_definition).count())
        };
        assert_eq!(count(Named::Package, "foo"), (3, 1));
        assert_eq!(count(Named::Channel, "stable"), (2, 1));
        assert_eq!(count(Named::Bundle, "foo.v1"), (4, 1));
        assert_eq!(count(Named::Bundle, "foo.v0"), (1, 0));
        assert_eq!(mentions(&Piece::default()), []);
    }
}
