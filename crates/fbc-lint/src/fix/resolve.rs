//! From edits of documents to replacements in the text of files.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_model::{Catalog, Origin};
use fbc_yaml::edit::{Action, Change, EditError, edited};
use fbc_yaml::locate::Locator;
use fbc_yaml::stream::{self, Syntax};
use fbc_yaml::{Document, Kind, Node};

use super::{Edit, Fix, Operation, Safety, lines, shown, text_value, version};

/// Bytes of a file that give way to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// The bytes that go.
    pub bytes: Range<usize>,
    /// What comes in their place.
    pub text: String,
}

/// What happens to one file.
#[derive(Clone, Debug)]
pub struct FileEdit {
    /// The file, relative to the root of the catalog.
    pub path: PathBuf,
    /// The replacements, in the order of the text. They do not overlap, and each covers whole lines unless the fix
    /// itself is about bytes.
    pub replacements: Vec<Replacement>,
    /// The same by whole lines, for readers that replace lines.
    pub lines: Vec<LineReplacement>,
}

/// Lines of a file that give way to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineReplacement {
    /// The first line that goes, from 1.
    pub first: usize,
    /// The last line that goes.
    pub last: usize,
    /// What comes in their place, with line breaks; empty if the lines go.
    pub text: String,
}

/// An edit by document and JSON pointer.
#[derive(Clone, Debug)]
pub struct PlacedEdit {
    /// The file, relative to the root of the catalog.
    pub path: PathBuf,
    /// The number of the document in it, from 0.
    pub document: u32,
    /// What happens to it.
    pub operation: Operation,
}

/// A fix in the text of files.
#[derive(Clone, Debug)]
pub struct ResolvedFix {
    /// What it does, as an instruction.
    pub title: String,
    /// Whether it may change what the author means.
    pub safety: Safety,
    /// The edits as data.
    pub edits: Vec<PlacedEdit>,
    /// The files that change.
    pub files: Vec<FileEdit>,
}

/// Why a fix cannot be made in the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FixError {
    /// There is no such document.
    #[error("there is no document to edit")]
    NoDocument,
    /// A file cannot be read any more.
    #[error("cannot read {0}")]
    Unreadable(String),
    /// The text is written in a way that the edit does not know.
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// Where documents lie and what files say.
pub trait Source: Sync {
    /// The path of a file by its number, relative to the root.
    fn path(&self, file: u32) -> Option<&Path>;
    /// The stretch of the file and the syntax of a document.
    fn document(&self, origin: Origin) -> Option<(Range<usize>, Syntax)>;
}

impl Source for Catalog {
    fn path(&self, file: u32) -> Option<&Path> {
        self.files.get(file as usize).map(|file| file.path.as_path())
    }

    fn document(&self, origin: Origin) -> Option<(Range<usize>, Syntax)> {
        Self::document(self, origin).map(|document| (document.range.clone(), document.syntax))
    }
}

/// The bytes of files by their paths; nothing for one that cannot be read.
pub type Texts<'t> = &'t dyn Fn(&Path) -> Option<Arc<Vec<u8>>>;

/// All fixes of a finding that can be made in the text.
#[must_use]
pub fn resolve_all(fixes: &[Fix], source: &dyn Source, texts: Texts<'_>) -> Vec<ResolvedFix> {
    fixes.iter().filter_map(|fix| resolve(fix, source, texts).ok()).collect()
}

