//! Edits of a catalog in the text of its files: which file and which blob change, and what the catalog is
//! to be afterwards.
//!
//! A [`Draft`] collects changes; [`Draft::finish`] makes them in the text ([`fbc_yaml::edit`]) and gives the
//! new files together with the catalog that is meant. Whoever writes the files loads them first and asks
//! [`same_blobs`] whether that catalog has come out. Whether it is a good one is judged elsewhere.

mod place;
mod same;
mod template;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use fbc_yaml::edit::{Action, Change, EditError, Editor, Layout, document};

use crate::blob::{Blob, Bundle, Channel, ChannelEntry, Deprecation, DeprecationEntry, Origin};
use crate::catalog::Catalog;
use crate::overlay_tree::FileVersions;
use crate::tree::Tree;
use crate::writer::{self, Format};

pub use place::{DEPRECATIONS_FILE, DeprecationsPlace};
pub use same::same_blobs;
pub use template::EntryPlace;

/// Behind every document of a file.
const AT_THE_END: u32 = u32::MAX;

/// Why a draft cannot be finished.
#[derive(Debug, thiserror::Error)]
pub enum DraftError {
    /// A file cannot be read.
    #[error("cannot read {}: {error}", path.display())]
    Read {
        /// The file, relative to the catalog.
        path: PathBuf,
        /// What the system says.
        error: std::io::Error,
    },
    /// A file is written in a way that cannot be edited.
    #[error("{error}")]
    Edit {
        /// The file, relative to the catalog.
        path: PathBuf,
        /// The document in it, where one is to blame.
        document: Option<u32>,
        /// Why.
        error: EditError,
    },
    /// A blob cannot be written.
    #[error(transparent)]
    Write(#[from] writer::WriteError),
    /// The catalog has no blob of the package beside which a new one could stand.
    #[error("package {package:?} has no blob in the catalog")]
    NoPackage {
        /// The package.
        package: String,
    },
}

/// Changes of a catalog that are to be made together.
pub struct Draft<'c> {
    catalog: &'c Catalog,
    tree: &'c dyn Tree,
    changes: Vec<(Origin, Vec<Change>)>,
    /// New blobs, each with the document behind which it goes.
    insertions: Vec<(Origin, Blob)>,
    removals: BTreeSet<Origin>,
    new_files: Vec<(PathBuf, Blob)>,
    meant: Catalog,
    /// Where the entries of a template are; nothing for a catalog.
    entries: Option<Vec<EntryPlace>>,
}

/// A finished draft.
#[derive(Debug)]
pub struct Edited {
    /// The files that change.
    pub files: FileVersions,
    /// The bytes that were edited, of those files that are not new.
    pub before: BTreeMap<PathBuf, Vec<u8>>,
    /// The catalog that they are to give. Origins, files and faults mean nothing in it.
    pub meant: Catalog,
}

impl<'c> Draft<'c> {
    /// Begins a draft; the catalog must have been loaded from the tree.
    #[must_use]
    pub fn new(catalog: &'c Catalog, tree: &'c dyn Tree) -> Self {
        Self {
            catalog,
            tree,
            changes: Vec::new(),
            insertions: Vec::new(),
            removals: BTreeSet::new(),
            new_files: Vec::new(),
            meant: catalog.clone(),
            entries: None,
        }
    }

    /// Begins a draft of a template. The catalog is its expansion: the one file is the template, and the documents of
    /// origins are the numbers of entries.
    #[must_use]
    pub fn of_template(catalog: &'c Catalog, tree: &'c dyn Tree, entries: Vec<EntryPlace>) -> Self {
        Self { entries: Some(entries), ..Self::new(catalog, tree) }
    }

    /// Adds an entry to the channel of that number, as the entry of that number.
    pub fn add_entry(&mut self, channel: usize, place: usize, entry: &ChannelEntry) {
        let Some(meant) = self.meant.channels.get_mut(channel) else { return };
        let entries = meant.entries.get_or_insert_default();
        let place = place.min(entries.len());
        entries.insert(place, entry.clone());
        let item = writer::channel_entry(entry);
        self.changes.push((meant.origin, list_insertion("", "entries", place, item)));
    }

