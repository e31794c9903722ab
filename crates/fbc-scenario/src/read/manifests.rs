//! Objects from manifests: files, directories, and objects in the scenario itself.

use std::convert::Infallible;
use std::io;
use std::path::{Path, PathBuf};

use fbc_cluster::object::{Object, ObjectFields};
use fbc_model::tree::Tree;
use fbc_yaml::Document;
use fbc_yaml::limits::Meter;
use fbc_yaml::locate::{Lines, Locator};
use fbc_yaml::stream::{self, Fault};
use serde_json::Value;

use super::field::value;
use crate::fault::{Place, ScenarioFault};
use crate::model::Manifests;

/// Directories may nest as deep as this; a link to a directory above would never end.
const MAXIMUM_DEPTH: usize = 64;
/// Files that are kustomize's own.
const KUSTOMIZE: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// An object of a manifest.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Manifest {
    /// The object.
    pub(crate) object: Object,
    /// The file that it comes from, as users know it.
    pub(crate) file: String,
    /// Where it begins.
    pub(crate) place: Place,
}

/// Reads manifests; paths start from the root of the tree.
pub(crate) fn load(
    tree: &dyn Tree,
    scenario: &str,
    manifests: &[Manifests],
    faults: &mut Vec<ScenarioFault>,
) -> Vec<Manifest> {
    // Aliases of all files count together.
    let meter = Meter::default();
    let mut found = Vec::new();
    for one in manifests {
        match one {
            Manifests::Inline(object, place) => {
                found.push(Manifest { object: object.clone(), file: scenario.to_owned(), place: *place });
            }
            Manifests::Path(path, place) => match read_path(tree, path) {
                Ok(files) => {
                    for (file, bytes) in files {
                        let shown = Path::new(scenario).with_file_name(&file).display().to_string();
                        read_text(&shown, &bytes, &meter, &mut found, faults);
                    }
                }
                Err(error) => {
                    let text = error.to_string();
                    let words = text.split(" (os error").next().unwrap_or(&text);
                    let message = format!("cannot read {}: {words}", path.display());
                    let help = "paths start from the directory of the scenario".to_owned();
                    let file = scenario.to_owned();
                    faults.push(ScenarioFault { file, place: *place, message, help: Some(help) });
                }
            },
        }
    }
    found
}

/// The files of a path: itself, or all manifests below it in the order of their names.
pub(crate) fn read_path(tree: &dyn Tree, path: &Path) -> io::Result<Vec<(PathBuf, Vec<u8>)>> {
    let error = match tree.read(path) {
        Ok(bytes) => return Ok(vec![(path.to_path_buf(), bytes)]),
        Err(error) => error,
    };
    // A tree in memory knows directories only by what is in them.
    let is_directory = match tree.list(path) {
        Ok(entries) => !entries.is_empty() || error.kind() != io::ErrorKind::NotFound,
        Err(_) => false,
    };
    let mut files = Vec::new();
    if !is_directory {
        return Err(error);
    }
    walk(tree, path, 0, &mut files)?;
    Ok(files)
}

fn walk(
    tree: &dyn Tree,
    directory: &Path,
    depth: usize,
    files: &mut Vec<(PathBuf, Vec<u8>)>,
) -> io::Result<()> {
    if depth > MAXIMUM_DEPTH {
        return Err(io::Error::other("directories are nested too deep"));
    }
    for entry in tree.list(directory)? {
        let path = directory.join(&entry.name);
        let name = entry.name.to_string_lossy();
        let is_manifest = [".yaml", ".yml", ".json"].iter().any(|end| name.ends_with(end));
        if name.starts_with('.') || KUSTOMIZE.contains(&name.as_ref()) {
            continue;
        } else if entry.is_directory {
            walk(tree, &path, depth + 1, files)?;
        } else if is_manifest {
            files.push((path.clone(), tree.read(&path)?));
        }
    }
    Ok(())
}

/// Reads the objects of a text, those of lists one by one.
pub(crate) fn read_text(
    file: &str,
    text: &[u8],
    meter: &Meter,
    found: &mut Vec<Manifest>,
    faults: &mut Vec<ScenarioFault>,
) {
    let lines = Lines::new(text);
    let take = |document: Document| Ok::<_, Infallible>(document);
    let place = |byte: usize| {
        let (line, column) = lines.line_and_column(byte);
        Place { line, column }
    };
    let mut fault = |byte: usize, message: String| {
        faults.push(ScenarioFault { file: file.to_owned(), place: place(byte), message, help: None });
    };
    for decoded in stream::read_within(text, meter, &take) {
        let document = match decoded.outcome {
            Ok(document) => document,
            Err(Fault::Malformed { message, byte }) => {
                fault(byte, message);
                continue;
            }
            Err(Fault::Separator { byte, .. }) => {
                fault(byte, "a line that begins with --- must end there".to_owned());
                continue;
            }
            Err(Fault::Rejected(never)) => match never {},
        };
        if document.root().is_null() {
            continue;
        }
        let start = Locator::new(text, decoded.range.clone(), decoded.syntax).find("").value.start;
        let object = value(document.root());
        if object.api_version().is_empty() || object.kind().is_empty() {
            fault(start, "is not an object: apiVersion or kind is missing".to_owned());
            continue;
        }
        let is_list = object.kind().ends_with("List") && object.get("items").is_some_and(Value::is_array);
        let objects = if is_list { object.list(&["items"]).to_vec() } else { vec![object] };
        for object in objects {
            found.push(Manifest { object, file: file.to_owned(), place: place(start) });
        }
    }
}
