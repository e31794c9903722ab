//! Lists of `-` lines and objects of `key:` lines.

use std::ops::Range;

use crate::document::{Kind, Node};
use crate::json_writer;
use crate::spans::{Form, Member, Spanned};
use crate::yaml_writer::{self, sorted_members};

use super::EditError;
use super::lines::{Splice, column, indentation, is_comment_behind, line_end, line_start, next_line};

/// How a document lays block collections out.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockStyle {
    /// Columns from a key to the dashes of its list.
    pub(super) list_offset: usize,
}

impl BlockStyle {
    /// As the first list below a key has it; without one at the column of the key.
    pub(super) fn of(bytes: &[u8], root: &Spanned) -> Self {
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            if node.form == (Form::Object { is_flow: false }) {
                let lists = node.members.iter().map(|member| &member.value);
                let mut lists = lists.filter(|value| value.form == Form::List { is_flow: false });
                let dash = lists.find_map(|list| dashes(bytes, list)?.first().copied());
                if let Some(dash) = dash {
                    let list_offset = column(bytes, dash).saturating_sub(column_of(bytes, node));
                    return Self { list_offset };
                }
            }
            waiting.extend(node.items.iter().rev());
            waiting.extend(node.members.iter().rev().map(|member| &member.value));
        }
        Self { list_offset: 0 }
    }

    /// The lines of a value at column 0. Keys come in the order of those of a similar value, then in
    /// go-yaml's.
    pub(super) fn lines(self, node: Node<'_>, like: Option<&Spanned>) -> Result<Vec<String>, EditError> {
        let mut lines = Vec::new();
        match node.kind() {
            Kind::Object if !node.is_empty() => {
                for (key, value) in ordered_members(node, like) {
                    let like = like.and_then(|like| like.members.iter().find(|member| member.key == key));
                    lines.extend(self.member_lines(key, value, like.map(|member| &member.value))?);
                }
            }
            Kind::Array if !node.is_empty() => {
                for item in node.items() {
                    lines.extend(item_lines(&self.lines(item, None)?, 1));
                }
            }
            _ => lines = scalar_lines(node)?,
        }
        Ok(lines)
    }

    /// The lines of a member of an object at column 0.
    pub(super) fn member_lines(
        self,
        key: &str,
        value: Node<'_>,
        like: Option<&Spanned>,
    ) -> Result<Vec<String>, EditError> {
        let key = super::document(|builder| builder.string(key));
        let mut lines = scalar_lines(key.root())?;
        let Some(last) = lines.last_mut() else { return Ok(lines) };
        last.push(':');
        let inner = self.lines(value, like)?;
        let indent = match value.kind() {
            Kind::Array if !value.is_empty() => self.list_offset,
            Kind::Object if !value.is_empty() => 2,
            _ => {
                last.push(' ');
                last.push_str(inner.first().map_or("", String::as_str));
                lines.extend(inner.into_iter().skip(1));
                return Ok(lines);
            }
        };
        lines.extend(inner.iter().map(|line| indented(line, indent)));
        Ok(lines)
    }
}

/// The members of an object: first those that a similar object has, in its order, then the others.
pub(super) fn ordered_members<'d>(node: Node<'d>, like: Option<&Spanned>) -> Vec<(&'d str, Node<'d>)> {
    let mut members = sorted_members(node);
    if let Some(like) = like {
        let place = |key: &str| like.members.iter().position(|member| member.key == key);
        members.sort_by_key(|(key, _)| place(key).unwrap_or(usize::MAX));
    }
    members
}

