//! Three-way merges of catalogs and templates by blob and entry: what two branches did to different blobs, or to
//! different entries of one, goes together, whatever lines it stands on.
//!
//! The text of one side stays, with its comments, and gets the changes of the other. What both changed differently is a
//! [`Conflict`], and so is a graph that was sound on both sides and would be broken: the blobs are merged then, and
//! someone has to correct edges.

mod graph;
mod value;

use std::collections::BTreeMap;

use fbc_yaml::edit::{EditError, Editor, Layout};
use fbc_yaml::stream::{self, Syntax};
use fbc_yaml::{Document, Node};

use crate::blob::is_blob;

/// What cannot be merged: where, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The blob, and what of it.
    pub place: String,
    /// Why.
    pub reason: String,
}

impl Conflict {
    fn new(place: impl Into<String>, reason: impl Into<String>) -> Self {
        Self { place: place.into(), reason: reason.into() }
    }
}

/// Why two branches do not go together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unmerged {
    /// All conflicts.
    pub conflicts: Vec<Conflict>,
    /// The merged text, where the blobs go together and only the graph that they make is broken.
    pub merged: Option<Vec<u8>>,
}

impl From<Vec<Conflict>> for Unmerged {
    fn from(conflicts: Vec<Conflict>) -> Self {
        Self { conflicts, merged: None }
    }
}

/// A document of a file.
struct Blob<'t> {
    key: String,
    bytes: &'t [u8],
    syntax: Syntax,
    value: Document,
}

/// The files as blobs in their order.
struct File<'t>(Vec<Blob<'t>>);

impl<'t> File<'t> {
    fn read(text: &'t [u8], side: &str) -> Result<Self, Conflict> {
        let read = stream::read::<_, ()>(text, &|document| Ok(document));
        let mut blobs: Vec<Blob<'t>> = Vec::new();
        for one in read {
            let number = blobs.len() + 1;
            let value =
                one.outcome.map_err(|_| Conflict::new(side, format!("document {number} cannot be read")))?;
            let key = value::key_of(value.root()).unwrap_or_else(|| format!("document {number}"));
            if blobs.iter().any(|blob| blob.key == key) {
                return Err(Conflict::new(key, format!("it is there twice in {side}")));
            }
            let bytes = text.get(one.range).unwrap_or_default();
            blobs.push(Blob { key, bytes, syntax: one.syntax, value });
        }
        Ok(Self(blobs))
    }

    fn by_key(&self) -> BTreeMap<&str, &Blob<'t>> {
        self.0.iter().map(|blob| (blob.key.as_str(), blob)).collect()
    }
}

/// Whether a text holds blobs: only then it can be merged by them.
#[must_use]
pub fn has_blobs(text: &[u8]) -> bool {
    let read = stream::read::<_, ()>(text, &|document: Document| Ok(document));
    read.iter().filter_map(|one| one.outcome.as_ref().ok()).any(is_blob)
}

/// Puts the changes that lead from `base` to `theirs` into `ours`.
///
/// # Errors
/// All conflicts, with the merged text where only the graph is broken.
pub fn merge(base: &[u8], ours: &[u8], theirs: &[u8]) -> Result<Vec<u8>, Unmerged> {
    if ours == theirs || theirs == base {
        return Ok(ours.to_vec());
    }
    if ours == base {
        return Ok(theirs.to_vec());
    }
    let read = |text, side| File::read(text, side).map_err(|conflict| vec![conflict]);
    let files = (
        read(base, "the common ancestor")?,
        read(ours, "the current branch")?,
        read(theirs, "the other branch")?,
    );
    let merged = Merge::new(ours, &files).run(&files)?;
    let conflicts = graph::broken(&merged, [ours, theirs]);
    if conflicts.is_empty() { Ok(merged) } else { Err(Unmerged { conflicts, merged: Some(merged) }) }
}

struct Merge {
    editor: Editor,
    /// The keys of the documents of the editor.
    keys: Vec<String>,
    conflicts: Vec<Conflict>,
}

