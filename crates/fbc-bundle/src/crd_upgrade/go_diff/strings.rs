//! Differences of long strings: by lines where there are lines, else by pieces of 64 bytes.
//!
//! Source: `google/go-cmp:cmp/report_slices.go`.

use fbc_go::text;

use super::compared::Compared;
use super::edit_script::{Edit, Likeness, edit_script};
use super::format::quoted;
use super::text::{INSERTED, REMOVED, Record, Text};
use crate::crd_upgrade::schema_type::Type;
use crate::crd_upgrade::value::Value;

/// Strings shorter than this are printed whole.
const SHORT_BYTES: usize = 32;
/// How many bytes are printed as one piece.
const PIECE_BYTES: usize = 64;
/// How many pieces of one string are printed.
const MOST_PIECES: usize = 32;

/// A run of equal elements, or of removed and inserted ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Run {
    same: usize,
    removed: usize,
    inserted: usize,
}

impl Run {
    fn differs(self) -> bool {
        self.removed + self.inserted > 0
    }
}

/// The difference of two long strings, or of bytes that are long or differ much; nothing for anything else.
pub(super) fn difference(node: &Compared<'_>) -> Option<Text> {
    if let (Type::Bytes, Some(Value::Json(old)), Some(Value::Json(new))) = (node.kind, node.old, node.new) {
        let is_long = old.len() >= SHORT_BYTES && new.len() >= SHORT_BYTES;
        let is_other = node.likeness.different > node.likeness.same;
        let is_printed = old != new && !old.is_empty() && !new.is_empty() && (is_long || is_other);
        // JSON in one line: no line breaks to go by.
        return is_printed.then(|| joined(&in_pieces(old, new)));
    }
    let (Some(Value::Text(old)), Some(Value::Text(new))) = (node.old, node.new) else { return None };
    if old == new || old.len() < SHORT_BYTES || new.len() < SHORT_BYTES {
        return None;
    }
    if is_lined(old, new) {
        let (old_lines, new_lines): (Vec<&str>, Vec<&str>) =
            (old.split('\n').collect(), new.split('\n').collect());
        let list = pieces(&old_lines, &new_lines, 1, |lines| lines.concat());
        return Some(block(&list).unwrap_or_else(|| joined(&list)));
    }
    Some(joined(&in_pieces(old, new)))
}

/// What is removed and inserted, in pieces of some bytes.
fn in_pieces(old: &str, new: &str) -> Vec<(char, String)> {
    pieces(old.as_bytes(), new.as_bytes(), PIECE_BYTES, |bytes| String::from_utf8_lossy(bytes).into_owned())
}

/// Whether strings are compared line by line.
fn is_lined(old: &str, new: &str) -> bool {
    let breaks = old.bytes().chain(new.bytes()).filter(|byte| *byte == b'\n').count();
    let is_printable = |text: &str| text.chars().all(|c| text::is_print(c) || c.is_whitespace());
    if breaks < 4 || !is_printable(old) || !is_printable(new) {
        return false;
    }
    if old.split('\n').chain(new.split('\n')).any(|line| line.len() > 1024) {
        return false;
    }
    let share = |script: &[Edit]| {
        script.iter().filter(|edit| **edit != Edit::Same).count() as f64 / script.len() as f64
    };
    let (old_lines, new_lines): (Vec<&str>, Vec<&str>) =
        (old.split('\n').collect(), new.split('\n').collect());
    let by_line = share(&script(&old_lines, &new_lines));
    let by_byte = share(&script(old.as_bytes(), new.as_bytes()));
    let unquoted = old.len() + new.len();
    let quoted = text::quote(old).len() + text::quote(new).len() - 2;
    by_line < 4.0 * by_byte || quoted as f64 / unquoted as f64 > 1.1
}

fn script<T: PartialEq>(old: &[T], new: &[T]) -> Vec<Edit> {
    edit_script(old.len(), new.len(), &|x, y| {
        let is_same = old.get(x) == new.get(y);
        // Elements that differ count as modified only where both lists have one: the reference says so of
        // any pair, for a likeness of nothing to one difference is still similar.
        Likeness { same: usize::from(is_same), different: usize::from(!is_same) }
    })
}