/// A scalar or empty container as the YAML writer has it; lines after the first are indented.
fn scalar_lines(node: Node<'_>) -> Result<Vec<String>, EditError> {
    let mut text = String::new();
    yaml_writer::write(&mut text, node)?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// The lines of a list item: a dash, so many spaces, and the value.
pub(super) fn item_lines(lines: &[String], spaces: usize) -> Vec<String> {
    let mut lines = lines.iter();
    let first = lines.next().map_or("", String::as_str);
    let first = format!("-{}{first}", " ".repeat(spaces));
    std::iter::once(first).chain(lines.map(|line| indented(line, spaces + 1))).collect()
}

fn indented(line: &str, columns: usize) -> String {
    if line.is_empty() { String::new() } else { " ".repeat(columns) + line }
}

/// Lines at a column, each behind a line break.
pub(super) fn on_new_lines(lines: &[String], column: usize) -> String {
    lines.iter().flat_map(|line| ["\n".to_owned(), indented(line, column)]).collect()
}

/// The bytes of a member, key and value.
pub(super) fn entry_of(member: &Member) -> Range<usize> {
    member.span.start..member.value.value.end.max(member.span.end)
}

/// The column of the keys of a block object.
pub(super) fn column_of(bytes: &[u8], object: &Spanned) -> usize {
    column(bytes, object.members.first().map_or(object.value.start, |member| member.span.start))
}

/// The places of the dashes of a block list.
fn dashes(bytes: &[u8], list: &Spanned) -> Option<Vec<usize>> {
    let mut found = Vec::with_capacity(list.items.len());
    let mut behind = list.value.start;
    for item in &list.items {
        let is_first = found.is_empty() && is_dash(bytes, behind);
        let dash = if is_first { behind } else { next_dash(bytes, behind, item.value.start)? };
        found.push(dash);
        behind = end_of(bytes, item).max(dash + 1);
    }
    Some(found)
}

fn is_dash(bytes: &[u8], at: usize) -> bool {
    bytes.get(at) == Some(&b'-') && bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace)
}

/// The dash with which a line behind one place and before another begins.
fn next_dash(bytes: &[u8], behind: usize, before: usize) -> Option<usize> {
    let mut line = next_line(bytes, behind);
    while line <= before && line < bytes.len() {
        let dash = line + bytes.get(line..)?.iter().take_while(|&&byte| byte == b' ').count();
        if is_dash(bytes, dash) {
            return Some(dash);
        }
        line = next_line(bytes, line);
    }
    None
}

/// A byte of the last line of a value. Blank lines that a block scalar keeps belong to it.
pub(super) fn end_of(bytes: &[u8], node: &Spanned) -> usize {
    let mut last = node;
    while let Some(part) = last.items.last().or_else(|| last.members.last().map(|member| &member.value))
        && matches!(last.form, Form::List { is_flow: false } | Form::Object { is_flow: false })
    {
        last = part;
    }
    let mut end = node.value.end;
    let header = bytes.get(last.value.start..line_end(bytes, last.value.start)).unwrap_or_default();
    let header = header.split(|&byte| byte == b'#').next().unwrap_or_default();
    if last.form == Form::BlockScalar && header.contains(&b'+') {
        loop {
            let line = next_line(bytes, end);
            let is_blank = bytes.get(line..line_end(bytes, line)).unwrap_or_default().trim_ascii().is_empty();
            if line >= bytes.len() || !is_blank {
                break;
            }
            end = line;
        }
    }
    end
}

/// Where the lines of a value end: behind comments that belong to it, because they are indented deeper
/// than its collection.
fn place_behind(bytes: &[u8], end: usize, column: usize) -> usize {
    let mut line = end;
    loop {
        let next = next_line(bytes, line);
        if next >= bytes.len() || !is_comment_behind(bytes, next, column) {
            return line_end(bytes, line);
        }
        line = next;
    }
}

