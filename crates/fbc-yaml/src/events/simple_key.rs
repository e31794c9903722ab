//! Simple keys: those without `?`.
//!
//! Only the `:` behind it shows that something is a simple key, so tokens wait in a queue as long as the first of them may
//! turn out to begin one. Source of the rules: `go-yaml/yaml:scannerc.go` branch v2.

use super::Mark;
use super::scanner::{Scanned, Scanner};

/// How far behind its first character the `:` of a simple key may stand.
const MAX_SIMPLE_KEY: usize = 1024;

/// The last token of its level that a key may begin with.
pub(super) struct SimpleKey {
    pub(super) is_possible: bool,
    /// It stands where nothing but a key can stand.
    is_required: bool,
    /// Whether its token must wait for it. See [`Scanner::leave_flow`] for when it does not.
    pub(super) holds_token: bool,
    pub(super) token: usize,
    pub(super) mark: Mark,
}

impl SimpleKey {
    /// No key yet, at the beginning of a level.
    pub(super) fn none(token: usize, mark: Mark) -> Self {
        Self { is_possible: false, is_required: false, holds_token: false, token, mark }
    }
}

impl Scanner<'_> {
    /// Whether the simple key of that level can still be one: keys end on the line and near the
    /// place where they begin.
    pub(super) fn is_key_possible(&mut self, level: usize) -> Scanned<bool> {
        let here = self.reader.mark();
        let Some(key) = self.simple_keys.get_mut(level) else { return Ok(false) };
        if key.is_possible && (key.mark.line < here.line || key.mark.column + MAX_SIMPLE_KEY < here.column) {
            if key.is_required {
                let from = key.mark;
                return self.fail("while scanning a simple key", from, "could not find expected ':'");
            }
            key.is_possible = false;
        }
        Ok(key.is_possible)
    }

    /// Notes that the next token may be, or begin, a simple key.
    pub(super) fn note_key(&mut self) -> Scanned<()> {
        if !self.may_begin_key {
            return Ok(());
        }
        self.forget_key()?;
        let mark = self.reader.mark();
        let is_required = !self.is_in_flow() && self.indent == Some(mark.column);
        let token = self.next_number();
        if let Some(key) = self.simple_keys.last_mut() {
            *key = SimpleKey { is_possible: true, is_required, holds_token: true, token, mark };
        }
        Ok(())
    }

    /// Gives up the simple key of the current level.
    pub(super) fn forget_key(&mut self) -> Scanned<()> {
        match self.simple_keys.last_mut() {
            Some(key) if key.is_possible && key.is_required => {
                let from = key.mark;
                self.fail("while scanning a simple key", from, "could not find expected ':'")
            }
            Some(key) => {
                key.is_possible = false;
                key.holds_token = false;
                Ok(())
            }
            None => Ok(()),
        }
    }
}
