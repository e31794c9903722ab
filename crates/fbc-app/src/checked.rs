//! Catalogs that were checked, with one view of their findings for all who show them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fbc_lint::finding::Spot;
use fbc_lint::policy::set_aside::Cause;
use fbc_lint::{Located, Policy, Profile, RelatedPlace, Report, Rule, Severity, Span};
use fbc_model::Catalog;
use fbc_model::tree::MemoryTree;
use fbc_source::{CatalogSource, Error};

use crate::event::Event;
use crate::loading::load_tree;
use crate::settings::Settings;

/// A catalog that has been validated.
pub struct CheckedCatalog {
    /// How it was named on the command line.
    pub reference: PathBuf,
    /// Where its files are.
    pub source: CatalogSource,
    /// What was found.
    pub report: Report,
    /// The number of files that were read.
    pub files: usize,
    /// The number of packages.
    pub packages: usize,
    /// The number of bundles.
    pub bundles: usize,
}

/// A finding as a reader sees it.
pub struct FindingView<'r> {
    /// The finding itself.
    pub located: &'r Located,
    /// The path from where the command runs; nothing where the catalog as a whole is meant.
    pub file: Option<String>,
    /// The catalog, as it was named.
    pub catalog: String,
    /// First line and column.
    pub start: Option<(usize, Option<usize>)>,
    /// Last line, and the column behind the last character.
    pub end: Option<(usize, usize)>,
    /// The place in the document as a JSON pointer.
    pub pointer: Option<&'r str>,
    /// The files of its fixes, as the paths from where the command runs.
    pub fix_files: BTreeMap<&'r Path, String>,
    /// The other places that it speaks of, with their paths from where the command runs.
    pub related: Vec<(String, &'r RelatedPlace)>,
}

impl CheckedCatalog {
    /// Whether nothing was read, and nothing is said of that.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let is_silent = self.report.findings.is_empty() && self.report.set_aside.is_empty();
        self.files == 0 && is_silent && self.source.is_catalog()
    }

    /// The findings in their order.
    pub fn findings(&self) -> impl Iterator<Item = FindingView<'_>> {
        self.report.findings.iter().map(|located| self.view(located))
    }

    /// The findings that do not count, in their order, and why.
    pub fn set_aside(&self) -> impl Iterator<Item = (FindingView<'_>, &Cause)> {
        self.report.set_aside.iter().map(|aside| (self.view(&aside.located), &aside.cause))
    }

    fn view<'r>(&'r self, located: &'r Located) -> FindingView<'r> {
        let place = located.finding.place.as_ref();
        let path = place.map_or(Path::new(""), |place| place.path.as_path());
        let file = place.map(|_| slashes(&self.source.shown(path)));
        let start = match (&located.span, place) {
            (Some(span), _) => Some((span.start.0, Some(span.start.1))),
            // A file as a whole is shown at its first line, so that every reader finds it.
            (None, Some(place)) if !self.source.is_folder(&place.path) => Some((1, None)),
            _ => None,
        };
        let fix_files = located.fixes.iter().flat_map(|fix| &fix.files);
        FindingView {
            fix_files: fix_files
                .map(|file| (file.path.as_path(), slashes(&self.source.shown(&file.path))))
                .collect(),
            related: located
                .related
                .iter()
                .map(|related| (slashes(&self.source.shown(&related.path)), related))
                .collect(),
            located,
            file,
            catalog: slashes(&self.source.shown(Path::new(""))),
            start,
            end: located.span.as_ref().map(|span| span.end),
            pointer: place.and_then(|place| match &place.spot {
                Spot::Value(pointer) | Spot::Key(pointer) => Some(pointer.as_str()),
                Spot::File | Spot::Byte(_) | Spot::Bytes(_) => None,
            }),
        }
    }
}