/// Puts an item, given by its lines, into a list that has items already.
pub(super) fn insert_item(
    bytes: &[u8],
    list: &Spanned,
    index: usize,
    lines: &[String],
) -> Option<Vec<Splice>> {
    let dashes = dashes(bytes, list)?;
    let first = *dashes.first()?;
    let column = column(bytes, first);
    let like = index.saturating_sub(1);
    let (item, dash) = (list.items.get(like)?, *dashes.get(like)?);
    let is_beside = line_start(bytes, item.value.start) == line_start(bytes, dash) && item.value.start > dash;
    let spaces = if is_beside { (item.value.start - dash - 1).max(1) } else { 1 };
    let lines = item_lines(lines, spaces);
    if index == 0 {
        let text = on_new_lines(&lines, column);
        let text = text.get(column + 1..).unwrap_or_default();
        return Some(vec![Splice::insert(first, format!("{text}\n{}", " ".repeat(column)))]);
    }
    let end = end_of(bytes, item).max(dash + 1);
    Some(vec![Splice::insert(place_behind(bytes, end, column), on_new_lines(&lines, column))])
}

/// Adds a member, given by its lines, behind the last one of an object.
pub(super) fn append_member(bytes: &[u8], object: &Spanned, lines: &[String]) -> Option<Vec<Splice>> {
    let column = column_of(bytes, object);
    let last = object.members.last()?;
    let end = end_of(bytes, &last.value).max(last.span.end);
    Some(vec![Splice::insert(place_behind(bytes, end, column), on_new_lines(lines, column))])
}

/// Takes an item out of a list that has others.
pub(super) fn remove_item(bytes: &[u8], list: &Spanned, index: usize) -> Option<Vec<Splice>> {
    let dashes = dashes(bytes, list)?;
    let (dash, item) = (*dashes.get(index)?, list.items.get(index)?);
    let end = place_behind(bytes, end_of(bytes, item).max(dash + 1), column(bytes, dash));
    let start = line_start(bytes, dash);
    let range = if indentation(bytes, dash).is_none() {
        // The first item of a list that begins beside another dash: the second takes its place.
        dash..*dashes.get(index + 1)?
    } else if end == bytes.len() && start > 0 {
        line_end(bytes, start - 1)..end
    } else {
        start..next_line(bytes, end)
    };
    Some(vec![Splice::new(range, "")])
}

/// Takes a member out of an object that has others.
pub(super) fn remove_member(bytes: &[u8], object: &Spanned, index: usize) -> Option<Vec<Splice>> {
    let member = object.members.get(index)?;
    let column = column_of(bytes, object);
    let end = place_behind(bytes, end_of(bytes, &member.value).max(member.span.end), column);
    let start = line_start(bytes, member.span.start);
    let range = if indentation(bytes, member.span.start).is_none() {
        // The first member of an object that begins beside a dash: the second takes its place.
        member.span.start..object.members.get(index + 1)?.span.start
    } else if end == bytes.len() && start > 0 {
        line_end(bytes, start - 1)..end
    } else {
        start..next_line(bytes, end)
    };
    Some(vec![Splice::new(range, "")])
}

/// Replaces a scalar in an object whose keys stand at that column.
pub(super) fn replace_scalar(
    bytes: &[u8],
    old: Range<usize>,
    space: &str,
    value: Node<'_>,
    column: usize,
) -> Result<Vec<Splice>, EditError> {
    let lines = scalar_lines(value)?;
    let first = lines.first().map_or("", String::as_str);
    let rest = on_new_lines(lines.get(1..).unwrap_or_default(), column);
    let end = line_end(bytes, old.end);
    let has_comment = bytes.get(old.end..end).is_some_and(|rest| !rest.trim_ascii().is_empty());
    if !has_comment || lines.len() == 1 {
        return Ok(vec![Splice::new(old, format!("{space}{first}{rest}"))]);
    }
    // A comment can stand behind the `|` of a block scalar, but not inside any scalar.
    if first.starts_with('|') {
        let header = Splice::new(old, format!("{space}{first}"));
        return Ok(vec![header, Splice::insert(end, rest)]);
    }
    Ok(vec![Splice::new(old, format!("{space}{}", json_writer::compact(value)))])
}