    /// Lets an entry of a channel skip one more bundle. Comes before [`Draft::add_entry`] in that channel.
    pub fn add_skip(&mut self, channel: usize, entry: usize, skipped: &str) {
        let Some(meant) = self.meant.channels.get_mut(channel) else { return };
        let Some(skips) = meant.entries.as_mut().and_then(|entries| entries.get_mut(entry)) else { return };
        let item = document(|builder| builder.string(skipped));
        let change = list_insertion(&format!("/entries/{entry}"), "skips", skips.skips.len(), item);
        skips.skips.push(skipped.to_owned());
        self.changes.push((meant.origin, change));
    }

    /// Adds a bundle behind the others of its package.
    ///
    /// # Errors
    /// The package has no blob.
    pub fn add_bundle(&mut self, bundle: &Bundle) -> Result<(), DraftError> {
        let place = place::of_bundle(self.catalog, &bundle.package);
        self.insert(place, &bundle.package, Blob::Bundle(bundle.clone()))
    }

    /// Adds a channel behind the others of its package.
    ///
    /// # Errors
    /// The package has no blob.
    pub fn add_channel(&mut self, channel: &Channel) -> Result<(), DraftError> {
        let place = place::of_channel(self.catalog, &channel.package);
        self.insert(place, &channel.package, Blob::Channel(channel.clone()))
    }

    fn insert(&mut self, place: Option<Origin>, package: &str, blob: Blob) -> Result<(), DraftError> {
        let place = place.ok_or_else(|| DraftError::NoPackage { package: package.to_owned() })?;
        self.meant.push(blob.clone(), Origin::default());
        self.insertions.push((place, blob));
        Ok(())
    }

    /// Adds an entry to the deprecations of that number, at the end.
    pub fn add_deprecation(&mut self, deprecations: usize, entry: &DeprecationEntry) {
        let Some(meant) = self.meant.deprecations.get_mut(deprecations) else { return };
        let entries = meant.entries.get_or_insert_default();
        let item = writer::deprecation_entry(entry);
        self.changes.push((meant.origin, list_insertion("", "entries", entries.len(), item)));
        entries.push(entry.clone());
    }

    /// Adds a blob of deprecations where it belongs ([`DeprecationsPlace::of`]).
    ///
    /// # Errors
    /// The package has no blob.
    pub fn add_deprecations(
        &mut self,
        place: &DeprecationsPlace,
        blob: &Deprecation,
    ) -> Result<(), DraftError> {
        let new = Blob::Deprecation(blob.clone());
        match place {
            DeprecationsPlace::NewFile(path) => {
                self.meant.push(new.clone(), Origin::default());
                self.new_files.push((path.clone(), new));
                Ok(())
            }
            DeprecationsPlace::EndOf(file) => {
                self.insert(Some(Origin { file: *file, document: AT_THE_END }), &blob.package, new)
            }
        }
    }

    /// Gives an entry of deprecations another message.
    pub fn set_message(&mut self, deprecations: usize, entry: usize, message: &str) {
        let Some(meant) = self.meant.deprecations.get_mut(deprecations) else { return };
        let Some(old) = meant.entries.as_mut().and_then(|entries| entries.get_mut(entry)) else { return };
        message.clone_into(&mut old.message);
        let value = document(|builder| builder.string(message));
        let set = Action::Set { key: "message".to_owned(), value };
        self.changes.push((meant.origin, vec![Change::new(format!("/entries/{entry}"), set)]));
    }

    /// Takes entries out of deprecations; with the last one the blob goes, and with the last blob the
    /// file. The blob must not change otherwise.
    pub fn remove_deprecations(&mut self, deprecations: usize, removed: &BTreeSet<usize>) {
        let Some(meant) = self.meant.deprecations.get_mut(deprecations) else { return };
        let Some(entries) = meant.entries.as_mut() else { return };
        if (0..entries.len()).all(|entry| removed.contains(&entry)) {
            self.removals.insert(meant.origin);
            self.meant.deprecations.remove(deprecations);
            return;
        }
        // From the end on, so that numbers stay what they are.
        for &entry in removed.iter().rev().filter(|entry| **entry < entries.len()) {
            self.changes.push((meant.origin, vec![Change::new("/entries", Action::Remove { index: entry })]));
        }
        let mut number = 0..;
        entries.retain(|_| number.next().is_none_or(|number| !removed.contains(&number)));
    }