impl<'r> FindingView<'r> {
    /// The rule that is broken.
    pub fn rule(&self) -> &'static Rule {
        self.located.finding.rule
    }

    /// How bad it is.
    pub fn severity(&self) -> Severity {
        self.located.finding.severity
    }

    /// What is wrong.
    pub fn message(&self) -> &'r str {
        &self.located.finding.message
    }

    /// The notes, and the other places as notes.
    pub fn notes(&self) -> Vec<String> {
        let places = self.related.iter().map(|(file, related)| {
            let message = &related.message;
            match &related.span {
                Some(Span { start: (line, column), .. }) => format!("{message} at {file}:{line}:{column}"),
                None => format!("{message} in {file}"),
            }
        });
        self.located.finding.notes.iter().cloned().chain(places).collect()
    }

    /// A file of a fix, as readers see it.
    pub fn fix_file(&self, path: &Path) -> &str {
        self.fix_files.get(path).map_or("", String::as_str)
    }

    /// The file, or the catalog where none is meant in particular.
    pub fn place(&self) -> Option<&str> {
        let catalog = || Some(self.catalog.as_str()).filter(|catalog| !catalog.is_empty());
        self.file.as_deref().or_else(catalog)
    }

    /// `path:line:column`, as far as known; the catalog where there is no file.
    pub fn position(&self) -> String {
        let file = self.place().unwrap_or("(catalog)");
        match self.start {
            Some((line, Some(column))) => format!("{file}:{line}:{column}"),
            Some((line, None)) => format!("{file}:{line}"),
            None => file.to_owned(),
        }
    }
}

/// Other tools expect slashes on every system.
#[must_use]
pub fn slashes(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() }
}

/// Whether opm takes the catalog of a source. What it objects to is told.
///
/// # Errors
/// If a budget is used up.
pub fn opm_takes(place: &Path, source: CatalogSource, settings: &Settings) -> Result<bool, Error> {
    let catalog = load_tree(source.tree.as_ref(), settings)?;
    Ok(tell_errors(&check_loaded(place, source, &catalog, Profile::Opm), settings))
}

/// Whether opm takes a catalog of these files. What it objects to is told.
///
/// # Errors
/// If a budget is used up.
pub fn opm_takes_files(
    place: &Path,
    files: &[(PathBuf, Vec<u8>)],
    settings: &Settings,
) -> Result<bool, Error> {
    let tree: MemoryTree = files.iter().map(|(path, bytes)| (path.clone(), bytes.clone())).collect();
    opm_takes(place, CatalogSource::of_tree(Box::new(tree), place), settings)
}

/// Checks a catalog that was loaded from the source, under a profile alone.
pub fn check_loaded(
    reference: &Path,
    source: CatalogSource,
    catalog: &Catalog,
    profile: Profile,
) -> CheckedCatalog {
    check_under(reference, source, catalog, &Policy::from(profile))
}

/// Checks a catalog that was loaded from the source.
pub fn check_under(
    reference: &Path,
    source: CatalogSource,
    catalog: &Catalog,
    policy: &Policy,
) -> CheckedCatalog {
    let report = fbc_rules::lint_under(catalog, source.tree.as_ref(), policy);
    checked(reference, source, catalog, report)
}

/// A catalog with what was found in it.
pub fn checked(reference: &Path, source: CatalogSource, catalog: &Catalog, report: Report) -> CheckedCatalog {
    CheckedCatalog {
        reference: reference.to_path_buf(),
        report,
        files: catalog.files.len(),
        packages: catalog.packages.len(),
        bundles: catalog.bundles.len(),
        source,
    }
}

/// Why findings cannot be worked with that are counted only.
pub fn not_all_kept(reference: &str, consequence: &str) -> Error {
    Error::new(format!(
        "{reference} has more findings of a rule than are kept; {consequence} (limit findings)"
    ))
    .help("keep more with `--max-findings N`")
}

/// Tells the errors of what was checked; whether it has none.
#[must_use]
pub fn tell_errors(checked: &CheckedCatalog, settings: &Settings) -> bool {
    let is_valid = checked.report.count(Severity::Error) == 0;
    if !is_valid {
        settings.tell(Event::Findings { checked, errors_only: true });
    }
    is_valid
}

/// The refusal of a command that would do something with what is not valid.
pub fn not_valid(shown: &Path, verb: &str) -> Error {
    Error::refusal(format!("{} is not valid", shown.display())).help(all_the_same(verb))
}

/// The refusal of a part of a catalog that is not valid.
pub fn part_not_valid() -> Error {
    Error::refusal("what would be kept is not a valid catalog")
}

/// How a command is made to take what is not valid.
pub fn all_the_same(verb: &str) -> String {
    format!("fix what is wrong, or {verb} it all the same with --no-validate")
}
