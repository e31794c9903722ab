//! What editors have open, and the catalogs around it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_model::overlay_tree::FileVersions;
use fbc_model::tree::Tree;
use fbc_version::OpenShiftRelease;
use lsp_types::{TextDocumentContentChangeEvent, Url};

use crate::buffer::{Buffer, Draft};
use crate::catalog::{CatalogState, FileState, Judged, Placed};
use crate::configuration::CachedConfiguration;
use crate::host::{FileKind, HostError, Problem, Simulated, kind_of};
use crate::position::Encoding;

/// A file that an editor holds.
#[derive(Debug)]
pub struct OpenFile {
    /// The path on disk.
    pub path: PathBuf,
    /// The version that the editor gives the text.
    pub version: i32,
    /// What it is.
    pub kind: Option<FileKind>,
    /// The text; of a file of a catalog, what the catalog has.
    pub buffer: Arc<Buffer>,
    /// Changes of the text that were not read so far.
    pub draft: Option<Draft>,
    /// The catalog that it belongs to.
    pub root: Option<PathBuf>,
    /// What is wrong with it, if it is not a file of a catalog.
    pub problems: Vec<Problem>,
    /// What came of its last simulation.
    pub simulated: Option<Simulation>,
}

/// A scenario that was played.
#[derive(Debug)]
pub struct Simulation {
    /// The version of the text that was saved then.
    pub version: i32,
    /// What came of it, or why it cannot be played.
    pub outcome: Result<Simulated, HostError>,
}

/// A catalog, and what was found in it.
#[derive(Debug)]
pub struct CatalogEntry {
    /// The files.
    pub state: Arc<CatalogState>,
    /// What was found, by package.
    pub judged: BTreeMap<String, Arc<Judged>>,
    /// What only the whole tells.
    pub whole: Option<Arc<Judged>>,
    /// Whether all files have been read.
    pub is_loaded: bool,
    /// What the configuration says of it.
    pub configuration: Arc<CachedConfiguration>,
}

impl CatalogEntry {
    /// All findings, each with the judgement that it is of.
    pub fn findings(&self) -> impl Iterator<Item = (&Arc<Judged>, &Placed)> {
        let all = self.judged.values().chain(&self.whole);
        all.flat_map(|judged| judged.findings.iter().map(move |placed| (judged, placed)))
    }
}

impl CatalogEntry {
    /// Takes in the text of a file, in which these packages have changed.
    fn changed(&mut self, root: &Path, file: &OpenFile, packages: Vec<String>) -> Changed {
        let relative = file.path.strip_prefix(root).unwrap_or(&file.path).to_path_buf();
        let before = self.state.declared();
        let state = Arc::make_mut(&mut self.state);
        state.files.insert(relative, FileState { buffer: Arc::clone(&file.buffer), is_open: true });
        let others = match state.reaches_others(&packages, &before) {
            true => state.packages(),
            false => Vec::new(),
        };
        Changed { root: root.to_path_buf(), packages, others }
    }
}

/// What a change of a text changes in its catalog.
#[derive(Debug)]
pub struct Changed {
    /// The catalog.
    pub root: PathBuf,
    /// The packages of the documents that changed.
    pub packages: Vec<String>,
    /// The packages in which other things may be found now.
    pub others: Vec<String>,
}

/// Everything that the server knows.
#[derive(Debug, Default)]
pub struct Workspace {
    /// What columns count.
    pub encoding: Encoding,
    /// Where the client finds the pages of rules: what their addresses begin with.
    pub rule_pages: Option<String>,
    /// The directories that the client works in.
    pub folders: Vec<PathBuf>,
    /// Open files by their addresses.
    pub open: BTreeMap<Url, OpenFile>,
    /// Catalogs by their roots.
    pub catalogs: BTreeMap<PathBuf, CatalogEntry>,
    /// Files with findings that the client was told of.
    pub published: BTreeSet<PathBuf>,
    /// Whether the client shows places beside those of findings; else they are part of the message.
    pub shows_related: bool,
}

