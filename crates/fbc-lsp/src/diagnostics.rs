//! Findings as diagnostics: where they are in the text as it is now.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::{
    CodeDescription, Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, Location, NumberOrString,
    Position, Range, Url,
};

use crate::buffer::{Buffer, Piece};
use crate::catalog::{CatalogState, Judged, Place, Placed};
use crate::host::Problem;
use crate::position::{Encoding, position_of};
use crate::workspace::Workspace;

/// Findings of a file that are shown at the most.
pub const MOST_DIAGNOSTICS: usize = 1_000;

/// The rule of documents that cannot be read.
const UNREADABLE: &str = "FBC003";

/// A finding where it stands now, with its judgement; a fault of the text has none.
pub type Shown<'w> = (Diagnostic, Option<(&'w Arc<Judged>, &'w Placed)>);

/// Where the documents of a file begin.
struct Starts {
    numbers: HashMap<*const Piece, usize>,
    positions: Vec<Position>,
}

impl Starts {
    fn of(buffer: &Buffer, encoding: Encoding) -> Self {
        let pieces = buffer.pieces.iter().enumerate();
        Self {
            numbers: pieces.map(|(number, piece)| (Arc::as_ptr(piece), number)).collect(),
            positions: buffer.starts(encoding),
        }
    }

    /// The range of a place; nothing if its document is gone by now.
    fn range(&self, place: &Place, encoding: Encoding) -> Option<Range> {
        let number = self.numbers.get(&Arc::as_ptr(&place.piece))?;
        Some(place.range(*self.positions.get(*number)?, encoding))
    }
}

/// Where the documents of the files of a catalog begin, worked out once for each file that is asked for.
struct StartsByFile<'s> {
    state: &'s CatalogState,
    encoding: Encoding,
    known: BTreeMap<PathBuf, Starts>,
}

impl StartsByFile<'_> {
    fn location(&mut self, path: &Path, place: &Place) -> Option<Location> {
        if !self.known.contains_key(path) {
            let buffer = self.state.files.get(path)?.buffer.as_ref();
            self.known.insert(path.to_path_buf(), Starts::of(buffer, self.encoding));
        }
        let range = self.known.get(path)?.range(place, self.encoding)?;
        Some(Location::new(Url::from_file_path(self.state.root.join(path)).ok()?, range))
    }
}

impl Workspace {
    /// The diagnostics of a file of a catalog, the first places first.
    #[must_use]
    pub fn diagnostics(&self, root: &Path, relative: &Path) -> Vec<Diagnostic> {
        self.shown(root, relative).into_iter().map(|(diagnostic, _)| diagnostic).collect()
    }

    /// The findings of a file of a catalog where they stand now, each with its judgement.
    #[must_use]
    pub fn shown(&self, root: &Path, relative: &Path) -> Vec<Shown<'_>> {
        let Some(entry) = self.catalogs.get(root) else { return Vec::new() };
        let (encoding, pages) = (self.encoding, self.rule_pages.as_deref());
        let empty = Buffer::default();
        let buffer = entry.state.files.get(relative).map_or(&empty, |file| file.buffer.as_ref());
        let starts = Starts::of(buffer, encoding);
        let mut found = Vec::new();
        for (judged, placed) in entry.findings().filter(|(_, placed)| placed.path == relative) {
            let range = match &placed.place {
                None => Range::default(),
                Some(place) => match starts.range(place, encoding) {
                    Some(range) => range,
                    None => continue,
                },
            };
            found.push((range, judged, placed));
        }
        found.sort_by(|(a, _, one), (b, _, other)| {
            (a.start, a.end).cmp(&(b.start, b.end)).then_with(|| one.message.cmp(&other.message))
        });
        found.truncate(MOST_DIAGNOSTICS);
        // What has never been read is judged as it is, and its finding says more than the reason why it cannot be read.
        let told: Vec<*const Piece> = found
            .iter()
            .filter(|(_, _, placed)| placed.rule.code == UNREADABLE)
            .filter_map(|(_, _, placed)| Some(Arc::as_ptr(&placed.place.as_ref()?.piece)))
            .collect();
        let mut files = StartsByFile { state: &entry.state, encoding, known: BTreeMap::new() };
        let mut shown: Vec<Shown<'_>> = found
            .into_iter()
            .map(|(range, judged, placed)| {
                let mut diagnostic = of_finding(placed, range, pages);
                self.relate(&mut diagnostic, placed, &mut files);
                (diagnostic, Some((judged, placed)))
            })
            .collect();
        for (number, piece) in buffer.pieces.iter().enumerate() {
            if let Some(fault) = piece.fault.as_ref().filter(|_| !told.contains(&Arc::as_ptr(piece))) {
                let end =
                    piece.text.get(fault.byte..).map_or(0, |rest| rest.find('\n').unwrap_or(rest.len()));
                let range = buffer.range(number, fault.byte..fault.byte + end, encoding);
                shown.push((of_fault(&fault.message, piece.good.is_some(), range, pages), None));
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

    /// Adds the other places that a finding speaks of, in the form that the client knows.
    fn relate(&self, diagnostic: &mut Diagnostic, placed: &Placed, files: &mut StartsByFile<'_>) {
        let mut related = Vec::new();
        for one in &placed.related {
            let Some(location) = files.location(&one.path, &one.place) else { continue };
            if self.shows_related {
                related.push(DiagnosticRelatedInformation { location, message: one.message.clone() });
            } else {
                let (path, Position { line, character }) = (one.path.display(), location.range.start);
                diagnostic.message.push_str(&format!(
                    "\n{} at {path}:{}:{}",
                    one.message,
                    line + 1,
                    character + 1
                ));
            }
        }
        diagnostic.related_information = Some(related).filter(|related| !related.is_empty());
    }
}

/// The page of a rule, where the client says where pages are.
fn page_of_rule(pages: Option<&str>, code: &str) -> Option<CodeDescription> {
    Some(CodeDescription { href: Url::parse(&format!("{}{code}.md", pages?)).ok()? })
}

fn of_finding(placed: &Placed, range: Range, pages: Option<&str>) -> Diagnostic {
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

fn of_fault(message: &str, is_remembered: bool, range: Range, pages: Option<&str>) -> Diagnostic {
    let note = match is_remembered {
        true => "\nuntil it can be read again, what it said before counts",
        false => "",
    };
    Diagnostic {
        range,
        severity: Some(DiagnosticSeverity::ERROR),
        code: Some(NumberOrString::String(UNREADABLE.to_owned())),
        code_description: page_of_rule(pages, UNREADABLE),
        source: Some("fbc".to_owned()),
        message: format!("{message}{note}"),
        ..Diagnostic::default()
    }
}

/// The diagnostic of a problem in a file that is not a catalog.
#[must_use]
pub fn of_problem(problem: &Problem, text: &str, encoding: Encoding, pages: Option<&str>) -> Diagnostic {
    let range = Range::new(
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
