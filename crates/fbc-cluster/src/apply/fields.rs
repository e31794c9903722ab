//! Sets of fields as their texts, which is how `metadata.managedFields` is stored: joined, cut and written in place.
//!
//! Nearly every write of an object reads the sets of all its managers and changes few places of one of them. So the
//! members of the texts are walked side by side, and all that only one of them has is passed over or copied as it is.
//! That takes the texts as this program writes them: members sorted, no spaces, every step with an object. Of any other
//! text a [`FieldSet`] is made.

use std::cmp::Ordering;

use fbc_go::json::reread_value;

use super::field_set::FieldSet;

/// A set of fields, as the text of `fieldsV1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fields(pub(super) String);

impl Default for Fields {
    fn default() -> Self {
        Self("{}".to_owned())
    }
}

impl From<FieldSet> for Fields {
    fn from(set: FieldSet) -> Self {
        Self(set.text())
    }
}

impl Fields {
    /// The set that a text holds; what cannot be read holds none.
    pub(super) fn of_text(text: &str) -> Self {
        Self(text.to_owned())
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// The set as a value.
    pub(super) fn set(&self) -> FieldSet {
        FieldSet::from_json(reread_value(&self.0).unwrap_or_default())
    }

    /// True if no place belongs to the set.
    pub(super) fn is_empty(&self) -> bool {
        self.0 == "{}" || !self.0.starts_with("{\"") && self.set().is_empty()
    }

    /// Takes all places of another set away; places below them stay.
    pub(super) fn subtract(&mut self, other: &Self) {
        Cut::of(other).apply(self);
    }

    /// Adds all places of another set.
    pub(super) fn add(&mut self, other: &Self) {
        if self.is_empty() {
            self.0.clone_from(&other.0);
            return;
        }
        let mut all = String::with_capacity(self.0.len() + other.0.len());
        if join(&self.0, &other.0, false, LEVELS_OF_TEXT, &mut all).is_some() {
            self.0 = all;
            return;
        }
        let mut set = self.set();
        set.add(&other.set());
        self.0 = set.text();
    }
}

/// A set that is to be taken away from others.
pub(super) struct Cut<'f> {
    fields: &'f Fields,
    /// The steps at its root, as sets write them; none if it is written in another way than this program does.
    roots: Option<Vec<String>>,
}

impl<'f> Cut<'f> {
    pub(super) fn of(fields: &'f Fields) -> Self {
        let roots = || {
            let mut steps = Steps::of(&fields.0)?;
            let mut roots = Vec::new();
            while let Some((step, _)) = steps.next()? {
                roots.push(format!("\"{step}\":"));
            }
            Some(roots)
        };
        Self { fields, roots: roots() }
    }

    /// As [`Fields::subtract`].
    pub(super) fn apply(&self, fields: &mut Fields) {
        // Most managers own parts of objects that no other writes.
        if self.roots.as_ref().is_some_and(|roots| !roots.iter().any(|root| fields.0.contains(root))) {
            return;
        }
        let mut left = String::with_capacity(fields.0.len());
        if cut(&fields.0, &self.fields.0, false, LEVELS_OF_TEXT, &mut left).is_some() {
            fields.0 = left;
            return;
        }
        let (mut set, other) = (fields.set(), self.fields.set());
        // A set that is left as it is keeps its text, however that is written.
        if !set.is_apart_from(&other) {
            set.subtract(&other);
            fields.0 = set.text();
        }
    }
}

/// How many levels of two texts are gone through side by side. Each step of a level looks for the end of what lies below it, so
/// that the time grows with the square of the depth; sets that are deeper in common become values.
const LEVELS_OF_TEXT: usize = 100;

/// The member that says that a place itself belongs to a set.
pub(super) const SELF: &str = "\".\":{}";

/// The steps below a place, each as it is written between its quotes, with the text of what lies below it.
struct Steps<'t> {
    rest: &'t str,
    before: Option<&'t str>,
    /// The place itself belongs to the set.
    is_member: bool,
}

impl<'t> Steps<'t> {
    /// None if the text is written in another way than this program does.
    fn of(text: &'t str) -> Option<Self> {
        let rest = text.strip_prefix('{')?.strip_suffix('}')?;
        match rest.strip_prefix(SELF) {
            // A place with a mark has something below it.
            Some(rest) => Some(Self { rest: rest.strip_prefix(',')?, before: None, is_member: true }),
            None => Some(Self { rest, before: None, is_member: rest.is_empty() }),
        }
    }

    /// The next step; none inside at the end, and none outside as in [`Self::of`].
    #[expect(clippy::option_option, reason = "the end is not a fault")]
    fn next(&mut self) -> Option<Option<(&'t str, &'t str)>> {
        if self.rest.is_empty() {
            return Some(None);
        }
        let text = self.rest.strip_prefix('"')?;
        let step = text.get(..end_of_string(text)?)?;
        let below = text.get(step.len()..)?.strip_prefix("\":")?;
        let (below, rest) = below.split_at_checked(end_of_object(below)?)?;
        if !is_step(step) || self.before.is_some_and(|before| order(before, step) != Ordering::Less) {
            return None;
        }
        self.before = Some(step);
        self.rest =
            if rest.is_empty() { rest } else { rest.strip_prefix(',').filter(|rest| !rest.is_empty())? };
        Some(Some((step, below)))
    }
}

