//! What a change means for the text of a document: which bytes give way to which.

use std::ops::Range;

use super::block::{self, BlockStyle};
use super::flow::{self, FlowStyle};
use super::lines::{Splice, line_end};
use super::{Action, Change, EditError, steps};
use crate::document::{Kind, Node};
use crate::spans::{self, Form, Member, Spanned};
use crate::stream::Syntax;

/// The splices of a change, in the order of the text. They are a proposal: whoever makes them reads the
/// result.
pub(super) fn splices(bytes: &[u8], syntax: Syntax, change: &Change) -> Result<Vec<Splice>, EditError> {
    let root = spans::read(bytes, 0..bytes.len(), syntax);
    let target = Changed::find(&root, &change.pointer)?;
    let text = Text { bytes, root: &root, pointer: &change.pointer };
    match &change.action {
        Action::Insert { index, item } => text.insert(&target, *index, item.root()),
        Action::Remove { index } => text.remove(&target, *index),
        Action::Replace { index, item } => text.replace(target.node, *index, item.root()),
        Action::Set { key, value } => text.set(target.node, key, value.root()),
        Action::Unset { key } => text.unset(target.node, key),
        Action::Rename { key, to } => text.rename(target.node, key, to),
    }
}

/// The value that a pointer means, and the member that holds it.
struct Changed<'s> {
    node: &'s Spanned,
    holder: Option<(&'s Spanned, &'s Member)>,
}

impl<'s> Changed<'s> {
    fn find(root: &'s Spanned, pointer: &str) -> Result<Self, EditError> {
        let mut target = Self { node: root, holder: None };
        let mut so_far = String::new();
        editable(root, root, &so_far)?;
        for step in steps(pointer) {
            let node = target.node;
            so_far.push('/');
            so_far.push_str(&step.replace('~', "~0").replace('/', "~1"));
            target = if let Form::List { .. } = node.form {
                let item = step.parse::<usize>().ok().and_then(|index| node.items.get(index));
                Self { node: item.ok_or_else(|| not_found(pointer))?, holder: None }
            } else {
                let Some(member) = member(node, &step) else {
                    let merges = node.members.iter().any(|member| member.key == "<<");
                    let from_alias = EditError::FromAlias { pointer: so_far };
                    return Err(if merges { from_alias } else { not_found(pointer) });
                };
                Self { node: &member.value, holder: Some((node, member)) }
            };
            editable(root, target.node, &so_far)?;
        }
        Ok(target)
    }
}

fn not_found(pointer: &str) -> EditError {
    EditError::NotFound { pointer: pointer.to_owned() }
}

/// The member of a key: the last of that name, else the last that differs in case only.
fn member<'s>(object: &'s Spanned, key: &str) -> Option<&'s Member> {
    let folded = key.to_lowercase();
    let mut members = object.members.iter().rev();
    let exact = members.clone().find(|member| member.key == key);
    exact.or_else(|| members.find(|member| member.key.to_lowercase() == folded))
}

/// Refuses what is written elsewhere, or read elsewhere too.
fn editable(root: &Spanned, node: &Spanned, pointer: &str) -> Result<(), EditError> {
    if let Form::Alias(_) = node.form {
        return Err(EditError::FromAlias { pointer: pointer.to_owned() });
    }
    match &node.anchor {
        Some(anchor) if has_alias(root, anchor) => {
            Err(EditError::Shared { pointer: pointer.to_owned(), anchor: anchor.to_string() })
        }
        _ => Ok(()),
    }
}

fn has_alias(root: &Spanned, anchor: &str) -> bool {
    let mut waiting = vec![root];
    while let Some(node) = waiting.pop() {
        if matches!(&node.form, Form::Alias(name) if name.as_ref() == anchor) {
            return true;
        }
        waiting.extend(&node.items);
        waiting.extend(node.members.iter().map(|member| &member.value));
    }
    false
}

/// A document whose text changes.
struct Text<'t> {
    bytes: &'t [u8],
    root: &'t Spanned,
    pointer: &'t str,
}

