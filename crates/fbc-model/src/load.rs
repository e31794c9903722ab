//! From files to blobs: the walk over a tree, reading, decoding.
//!
//! The reference stops at the first thing that it refuses; here every refusal is noted as a
//! [`LoadFault`] and loading goes on. Files are read in parallel; the order of blobs and faults is
//! that of the walk, whatever the number of threads.

mod documents;

use std::cell::Cell;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_yaml::limits::{LimitExceeded, Limits, Meter};
use fbc_yaml::stream::{self, Decoded, Fault, Syntax};
use fbc_yaml::{Document, Node, json_writer};
use rayon::prelude::*;

use crate::blob::{Blob, Bundle, Channel, Deprecation, Origin, Other, Package, Value, schema};
use crate::bundle_object::{self, BundleObjectError};
use crate::catalog::{Catalog, CatalogFile, DocumentInfo};
use crate::go_type::{self, GoType};
use crate::go_types;
use crate::index_ignore::{self, IndexIgnore};
use crate::meta::{self, Meta, MetaError, MetaRule};
use crate::tree::Tree;

pub use documents::{BlobDocument, load_with_documents};

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
    /// The bytes of the file that the thread reads.
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
                Err(message) => (LoadedFile::unreadable(path.clone(), message), Vec::new()),
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

/// Whether an `.indexignore` of the tree leaves out a file of that path, which need not exist.
#[must_use]
pub fn is_ignored(tree: &dyn Tree, path: &Path) -> bool {
    let mut ignore = IndexIgnore::default();
    // From the root down, as the walk has them.
    let folders: Vec<&Path> = path.ancestors().skip(1).collect();
    for folder in folders.into_iter().rev() {
        if let Ok(bytes) = tree.read(&folder.join(index_ignore::FILE_NAME)) {
            // One that cannot be read is a fault of the catalog, and told where that is loaded.
            let _ = ignore.add_file(&components(folder), &bytes);
        }
    }
    !ignore.is_empty() && ignore.ignores(&components(path))
}

/// The files of a tree that belong to the catalog.
#[derive(Default)]
struct Walk {
    files: Vec<PathBuf>,
    ignored: Vec<PathBuf>,
    faults: Vec<LoadFault>,
}

/// The files of a catalog, in the order of the walk: those that no `.indexignore` leaves out.
#[must_use]
pub fn files(tree: &dyn Tree) -> Vec<PathBuf> {
    Walk::over(tree).files
}

impl Walk {
    fn over(tree: &dyn Tree) -> Self {
        let mut walk = Self::default();
        let mut ignore = IndexIgnore::default();
        let mut found = Vec::new();
        walk.directory(tree, Path::new(""), &mut found);
        // Ignore files come first, all of them, also those in directories that another ignores.
        for path in
            found.iter().filter(|path| path.file_name().is_some_and(|name| name == index_ignore::FILE_NAME))
        {
            let domain = path.parent().map(components).unwrap_or_default();
            let outcome = match tree.read(path) {
                Ok(bytes) => ignore.add_file(&domain, &bytes).map_err(str::to_owned),
                Err(error) => Err(format!("open {}: {}", path.display(), describe(&error))),
            };
            if let Err(message) = outcome {
                walk.faults.push(LoadFault {
                    kind: LoadFaultKind::IndexIgnore,
                    message,
                    path: path.clone(),
                    origin: None,
                    place: FaultPlace::File,
                });
            }
        }
        for path in found {
            if path.file_name().is_some_and(|name| name == index_ignore::FILE_NAME) {
                continue;
            }
            if !ignore.is_empty() && ignore.ignores(&components(&path)) {
                walk.ignored.push(path);
            } else {
                walk.files.push(path);
            }
        }
        walk
    }

    /// Collects the files below a directory, depth first, in the order of their names. Depth is
    /// bounded by the length that the system allows to paths.
    fn directory(&mut self, tree: &dyn Tree, directory: &Path, found: &mut Vec<PathBuf>) {
        if directory.to_str().is_none() {
            self.faults.push(LoadFault {
                kind: LoadFaultKind::Unreadable,
                message: format!("readdir {}: {NOT_UTF_8}", directory.display()),
                path: directory.to_path_buf(),
                origin: None,
                place: FaultPlace::File,
            });
            return;
        }
        match tree.list(directory) {
            Ok(entries) => {
                for entry in entries {
                    let path = directory.join(&entry.name);
                    if entry.is_directory {
                        self.directory(tree, &path, found);
                    } else {
                        found.push(path);
                    }
                }
            }
            Err(error) => {
                let shown = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
                self.faults.push(LoadFault {
                    kind: LoadFaultKind::Unreadable,
                    message: format!("open {}: {}", shown.display(), describe(&error)),
                    path: directory.to_path_buf(),
                    origin: None,
                    place: FaultPlace::File,
                });
            }
        }
    }
}