/// What is removed and inserted, in pieces.
fn pieces<T: PartialEq>(
    old: &[T],
    new: &[T],
    size: usize,
    text_of: impl Fn(&[T]) -> String,
) -> Vec<(char, String)> {
    let runs = cleaned(joined_runs(runs(&script(old, new)), size / 4), old, new);
    let (mut at_old, mut at_new) = (0, 0);
    let mut list = Vec::new();
    for run in runs {
        let (from_old, from_new) = (run.same + run.removed, run.same + run.inserted);
        if run.differs() && list.len() < MOST_PIECES {
            let removed = old.get(at_old..at_old + from_old).unwrap_or_default();
            let inserted = new.get(at_new..at_new + from_new).unwrap_or_default();
            list.extend(removed.chunks(size).map(|piece| (REMOVED, text_of(piece))));
            list.extend(inserted.chunks(size).map(|piece| (INSERTED, text_of(piece))));
        }
        at_old += from_old;
        at_new += from_new;
    }
    list
}

/// Neighbouring edits of a kind together.
fn runs(edits: &[Edit]) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for edit in edits {
        let is_same = *edit == Edit::Same;
        if runs.last().is_none_or(|run| run.differs() == is_same) {
            runs.push(Run::default());
        }
        if let Some(run) = runs.last_mut() {
            run.same += usize::from(is_same);
            run.removed += usize::from(matches!(edit, Edit::Removed | Edit::Modified));
            run.inserted += usize::from(matches!(edit, Edit::Inserted | Edit::Modified));
        }
    }
    runs
}

/// Runs that differ, with short equal runs between them taken in.
fn joined_runs(runs: Vec<Run>, window: usize) -> Vec<Run> {
    let mut joined: Vec<Run> = Vec::new();
    for run in runs {
        if run.differs()
            && let [.., before, between] = joined.as_mut_slice()
            && before.removed + run.removed > 0
            && before.inserted + run.inserted > 0
            && between.same <= window
        {
            before.same += between.same + run.same;
            before.removed += run.removed;
            before.inserted += run.inserted;
            joined.pop();
        } else {
            joined.push(run);
        }
    }
    joined
}

/// Equal elements at the ends of runs that differ, moved out of them.
fn cleaned<T: PartialEq>(runs: Vec<Run>, old: &[T], new: &[T]) -> Vec<Run> {
    let (mut x, mut y) = (0, 0);
    let mut cleaned = Vec::new();
    for run in runs {
        let (end_x, end_y) = (x + run.same + run.removed, y + run.same + run.inserted);
        if run.differs() {
            let (removed, inserted) =
                (old.get(x..end_x).unwrap_or_default(), new.get(y..end_y).unwrap_or_default());
            let most = removed.len().min(inserted.len());
            let front = removed.iter().zip(inserted).take_while(|(old, new)| old == new).count();
            let back = removed.iter().rev().zip(inserted.iter().rev());
            let back = back.take(most - front).take_while(|(old, new)| old == new).count();
            cleaned.push(Run { same: front, ..Run::default() });
            cleaned.push(Run {
                same: 0,
                removed: removed.len() - front - back,
                inserted: inserted.len() - front - back,
            });
            cleaned.push(Run { same: back, ..Run::default() });
        } else {
            cleaned.push(run);
        }
        (x, y) = (end_x, end_y);
    }
    cleaned
}

/// Lines between triple quotes, unless lines would be hard to tell apart.
fn block(list: &[(char, String)]) -> Option<Text> {
    let is_readable = list.iter().all(|(_, line)| {
        !line.starts_with("\"\"\"")
            && !line.starts_with("...")
            && line.chars().all(|c| text::is_print(c) || c == '\t')
    });
    let squeezed = |line: &str| -> String { line.chars().filter(|c| !c.is_whitespace()).collect() };
    let is_ambiguous = list.iter().any(|(sign, line)| {
        *sign == REMOVED
            && list.iter().any(|(other, inserted)| *other == INSERTED && squeezed(inserted) == squeezed(line))
    });
    if !is_readable || is_ambiguous {
        return None;
    }
    let list = list.iter().map(|(sign, line)| Record {
        sign: Some(*sign),
        key: String::new(),
        text: Text::line(line.as_str()),
        comma: false,
    });
    Some(Text::Wrap("(".to_owned(), Box::new(Text::List(list.collect())), ")"))
}

/// Pieces as quoted strings.
fn joined(list: &[(char, String)]) -> Text {
    let list = list.iter().map(|(sign, piece)| Record {
        sign: Some(*sign),
        key: String::new(),
        text: Text::line(quoted(piece)),
        comma: true,
    });
    let list = Text::braces(list.collect());
    Text::Wrap("strings.Join(".to_owned(), Box::new(list), ")")
}