    /// Makes the changes in the text.
    ///
    /// # Errors
    /// [`DraftError`]
    pub fn finish(self) -> Result<Edited, DraftError> {
        if let Some(places) = self.entries {
            let Self { changes, insertions, removals, .. } = self;
            let removals = removals.into_iter().collect();
            let template = template::TemplateChanges { places, changes, insertions, removals };
            return template.finish(self.catalog, self.tree, self.meant);
        }
        let mut editors = Editors {
            catalog: self.catalog,
            tree: self.tree,
            open: BTreeMap::new(),
            before: BTreeMap::new(),
        };
        for (origin, changes) in &self.changes {
            editors.edit(*origin, |editor, document| first_that_applies(editor, document, changes))?;
        }
        // From the back to the front, so that numbers of documents hold; blobs for one place come in the
        // order in which they were added.
        let mut insertions = self.insertions;
        insertions.sort_by_key(|(origin, _)| *origin);
        for (origin, blob) in insertions.iter().rev() {
            let layout = editors.of(*origin)?.layout_behind(origin.document as usize);
            let text = text_in(blob, layout)?;
            editors.edit(*origin, |editor, document| editor.insert_behind(document, &text))?;
        }
        for origin in self.removals.iter().rev() {
            editors.edit(*origin, Editor::remove)?;
        }
        let before = std::mem::take(&mut editors.before);
        let mut files = editors.finish()?;
        for (path, blob) in self.new_files {
            files.insert(path, Some(writer::blob_text(&blob, Format::Yaml)?.into_bytes()));
        }
        Ok(Edited { files, before, meant: self.meant })
    }
}

/// An insertion into a list of an object; the second change is for an object without that list.
fn list_insertion(object: &str, list: &str, index: usize, item: fbc_yaml::Document) -> Vec<Change> {
    let value = document(|builder| {
        let mark = builder.open();
        let item = builder.copy(item.root());
        builder.push_item(item);
        builder.close_array(mark)
    });
    vec![
        Change::new(format!("{object}/{list}"), Action::Insert { index, item }),
        Change::new(object, Action::Set { key: list.to_owned(), value }),
    ]
}

/// Makes the first change whose target is there.
fn first_that_applies(editor: &mut Editor, document: usize, changes: &[Change]) -> Result<(), EditError> {
    let mut outcome = Ok(());
    for change in changes {
        outcome = editor.change(document, change);
        if !matches!(outcome, Err(EditError::NotFound { .. })) {
            break;
        }
    }
    outcome
}

fn text_in(blob: &Blob, layout: Layout) -> Result<String, writer::WriteError> {
    let format = if layout == Layout::Yaml { Format::Yaml } else { Format::Json };
    let text = writer::blob_text(blob, format)?;
    Ok(text.strip_prefix("---\n").map(str::to_owned).unwrap_or(text))
}

/// The files that a draft has opened.
struct Editors<'c> {
    catalog: &'c Catalog,
    tree: &'c dyn Tree,
    open: BTreeMap<u32, Editor>,
    /// What the files held when they were opened.
    before: BTreeMap<PathBuf, Vec<u8>>,
}

impl Editors<'_> {
    fn path(&self, origin: Origin) -> PathBuf {
        self.catalog.file(origin).map(|file| file.path.clone()).unwrap_or_default()
    }

    fn of(&mut self, origin: Origin) -> Result<&mut Editor, DraftError> {
        let path = self.path(origin);
        match self.open.entry(origin.file) {
            std::collections::btree_map::Entry::Occupied(editor) => Ok(editor.into_mut()),
            std::collections::btree_map::Entry::Vacant(place) => {
                let read = self.tree.read(&path);
                let bytes = read.map_err(|error| DraftError::Read { path: path.clone(), error })?;
                let editor = Editor::new(&bytes);
                self.before.insert(path, bytes);
                Ok(place.insert(editor))
            }
        }
    }

    fn edit(
        &mut self,
        origin: Origin,
        edit: impl FnOnce(&mut Editor, usize) -> Result<(), EditError>,
    ) -> Result<(), DraftError> {
        let document = Some(origin.document).filter(|document| *document != AT_THE_END);
        let path = self.path(origin);
        let editor = self.of(origin)?;
        edit(editor, origin.document as usize).map_err(|error| DraftError::Edit { path, document, error })
    }

    /// The new files; one without documents is to go.
    fn finish(self) -> Result<FileVersions, DraftError> {
        let mut files = FileVersions::new();
        for (file, editor) in self.open {
            let path =
                self.catalog.files.get(file as usize).map(|file| file.path.clone()).unwrap_or_default();
            let is_empty = editor.is_empty();
            let bytes = editor.finish().map_err(|error| DraftError::Edit {
                path: path.clone(),
                document: None,
                error,
            })?;
            files.insert(path, (!is_empty).then_some(bytes));
        }
        Ok(files)
    }
}
