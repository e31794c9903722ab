//! The state of a catalog: the pieces of its files, and what was found in each package.
//!
//! Packages are judged one by one: rules look at a catalog that holds nothing but the documents of the package. What
//! only the whole catalog tells ([`WHOLE_CATALOG`]) is judged when a file is opened or saved.

use std::collections::{BTreeMap, HashSet};
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_lint::fix::Fix;
use fbc_lint::{Located, RelatedPlace, Rule, Severity, Span};
use fbc_model::blob::schema;
use fbc_model::tree::{MemoryTree, Tree, TreeEntry};
use fbc_model::{Catalog, CatalogFile, meta};
use fbc_rules::lint_under;
use fbc_yaml::stream;
use lsp_types::Position;

use crate::buffer::{Buffer, Piece};
use crate::configuration::CatalogConfiguration;
use crate::position::{Encoding, position_of, shifted};

/// Rules that look beyond a package: a finding may come or go with a change of another one.
pub const WHOLE_CATALOG: [&str; 9] =
    ["FBC001", "FBC002", "FBC033", "FBC202", "FBC216", "FBC217", "FBC233", "FBC234", "OLM008"];

/// Bytes of a catalog beyond which files are read only when an editor opens them; no file may have more.
pub const MAX_BYTES: usize = 256 << 20;

/// What tells the loader that a text is YAML, whatever comes next.
const SEPARATOR: &str = "---\n";

/// A file of a catalog.
#[derive(Clone, Debug)]
pub struct FileState {
    /// Its text.
    pub buffer: Arc<Buffer>,
    /// Whether an editor holds it: what is on disk does not count then.
    pub is_open: bool,
}

/// A catalog. Clones share their texts.
#[derive(Clone, Debug)]
pub struct CatalogState {
    /// The directory, or the one file.
    pub root: PathBuf,
    /// The files, relative to the directory.
    pub files: BTreeMap<PathBuf, FileState>,
}

/// What was found in a package.
#[derive(Debug, Default)]
pub struct Judged {
    /// The findings.
    pub findings: Vec<Placed>,
    /// The files as they were judged.
    pub files: Vec<JudgedFile>,
}

/// A file as it was judged: the documents of one package, one after another.
#[derive(Debug)]
pub struct JudgedFile {
    /// The path, and the places of documents.
    pub info: CatalogFile,
    /// The pieces, each with its first byte in the text that was judged.
    pub pieces: Pieces,
}

/// Pieces, each with its first byte in a text that is put together from them.
pub type Pieces = Vec<(usize, Arc<Piece>)>;

/// Documents of a catalog as files of their own. Their texts are put together when they are read, and not kept.
#[derive(Debug, Default)]
struct PieceTree {
    files: BTreeMap<PathBuf, Pieces>,
    names: MemoryTree,
}

impl Tree for PieceTree {
    fn list(&self, directory: &Path) -> io::Result<Vec<TreeEntry>> {
        self.names.list(directory)
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        let pieces = self.files.get(file).ok_or(io::ErrorKind::NotFound)?;
        Ok(meaning(pieces))
    }
}

/// The text of pieces one after another.
fn meaning(pieces: &Pieces) -> Vec<u8> {
    let last = pieces.last().map_or(0, |(start, piece)| start + piece.meaning().len());
    let mut text = Vec::with_capacity(last);
    pieces.iter().for_each(|(_, piece)| text.extend_from_slice(piece.meaning().as_bytes()));
    text
}

/// A finding in a piece.
#[derive(Debug)]
pub struct Placed {
    /// The rule.
    pub rule: &'static Rule,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong.
    pub message: String,
    /// Notes and help.
    pub notes: Vec<String>,
    /// What it is about.
    pub subject: fbc_lint::finding::Subject,
    /// The file, relative to the catalog.
    pub path: PathBuf,
    /// Where in a document; nothing for a file as a whole.
    pub place: Option<Place>,
    /// What would put it right, in terms of [`Judged::files`].
    pub fixes: Vec<Fix>,
    /// The other places that it speaks of.
    pub related: Vec<Related>,
}

/// Another place that a finding speaks of.
#[derive(Debug)]
pub struct Related {
    /// The file, relative to the catalog.
    pub path: PathBuf,
    /// Where in a document.
    pub place: Place,
    /// What is there.
    pub message: String,
}

/// A stretch of one line of a document.
#[derive(Clone, Debug)]
pub struct Place {
    /// The document.
    pub piece: Arc<Piece>,
    /// The bytes.
    pub bytes: Range<usize>,
    /// The line of the document, from 0.
    line: u32,
    /// The first byte of that line.
    line_start: usize,
}