/// Whether what stands between two quotes is a step that can be compared without reading it.
fn is_step(step: &str) -> bool {
    matches!(step.as_bytes(), [b'f' | b'i' | b'k' | b'v', b':', ..]) && !step.contains("\\u")
}

/// Where the quote is that ends a string.
fn end_of_string(text: &str) -> Option<usize> {
    let mut from = 0;
    loop {
        let at = from + text.as_bytes().get(from..)?.iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        if text.as_bytes().get(at) == Some(&b'"') {
            return Some(at);
        }
        from = at + 2;
    }
}

/// How long the object is that a text begins with.
fn end_of_object(text: &str) -> Option<usize> {
    let mut bytes = text.bytes().enumerate();
    let (mut depth, mut is_string) = (0_usize, false);
    if !text.starts_with('{') {
        return None;
    }
    while let Some((at, byte)) = bytes.next() {
        match byte {
            b'"' => is_string = !is_string,
            b'\\' if is_string => {
                bytes.next();
            }
            b'{' if !is_string => depth += 1,
            b'}' if !is_string => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The order of two steps as texts, told from how they are written.
fn order(one: &str, other: &str) -> Ordering {
    let same = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let read = |text: &str| {
        let is_escape = text.bytes().take(same).rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
        match (text.as_bytes().get(same).copied(), is_escape) {
            (Some(byte), true) => Some(escaped(byte)),
            (Some(b'\\'), false) => text.as_bytes().get(same + 1).copied().map(escaped),
            (byte, _) => byte,
        }
    };
    read(one).cmp(&read(other))
}

/// What stands for a byte behind a backslash.
fn escaped(byte: u8) -> u8 {
    match byte {
        b'b' => 8,
        b't' => b'\t',
        b'n' => b'\n',
        b'f' => 12,
        b'r' => b'\r',
        other => other,
    }
}

/// Writes a place with steps below it, of which the place may say itself that it belongs to the set.
struct Place {
    start: usize,
    has_steps: bool,
}

impl Place {
    fn begin(out: &mut String, is_member: bool) -> Self {
        out.push('{');
        let start = out.len();
        if is_member {
            out.push_str(SELF);
        }
        Self { start, has_steps: false }
    }

    /// Begins a step; the answer is where to go back to if nothing is left of it.
    fn step(&mut self, out: &mut String, step: &str) -> usize {
        let start = out.len();
        if start > self.start {
            out.push(',');
        }
        out.push('"');
        out.push_str(step);
        out.push_str("\":");
        start
    }

    /// True if there is any step.
    fn end(self, out: &mut String) -> bool {
        if !self.has_steps {
            out.truncate(self.start);
        }
        out.push('}');
        self.has_steps
    }
}

/// Writes what is left of a place; true if any step is. None as in [`Steps::of`], or if there are more levels.
fn cut(ours: &str, theirs: &str, is_member: bool, levels: usize, out: &mut String) -> Option<bool> {
    let levels = levels.checked_sub(1)?;
    let (mut ours, mut theirs) = (Steps::of(ours)?, Steps::of(theirs)?);
    let mut place = Place::begin(out, is_member);
    let mut taken = theirs.next()?;
    while let Some((step, below)) = ours.next()? {
        while taken.is_some_and(|(taken, _)| order(taken, step) == Ordering::Less) {
            taken = theirs.next()?;
        }
        let start = place.step(out, step);
        match taken.filter(|(taken, _)| *taken == step) {
            None => {
                out.push_str(below);
                place.has_steps = true;
            }
            Some((_, taken)) => {
                let stays = Steps::of(below)?.is_member && !Steps::of(taken)?.is_member;
                if cut(below, taken, stays, levels, out)? || stays {
                    place.has_steps = true;
                } else {
                    out.truncate(start);
                }
            }
        }
    }
    Some(place.end(out))
}

/// Writes a place with the steps of two sets. None as in [`Steps::of`], or if there are more levels.
fn join(ours: &str, theirs: &str, is_member: bool, levels: usize, out: &mut String) -> Option<bool> {
    let levels = levels.checked_sub(1)?;
    let (mut ours, mut theirs) = (Steps::of(ours)?, Steps::of(theirs)?);
    let mut place = Place::begin(out, is_member);
    let (mut one, mut other) = (ours.next()?, theirs.next()?);
    loop {
        let side = match (one, other) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((one, _)), Some((other, _))) => order(one, other),
        };
        let (first, second) = (one.filter(|_| side.is_le()), other.filter(|_| side.is_ge()));
        let Some((step, below)) = first.or(second) else { break };
        place.step(out, step);
        place.has_steps = true;
        match first.and(second) {
            None => out.push_str(below),
            Some((_, theirs)) => {
                let is_member = Steps::of(below)?.is_member || Steps::of(theirs)?.is_member;
                join(below, theirs, is_member, levels, out)?;
            }
        }
        if first.is_some() {
            one = ours.next()?;
        }
        if second.is_some() {
            other = theirs.next()?;
        }
    }
    Some(place.end(out))
}

#[cfg(test)]
mod tests;
