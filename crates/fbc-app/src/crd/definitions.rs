//! Custom resource definitions from files, directories, bundles and standard input.

use std::path::{Path, PathBuf};

use fbc_bundle::crd_upgrade::{Definition, DefinitionError, KIND, PairError};
use fbc_model::closest::closest;
use fbc_source::Error;
use fbc_source::{CatalogSource, Session};
use fbc_yaml::locate::line_and_column;
use fbc_yaml::stream::{self, Fault};
use fbc_yaml::{Document, Kind, Node, NodeHandle};

use super::shown;

/// Endings of files with manifests.
const MANIFESTS: [&str; 3] = ["yaml", "yml", "json"];
/// How deep directories are searched.
const DEEPEST: usize = 32;

/// The definitions of one side.
pub struct Definitions {
    documents: Vec<Document>,
    found: Vec<Found>,
}

/// A definition: where it is.
struct Found {
    document: usize,
    handle: NodeHandle,
    place: String,
}

impl Definitions {
    /// Reads all definitions of a reference.
    pub fn load(reference: &Path, session: &Session) -> Result<Self, Error> {
        let source = CatalogSource::open(reference, session)?;
        let is_folder = source.is_folder(Path::new(""));
        let mut definitions = Self { documents: Vec::new(), found: Vec::new() };
        let mut kinds: Vec<String> = Vec::new();
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            let entries = source
                .tree
                .list(&folder)
                .map_err(|error| Error::io("read", &source.shown(&folder), &error))?;
            let mut below = Vec::new();
            for entry in entries {
                let path = folder.join(&entry.name);
                let is_hidden = entry.name.as_os_str().as_encoded_bytes().starts_with(b".");
                if entry.is_directory {
                    if !is_hidden && path.components().count() < DEEPEST {
                        below.push(path);
                    }
                    continue;
                }
                let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
                if is_folder && (is_hidden || !MANIFESTS.contains(&ending)) {
                    continue;
                }
                let shown = shown(&source.shown(&path));
                let bytes =
                    source.tree.read(&path).map_err(|error| Error::io("read", Path::new(&shown), &error))?;
                definitions.add(&shown, &bytes, is_folder, &mut kinds)?;
            }
            folders.extend(below.into_iter().rev());
        }
        if definitions.found.is_empty() {
            return Err(nothing(reference, kinds));
        }
        Ok(definitions)
    }

    /// The definitions, in the order in which they were found.
    pub fn objects(&self) -> Vec<Node<'_>> {
        let documents = &self.documents;
        self.found
            .iter()
            .filter_map(|found| documents.get(found.document).map(|document| document.node(found.handle)))
            .collect()
    }

    fn add(
        &mut self,
        file: &str,
        bytes: &[u8],
        is_in_folder: bool,
        kinds: &mut Vec<String>,
    ) -> Result<(), Error> {
        for decoded in stream::read(bytes, &|document| Ok::<_, String>(document)) {
            let place = |byte: usize| format!("{file}:{}", line_and_column(bytes, byte).0);
            let document = match decoded.outcome {
                Ok(document) => document,
                Err(Fault::Malformed { message, byte }) => {
                    return Err(Error::new(format!("{}: {message}", place(byte)))
                        .help("correct the file; it is not YAML or JSON that Kubernetes would read"));
                }
                Err(Fault::Separator { rest, byte }) => {
                    return Err(Error::new(format!(
                        "{}: text behind the separator ---: {rest}",
                        place(byte)
                    ))
                    .help("begin a new line behind ---"));
                }
                Err(Fault::Rejected(message)) => return Err(Error::new(format!("{file}: {message}"))),
            };
            let begin = begin_of_content(bytes, decoded.range.start);
            let place = place(begin);
            let index = self.documents.len();
            for object in objects(document.root()) {
                let kind = object.get_str("kind").unwrap_or_default();
                if Definition::is_one(object) {
                    self.found.push(Found { document: index, handle: object.handle(), place: place.clone() });
                } else if kind.is_empty() && !is_in_folder {
                    return Err(wrong(&place, &DefinitionError::NoKind));
                } else {
                    kinds.push(kind.to_owned());
                }
            }
            self.documents.push(document);
        }
        Ok(())
    }
}

/// The first byte of a document that is not white space, a separator or a comment.
fn begin_of_content(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
        let length = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
        let line = rest.get(..length).unwrap_or_default().trim_ascii();
        if !line.is_empty() && !line.starts_with(b"---") && !line.starts_with(b"#") {
            return at;
        }
        at += length;
    }
    start
}

/// The objects of a document: itself, or the items of a list, however lists are nested.
fn objects(root: Node<'_>) -> Vec<Node<'_>> {
    let mut objects = Vec::new();
    let mut pending = vec![root];
    while let Some(node) = pending.pop() {
        let kind = node.get_str("kind").unwrap_or_default();
        match node.get("items").filter(|items| items.kind() == Kind::Array) {
            Some(items) if kind == "List" || kind == "CustomResourceDefinitionList" => {
                pending.extend(items.items().rev());
            }
            _ if node.is_null() => {}
            _ => objects.push(node),
        }
    }
    objects
}

fn nothing(reference: &Path, mut kinds: Vec<String>) -> Error {
    kinds.retain(|kind| !kind.is_empty());
    kinds.sort();
    kinds.dedup();
    let failure = Error::new(format!("{} holds no {KIND}", shown(reference)));
    match closest(KIND, kinds.iter().map(String::as_str)) {
        Some(kind) => failure.help(format!("it holds a {kind}; did you mean {KIND}?")),
        None if kinds.is_empty() => {
            failure.help("give a file, a directory of manifests or a bundle directory with one")
        }
        None => failure.help(format!("it holds only {}", kinds.join(", "))),
    }
}

/// The failure for definitions that cannot be compared.
pub fn failure(error: &PairError, old: &Definitions, new: &Definitions) -> Error {
    let (PairError::Definition { is_new, index, .. } | PairError::Repeated { is_new, index, .. }) = error;
    let side = if *is_new { new } else { old };
    let place = side.found.get(*index).map(|found| found.place.as_str()).unwrap_or_default();
    match error {
        PairError::Definition { error, .. } => wrong(place, error),
        PairError::Repeated { name, .. } => {
            let has_name = |object: &Node<'_>| {
                object.get("metadata").and_then(|metadata| metadata.get_str("name")) == Some(name.as_str())
            };
            let first = side.objects().iter().position(has_name).and_then(|first| side.found.get(first));
            let first = first.map(|found| found.place.as_str()).unwrap_or_default();
            Error::new(format!("{place}: {error}, first at {first}"))
                .help("leave one of them out: of two definitions of a name a cluster keeps one")
        }
    }
}

fn wrong(place: &str, error: &DefinitionError) -> Error {
    let failure = Error::new(format!("{place}: {error}"));
    match error {
        DefinitionError::NoKind => failure.help("every object of Kubernetes has apiVersion and kind"),
        DefinitionError::UnknownApiVersion(_) => {
            failure.help("apiextensions.k8s.io/v1beta1 is read as well, although clusters no longer serve it")
        }
        DefinitionError::VersionWithoutSchema { .. } => failure
            .help("clusters refuse it; write `schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}` if anything goes"),
        DefinitionError::TooDeep(_) => failure.help("no cluster would accept it; is it written by a program that does not stop?"),
        DefinitionError::NoName | DefinitionError::NoVersions(_) | DefinitionError::VersionWithoutName { .. }
        | DefinitionError::RepeatedVersion { .. } | DefinitionError::WrongKind { .. } => {
            failure.help("the API server would refuse it; correct the file")
        }
    }
}