/// The replacements that make a fix.
///
/// # Errors
/// [`FixError`]
pub fn resolve(fix: &Fix, source: &dyn Source, texts: Texts<'_>) -> Result<ResolvedFix, FixError> {
    let mut by_file: BTreeMap<u32, Vec<&Edit>> = BTreeMap::new();
    fix.edits.iter().for_each(|edit| by_file.entry(edit.origin.file).or_default().push(edit));
    let mut files = Vec::new();
    for (file, edits) in by_file {
        let path = source.path(file).ok_or(FixError::NoDocument)?;
        let text = texts(path).ok_or_else(|| FixError::Unreadable(shown(path)))?;
        let mut replacements = Vec::new();
        let mut by_document: BTreeMap<u32, Vec<&Operation>> = BTreeMap::new();
        for edit in edits {
            match &edit.operation {
                Operation::Replace(replacement) => replacements.push(replacement.clone()),
                operation => by_document.entry(edit.origin.document).or_default().push(operation),
            }
        }
        for (document, operations) in by_document {
            let (range, syntax) = source.document(Origin { file, document }).ok_or(FixError::NoDocument)?;
            if operations.iter().any(|operation| matches!(operation, Operation::RemoveDocument)) {
                let bytes = without_document(&text, range, syntax);
                replacements.push(Replacement { bytes, text: String::new() });
                continue;
            }
            let old = text.get(range.clone()).ok_or(FixError::NoDocument)?;
            let new = applied(old, syntax, &operations)?;
            replacements.extend(lines::between(old, &new, range.start));
        }
        replacements.sort_by_key(|replacement| (replacement.bytes.start, replacement.bytes.end));
        let lines = replacements.iter().map(|replacement| whole_lines(&text, replacement)).collect();
        files.push(FileEdit { path: path.to_path_buf(), replacements, lines });
    }
    let edits = fix.edits.iter().filter_map(|edit| {
        let path = source.path(edit.origin.file)?.to_path_buf();
        Some(PlacedEdit { path, document: edit.origin.document, operation: edit.operation.clone() })
    });
    Ok(ResolvedFix { title: fix.title.clone(), safety: fix.safety, edits: edits.collect(), files })
}

/// The text of a document after operations.
fn applied(text: &[u8], syntax: Syntax, operations: &[&Operation]) -> Result<Vec<u8>, FixError> {
    let mut bytes = text.to_vec();
    for operation in operations {
        let value = read(&bytes, syntax).ok_or(EditError::NoDocument)?;
        let change = change(operation, value.root(), &bytes, syntax)?;
        (bytes, _) = edited(&bytes, syntax, &[change])?;
    }
    Ok(bytes)
}

fn read(bytes: &[u8], syntax: Syntax) -> Option<Document> {
    match syntax {
        Syntax::Json => fbc_yaml::json_reader::read_value(bytes, 0).ok().map(|(document, _)| document),
        Syntax::Yaml => stream::read_one(bytes).ok(),
    }
}

/// What an operation means for the list or object that holds its place.
fn change(operation: &Operation, root: Node<'_>, bytes: &[u8], syntax: Syntax) -> Result<Change, FixError> {
    let pointer = operation.pointer().unwrap_or_default();
    let not_found = || EditError::NotFound { pointer: pointer.to_owned() };
    let (holder, key) = split(pointer).ok_or_else(not_found)?;
    let Some(holding) = at(root, holder) else { return nested(operation, root, holder, key) };
    let index = || key.parse::<usize>().map_err(|_| not_found());
    let put = |value: Document| -> Result<Change, FixError> {
        let action = match holding.kind() {
            Kind::Array => Action::Replace { index: index()?, item: value },
            _ => Action::Set { key: key.clone(), value },
        };
        Ok(Change::new(holder, action))
    };
    // The scalar as it is written.
    let written = || {
        let found = Locator::new(bytes, 0..bytes.len(), syntax).find(pointer);
        let text = bytes.get(found.value).filter(|_| found.is_exact).ok_or_else(not_found)?;
        Ok::<_, FixError>(String::from_utf8_lossy(text))
    };
    match operation {
        Operation::Set { value, .. } => put(value.clone()),
        Operation::Quote { .. } => put(text_value(&written()?)),
        Operation::Version { .. } => put(text_value(&version::completed(&written()?).ok_or_else(not_found)?)),
        Operation::Append { item, .. } | Operation::Prepend { item, .. } => Ok(match at(root, pointer) {
            Some(list) => {
                let index = if matches!(operation, Operation::Append { .. }) { list.len() } else { 0 };
                Change::new(pointer, Action::Insert { index, item: item.clone() })
            }
            None => {
                let value = fbc_yaml::edit::document(|builder| {
                    let mark = builder.open();
                    let item = builder.copy(item.root());
                    builder.push_item(item);
                    builder.close_array(mark)
                });
                Change::new(holder, Action::Set { key, value })
            }
        }),
        Operation::Remove { .. } => Ok(match holding.kind() {
            Kind::Array => Change::new(holder, Action::Remove { index: index()? }),
            _ => Change::new(holder, Action::Unset { key }),
        }),
        Operation::Rename { key: to, .. } => Ok(Change::new(holder, Action::Rename { key, to: to.clone() })),
        Operation::RemoveDocument | Operation::Replace(_) => Err(not_found().into()),
    }
}

