//! What editors have open, and the catalogs around it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_model::overlay_tree::FileVersions;
use fbc_model::tree::Tree;
use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticSeverity, NumberOrString, TextDocumentContentChangeEvent, Url,
};

use crate::buffer::{Buffer, Piece};
use crate::catalog::{CatalogState, FileState, Judged, Placed};
use crate::host::{FileKind, Problem, Simulated, kind_of};
use crate::position::{Encoding, position_of};

/// Findings of a file that are shown at the most.
pub const MOST_DIAGNOSTICS: usize = 1_000;

/// A file that an editor holds.
#[derive(Debug)]
pub struct OpenFile {
    /// The path on disk.
    pub path: PathBuf,
    /// The version that the editor gives it.
    pub version: i32,
    /// What it is.
    pub kind: Option<FileKind>,
    /// The text; of a file of a catalog, what the catalog has.
    pub buffer: Arc<Buffer>,
    /// The catalog that it belongs to.
    pub root: Option<PathBuf>,
    /// What is wrong with it, if it is not a file of a catalog.
    pub problems: Vec<Problem>,
    /// What came of its last simulation.
    pub simulated: Option<Result<Simulated, String>>,
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
}

impl CatalogEntry {
    /// All findings, each with the judgement that it is of.
    pub fn findings(&self) -> impl Iterator<Item = (&Arc<Judged>, &Placed)> {
        let all = self.judged.values().chain(&self.whole);
        all.flat_map(|judged| judged.findings.iter().map(move |placed| (judged, placed)))
    }
}