impl Place {
    fn new(piece: Arc<Piece>, bytes: Range<usize>) -> Self {
        let before = piece.text.as_bytes().get(..bytes.start).unwrap_or_default();
        let line = memchr::memchr_iter(b'\n', before).count() as u32;
        let line_start = memchr::memrchr(b'\n', before).map_or(0, |at| at + 1);
        Self { piece, bytes, line, line_start }
    }

    /// The range in a file where the document begins at a position.
    #[must_use]
    pub fn range(&self, start: Position, encoding: Encoding) -> lsp_types::Range {
        let at = |byte: usize| {
            let line = self.piece.text.get(self.line_start..).unwrap_or_default();
            let inner = position_of(line, byte.saturating_sub(self.line_start), encoding);
            shifted(start, Position::new(self.line + inner.line, inner.character))
        };
        lsp_types::Range::new(at(self.bytes.start), at(self.bytes.end))
    }
}

impl CatalogState {
    /// Reads a catalog from its directory; files that editors hold come from there. The files that are left out, because
    /// the catalog has more than [`MAX_BYTES`] with them, are named.
    #[must_use]
    pub fn load(root: &Path, tree: &dyn Tree, open: &BTreeMap<PathBuf, Arc<Buffer>>) -> (Self, Vec<PathBuf>) {
        let mut files = BTreeMap::new();
        let mut left_out = Vec::new();
        let mut bytes: usize = open.values().map(|buffer| buffer.len()).sum();
        for path in fbc_model::load::files(tree) {
            let buffer = match open.get(&path) {
                Some(buffer) => Arc::clone(buffer),
                None => {
                    let fits = |size: u64| bytes as u64 + size <= MAX_BYTES as u64;
                    if !tree.size(&path).is_none_or(fits) {
                        left_out.push(path);
                        continue;
                    }
                    let Some(text) = tree.read(&path).ok().and_then(|bytes| String::from_utf8(bytes).ok())
                    else {
                        continue;
                    };
                    bytes += text.len();
                    Arc::new(Buffer::new(&text))
                }
            };
            let is_open = open.contains_key(&path);
            files.insert(path, FileState { buffer, is_open });
        }
        // Files that are not on disk yet.
        for (path, buffer) in open {
            files
                .entry(path.clone())
                .or_insert_with(|| FileState { buffer: Arc::clone(buffer), is_open: true });
        }
        (Self { root: root.to_path_buf(), files }, left_out)
    }