/// A value whose holder is not there yet: it comes with the objects around it.
fn nested(operation: &Operation, root: Node<'_>, holder: &str, key: String) -> Result<Change, FixError> {
    let not_found = || EditError::NotFound { pointer: holder.to_owned() };
    let value = operation.value().ok_or_else(not_found)?;
    let is_item = matches!(operation, Operation::Append { .. } | Operation::Prepend { .. });
    let mut keys = vec![key];
    let mut holder = holder;
    while at(root, holder).is_none() {
        let (outer, key) = split(holder).ok_or_else(not_found)?;
        keys.push(key);
        holder = outer;
    }
    let outermost = keys.pop().ok_or_else(not_found)?;
    let value = fbc_yaml::edit::document(|builder| {
        let marks: Vec<_> = keys.iter().map(|_| builder.open()).collect();
        let list = is_item.then(|| builder.open());
        let mut built = builder.copy(value.root());
        if let Some(list) = list {
            builder.push_item(built);
            built = builder.close_array(list);
        }
        for (key, mark) in keys.iter().zip(marks.into_iter().rev()) {
            builder.push_member(key, built);
            built = builder.close_object(mark);
        }
        built
    });
    Ok(Change::new(holder, Action::Set { key: outermost, value }))
}

/// The pointer to what holds a place, and the last step to it.
fn split(pointer: &str) -> Option<(&str, String)> {
    let (holder, key) = pointer.rsplit_once('/')?;
    Some((holder, key.replace("~1", "/").replace("~0", "~")))
}

/// The value at a pointer. Keys are looked up as they are, else without regard to upper and lower case.
fn at<'d>(root: Node<'d>, pointer: &str) -> Option<Node<'d>> {
    pointer.split('/').skip(1).try_fold(root, |node, step| {
        let step = step.replace("~1", "/").replace("~0", "~");
        match node.kind() {
            Kind::Array => node.item(step.parse().ok()?),
            _ => node.get(&step).or_else(|| {
                let folded = step.to_lowercase();
                node.members().filter(|(key, _)| key.to_lowercase() == folded).last().map(|(_, value)| value)
            }),
        }
    })
}

/// The bytes that go with a document: of YAML with the separator before it, or behind it if it is the first.
fn without_document(text: &[u8], range: Range<usize>, syntax: Syntax) -> Range<usize> {
    let is_separator = |line: &[u8]| line.starts_with(b"---");
    if syntax == Syntax::Json {
        let rest = text.get(range.end..).unwrap_or_default();
        let space = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        return range.start..range.end + space;
    }
    let before = text.get(..range.start).unwrap_or_default();
    let line_start =
        before.strip_suffix(b"\n").and_then(|before| memchr::memrchr(b'\n', before)).map_or(0, |at| at + 1);
    if !before.is_empty() && before.get(line_start..).is_some_and(is_separator) {
        return line_start..range.end;
    }
    let behind = text.get(range.end..).unwrap_or_default();
    if is_separator(behind) {
        let line = memchr::memchr(b'\n', behind).map_or(behind.len(), |at| at + 1);
        return range.start..range.end + line;
    }
    range
}

