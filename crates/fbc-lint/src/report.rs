//! A run over a catalog: every rule of a registry, every finding in its place, in one order.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_model::load::load_inspected;
use fbc_model::meta::Meta;
use fbc_model::tree::Tree;
use fbc_model::{Catalog, Origin};
use fbc_yaml::Node;
use fbc_yaml::limits::{LimitExceeded, Limits};
use fbc_yaml::locate::{Lines, Locator};
use rayon::prelude::*;

use crate::context::Context;
use crate::finding::{Finding, Findings, Place, Severity, Spot};
use crate::fix::{ResolvedFix, Source, resolve_all};
use crate::image_facts::ImageFacts;
use crate::policy::Policy;
use crate::policy::set_aside::SetAside;
use crate::registry::Registry;
use crate::rule::{Basis, Check, Rule};
use crate::schema::{self, BlobKind};
use crate::verdict;

mod related;

pub use related::RelatedPlace;

/// What a run found.
#[derive(Debug, Default)]
pub struct Report {
    /// The findings by file, place and code.
    pub findings: Vec<Located>,
    /// What opm would print as its error; nothing where it accepts the catalog.
    pub opm_error: Option<String>,
    /// Findings that do not count, in the same order.
    pub set_aside: Vec<SetAside>,
    /// How many more findings there are, by severity: of each rule only so many are kept.
    pub counted_only: BTreeMap<Severity, usize>,
}

/// A finding whose place is known down to the column.
#[derive(Debug)]
pub struct Located {
    /// The finding.
    pub finding: Finding,
    /// The stretch of the file; nothing where the finding is about a file as a whole.
    pub span: Option<Span>,
    /// The text around the stretch.
    pub excerpt: Option<Excerpt>,
    /// Its fixes in the text of files, where the policy asks for them.
    pub fixes: Vec<ResolvedFix>,
    /// The other places that it speaks of.
    pub related: Vec<RelatedPlace>,
}

/// A piece of a file: the line of a finding, or the part of it around the finding if it is very long,
/// and a few lines before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Excerpt {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The stretch of the finding in these bytes.
    pub place: Range<usize>,
}

/// Lines before the one of a finding, and bytes to either side of it, that an excerpt has at the most.
const EXCERPT_LINES: usize = 3;
const EXCERPT_BYTES: usize = 1024;

/// A stretch of a file. Lines and columns count from 1, columns in characters; the end is behind
/// the last character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Span {
    /// The bytes.
    pub bytes: Range<usize>,
    /// Line and column of the first character.
    pub start: (usize, usize),
    /// Line and column behind the last character.
    pub end: (usize, usize),
}

impl Span {
    /// The stretch of some bytes of a file.
    fn new(lines: &Lines<'_>, bytes: Range<usize>) -> Self {
        Self { start: lines.line_and_column(bytes.start), end: lines.line_and_column(bytes.end), bytes }
    }
}

impl Report {
    /// Adds findings of the same catalog, each in its place.
    pub fn append(&mut self, mut findings: Vec<Located>) {
        self.findings.append(&mut findings);
        self.findings.sort_by(|a, b| sort_key(a).cmp(&sort_key(b)));
    }

    /// The number of findings of a severity, with those that are counted only.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        let kept = self.findings.iter().filter(|located| located.finding.severity == severity).count();
        kept + self.counted_only.get(&severity).copied().unwrap_or_default()
    }
}

/// Loads a catalog so that every rule can do its work on it: with the look at each blob that tells
/// whether it fits the documented schemas.
#[must_use]
pub fn load(tree: &dyn Tree) -> Catalog {
    load_inspected(tree, &misfits_schema)
}

/// As [`load`], within budgets of one's own.
///
/// # Errors
/// The budget that is used up.
pub fn load_within(tree: &dyn Tree, limits: Limits) -> Result<Catalog, LimitExceeded> {
    fbc_model::load::load_within(tree, &misfits_schema, limits)
}

/// Whether a blob has to be looked at once more: it does not fit the documented schema.
fn misfits_schema(blob: Node<'_>, meta: &Meta) -> bool {
    !schema::is_valid(blob, BlobKind::of_schema(&meta.schema))
}

/// The documented schemas speak only of places of which no other rule speaks.
fn yield_to_rules(documented_form: &Rule, findings: &mut Vec<Finding>) {
    let pointer_of = |finding: &Finding| -> Option<(Origin, String)> {
        let place = finding.place.as_ref()?;
        match &place.spot {
            Spot::Value(pointer) | Spot::Key(pointer) => Some((place.origin?, pointer.clone())),
            _ => None,
        }
    };
    let is_schema = |finding: &Finding| finding.rule == documented_form;
    let taken: HashSet<(Origin, String)> =
        findings.iter().filter(|finding| !is_schema(finding)).filter_map(pointer_of).collect();
    findings.retain(|finding| {
        if !is_schema(finding) {
            return true;
        }
        let Some((origin, pointer)) = pointer_of(finding) else { return true };
        // The value itself, or any that holds it; of the whole blob only what lies directly in it.
        let holders = pointer.match_indices('/').map(|(at, _)| pointer.get(..at).unwrap_or_default());
        let mut places = holders.filter(|holder| !holder.is_empty() || pointer.matches('/').count() == 1);
        !taken.contains(&(origin, pointer.clone()))
            && !places.any(|holder| taken.contains(&(origin, holder.to_owned())))
    });
}