impl Workspace {
    /// Takes in a file. The catalog that it belongs to is returned if all of it has to be read.
    pub fn open(
        &mut self,
        url: Url,
        version: i32,
        text: &str,
        tree: &dyn Fn(&Path) -> Box<dyn Tree>,
    ) -> Option<PathBuf> {
        let path = url.to_file_path().ok()?;
        let kind = kind_of(&path, text);
        let buffer = Arc::new(Buffer::new(text));
        let root = (kind == Some(FileKind::Catalog)).then(|| self.root_of(&path, tree));
        let mut file = OpenFile {
            path,
            version,
            kind,
            buffer,
            draft: None,
            root: None,
            problems: Vec::new(),
            simulated: None,
        };
        let Some(root) = root else {
            self.open.insert(url, file);
            return None;
        };
        let entry = self.catalogs.entry(root.clone()).or_insert_with(|| CatalogEntry {
            state: Arc::new(CatalogState { root: root.clone(), files: BTreeMap::new() }),
            judged: BTreeMap::new(),
            whole: None,
            is_loaded: false,
            configuration: Arc::default(),
        });
        let is_new = !entry.is_loaded;
        let relative = file.path.strip_prefix(&root).unwrap_or(&file.path).to_path_buf();
        let files = &mut Arc::make_mut(&mut entry.state).files;
        files.insert(relative, FileState { buffer: Arc::clone(&file.buffer), is_open: true });
        file.root = Some(root.clone());
        self.open.insert(url, file);
        is_new.then_some(root)
    }

    /// The catalog around a file: its directory, or the directory above if that holds nothing but directories and is part of what
    /// the client works in. A directory named after an OpenShift release is a catalog of its own.
    #[must_use]
    pub fn root_of(&self, path: &Path, tree: &dyn Fn(&Path) -> Box<dyn Tree>) -> PathBuf {
        if let Some(known) = self.catalogs.keys().find(|root| path.starts_with(root)) {
            return known.clone();
        }
        let folder = path.parent().unwrap_or(path).to_path_buf();
        let is_version = |folder: &Path| {
            let name = folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            OpenShiftRelease::parse(name).is_some_and(|version| (4..=5).contains(&version.major))
        };
        let Some(above) = folder.parent().filter(|_| !is_version(&folder)) else { return folder };
        if !self.folders.iter().any(|root| above.starts_with(root)) {
            return folder;
        }
        let entries = tree(above).list(Path::new("")).unwrap_or_default();
        let is_ignorable = |name: &Path| {
            let name = name.to_string_lossy();
            name.starts_with('.') || name == "README.md"
        };
        let are_folders = entries.iter().all(|entry| entry.is_directory || is_ignorable(&entry.name));
        let holds_versions = entries.iter().any(|entry| entry.is_directory && is_version(&entry.name));
        if are_folders && !holds_versions { above.to_path_buf() } else { folder }
    }

    /// Takes changes in, which are read when somebody needs to know what they mean.
    pub fn change(&mut self, url: &Url, version: i32, changes: Vec<TextDocumentContentChangeEvent>) {
        let encoding = self.encoding;
        let Some(file) = self.open.get_mut(url) else { return };
        let draft =
            file.draft.get_or_insert_with(|| Draft::new(Buffer::clone(&file.buffer), version, encoding));
        draft.version = version;
        changes.into_iter().for_each(|change| draft.apply(change.range, &change.text));
    }

    /// Reads the changes of all files: which files changed, and which packages of their catalogs.
    #[must_use]
    pub fn settle(&mut self) -> Vec<(Url, Option<Changed>)> {
        let mut changed = Vec::new();
        for (url, file) in &mut self.open {
            let Some(draft) = file.draft.take() else { continue };
            file.version = draft.version;
            let (buffer, packages) = draft.settle();
            file.buffer = Arc::new(buffer);
            let entry = file.root.as_ref().and_then(|root| Some((root, self.catalogs.get_mut(root)?)));
            changed.push((url.clone(), entry.map(|(root, entry)| entry.changed(root, file, packages))));
        }
        changed
    }

    /// The files of a catalog that editors hold, relative to it.
    #[must_use]
    pub fn open_files(&self, root: &Path) -> BTreeMap<PathBuf, Arc<Buffer>> {
        let files = self.open.values().filter(|file| file.root.as_deref() == Some(root));
        files
            .map(|file| {
                let relative = file.path.strip_prefix(root).unwrap_or(&file.path).to_path_buf();
                (relative, Arc::clone(&file.buffer))
            })
            .collect()
    }

    /// All files that editors hold, with their texts.
    #[must_use]
    pub fn buffers(&self) -> FileVersions {
        self.open.values().map(|file| (file.path.clone(), Some(file.buffer.text().into_bytes()))).collect()
    }
}