    /// The packages that have documents, and the empty name if some belong to none.
    #[must_use]
    pub fn packages(&self) -> Vec<String> {
        let pieces = self.files.values().flat_map(|file| &file.buffer.pieces);
        let mut names: Vec<String> = pieces.map(|piece| piece.about.package.clone()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The packages that have an `olm.package` blob.
    #[must_use]
    pub fn declared(&self) -> HashSet<Arc<str>> {
        let pieces = self.files.values().flat_map(|file| &file.buffer.pieces);
        let packages = pieces.filter(|piece| piece.about.schema == schema::PACKAGE);
        let names = packages.map(|piece| piece.about.package.as_str());
        names.filter(|name| !name.is_empty()).map(Arc::from).collect()
    }

    /// Whether a change of documents of these packages may change what is found in others: one of them is not declared,
    /// now or as it was before.
    #[must_use]
    pub fn reaches_others(&self, changed: &[String], before: &HashSet<Arc<str>>) -> bool {
        let now = self.declared();
        changed.iter().any(|package| !before.contains(package.as_str()) || !now.contains(package.as_str()))
    }

    /// The documents of a package as files of their own.
    fn part(&self, wanted: &dyn Fn(&Piece) -> bool) -> PieceTree {
        let mut tree = PieceTree::default();
        for (path, file) in &self.files {
            let (mut start, mut pieces) = (0, Vec::new());
            let first = file.buffer.pieces.first().filter(|piece| wanted(piece));
            if !file.buffer.is_json() && first.is_some_and(|piece| is_refused_json(piece)) {
                let separator = Piece::unread(SEPARATOR.to_owned());
                start += separator.text.len();
                pieces.push((0, Arc::new(separator)));
            }
            for (number, piece) in file.buffer.pieces.iter().enumerate().filter(|(_, piece)| wanted(piece)) {
                // Of two separators in a row one is not a document, and here the other has none of its own; nor is one at
                // the end of a file.
                if piece.is_separator() && number > 0 {
                    continue;
                }
                pieces.push((start, Arc::clone(piece)));
                start += piece.meaning().len();
            }
            if !pieces.is_empty() {
                tree.names.insert(path.clone(), Vec::new());
                tree.files.insert(path.clone(), pieces);
            }
        }
        tree
    }

    /// The documents of a package, loaded.
    #[must_use]
    pub fn package(&self, package: &str) -> (Catalog, Vec<JudgedFile>) {
        let tree = self.part(&|piece| piece.about.package == package && piece_means(piece));
        let catalog = fbc_lint::load(&tree);
        let files = judged_files(&catalog, tree);
        (catalog, files)
    }

    /// Judges one package.
    #[must_use]
    pub fn judge(&self, package: &str, configuration: &CatalogConfiguration) -> Judged {
        let is_own = |piece: &Piece| piece.about.package == package;
        // Documents of no package that there is may be meant for this one: what they name is not reported as missing.
        let declared = self.declared();
        let is_stray = |piece: &Piece| piece.has_document && !declared.contains(piece.about.package.as_str());
        let tree = self.part(&|piece| is_own(piece) || is_stray(piece));
        let mut judged = judged(tree, configuration, &|code| !WHOLE_CATALOG.contains(&code));
        // What is wrong with those is found where they are judged themselves.
        judged.findings.retain(|placed| placed.place.as_ref().is_none_or(|place| is_own(&place.piece)));
        judged
    }

    /// Judges what only the whole catalog tells.
    #[must_use]
    pub fn judge_whole(&self, configuration: &CatalogConfiguration) -> Judged {
        judged(self.part(&|_| true), configuration, &|code| WHOLE_CATALOG.contains(&code))
    }
}

/// Whether a document looks like JSON and is refused. With such a document at its beginning, the loader reads a file as JSON
/// and nothing behind it; while somebody types a brace, the documents behind it are still YAML.
fn is_refused_json(piece: &Piece) -> bool {
    let text = piece.meaning();
    let read = || stream::read(text.as_bytes(), &|document| meta::read(document.root()));
    text.trim_start().starts_with('{') && read().iter().any(|decoded| decoded.outcome.is_err())
}

/// Whether a document can be read, or could be before.
fn piece_means(piece: &Piece) -> bool {
    piece.fault.is_none() || piece.good.is_some()
}

fn judged_files(catalog: &Catalog, tree: PieceTree) -> Vec<JudgedFile> {
    let mut pieces = tree.files;
    let files = catalog
        .files
        .iter()
        .map(|file| JudgedFile { info: file.clone(), pieces: pieces.remove(&file.path).unwrap_or_default() });
    files.collect()
}

fn judged(tree: PieceTree, configuration: &CatalogConfiguration, wanted: &dyn Fn(&str) -> bool) -> Judged {
    let catalog = fbc_lint::load(&tree);
    let mut report = lint_under(&catalog, &tree, &configuration.policy);
    (configuration.set_aside)(&mut report);
    let files = judged_files(&catalog, tree);
    let findings = report.findings.into_iter().filter(|located| wanted(located.finding.rule.code));
    Judged { findings: findings.map(|located| placed(located, &files)).collect(), files }
}

fn placed(located: Located, files: &[JudgedFile]) -> Placed {
    let Located { finding, span, related, .. } = located;
    let (path, origin) = finding.place.map(|place| (place.path, place.origin)).unwrap_or_default();
    let file_of = |path: &Path| files.iter().find(|file| file.info.path == path);
    let place_in = |path: &Path, span: Option<Span>| {
        let (piece, bytes) = file_of(path)?.piece_at(&span?.bytes)?;
        Some(Place::new(piece, bytes))
    };
    // What ends too early breaks where the next document begins, which has no part in it.
    let early_end = span.as_ref().and_then(|span| {
        let file = file_of(&path)?;
        let document = file.info.documents.get(origin?.document as usize)?;
        let last = document.range.end.checked_sub(1).filter(|last| span.bytes.start > *last)?;
        let (piece, _) = file.piece_at(&(last..last))?;
        let end = piece.text.len();
        Some(Place::new(piece, end..end))
    });
    let place = early_end.or_else(|| place_in(&path, span));
    let related = related.into_iter().filter_map(|related| {
        let RelatedPlace { path, span, message } = related;
        Some(Related { place: place_in(&path, span)?, path, message })
    });
    let mut notes = finding.notes;
    if !finding.help.is_empty() {
        notes.push(format!("help: {}", finding.help));
    }
    Placed {
        rule: finding.rule,
        severity: finding.severity,
        message: finding.message,
        notes,
        subject: finding.subject,
        path,
        place,
        fixes: finding.fixes,
        related: related.collect(),
    }
}

impl JudgedFile {
    /// The piece that holds bytes of the text that was judged, and the bytes in it.
    #[must_use]
    pub fn piece_at(&self, bytes: &Range<usize>) -> Option<(Arc<Piece>, Range<usize>)> {
        let after = self.pieces.partition_point(|(start, _)| *start <= bytes.start);
        let (start, piece) = self.pieces.get(after.checked_sub(1)?)?;
        let most = piece.text.len();
        let inner = (bytes.start - start).min(most)..bytes.end.saturating_sub(*start).min(most);
        Some((Arc::clone(piece), inner))
    }

    /// The text that was judged.
    #[must_use]
    pub fn text(&self) -> Vec<u8> {
        meaning(&self.pieces)
    }
}