/// Whether a rule has to run: because its findings are wanted, because opm's answer is made of them, or
/// because the documented schemas do not speak where it does.
fn runs(rule: &Rule, documented_form: &Rule, policy: &Policy) -> bool {
    policy.level(rule).is_some()
        || rule.basis == Basis::Opm
        || rule.basis != Basis::Policy && policy.level(documented_form).is_some()
}

/// Runs all rules that a policy wants over a catalog. The tree must be the one that the catalog was loaded
/// from: it is read again for places.
#[must_use]
pub fn lint_catalog(
    registry: &Registry,
    catalog: &Catalog,
    tree: &dyn Tree,
    policy: &Policy,
    images: ImageFacts,
) -> Report {
    let mut context = Context::with(catalog, tree, policy.parameters.clone());
    context.images = images;
    let documented_form = registry.documented_form;
    let rules: Vec<&Rule> =
        registry.iter().copied().filter(|rule| runs(rule, documented_form, policy)).collect();
    let found: Vec<Findings> = rules
        .par_iter()
        .with_max_len(1)
        .map(|rule| {
            let mut found = Findings::with_room(policy.most_findings);
            if let Check::Catalog(check) = rule.check {
                check(&context, &mut found);
            }
            found
        })
        .collect();
    let mut all = Findings::with_room(policy.most_findings);
    found.into_iter().for_each(|found| all.append(found));
    let further_conversion = all.first_conversion().cloned();
    let (mut findings, left_out) = all.into_kept();
    // Rules report load faults kind by kind; opm knows only the first in the order of the walk.
    yield_to_rules(documented_form, &mut findings);
    let opm_error = match catalog.faults.first() {
        Some(fault) => Some(fault.message.clone()),
        None => verdict::opm_error(&findings, further_conversion.as_ref()),
    };
    let counted_only = counted(&left_out, policy);
    Report { opm_error, counted_only, ..judged(catalog, tree, findings, policy) }
}

/// Findings with their places, at the severities of a policy; those that it leaves out are gone.
#[must_use]
pub fn judged(
    documents: &dyn Source,
    tree: &dyn Tree,
    mut findings: Vec<Finding>,
    policy: &Policy,
) -> Report {
    findings.retain_mut(|finding| match policy.level(finding.rule) {
        Some(severity) => {
            finding.severity = severity;
            true
        }
        None => false,
    });
    Report { findings: locate(documents, tree, findings, policy.with_fixes), ..Report::default() }
}

/// Findings that are counted only, by the severity that they have under the policy.
pub(crate) fn counted(left_out: &[(&Rule, usize)], policy: &Policy) -> BTreeMap<Severity, usize> {
    let mut counts = BTreeMap::new();
    for (rule, count) in left_out {
        if let Some(severity) = policy.level(rule) {
            *counts.entry(severity).or_default() += count;
        }
    }
    counts
}

/// Finds the places of all findings, and their fixes in the text if those are wanted. Files are read again one by one,
/// and not kept.
#[must_use]
pub fn locate(
    documents: &dyn Source,
    tree: &dyn Tree,
    findings: Vec<Finding>,
    with_fixes: bool,
) -> Vec<Located> {
    let mut by_path: BTreeMap<Option<PathBuf>, Vec<Finding>> = BTreeMap::new();
    for finding in findings {
        let path = finding.place.as_ref().map(|place| place.path.clone());
        by_path.entry(path).or_default().push(finding);
    }
    let files: Vec<_> = by_path.into_iter().collect();
    let mut located: Vec<Located> = files
        .into_par_iter()
        .with_max_len(1)
        .flat_map_iter(|(path, findings)| {
            locate_in_file(documents, tree, path.as_deref(), findings, with_fixes)
        })
        .collect();
    located.sort_by(|a, b| sort_key(a).cmp(&sort_key(b)));
    related::locate(documents, tree, &mut located);
    located
}