/// A replacement by whole lines: what stands beside it in its lines stays in the text. An insertion between lines takes
/// the line before it along, since every such replacement has a line that goes.
fn whole_lines(text: &[u8], replacement: &Replacement) -> LineReplacement {
    let mut bytes = replacement.bytes.clone();
    let line_start = |at: usize| {
        text.get(..at)
            .and_then(|before| memchr::memrchr(b'\n', before))
            .map_or(0, |line_break| line_break + 1)
    };
    if bytes.is_empty() && line_start(bytes.start) == bytes.start {
        bytes.start = line_start(bytes.start.saturating_sub(1));
    }
    let start = line_start(bytes.start);
    let is_at_line_end = bytes.end > start && text.get(bytes.end - 1) == Some(&b'\n');
    let rest = text.get(bytes.end..).unwrap_or_default();
    let end = match is_at_line_end {
        true => bytes.end,
        false => bytes.end + memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1),
    };
    let part =
        |range: Range<usize>| String::from_utf8_lossy(text.get(range).unwrap_or_default()).into_owned();
    let count = |range: Range<usize>| memchr::memchr_iter(b'\n', text.get(range).unwrap_or_default()).count();
    let first = count(0..start) + 1;
    let last = first
        + count(start..end).saturating_sub(usize::from(text.get(end.saturating_sub(1)) == Some(&b'\n')));
    LineReplacement {
        first,
        last,
        text: part(start..replacement.bytes.start) + &replacement.text + &part(replacement.bytes.end..end),
    }
}

/// A text after replacements that do not overlap, in the order of the text.
#[must_use]
pub fn replaced<'r>(text: &[u8], replacements: impl IntoIterator<Item = &'r Replacement>) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut at = 0;
    for replacement in replacements {
        out.extend_from_slice(text.get(at..replacement.bytes.start).unwrap_or_default());
        out.extend_from_slice(replacement.text.as_bytes());
        at = replacement.bytes.end;
    }
    out.extend_from_slice(text.get(at..).unwrap_or_default());
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;

    #[test]
    fn replacements_by_whole_lines() {
        let text = b"one\ntwo\nthree\n";
        let lines = |bytes: Range<usize>, new: &str| {
            let LineReplacement { first, last, text } =
                whole_lines(text, &Replacement { bytes, text: new.to_owned() });
            (first, last, text)
        };
        assert_eq!(lines(4..8, "2\n"), (2, 2, "2\n".to_owned()));
        assert_eq!(lines(4..8, ""), (2, 2, String::new()));
        assert_eq!(lines(5..6, "W"), (2, 2, "tWo\n".to_owned()));
        assert_eq!(lines(8..8, "more\n"), (2, 2, "two\nmore\n".to_owned()));
        assert_eq!(lines(0..8, ""), (1, 2, String::new()));
        assert_eq!(lines(14..14, "end\n"), (3, 3, "three\nend\n".to_owned()));
    }

    #[test]
    fn documents_go_with_their_separator() {
        let text = b"a: 1\n---\nb: 2\n---\nc: 3\n";
        let documents: Vec<Range<usize>> =
            stream::read::<_, ()>(text, &|document| Ok(document)).into_iter().map(|one| one.range).collect();
        let without = |number: usize| {
            let bytes = without_document(text, documents[number].clone(), Syntax::Yaml);
            String::from_utf8(replaced(text, &[Replacement { bytes, text: String::new() }])).unwrap()
        };
        assert_eq!(without(0), "b: 2\n---\nc: 3\n");
        assert_eq!(without(1), "a: 1\n---\nc: 3\n");
        assert_eq!(without(2), "a: 1\n---\nb: 2\n");
    }
}
