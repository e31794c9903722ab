//! One walk over a repository: where its Dockerfiles, `ci.yaml` files, templates, and directories of releases lie.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use fbc_model::tree::{Tree, TreeEntry};
use fbc_version::OpenShiftRelease;

use crate::ci_file::TEMPLATES;
use crate::{CONFIGURATION, dockerfile, release};

/// Directories deeper than this hold no catalogs of their own.
const DEPTH: usize = 4;
/// No more directories than this are listed.
const MOST: usize = 20_000;
/// Directories that hold what others have written.
const FOREIGN: [&str; 2] = ["node_modules", "vendor"];

/// Where things lie.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    pub(crate) dockerfiles: Vec<PathBuf>,
    pub(crate) ci_files: Vec<PathBuf>,
    /// Files that may be templates, by their names.
    pub(crate) templates: Vec<PathBuf>,
    /// Directories that are named after a version, with the release that it is.
    pub(crate) versions: Vec<(PathBuf, Option<OpenShiftRelease>)>,
    /// Other directories.
    pub(crate) directories: Vec<PathBuf>,
    /// Directories that may not be listed, with the release that they are named after.
    pub(crate) closed: Vec<(PathBuf, Option<OpenShiftRelease>)>,
    pub(crate) is_partial: bool,
}

/// Walks over a tree.
pub(crate) fn survey(tree: &dyn Tree) -> Survey {
    let mut found = Survey::default();
    let mut left = vec![(PathBuf::new(), false)];
    let mut listed = 0;
    while let Some((directory, is_in_version)) = left.pop() {
        if listed == MOST {
            found.is_partial = true;
            break;
        }
        listed += 1;
        let entries = match tree.list(&directory) {
            Ok(entries) => entries,
            Err(error) => {
                if error.kind() == ErrorKind::PermissionDenied {
                    let name = directory.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
                    let release = version_in(&name).flatten();
                    found.closed.push((directory, release));
                }
                continue;
            }
        };
        found.files(&directory, &entries);
        let name = directory.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let version = version_in(&name).filter(|_| !is_in_version);
        let is_deep = directory.components().count() >= DEPTH;
        let below: Vec<&TreeEntry> = entries.iter().filter(|entry| entry.is_directory).collect();
        let has = |name: &str| below.iter().any(|entry| entry.name == Path::new(name));
        // What lies in a bundle is not a catalog; there are many of them.
        let is_bundle = has("manifests") && has("metadata");
        if !is_deep && !is_bundle {
            let has_ci = entries.iter().any(|entry| entry.name == Path::new("ci.yaml"));
            let below = below.iter().filter(|entry| {
                let name = entry.name.to_string_lossy();
                let is_foreign = name.starts_with('.') || FOREIGN.contains(&name.as_ref());
                !is_foreign && (!has_ci || directory.as_os_str().is_empty() || name == TEMPLATES)
            });
            // Below a release lie its Dockerfiles and templates, and no releases of their own.
            let is_in_version = is_in_version || version.is_some();
            left.extend(below.map(|entry| (directory.join(&entry.name), is_in_version)));
        }
        match version {
            Some(version) => found.versions.push((directory, version)),
            None if is_in_version => {}
            None => found.directories.push(directory),
        }
    }
    for list in [&mut found.dockerfiles, &mut found.ci_files, &mut found.templates, &mut found.directories] {
        list.sort();
    }
    found.closed.sort();
    found.versions.sort();
    found
}

impl Survey {
    fn files(&mut self, directory: &Path, entries: &[TreeEntry]) {
        let in_templates = directory.ends_with(TEMPLATES) || directory.ends_with("templates");
        for entry in entries.iter().filter(|entry| !entry.is_directory) {
            let name = entry.name.to_string_lossy();
            let path = || directory.join(&entry.name);
            if dockerfile::is_dockerfile(&name) {
                self.dockerfiles.push(path());
            } else if name == "ci.yaml" {
                self.ci_files.push(path());
            } else if is_document(&name) && (in_templates || is_template(&name)) {
                self.templates.push(path());
            }
        }
    }
}

/// Whether a file holds documents, by its name.
pub(crate) fn is_document(name: &str) -> bool {
    [".yaml", ".yml", ".json"].iter().any(|end| name.ends_with(end))
}

fn is_template(name: &str) -> bool {
    ["template", "semver", "graph", "basic"].iter().any(|word| name.contains(word))
}

/// Whether a directory is named after a version: of a release, or of something else.
fn version_in(name: &str) -> Option<Option<OpenShiftRelease>> {
    match (OpenShiftRelease::parse(name), release::in_name(name)) {
        (_, Some(release)) => Some(Some(release)),
        (Some(_), None) => Some(None),
        (None, None) => None,
    }
}

/// Whether a directory looks like the root of a repository, or another directory above catalogs, at first sight.
#[must_use]
pub fn looks_like_repository(tree: &dyn Tree) -> bool {
    const MARKS: [&str; 7] = [".git", ".github", ".tekton", ".gitignore", "OWNERS", "ci.yaml", CONFIGURATION];
    let Ok(entries) = tree.list(Path::new("")) else { return false };
    let has = |name: &str| entries.iter().any(|entry| entry.is_directory && entry.name == Path::new(name));
    // operators/OPERATOR/ci.yaml with catalogs/RELEASE beside it.
    has("operators") && has("catalogs")
        || entries.iter().any(|entry| {
            let name = entry.name.to_string_lossy();
            MARKS.contains(&name.as_ref())
                || if entry.is_directory {
                    version_in(&name).is_some()
                } else {
                    dockerfile::is_dockerfile(&name)
                }
        })
}