fn locate_in_file(
    documents: &dyn Source,
    tree: &dyn Tree,
    path: Option<&Path>,
    findings: Vec<Finding>,
    with_fixes: bool,
) -> Vec<Located> {
    let has_place = |finding: &Finding| finding.place.as_ref().is_some_and(|place| place.spot != Spot::File);
    // A file that cannot be read again still has its findings, without lines.
    let source = path.filter(|_| findings.iter().any(has_place)).and_then(|path| tree.read(path).ok());
    let shared = Arc::new(source.unwrap_or_default());
    let source = shared.as_slice();
    let lines = Lines::new(source);
    let mut locators: BTreeMap<(u32, u32), Locator> = BTreeMap::new();
    let bytes_of_finding = |finding: &Finding, locators: &mut BTreeMap<(u32, u32), Locator>| {
        let place = finding.place.as_ref().filter(|_| !source.is_empty())?;
        bytes_of(documents, source, place, locators)
    };
    let text_of = |wanted: &Path| match path == Some(wanted) && !source.is_empty() {
        true => Some(Arc::clone(&shared)),
        false => tree.read(wanted).ok().map(Arc::new),
    };
    findings
        .into_iter()
        .map(|finding| {
            let fixes =
                if with_fixes { resolve_all(&finding.fixes, documents, &text_of) } else { Vec::new() };
            let located = match bytes_of_finding(&finding, &mut locators) {
                None => Located::without_place(finding),
                Some(bytes) => Located::at(finding, source, &lines, bytes),
            };
            Located { fixes, ..located }
        })
        .collect()
}

impl Located {
    fn at(finding: Finding, source: &[u8], lines: &Lines<'_>, bytes: Range<usize>) -> Self {
        Self {
            excerpt: Some(excerpt(source, &bytes)),
            span: Some(Span::new(lines, bytes)),
            ..Self::without_place(finding)
        }
    }

    /// A finding whose place is not known more closely.
    #[must_use]
    pub fn without_place(finding: Finding) -> Self {
        Self { finding, span: None, excerpt: None, fixes: Vec::new(), related: Vec::new() }
    }

    /// A finding at some bytes of a file that is not a catalog.
    #[must_use]
    pub fn in_file(finding: Finding, path: &Path, source: &[u8], bytes: Range<usize>) -> Self {
        let place = Place { path: path.to_path_buf(), origin: None, spot: Spot::Bytes(bytes.clone()) };
        Self::at(finding.at(place), source, &Lines::new(source), bytes)
    }

    /// A finding about a file as a whole that is not a catalog.
    #[must_use]
    pub fn of_file(finding: Finding, path: &Path) -> Self {
        let place = Place { path: path.to_path_buf(), origin: None, spot: Spot::File };
        Self::without_place(finding.at(place))
    }
}

fn excerpt(source: &[u8], place: &Range<usize>) -> Excerpt {
    let least = place.start.saturating_sub(EXCERPT_BYTES);
    let before = source.get(least..place.start).unwrap_or_default();
    let line_breaks = memchr::memrchr_iter(b'\n', before);
    let start = line_breaks.take(EXCERPT_LINES + 1).nth(EXCERPT_LINES).map_or(least, |at| least + at + 1);
    let most = source.len().min(place.end.saturating_add(EXCERPT_BYTES));
    let after = source.get(place.end..most).unwrap_or_default();
    let end = memchr::memchr(b'\n', after).map_or(most, |at| place.end + at);
    let place_end = place.end.min(end).min(place.start.saturating_add(EXCERPT_BYTES)).max(place.start);
    // Of a place that is cut, what follows is of no interest.
    let end = if place_end < place.end { place_end } else { end };
    Excerpt {
        bytes: source.get(start..end.max(place_end)).unwrap_or_default().to_vec(),
        place: place.start - start..place_end - start,
    }
}

fn sort_key(located: &Located) -> (Option<&PathBuf>, Option<usize>, &str, &str) {
    let path = located.finding.place.as_ref().map(|place| &place.path);
    let start = located.span.as_ref().map(|span| span.bytes.start);
    (path, start, located.finding.rule.code, &located.finding.message)
}

fn bytes_of(
    documents: &dyn Source,
    source: &[u8],
    place: &Place,
    locators: &mut BTreeMap<(u32, u32), Locator>,
) -> Option<Range<usize>> {
    let (pointer, wants_key) = match &place.spot {
        Spot::File => return None,
        Spot::Byte(byte) => return Some(*byte..end_of_word(source, *byte)),
        Spot::Bytes(bytes) => return Some(bytes.clone()),
        Spot::Value(pointer) => (pointer, false),
        Spot::Key(pointer) => (pointer, true),
    };
    let origin = place.origin?;
    let (range, syntax) = documents.document(origin)?;
    let locator =
        locators.entry((origin.file, origin.document)).or_insert_with(|| Locator::new(source, range, syntax));
    let found = locator.find(pointer);
    let range = match found.key {
        Some(key) if wants_key => key,
        _ => found.value,
    };
    Some(first_line(source, range))
}

/// A stretch of at least one character for a fault at a byte: up to the end of the word there.
fn end_of_word(source: &[u8], byte: usize) -> usize {
    let rest = source.get(byte..).unwrap_or_default();
    let word = rest.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
    byte + word.clamp(usize::from(!rest.is_empty()), 40)
}

/// Values may span many lines; the first says enough.
fn first_line(source: &[u8], range: Range<usize>) -> Range<usize> {
    let text = source.get(range.clone()).unwrap_or_default();
    match text.iter().position(|&byte| byte == b'\n') {
        Some(length) => {
            let line = text.get(..length).unwrap_or_default().trim_ascii_end();
            range.start..range.start + line.len()
        }
        None => range,
    }
}
