//! The characters of Masterminds constraints: white space, operators, and versions with wildcards.
//!
//! A cursor that only moves forward, so everything built on it takes linear time. What a version means is
//! decided elsewhere.

use crate::version::is_identifier_byte;

/// A place in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cursor<'a> {
    text: &'a str,
    position: usize,
}

/// A version as written in a constraint, cut into its parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VersionText<'a> {
    /// All of it.
    pub(super) whole: &'a str,
    /// The first number or wildcard, without `v`.
    pub(super) major: &'a str,
    /// The second, if there is one.
    pub(super) minor: Option<&'a str>,
    /// The third, if there is one.
    pub(super) patch: Option<&'a str>,
    /// The prerelease without its hyphen; empty when there is none.
    pub(super) prerelease: &'a str,
    /// The build metadata without its plus sign; empty when there is none.
    pub(super) build: &'a str,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self::at(text, 0)
    }

    pub(super) fn at(text: &'a str, position: usize) -> Self {
        Self { text, position }
    }

    pub(super) fn position(self) -> usize {
        self.position
    }

    pub(super) fn is_at_end(self) -> bool {
        self.position >= self.text.len()
    }

    pub(super) fn peek(self) -> Option<u8> {
        self.peek_ahead(0)
    }

    fn peek_ahead(self, distance: usize) -> Option<u8> {
        self.text.as_bytes().get(self.position + distance).copied()
    }

    /// Takes text that is exactly here.
    pub(super) fn take(&mut self, expected: &str) -> bool {
        let found = self
            .text
            .as_bytes()
            .get(self.position..)
            .is_some_and(|rest| rest.starts_with(expected.as_bytes()));
        if found {
            self.position += expected.len();
        }
        found
    }

    /// Takes all bytes that fit. Only used with ASCII bytes, so the result is always text.
    pub(super) fn take_while(&mut self, fits: impl Fn(u8) -> bool) -> &'a str {
        let start = self.position;
        while self.peek().is_some_and(&fits) {
            self.position += 1;
        }
        self.since(start)
    }

    /// Takes white space and says whether there was any.
    pub(super) fn take_space(&mut self) -> bool {
        !self.take_while(is_space).is_empty()
    }

    /// Takes an operator, which may be absent, and the white space after it. `None` when what stands here is
    /// none, such as `>>`.
    pub(super) fn take_operator(&mut self) -> Option<Operator> {
        let operator = match self.take_while(|byte| matches!(byte, b'=' | b'!' | b'<' | b'>' | b'~' | b'^')) {
            "" | "=" => Operator::Equal,
            "!=" => Operator::NotEqual,
            ">" => Operator::Greater,
            "<" => Operator::Less,
            ">=" | "=>" => Operator::GreaterOrEqual,
            "<=" | "=<" => Operator::LessOrEqual,
            "~" | "~>" => Operator::Tilde,
            "^" => Operator::Caret,
            _ => return None,
        };
        self.take_space();
        Some(operator)
    }

    /// Takes the longest version that starts here.
    pub(super) fn take_version(&mut self) -> Option<VersionText<'a>> {
        let start = self.position;
        self.take("v");
        let major = self.take_while(is_segment_byte);
        if major.is_empty() {
            self.position = start;
            return None;
        }
        let minor = self.take_segment();
        let patch = minor.and_then(|_| self.take_segment());
        let (prerelease, build) = self.take_suffixes();
        Some(VersionText { whole: self.since(start), major, minor, patch, prerelease, build })
    }

    /// Takes a prerelease with its hyphen and build metadata with its plus sign, each of which may be absent;
    /// returns them without these.
    pub(super) fn take_suffixes(&mut self) -> (&'a str, &'a str) {
        (self.take_identifiers(b'-'), self.take_identifiers(b'+'))
    }

    fn take_segment(&mut self) -> Option<&'a str> {
        if self.peek() != Some(b'.') || !self.peek_ahead(1).is_some_and(is_segment_byte) {
            return None;
        }
        self.position += 1;
        Some(self.take_while(is_segment_byte))
    }

    fn take_identifiers(&mut self, mark: u8) -> &'a str {
        if self.peek() != Some(mark) || !self.peek_ahead(1).is_some_and(is_identifier_byte) {
            return "";
        }
        self.position += 1;
        let start = self.position;
        loop {
            self.take_while(is_identifier_byte);
            if self.peek() != Some(b'.') || !self.peek_ahead(1).is_some_and(is_identifier_byte) {
                return self.since(start);
            }
            self.position += 1;
        }
    }

    fn since(self, start: usize) -> &'a str {
        self.text.get(start..self.position).unwrap_or_default()
    }
}

/// An operator of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Operator {
    Equal,
    NotEqual,
    Greater,
    Less,
    GreaterOrEqual,
    LessOrEqual,
    Tilde,
    Caret,
}

/// White space as Go's regular expressions count it: no vertical tab, nothing beyond ASCII.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b'\t' | b'\n' | b'\x0c' | b'\r' | b' ')
}

/// What a number or wildcard may consist of. The `|` is an accident of the reference's character class; text
/// with it mostly fails afterwards.
pub(super) fn is_segment_byte(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'x' | b'X' | b'*' | b'|')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_cut() {
        for (text, parts) in [
            ("1", Some(("1", "1", None, None, "", ""))),
            ("v1.2,", Some(("v1.2", "1", Some("2"), None, "", ""))),
            ("1.x.*-rc.1+b.2 ", Some(("1.x.*-rc.1+b.2", "1", Some("x"), Some("*"), "rc.1", "b.2"))),
            ("1-0", Some(("1-0", "1", None, None, "0", ""))),
            ("1.2.3.4", Some(("1.2.3", "1", Some("2"), Some("3"), "", ""))),
            ("1.", Some(("1", "1", None, None, "", ""))),
            ("1.2-a..b", Some(("1.2-a", "1", Some("2"), None, "a", ""))),
            ("1||2", Some(("1||2", "1||2", None, None, "", ""))),
            ("1+-", Some(("1+-", "1", None, None, "", "-"))),
            ("v", None),
            ("a1", None),
            ("é", None),
        ] {
            let version = Cursor::new(text).take_version();
            let found = version.map(|v| (v.whole, v.major, v.minor, v.patch, v.prerelease, v.build));
            assert_eq!(found, parts, "{text}");
        }
    }
}
