//! From files to blobs: the walk over a tree, reading, decoding.
//!
//! The reference stops at the first thing that it refuses; here every refusal is noted as a
//! [`LoadFault`] and loading goes on. Files are read in parallel; the order of blobs and faults is
//! that of the walk, whatever the number of threads.

mod decode;
mod documents;
mod file;
mod reading;
mod walk;

use std::cell::Cell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_yaml::limits::{LimitExceeded, Limits, Meter, PatternsExceeded};
use fbc_yaml::{Document, Node};
use rayon::prelude::*;

use self::file::LoadedFile;
use self::reading::read_into;
use self::walk::Walk;
use crate::blob::Origin;
use crate::catalog::Catalog;
use crate::meta::Meta;
use crate::tree::Tree;

pub use documents::{BlobDocument, load_with_documents};
pub use walk::{files, is_ignored};

/// Something that the reference refuses while it loads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadFault {
    /// What kind of thing.
    pub kind: LoadFaultKind,
    /// The reference's text.
    pub message: String,
    /// The file or directory, relative to the root.
    pub path: PathBuf,
    /// The document, where the fault lies in one.
    pub origin: Option<Origin>,
    /// The place in the document or file.
    pub place: FaultPlace,
}

/// The place of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultPlace {
    /// The file or directory as a whole.
    File,
    /// A byte of the file.
    Byte(usize),
    /// A value in the document, as a JSON pointer.
    Pointer(String),
}

/// What kind of thing the reference refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoadFaultKind {
    /// A file or directory cannot be read.
    Unreadable,
    /// An `.indexignore` cannot be read.
    IndexIgnore,
    /// The text is not YAML or JSON.
    Malformed,
    /// A line begins with `---` and goes on.
    Separator,
    /// The document is not an object.
    NotAnObject,
    /// Two keys differ in upper and lower case only.
    AmbiguousKeys,
    /// `schema`, `package` or `name` is not a string.
    MetaNotText,
    /// The blob has no schema.
    NoSchema,
    /// A field has the wrong type.
    FieldType,
    /// A manifest in a bundle cannot be read.
    BundleObject,
}

thread_local! {
    /// The bytes of the file that the thread reads: room that is used again, and says nothing about the next file.
    static FILE_BUFFER: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A larger buffer is given back after use.
const KEPT_BUFFER_BYTES: usize = 32 << 20;

/// Loads a catalog from a tree, within the usual budgets.
///
/// Never fails as a whole; what cannot be read is among [`Catalog::faults`], a budget that is used up too.
#[must_use]
pub fn load_tree(tree: &dyn Tree) -> Catalog {
    load_inspected(tree, &|_, _| false)
}

/// Takes a look at a blob while its document is at hand; true marks the document
/// ([`DocumentInfo::is_marked`](crate::DocumentInfo::is_marked)), so that it can be read once more and looked at closely.
pub type Inspect<'a> = &'a (dyn Fn(Node<'_>, &Meta) -> bool + Sync);

/// As [`load_tree`], with a look at every blob that opm's types take.
#[must_use]
pub fn load_inspected(tree: &dyn Tree, inspect: Inspect<'_>) -> Catalog {
    load_metered(tree, &Meter::default(), &|document, meta| (inspect(document.root(), meta), ())).0
}

/// As [`load_inspected`], within budgets of one's own.
///
/// # Errors
/// The budget that is used up.
pub fn load_within(tree: &dyn Tree, inspect: Inspect<'_>, limits: Limits) -> Result<Catalog, LimitExceeded> {
    let meter = Meter::new(limits);
    let (catalog, _) = load_metered(tree, &meter, &|document, meta| (inspect(document.root(), meta), ()));
    meter.exceeded().map_or(Ok(catalog), Err)
}

/// As [`Inspect`], and makes something of the blob.
type Look<'a, T> = &'a (dyn Fn(&Arc<Document>, &Meta) -> (bool, T) + Sync);

/// The catalog, and file by file what the look made of the blobs.
fn load_metered<T: Send>(tree: &dyn Tree, meter: &Meter, look: Look<'_, T>) -> (Catalog, Vec<Vec<T>>) {
    let walk = Walk::over(tree);
    if let Some(exceeded) = walk.exceeded {
        let path = tree.location().unwrap_or_default().join(&exceeded.path);
        meter.note_patterns(PatternsExceeded { path, ..exceeded });
    }
    let files: Vec<(LoadedFile, Vec<T>)> = walk
        .files
        .par_iter()
        .with_max_len(1)
        .map(|path| {
            // While a thread waits for parts of one file it may take up another, which then finds no
            // buffer and brings its own.
            let mut buffer = FILE_BUFFER.take();
            let file = match read_into(tree, path, &mut buffer) {
                Ok(()) => LoadedFile::from_bytes(path.clone(), &buffer, meter, look),
                Err(error) => (LoadedFile::unreadable(path.clone(), error.to_string()), Vec::new()),
            };
            if buffer.capacity() <= KEPT_BUFFER_BYTES {
                FILE_BUFFER.set(buffer);
            }
            file
        })
        .collect();
    let mut catalog = Catalog { ignored: walk.ignored, faults: walk.faults, ..Catalog::default() };
    let mut made = Vec::with_capacity(files.len());
    for (file, made_of_it) in files {
        file.add_to(&mut catalog);
        made.push(made_of_it);
    }
    (catalog, made)
}

/// Loads a catalog from the bytes of one file. The path is the one that findings name.
#[must_use]
pub fn load_bytes(path: &Path, bytes: &[u8]) -> Catalog {
    let mut catalog = Catalog::default();
    let (file, _) = LoadedFile::from_bytes(path.to_path_buf(), bytes, &Meter::default(), &|_, _| (false, ()));
    file.add_to(&mut catalog);
    catalog
}
