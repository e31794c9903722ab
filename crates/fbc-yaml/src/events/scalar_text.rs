//! The value of a scalar while it is read: a piece of the source for as long as it is one.

use std::borrow::Cow;
use std::ops::Range;

pub(super) struct ScalarText<'t> {
    source: &'t str,
    borrowed: Range<usize>,
    /// The value, once it is not one piece of the source any more.
    owned: Option<String>,
}

impl<'t> ScalarText<'t> {
    pub(super) fn new(source: &'t str) -> Self {
        Self { source, borrowed: 0..0, owned: None }
    }

    /// Appends a piece of the source.
    pub(super) fn push_source(&mut self, range: Range<usize>) {
        if range.is_empty() {
        } else if let Some(owned) = &mut self.owned {
            owned.push_str(self.source.get(range).unwrap_or_default());
        } else if self.borrowed.is_empty() {
            self.borrowed = range;
        } else if self.borrowed.end == range.start {
            self.borrowed.end = range.end;
        } else {
            let piece = self.source.get(range).unwrap_or_default();
            self.own().push_str(piece);
        }
    }

    /// Appends what does not stand in the source.
    pub(super) fn push_str(&mut self, text: &str) {
        if !text.is_empty() {
            self.own().push_str(text);
        }
    }

    pub(super) fn push(&mut self, character: char) {
        self.own().push(character);
    }

    fn own(&mut self) -> &mut String {
        let (source, borrowed) = (self.source, self.borrowed.clone());
        self.owned.get_or_insert_with(|| source.get(borrowed).unwrap_or_default().to_owned())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.borrowed.is_empty() && self.owned.as_ref().is_none_or(String::is_empty)
    }

    pub(super) fn finish(self) -> Cow<'t, str> {
        match self.owned {
            Some(owned) => Cow::Owned(owned),
            None => Cow::Borrowed(self.source.get(self.borrowed).unwrap_or_default()),
        }
    }
}

/// Line breaks inside a plain or quoted scalar that have been read and not been appended yet.
#[derive(Default)]
pub(super) struct Fold<'t> {
    first: &'t str,
    more: String,
}

impl<'t> Fold<'t> {
    pub(super) fn push_first(&mut self, meaning: &'t str) {
        self.first = meaning;
    }

    pub(super) fn push(&mut self, meaning: &str) {
        self.more.push_str(meaning);
    }

    /// Appends what the breaks mean: a space for a single one, else all but the first. U+2028 and
    /// U+2029 are not folded.
    pub(super) fn join(&mut self, text: &mut ScalarText<'_>) {
        match (self.first, self.more.as_str()) {
            ("\n", "") => text.push(' '),
            ("\n", more) => text.push_str(more),
            (first, more) => {
                text.push_str(first);
                text.push_str(more);
            }
        }
        self.first = "";
        self.more.clear();
    }
}
