//! Edits of a template: the blobs of its expansion are entries of documents, and bundles are named by their images alone.

use fbc_yaml::edit::{Action, Change, EditError, Editor, Layout, document};
use fbc_yaml::{Built, Document, DocumentBuilder, Node, json_writer, stream, yaml_writer};

use super::{AT_THE_END, DraftError, Edited, first_that_applies};
use crate::blob::{Blob, Origin};
use crate::catalog::Catalog;
use crate::overlay_tree::FileVersions;
use crate::tree::Tree;
use crate::writer;

/// Where an entry of a template is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryPlace {
    /// The document of the file.
    pub document: usize,
    /// The number in `entries` of a template document; nothing for a document that is the entry itself.
    pub entry: Option<usize>,
}

/// Changes of a template that are to be made together.
pub(super) struct TemplateChanges {
    pub(super) places: Vec<EntryPlace>,
    pub(super) changes: Vec<(Origin, Vec<Change>)>,
    pub(super) insertions: Vec<(Origin, Blob)>,
    pub(super) removals: Vec<Origin>,
}

impl TemplateChanges {
    /// Makes the changes in the text of the one file.
    pub(super) fn finish(
        self,
        catalog: &Catalog,
        tree: &dyn Tree,
        meant: Catalog,
    ) -> Result<Edited, DraftError> {
        let path = catalog.files.first().map(|file| file.path.clone()).unwrap_or_default();
        let read = tree.read(&path);
        let bytes = read.map_err(|error| DraftError::Read { path: path.clone(), error })?;
        let edited = self.edited(&bytes);
        let edited =
            edited.map_err(|error| DraftError::Edit { path: path.clone(), document: None, error })?;
        Ok(Edited {
            files: FileVersions::from([(path.clone(), Some(edited))]),
            before: [(path, bytes)].into(),
            meant,
        })
    }

    fn edited(&self, bytes: &[u8]) -> Result<Vec<u8>, EditError> {
        let mut editor = Editor::new(bytes);
        for (origin, changes) in &self.changes {
            let place = self.place(*origin)?;
            let within = place.entry.map(|entry| format!("/entries/{entry}")).unwrap_or_default();
            let changes: Vec<Change> = changes
                .iter()
                .map(|change| Change::new(format!("{within}{}", change.pointer), change.action.clone()))
                .collect();
            first_that_applies(&mut editor, place.document, &changes)?;
        }
        let habits = Habits::of(bytes);
        // From the back to the front, so that numbers of entries hold.
        let mut insertions: Vec<&(Origin, Blob)> = self.insertions.iter().collect();
        insertions.sort_by_key(|(origin, _)| *origin);
        for (origin, blob) in insertions.into_iter().rev() {
            let place = self.place(*origin)?;
            let item = habits.entry(blob);
            match place.entry {
                Some(entry) => {
                    let insert = Action::Insert { index: entry + 1, item };
                    editor.change(place.document, &Change::new("/entries", insert))?;
                }
                None => {
                    let text = match editor.layout_behind(place.document) {
                        Layout::Yaml => {
                            let mut text = String::new();
                            yaml_writer::write(&mut text, item.root())?;
                            text
                        }
                        Layout::Json | Layout::JsonInYaml => json_writer::compact(item.root()),
                    };
                    editor.insert_behind(place.document, &text)?;
                }
            }
        }
        for origin in self.removals.iter().rev() {
            let place = self.place(*origin)?;
            match place.entry {
                Some(index) => {
                    editor.change(place.document, &Change::new("/entries", Action::Remove { index }))?;
                }
                None => editor.remove(place.document)?,
            }
        }
        editor.finish()
    }

    fn place(&self, origin: Origin) -> Result<EntryPlace, EditError> {
        let place = match origin.document {
            AT_THE_END => self.places.last(),
            number => self.places.get(number as usize),
        };
        place.copied().ok_or(EditError::NoDocument)
    }
}

/// How the author of a template writes bundles.
struct Habits {
    /// Whether they have their names beside their images.
    names_bundles: bool,
}

impl Habits {
    /// As the last bundle is written.
    fn of(bytes: &[u8]) -> Self {
        let read = stream::read::<_, ()>(bytes, &|document| Ok(document));
        let documents = read.iter().filter_map(|one| one.outcome.as_ref().ok());
        let blobs = documents.flat_map(|document| {
            let entries = document.root().get("entries").into_iter().flat_map(Node::items);
            std::iter::once(document.root()).chain(entries)
        });
        let mut bundles = blobs.filter(|node| node.get_str("schema") == Some("olm.bundle"));
        Self { names_bundles: bundles.next_back().is_some_and(|bundle| bundle.get("name").is_some()) }
    }

    /// A blob as an entry.
    fn entry(&self, blob: &Blob) -> Document {
        match blob {
            Blob::Bundle(bundle) => document(|builder| {
                let mark = builder.open();
                let name = self.names_bundles.then_some(("name", bundle.name.as_str()));
                let members = [("schema", "olm.bundle")].into_iter().chain(name);
                for (key, text) in members.chain([("image", bundle.image.as_str())]) {
                    let value = builder.string(text);
                    builder.push_member(key, value);
                }
                builder.close_object(mark)
            }),
            _ => {
                let written = writer::blob_document(blob);
                document(|builder| ordered(builder, written.root()))
            }
        }
    }
}

/// A blob with what names it in front.
fn ordered(builder: &mut DocumentBuilder, blob: Node<'_>) -> Built {
    const FIRST: [&str; 3] = ["schema", "package", "name"];
    let mark = builder.open();
    let first = FIRST.iter().filter_map(|key| Some((*key, blob.get(key)?)));
    let rest = blob.members().filter(|(key, _)| !FIRST.contains(key));
    for (key, value) in first.chain(rest) {
        let value = builder.copy(value);
        builder.push_member(key, value);
    }
    builder.close_object(mark)
}
