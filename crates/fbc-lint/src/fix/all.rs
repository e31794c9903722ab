//! The fixes of a whole run: applied in rounds, judged after each, and only those kept that bring no new error.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_model::tree::{Tree, TreeEntry};

use super::resolve::{Replacement, ResolvedFix, Source, replaced, resolve};
use super::{Operation, Safety};
use crate::comparison::only_new;
use crate::finding::Severity;
use crate::report::{Located, Report};

/// Rounds at the most: one fix may make place for the next.
const MAX_ROUNDS: usize = 10;
/// How often everything is judged at the most. Fixes that bring errors cost most of it, each being looked for by halves.
const MAX_JUDGEMENTS: usize = 200;

/// What came out.
#[derive(Debug, Default)]
pub struct Fixed {
    /// The files that change, with their new bytes.
    pub files: BTreeMap<PathBuf, Vec<u8>>,
    /// What those files held.
    pub before: BTreeMap<PathBuf, Vec<u8>>,
    /// What was fixed, in order.
    pub applied: Vec<Applied>,
    /// Fixes that were tried and taken back, since they bring an error that was not there.
    pub taken_back: Vec<Applied>,
    /// Whether there was more to try than is tried in one run.
    pub is_cut_short: bool,
    /// How many findings that are left have only fixes of a greater risk than was allowed.
    pub too_risky: usize,
}

/// A fix that was made, or tried.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Applied {
    /// The code of the rule.
    pub code: &'static str,
    /// What was wrong.
    pub message: String,
    /// What the fix does.
    pub title: String,
    /// The file.
    pub path: PathBuf,
}

/// What a judge says of a tree: where its documents lie, and the findings.
pub type Judged = (Box<dyn Source>, Report);

/// Loads and judges a tree; nothing where that cannot be done, because a budget is used up.
pub type Judge<'j, E> = &'j dyn Fn(&dyn Tree) -> Result<Judged, E>;

/// Fixes what can be fixed in a tree with fixes of at most that risk.
///
/// # Errors
/// Those of the judge.
pub fn fix_all<E>(tree: &dyn Tree, most: Safety, judge: Judge<'_, E>) -> Result<Fixed, E> {
    let mut run = Run { tree, most, judge, judgements: 0, fixed: Fixed::default(), refused: HashSet::new() };
    let mut judged = run.judged(&BTreeMap::new())?;
    for _ in 0..MAX_ROUNDS {
        match run.round(&judged)? {
            Some(next) => judged = next,
            None => {
                let needs_more = |located: &&Located| {
                    let fixes = &located.finding.fixes;
                    !fixes.is_empty() && fixes.iter().all(|fix| fix.safety > most)
                };
                run.fixed.too_risky = judged.1.findings.iter().filter(needs_more).count();
                return Ok(run.fixed);
            }
        }
    }
    run.fixed.is_cut_short = true;
    Ok(run.fixed)
}

struct Run<'r, E> {
    tree: &'r dyn Tree,
    most: Safety,
    judge: Judge<'r, E>,
    judgements: usize,
    fixed: Fixed,
    /// What is not tried again: it brought an error, or did not help.
    refused: HashSet<Applied>,
}

/// A fix that is to be tried.
struct Candidate {
    name: Applied,
    fix: ResolvedFix,
}

type Files = BTreeMap<PathBuf, Vec<u8>>;