impl Merge {
    fn new(ours: &[u8], (_, file, _): &(File<'_>, File<'_>, File<'_>)) -> Self {
        let keys = file.0.iter().map(|blob| blob.key.clone()).collect();
        Self { editor: Editor::new(ours), keys, conflicts: Vec::new() }
    }

    fn run(
        mut self,
        (base, ours, theirs): &(File<'_>, File<'_>, File<'_>),
    ) -> Result<Vec<u8>, Vec<Conflict>> {
        let sides = [base, ours, theirs]
            .map(|file| value::nameless(file.0.iter().map(|blob| (blob.key.as_str(), blob.value.root()))));
        for key in value::replaced_by_both(sides.each_ref()) {
            self.conflict(key, "both branches replace it");
        }
        let (base, ours) = (base.by_key(), ours.by_key());
        let mut before: Option<&str> = None;
        for blob in &theirs.0 {
            let key = blob.key.as_str();
            match (base.get(key), ours.get(key)) {
                (Some(base), Some(ours)) if base.value == blob.value && base.value == ours.value => {
                    let changes_layout = base.syntax != blob.syntax;
                    if base.bytes != blob.bytes && base.bytes == ours.bytes && !changes_layout {
                        // Comments.
                        self.replace(blob);
                    }
                }
                (Some(base), _) if base.value == blob.value => {}
                (_, Some(ours)) if ours.value == blob.value => {}
                (Some(base), Some(ours)) if base.value == ours.value && base.bytes == ours.bytes => {
                    self.replace(blob);
                }
                (base, Some(ours)) => self.change(base.map(|base| base.value.root()), ours, blob),
                (Some(_), None) => {
                    self.conflict(key, "the current branch removes it, and the other branch changes it");
                }
                (None, None) => self.insert(blob, before),
            }
            if self.keys.iter().any(|known| known == key) {
                before = Some(key);
            }
        }
        let kept = theirs.by_key();
        for (key, base) in base.iter().filter(|(key, _)| !kept.contains_key(*key)) {
            match ours.get(key) {
                None => {}
                Some(ours) if ours.value == base.value => self.remove(key),
                Some(_) => {
                    self.conflict(key, "the current branch changes it, and the other branch removes it");
                }
            }
        }
        if !self.conflicts.is_empty() {
            return Err(self.conflicts);
        }
        self.editor.finish().map_err(|error| vec![Conflict::new("the file", error.to_string())])
    }

    fn conflict(&mut self, place: &str, reason: impl Into<String>) {
        self.conflicts.push(Conflict::new(place, reason));
    }

    fn number(&self, key: &str) -> Option<usize> {
        self.keys.iter().position(|known| known == key)
    }

    /// What cannot be edited is a conflict.
    fn tried(&mut self, key: &str, outcome: Result<(), EditError>) {
        if let Err(error) = outcome {
            self.conflict(key, error.to_string());
        }
    }

    /// Changes a blob that both sides changed, or added.
    fn change(&mut self, base: Option<Node<'_>>, ours: &Blob<'_>, theirs: &Blob<'_>) {
        let outcome = value::changes(base, ours.value.root(), theirs.value.root());
        match (outcome, self.number(&ours.key)) {
            (Ok(changes), Some(number)) => {
                let made = changes.iter().try_for_each(|change| self.editor.change(number, change));
                self.tried(&ours.key, made);
            }
            (Err(conflicts), _) => {
                let of_blob = |conflict: Conflict| match conflict.place.as_str() {
                    "" => Conflict::new(&ours.key, conflict.reason),
                    place => Conflict::new(format!("{}, {place}", ours.key), conflict.reason),
                };
                self.conflicts.extend(conflicts.into_iter().map(of_blob));
            }
            (Ok(_), None) => {}
        }
    }

    /// Takes a blob of the other side as it is written.
    fn replace(&mut self, blob: &Blob<'_>) {
        let Some(number) = self.number(&blob.key) else { return };
        let made = self.put_behind(number, blob).and_then(|()| self.editor.remove(number));
        self.tried(&blob.key, made);
    }

    fn insert(&mut self, blob: &Blob<'_>, before: Option<&str>) {
        // Behind what precedes it, and behind what the current branch added in that place.
        let number = match before.and_then(|key| self.number(key)) {
            Some(number) => number,
            None => self.keys.len().saturating_sub(1),
        };
        let made = self.put_behind(number, blob);
        self.keys.insert((number + 1).min(self.keys.len()), blob.key.clone());
        self.tried(&blob.key, made);
    }

    fn put_behind(&mut self, number: usize, blob: &Blob<'_>) -> Result<(), EditError> {
        let layout = self.editor.layout_behind(number);
        let is_alike = (layout == Layout::Json) == (blob.syntax == Syntax::Json);
        let text = std::str::from_utf8(blob.bytes).ok().filter(|_| is_alike);
        let text = text.ok_or(EditError::Unsupported { pointer: String::new() })?;
        // The editor writes the line ends of the current branch.
        let text = text.replace("\r\n", "\n");
        let mut text = text.strip_prefix("---\n").unwrap_or(&text).to_owned();
        if layout != Layout::Json && !text.ends_with('\n') {
            text.push('\n');
        }
        self.editor.insert_behind(number, &text)
    }

    fn remove(&mut self, key: &str) {
        let Some(number) = self.number(key) else { return };
        let made = self.editor.remove(number);
        self.keys.remove(number);
        self.tried(key, made);
    }
}

#[cfg(test)]
mod tests;