impl Text<'_> {
    fn unsupported(&self) -> EditError {
        EditError::Unsupported { pointer: self.pointer.to_owned() }
    }

    fn flow_style(&self) -> FlowStyle<'_> {
        FlowStyle::of(self.bytes, self.root)
    }

    fn block_style(&self) -> BlockStyle {
        BlockStyle::of(self.bytes, self.root)
    }

    fn insert(&self, target: &Changed<'_>, index: usize, item: Node<'_>) -> Result<Vec<Splice>, EditError> {
        let list = target.node;
        let is_container = matches!(item.kind(), Kind::Array | Kind::Object);
        // Items that are there show how a new one is to be written: the last of its kind.
        let like = list.items.iter().rev().find(|like| !is_container || is_open(like));
        match list.form {
            Form::List { is_flow: true } if !list.items.is_empty() => {
                let style = self.flow_style();
                let entries: Vec<Range<usize>> = list.items.iter().map(|item| item.value.clone()).collect();
                let place = flow::Entries { style: &style, open: list.value.start, entries: &entries };
                let shape = place.shape(like);
                Ok(place.insert(index, &style.write(item, &shape, like)))
            }
            Form::List { is_flow: false } if !list.items.is_empty() => {
                let lines = match like {
                    Some(like) if is_container && is_flow(like) => {
                        vec![self.flow_style().inline(item, Some(like))]
                    }
                    _ => self.block_style().lines(item, like)?,
                };
                block::insert_item(self.bytes, list, index, &lines).ok_or_else(|| self.unsupported())
            }
            _ => self.fill(target, item),
        }
    }

    /// Puts the first item into an empty list, or a list of one item in place of null.
    fn fill(&self, target: &Changed<'_>, item: Node<'_>) -> Result<Vec<Splice>, EditError> {
        let Changed { node, holder } = target;
        let is_list = matches!(node.form, Form::List { .. });
        let inner =
            self.bytes.get(node.value.start + 1..node.value.end.saturating_sub(1)).unwrap_or_default();
        let has_comment = is_list && !inner.trim_ascii().is_empty();
        let in_block = holder.filter(|(object, _)| object.form == Form::Object { is_flow: false });
        if let Some((object, member)) = in_block.filter(|_| !has_comment && node.anchor.is_none()) {
            let rest = self.bytes.get(member.span.end..).unwrap_or_default();
            let colon = memchr::memchr(b':', rest).ok_or_else(|| self.unsupported())? + member.span.end + 1;
            let end = node.value.end.max(colon);
            let style = self.block_style();
            let column = block::column_of(self.bytes, object) + style.list_offset;
            let lines = block::item_lines(&style.lines(item, None)?, 1);
            let break_at = line_end(self.bytes, end);
            return Ok(vec![
                Splice::new(colon..end, ""),
                Splice::insert(break_at, block::on_new_lines(&lines, column)),
            ]);
        }
        let style = self.flow_style();
        let inside = style.only_item(node.value.start, item);
        Ok(vec![match (is_list, has_comment) {
            (true, true) => Splice::insert(node.value.end - 1, style.inline(item, None)),
            (true, false) => Splice::new(node.value.start + 1..node.value.end - 1, inside),
            (false, _) => {
                Splice::new(node.value.clone(), format!("{}[{inside}]", self.space_at(&node.value)))
            }
        }])
    }

    /// A space, where an empty value stands right behind its colon.
    fn space_at(&self, value: &Range<usize>) -> &'static str {
        let before = value.start.checked_sub(1).and_then(|before| self.bytes.get(before));
        if value.is_empty() && before == Some(&b':') { " " } else { "" }
    }

    fn remove(&self, target: &Changed<'_>, index: usize) -> Result<Vec<Splice>, EditError> {
        let list = target.node;
        let splices = match list.form {
            Form::List { is_flow: true } => {
                let style = self.flow_style();
                let entries: Vec<Range<usize>> = list.items.iter().map(|item| item.value.clone()).collect();
                flow::Entries { style: &style, open: list.value.start, entries: &entries }
                    .remove(index, list.value.end)
            }
            _ if list.items.len() == 1 => target.holder.and_then(|(_, member)| {
                let rest = self.bytes.get(member.span.end..)?;
                let colon = memchr::memchr(b':', rest)? + member.span.end + 1;
                Some(vec![Splice::new(colon..block::end_of(self.bytes, list), " []")])
            }),
            _ => block::remove_item(self.bytes, list, index),
        };
        splices.ok_or_else(|| self.unsupported())
    }

    fn replace(&self, list: &Spanned, index: usize, value: Node<'_>) -> Result<Vec<Splice>, EditError> {
        let item = list.items.get(index).ok_or_else(|| not_found(self.pointer))?;
        editable_scalar(self.root, item, self.pointer)?;
        if list.form == (Form::List { is_flow: true }) {
            return Ok(vec![Splice::new(item.value.clone(), self.flow_style().inline(value, None))]);
        }
        let column = block::column_of(self.bytes, item);
        block::replace_scalar(self.bytes, item.value.clone(), "", value, column)
    }

    fn unset(&self, object: &Spanned, key: &str) -> Result<Vec<Splice>, EditError> {
        let mut places = object.members.iter().enumerate().filter(|(_, member)| member.key == key);
        let (Some((index, _)), None) = (places.next(), places.next()) else { return Err(self.unsupported()) };
        let splices = match object.form {
            Form::Object { is_flow: true } => {
                let style = self.flow_style();
                let entries: Vec<Range<usize>> = object.members.iter().map(block::entry_of).collect();
                flow::Entries { style: &style, open: object.value.start, entries: &entries }
                    .remove(index, object.value.end)
            }
            Form::Object { is_flow: false } if object.members.len() > 1 => {
                block::remove_member(self.bytes, object, index)
            }
            _ => None,
        };
        splices.ok_or_else(|| self.unsupported())
    }

    fn rename(&self, object: &Spanned, key: &str, to: &str) -> Result<Vec<Splice>, EditError> {
        let mut members = object.members.iter().filter(|member| member.key == key);
        let (Some(member), None) = (members.next(), members.next()) else { return Err(self.unsupported()) };
        let key = super::document(|builder| builder.string(to));
        Ok(vec![Splice::new(member.span.clone(), self.flow_style().inline(key.root(), None))])
    }

    fn set(&self, object: &Spanned, key: &str, value: Node<'_>) -> Result<Vec<Splice>, EditError> {
        let is_flow = match object.form {
            Form::Object { is_flow } => is_flow,
            _ => return Err(not_found(self.pointer)),
        };
        match member(object, key) {
            Some(member) if is_flow => {
                editable_scalar(self.root, &member.value, self.pointer)?;
                let text = self.flow_style().inline(value, None);
                let at = member.value.value.clone();
                Ok(vec![Splice::new(at.clone(), format!("{}{text}", self.space_at(&at)))])
            }
            Some(member) => {
                editable_scalar(self.root, &member.value, self.pointer)?;
                let at = member.value.value.clone();
                if matches!(value.kind(), Kind::Array | Kind::Object) {
                    let text = self.flow_style().inline(value, None);
                    return Ok(vec![Splice::new(at.clone(), format!("{}{text}", self.space_at(&at)))]);
                }
                let column = block::column_of(self.bytes, object);
                block::replace_scalar(self.bytes, at.clone(), self.space_at(&at), value, column)
            }
            None if is_flow => {
                let style = self.flow_style();
                let entries: Vec<Range<usize>> = object.members.iter().map(block::entry_of).collect();
                let place = flow::Entries { style: &style, open: object.value.start, entries: &entries };
                if entries.is_empty() {
                    return Err(self.unsupported());
                }
                let shape = place.shape(None);
                Ok(place.insert(entries.len(), &style.member(key, value, &shape)))
            }
            None => {
                let lines = self.block_style().member_lines(key, value, None)?;
                block::append_member(self.bytes, object, &lines).ok_or_else(|| self.unsupported())
            }
        }
    }
}

/// Whether it is a list or object with something in it.
fn is_open(node: &Spanned) -> bool {
    !node.items.is_empty() || !node.members.is_empty()
}

fn is_flow(node: &Spanned) -> bool {
    matches!(node.form, Form::List { is_flow: true } | Form::Object { is_flow: true })
}

/// Only a scalar, or an alias of one, can be replaced as a whole.
fn editable_scalar(root: &Spanned, node: &Spanned, pointer: &str) -> Result<(), EditError> {
    match node.form {
        Form::List { .. } | Form::Object { .. } => {
            Err(EditError::Unsupported { pointer: pointer.to_owned() })
        }
        Form::Alias(_) => Ok(()),
        _ => editable(root, node, pointer),
    }
}