/// A finding where it stands now, with its judgement; a fault of the text has none.
pub type Shown<'w> = (Diagnostic, Option<(&'w Arc<Judged>, &'w Placed)>);

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
        let mut file =
            OpenFile { path, version, kind, buffer, root: None, problems: Vec::new(), simulated: None };
        let Some(root) = root else {
            self.open.insert(url, file);
            return None;
        };
        let entry = self.catalogs.entry(root.clone()).or_insert_with(|| CatalogEntry {
            state: Arc::new(CatalogState { root: root.clone(), files: BTreeMap::new() }),
            judged: BTreeMap::new(),
            whole: None,
            is_loaded: false,
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
            let name = name.strip_prefix('v').unwrap_or(name);
            name.strip_prefix("4.").is_some_and(|minor| minor.bytes().all(|byte| byte.is_ascii_digit()))
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

    /// Applies changes; the packages of the catalog that changed, with its root.
    pub fn change(
        &mut self,
        url: &Url,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
    ) -> Option<(PathBuf, Vec<String>)> {
        let encoding = self.encoding;
        let file = self.open.get_mut(url)?;
        file.version = version;
        let entry = file.root.as_ref().and_then(|root| self.catalogs.get_mut(root));
        let mut packages = Vec::new();
        match (entry, &file.root) {
            (Some(entry), Some(root)) => {
                let relative = file.path.strip_prefix(root).unwrap_or(&file.path).to_path_buf();
                let state = Arc::make_mut(&mut entry.state);
                let known = state.files.get_mut(&relative)?;
                // The text is in one place only while it changes, so that it is not copied.
                file.buffer = Arc::default();
                let buffer = Arc::make_mut(&mut known.buffer);
                for change in changes {
                    packages.extend(buffer.edit(change.range, &change.text, encoding));
                }
                file.buffer = Arc::clone(&known.buffer);
                packages.sort_unstable();
                packages.dedup();
                Some((root.clone(), packages))
            }
            _ => {
                let buffer = Arc::make_mut(&mut file.buffer);
                for change in changes {
                    buffer.edit(change.range, &change.text, encoding);
                }
                None
            }
        }
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

    /// The diagnostics of a file of a catalog, the first places first.
    #[must_use]
    pub fn diagnostics(&self, root: &Path, relative: &Path) -> Vec<Diagnostic> {
        self.shown(root, relative).into_iter().map(|(diagnostic, _)| diagnostic).collect()
    }

    /// The findings of a file of a catalog where they stand now, each with its judgement.
    #[must_use]
    pub fn shown(&self, root: &Path, relative: &Path) -> Vec<Shown<'_>> {
        let Some(entry) = self.catalogs.get(root) else { return Vec::new() };
        let empty = Buffer::default();
        let buffer = entry.state.files.get(relative).map_or(&empty, |file| file.buffer.as_ref());
        let starts = buffer.starts(self.encoding);
        let numbers: HashMap<*const Piece, usize> =
            buffer.pieces.iter().enumerate().map(|(number, piece)| (Arc::as_ptr(piece), number)).collect();
        let mut shown = Vec::new();
        for (judged, placed) in entry.findings().filter(|(_, placed)| placed.path == relative) {
            let range = match &placed.place {
                None => lsp_types::Range::default(),
                Some(place) => {
                    let Some(number) = numbers.get(&Arc::as_ptr(&place.piece)) else { continue };
                    let Some(start) = starts.get(*number) else { continue };
                    place.range(*start, self.encoding)
                }
            };
            shown.push((of_finding(placed, range, self.rule_pages.as_deref()), Some((judged, placed))));
        }
        for (number, piece) in buffer.pieces.iter().enumerate() {
            if let Some(fault) = &piece.fault {
                let end =
                    piece.text.get(fault.byte..).map_or(0, |rest| rest.find('\n').unwrap_or(rest.len()));
                let range = buffer.range(number, fault.byte..fault.byte + end, self.encoding);
                shown.push((
                    of_fault(&fault.message, piece.good.is_some(), range, self.rule_pages.as_deref()),
                    None,
                ));
            }
        }
        shown.sort_by(|(a, _), (b, _)| {
            let key = |one: &Diagnostic| (one.range.start, one.range.end);
            key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
        });
        shown.dedup_by(|(a, _), (b, _)| a == b);
        shown.truncate(MOST_DIAGNOSTICS);
        shown
    }
}

/// The page of a rule, where the client says where pages are.
fn page_of_rule(pages: Option<&str>, code: &str) -> Option<CodeDescription> {
    Some(CodeDescription { href: Url::parse(&format!("{}{code}.md", pages?)).ok()? })
}

fn of_finding(placed: &Placed, range: lsp_types::Range, pages: Option<&str>) -> Diagnostic {
    let mut message = placed.message.clone();
    for note in &placed.notes {
        message.push('\n');
        message.push_str(note);
    }
    Diagnostic {
        range,
        severity: Some(match placed.severity {
            fbc_lint::Severity::Error => DiagnosticSeverity::ERROR,
            fbc_lint::Severity::Warning => DiagnosticSeverity::WARNING,
        }),
        code: Some(NumberOrString::String(placed.rule.code.to_owned())),
        code_description: page_of_rule(pages, placed.rule.code),
        source: Some("fbc".to_owned()),
        message,
        ..Diagnostic::default()
    }
}

fn of_fault(message: &str, is_remembered: bool, range: lsp_types::Range, pages: Option<&str>) -> Diagnostic {
    let note = match is_remembered {
        true => "\nuntil it can be read again, what it said before counts",
        false => "",
    };
    Diagnostic {
        range,
        severity: Some(DiagnosticSeverity::ERROR),
        code: Some(NumberOrString::String("FBC003".to_owned())),
        code_description: page_of_rule(pages, "FBC003"),
        source: Some("fbc".to_owned()),
        message: format!("{message}{note}"),
        ..Diagnostic::default()
    }
}

/// The diagnostic of a problem in a file that is not a catalog.
#[must_use]
pub fn of_problem(problem: &Problem, text: &str, encoding: Encoding, pages: Option<&str>) -> Diagnostic {
    let range = lsp_types::Range::new(
        position_of(text, problem.bytes.start, encoding),
        position_of(text, problem.bytes.end, encoding),
    );
    let help = if problem.help.is_empty() { String::new() } else { format!("\nhelp: {}", problem.help) };
    Diagnostic {
        range,
        severity: Some(if problem.is_error {
            DiagnosticSeverity::ERROR
        } else {
            DiagnosticSeverity::WARNING
        }),
        code: (!problem.code.is_empty()).then(|| NumberOrString::String(problem.code.to_owned())),
        code_description: (!problem.code.is_empty()).then(|| page_of_rule(pages, problem.code)).flatten(),
        source: Some("fbc".to_owned()),
        message: format!("{}{help}", problem.message),
        ..Diagnostic::default()
    }
}