impl<E> Run<'_, E> {
    fn judged(&mut self, files: &Files) -> Result<Judged, E> {
        self.judgements += 1;
        (self.judge)(&Changed { tree: self.tree, files })
    }

    /// One round; the new state, or nothing if there was nothing to do.
    fn round(&mut self, judged: &Judged) -> Result<Option<Judged>, E> {
        let candidates = self.candidates(judged);
        if candidates.is_empty() {
            return Ok(None);
        }
        let mut accepted: Vec<&Candidate> = Vec::new();
        let mut best = None;
        let mut waiting: Vec<&[Candidate]> = vec![&candidates];
        while let Some(tried) = waiting.pop() {
            if self.judgements >= MAX_JUDGEMENTS {
                self.fixed.is_cut_short = true;
                break;
            }
            let together: Vec<&Candidate> = accepted.iter().copied().chain(tried).collect();
            let files = self.with(&together);
            let outcome = self.judged(&files)?;
            if !brings_errors(&outcome.1, &judged.1) {
                accepted = together;
                best = Some((outcome, files));
            } else if let [only] = tried {
                self.refused.insert(only.name.clone());
                self.fixed.taken_back.push(only.name.clone());
            } else {
                let (first, second) = tried.split_at(tried.len() / 2);
                waiting.extend([second, first]);
            }
        }
        let Some((outcome, files)) = best else { return Ok(None) };
        // What is still found although it was fixed would be fixed for ever.
        let count = |report: &Report| -> HashMap<(&'static str, String), usize> {
            let mut counts = HashMap::new();
            for located in &report.findings {
                *counts.entry((located.finding.rule.code, located.finding.message.clone())).or_default() += 1;
            }
            counts
        };
        let (before, after) = (count(&judged.1), count(&outcome.1));
        for candidate in &accepted {
            let key = (candidate.name.code, candidate.name.message.clone());
            if after.get(&key).copied().unwrap_or_default() >= before.get(&key).copied().unwrap_or_default() {
                self.refused.insert(candidate.name.clone());
            }
        }
        self.fixed.applied.extend(accepted.iter().map(|candidate| candidate.name.clone()));
        for path in
            files.keys().filter(|path| !self.fixed.before.contains_key(*path)).cloned().collect::<Vec<_>>()
        {
            if let Ok(before) = self.tree.read(&path) {
                self.fixed.before.insert(path, before);
            }
        }
        self.fixed.files = files;
        Ok(Some(outcome))
    }

    /// The first fix of each finding that may be made, without those that touch the same text as another, or give the same
    /// member of an object.
    fn candidates(&self, judged: &Judged) -> Vec<Candidate> {
        let (source, report) = judged;
        let tree = Changed { tree: self.tree, files: &self.fixed.files };
        let texts: std::cell::RefCell<BTreeMap<PathBuf, Option<Arc<Vec<u8>>>>> = Default::default();
        let mut taken: BTreeMap<PathBuf, Vec<std::ops::Range<usize>>> = BTreeMap::new();
        let mut given: HashSet<(PathBuf, u32, String)> = HashSet::new();
        let mut candidates = Vec::new();
        // What a misspelt key was to say may be all that other findings lack.
        let (renaming, others): (Vec<&Located>, Vec<_>) =
            report.findings.iter().partition(|one| renames(one));
        for located in renaming.into_iter().chain(others) {
            let allowed = located.finding.fixes.iter().filter(|fix| fix.safety <= self.most);
            for fix in allowed {
                let name = Applied::new(located, &fix.title);
                if self.refused.contains(&name) {
                    continue;
                }
                let read = |path: &Path| {
                    let mut texts = texts.borrow_mut();
                    let text =
                        texts.entry(path.to_path_buf()).or_insert_with(|| tree.read(path).ok().map(Arc::new));
                    text.clone()
                };
                let Ok(fix) = resolve(fix, source.as_ref(), &read) else { continue };
                let is_free = fix.files.iter().all(|file| {
                    let taken = taken.get(&file.path).map(Vec::as_slice).unwrap_or_default();
                    file.replacements.iter().all(|new| !taken.iter().any(|old| touch(old, &new.bytes)))
                });
                let members: Vec<_> = fix
                    .edits
                    .iter()
                    .filter_map(|edit| Some((edit.path.clone(), edit.document, edit.operation.member()?)))
                    .collect();
                if is_free && !members.iter().any(|member| given.contains(member)) {
                    given.extend(members);
                    for file in &fix.files {
                        let taken = taken.entry(file.path.clone()).or_default();
                        taken.extend(file.replacements.iter().map(|new| new.bytes.clone()));
                    }
                    candidates.push(Candidate { name, fix });
                }
                break;
            }
        }
        candidates
    }

    /// The files with fixes made, on top of those that are made already.
    fn with(&self, candidates: &[&Candidate]) -> Files {
        let mut replacements: BTreeMap<&Path, Vec<&Replacement>> = BTreeMap::new();
        for file in candidates.iter().flat_map(|candidate| &candidate.fix.files) {
            replacements.entry(&file.path).or_default().extend(&file.replacements);
        }
        let mut files = self.fixed.files.clone();
        let tree = Changed { tree: self.tree, files: &self.fixed.files };
        for (path, mut replacements) in replacements {
            replacements.sort_by_key(|replacement| (replacement.bytes.start, replacement.bytes.end));
            let Ok(text) = tree.read(path) else { continue };
            files.insert(path.to_path_buf(), replaced(&text, replacements));
        }
        files
    }
}

impl Applied {
    fn new(located: &Located, title: &str) -> Self {
        let finding = &located.finding;
        Self {
            code: finding.rule.code,
            message: finding.message.clone(),
            title: title.to_owned(),
            path: finding.place.as_ref().map(|place| place.path.clone()).unwrap_or_default(),
        }
    }
}

/// Whether two stretches have bytes in common, or two insertions meet: their order would be chance.
fn touch(one: &std::ops::Range<usize>, other: &std::ops::Range<usize>) -> bool {
    one.start < other.end && other.start < one.end || one.start == other.start
}

/// Whether a finding is put right by another key, without which other findings may lack what they look for.
#[must_use]
pub fn renames(located: &Located) -> bool {
    let mut edits = located.finding.fixes.iter().flat_map(|fix| &fix.edits);
    edits.any(|edit| matches!(edit.operation, Operation::Rename { .. }))
}

/// Whether a report has errors that another does not have.
fn brings_errors(new: &Report, old: &Report) -> bool {
    let errors = |report: &Report| -> Vec<Located> {
        let is_error = |located: &&Located| located.finding.severity == Severity::Error;
        let bare = |located: &Located| Located::without_place(located.finding.clone());
        report.findings.iter().filter(is_error).map(bare).collect()
    };
    !only_new(errors(new), &errors(old)).is_empty()
}

/// A tree in which some files have other bytes.
struct Changed<'t> {
    tree: &'t dyn Tree,
    files: &'t Files,
}

impl Tree for Changed<'_> {
    fn list(&self, directory: &Path) -> io::Result<Vec<TreeEntry>> {
        self.tree.list(directory)
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        self.files.get(file).map_or_else(|| self.tree.read(file), |bytes| Ok(bytes.clone()))
    }

    fn folder(&self) -> Option<&Path> {
        self.tree.folder()
    }
}