fn components(path: &Path) -> Vec<Vec<u8>> {
    path.components().map(|component| component.as_os_str().as_encoded_bytes().to_vec()).collect()
}

/// The words that Go uses for the common errors of the system.
fn describe(error: &std::io::Error) -> String {
    match error.kind() {
        std::io::ErrorKind::NotFound => "no such file or directory".to_owned(),
        std::io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        std::io::ErrorKind::IsADirectory => "is a directory".to_owned(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or(&text).to_lowercase()
        }
    }
}

/// Reads a file of a catalog; the error is the reference's.
fn read_into(tree: &dyn Tree, path: &Path, buffer: &mut Vec<u8>) -> Result<(), String> {
    if path.to_str().is_none() {
        return Err(format!("open {}: {}", path.display(), NOT_UTF_8));
    }
    tree.read_into(path, buffer).map_err(|error| match (error.kind(), tree.folder()) {
        // Go opens a directory like a file, under its whole path, and only then fails.
        (std::io::ErrorKind::IsADirectory, Some(folder)) => {
            format!("read {}: {}", folder.join(path).display(), describe(&error))
        }
        (std::io::ErrorKind::IsADirectory, None) => format!("read {}: {}", path.display(), describe(&error)),
        _ => format!("open {}: {}", path.display(), describe(&error)),
    })
}

/// What Go says of names that are not UTF-8.
const NOT_UTF_8: &str = "invalid argument";

struct LoadedFile {
    file: CatalogFile,
    documents: Vec<Result<(Blob, Option<Problem>), Problem>>,
    unreadable: Option<String>,
}

struct Problem {
    kind: LoadFaultKind,
    message: String,
    place: FaultPlace,
}

impl LoadedFile {
    fn unreadable(path: PathBuf, message: String) -> Self {
        Self {
            file: CatalogFile { path, documents: Vec::new() },
            documents: Vec::new(),
            unreadable: Some(message),
        }
    }

    /// Reads a file, and gives what the look made of its blobs.
    fn from_bytes<T: Send>(path: PathBuf, bytes: &[u8], meter: &Meter, look: Look<'_, T>) -> (Self, Vec<T>) {
        let decoded = stream::read_within(bytes, meter, &|document| decode_blob(document, look));
        let mut file = CatalogFile { path, documents: Vec::with_capacity(decoded.len()) };
        let mut documents = Vec::with_capacity(decoded.len());
        let mut made = Vec::with_capacity(decoded.len());
        for Decoded { range, syntax, outcome } in decoded {
            let (info, result, made_of_it) = settle(range, syntax, outcome);
            file.documents.push(info);
            documents.push(result);
            made.extend(made_of_it);
        }
        (Self { file, documents, unreadable: None }, made)
    }

    fn add_to(self, catalog: &mut Catalog) {
        let index = catalog.files.len() as u32;
        let path = self.file.path.clone();
        let fault = |problem: Problem, origin| LoadFault {
            kind: problem.kind,
            message: problem.message,
            path: path.clone(),
            origin,
            place: problem.place,
        };
        if let Some(message) = self.unreadable {
            let problem = Problem { kind: LoadFaultKind::Unreadable, message, place: FaultPlace::File };
            catalog.faults.push(fault(problem, None));
        }
        let first_fault = catalog.faults.len();
        for (number, document) in self.documents.into_iter().enumerate() {
            let origin = Origin { file: index, document: number as u32 };
            match document {
                Ok((blob, problem)) => {
                    catalog.push(blob, origin);
                    catalog.faults.extend(problem.map(|problem| fault(problem, Some(origin))));
                }
                Err(problem) => {
                    // The reference reads to the end of a document before it looks at it, so it speaks of a line
                    // that is no separator before it speaks of the document that ends there.
                    let ended = number.checked_sub(1).filter(|_| problem.kind == LoadFaultKind::Separator);
                    let is_of_ended =
                        |fault: &LoadFault| fault.origin.map(|origin| origin.document as usize) == ended;
                    let before = catalog.faults.len()
                        - usize::from(
                            ended.is_some()
                                && catalog
                                    .faults
                                    .get(first_fault..)
                                    .and_then(<[_]>::last)
                                    .is_some_and(is_of_ended),
                        );
                    catalog.faults.insert(before, fault(problem, Some(origin)));
                }
            }
        }
        catalog.files.push(self.file);
    }
}

/// A blob, or why opm's types refuse it; a bundle whose manifests cannot be read is both.
struct DecodedBlob<T> {
    has_duplicate_keys: bool,
    has_odd_keys: bool,
    is_marked: bool,
    /// What the look made of it; nothing where opm's types refuse it.
    made: Option<T>,
    outcome: Result<(Blob, Option<Problem>), Problem>,
}

type SettledBlob = Result<(Blob, Option<Problem>), Problem>;

