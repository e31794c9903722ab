//! The text written so far, and how far its last line has come.

use super::INDENT;
use crate::layout::{LayoutExceeded, LayoutRoom, PLAIN_DEPTH};

/// Lines that are indented by less do not count for the layout.
const PLAIN_COLUMN: usize = PLAIN_DEPTH as usize * INDENT;

/// Appends to a string and keeps track of where its last line begins.
pub(super) struct Output<'o, 'r> {
    text: &'o mut String,
    line_start: usize,
    room: &'r mut LayoutRoom,
    layout: Result<(), LayoutExceeded>,
}

impl<'o, 'r> Output<'o, 'r> {
    pub(super) fn new(text: &'o mut String, room: &'r mut LayoutRoom) -> Self {
        let line_start = text.len();
        Self { text, line_start, room, layout: Ok(()) }
    }

    /// Whether lines were indented by no more than they may be. What is beyond it was not written.
    pub(super) fn check_layout(&self) -> Result<(), LayoutExceeded> {
        self.layout
    }

    /// Appends text; if it ends in a line break, [`Output::mark_line_start`] has to follow.
    pub(super) fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Appends a character that breaks no line.
    pub(super) fn push_char(&mut self, c: char) {
        self.text.push(c);
    }

    /// Appends a character that ends a line for go-yaml: a newline, U+2028 or U+2029.
    pub(super) fn push_break(&mut self, c: char) {
        self.text.push(c);
        self.line_start = self.text.len();
    }

    /// The string itself, for text without line breaks.
    pub(super) fn text_mut(&mut self) -> &mut String {
        self.text
    }

    /// Ends the line unless it is empty: a literal block may have ended it already.
    pub(super) fn finish_line(&mut self) {
        if self.text.len() != self.line_start {
            self.push_break('\n');
        }
    }

    /// Goes to a column of a new line.
    pub(super) fn begin_line(&mut self, column: usize) {
        if self.text.len() == self.line_start {
            self.pad(column);
        } else {
            self.line_start = self.text.len() + 1;
            if column > PLAIN_COLUMN {
                self.text.push('\n');
                self.pad(column);
            } else {
                fbc_go::json::break_line(self.text, column);
            }
        }
    }

    /// Appends spaces.
    pub(super) fn pad(&mut self, spaces: usize) {
        if spaces > PLAIN_COLUMN {
            self.layout = self.layout.and_then(|()| self.room.take(spaces));
            if self.layout.is_err() {
                return;
            }
        }
        const BLANK: &str = "                                                                ";
        match BLANK.get(..spaces) {
            Some(blank) => self.text.push_str(blank),
            None => self.text.extend(std::iter::repeat_n(' ', spaces)),
        }
    }

    /// Notes that a line begins at the end of the text.
    pub(super) fn mark_line_start(&mut self) {
        self.line_start = self.text.len();
    }

    /// Characters in the last line; what go-yaml's emitter calls the column.
    pub(super) fn column(&self) -> usize {
        self.text.get(self.line_start..).map_or(0, |line| line.chars().count())
    }

    /// Bytes in the last line: at least its column.
    pub(super) fn line_length(&self) -> usize {
        self.text.len() - self.line_start
    }
}