fn settle<T>(
    range: Range<usize>,
    syntax: Syntax,
    outcome: Result<DecodedBlob<T>, Fault<MetaError>>,
) -> (DocumentInfo, SettledBlob, Option<T>) {
    let info = |has_duplicate_keys, has_odd_keys, is_marked| DocumentInfo {
        range,
        syntax,
        has_duplicate_keys,
        has_odd_keys,
        is_marked,
    };
    match outcome {
        Ok(blob) => {
            (info(blob.has_duplicate_keys, blob.has_odd_keys, blob.is_marked), blob.outcome, blob.made)
        }
        Err(fault) => (info(false, false, false), Err(settle_fault(syntax, fault)), None),
    }
}

fn settle_fault(syntax: Syntax, fault: Fault<MetaError>) -> Problem {
    let (kind, message, place) = match fault {
        Fault::Malformed { message, byte } => (LoadFaultKind::Malformed, message, FaultPlace::Byte(byte)),
        Fault::Separator { rest, byte } => (
            LoadFaultKind::Separator,
            format!("invalid Yaml document separator: {rest}"),
            FaultPlace::Byte(byte),
        ),
        Fault::Rejected(error) => {
            let kind = match error.rule {
                MetaRule::Object => LoadFaultKind::NotAnObject,
                MetaRule::UniqueKeys => LoadFaultKind::AmbiguousKeys,
                MetaRule::TextKeys => LoadFaultKind::MetaNotText,
            };
            let prefix = match syntax {
                Syntax::Yaml => "error unmarshaling JSON: while decoding JSON: ",
                Syntax::Json => "",
            };
            (kind, format!("{prefix}{}", error.message), FaultPlace::Pointer(error.pointer))
        }
    };
    Problem { kind, message, place }
}

fn decode_blob<T>(document: Document, look: Look<'_, T>) -> Result<DecodedBlob<T>, MetaError> {
    let meta = meta::read(document.root())?;
    let mut has_odd_keys = false;
    let document = Arc::new(document);
    let outcome = blob_of(&document, &meta, &mut has_odd_keys);
    let (is_marked, made) = match outcome {
        Ok(_) => {
            let (is_marked, made) = look(&document, &meta);
            (is_marked, Some(made))
        }
        Err(_) => (false, None),
    };
    Ok(DecodedBlob {
        has_duplicate_keys: document.has_duplicate_keys(),
        has_odd_keys,
        is_marked,
        made,
        outcome,
    })
}

fn blob_of(document: &Arc<Document>, meta: &Meta, has_odd_keys: &mut bool) -> SettledBlob {
    let origin = Origin::default();
    let mut fits = |of: &'static go_type::GoStruct, what: &str| {
        let keys_are_known =
            go_type::check_with_keys(document.root(), &GoType::Struct(of)).map_err(|error| Problem {
                kind: LoadFaultKind::FieldType,
                message: format!("parse {what}: {}", error.message),
                place: FaultPlace::Pointer(error.pointer),
            })?;
        *has_odd_keys = !keys_are_known;
        Ok(())
    };
    let blob = match meta.schema.as_str() {
        schema::PACKAGE => {
            fits(&go_types::PACKAGE, "package")?;
            Blob::Package(Package::from_document(document, origin))
        }
        schema::CHANNEL => {
            fits(&go_types::CHANNEL, "channel")?;
            Blob::Channel(Channel::from_document(document, origin))
        }
        schema::BUNDLE => {
            fits(&go_types::BUNDLE, "bundle")?;
            let bundle = Bundle::from_document(document, origin);
            let problem =
                bundle_object::check(&bundle).err().map(|error| bundle_object_problem(&bundle, &error));
            return Ok((Blob::Bundle(bundle), problem));
        }
        schema::DEPRECATIONS => {
            fits(&go_types::DEPRECATION, "deprecation")?;
            Blob::Deprecation(Deprecation::from_document(document, origin))
        }
        "" => {
            let text = if document.root().is_null() {
                String::new()
            } else {
                json_writer::compact(document.root()) + "\n"
            };
            return Err(Problem {
                kind: LoadFaultKind::NoSchema,
                message: format!("object '{text}' is missing root schema field"),
                place: FaultPlace::Pointer(String::new()),
            });
        }
        _ => Blob::Other(Other { origin, meta: meta.clone(), value: Value::whole(Arc::clone(document)) }),
    };
    Ok((blob, None))
}

fn bundle_object_problem(bundle: &Bundle, error: &BundleObjectError) -> Problem {
    let pointer = match error {
        BundleObjectError::Property { index, error } => format!("/properties/{index}/value{}", error.pointer),
        BundleObjectError::Manifest { index, .. } => format!("/properties/{index}/value/data"),
    };
    let quote = fbc_go::text::quote;
    Problem {
        kind: LoadFaultKind::BundleObject,
        message: format!(
            "read bundle objects: package {}, bundle {}: {error}",
            quote(&bundle.package),
            quote(&bundle.name)
        ),
        place: FaultPlace::Pointer(pointer),
    }
}
