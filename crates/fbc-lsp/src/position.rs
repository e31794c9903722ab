//! Positions of the protocol and bytes of texts. Lines and columns count from 0; columns count units of UTF-16 or of
//! UTF-8, as client and server agree.

use lsp_types::{Position, PositionEncodingKind};

/// What columns count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    /// Units of UTF-16, which every client knows.
    #[default]
    Utf16,
    /// Bytes of UTF-8.
    Utf8,
}

impl Encoding {
    /// UTF-8 where the client offers it: nothing has to be counted then.
    #[must_use]
    pub fn among(offered: Option<&[PositionEncodingKind]>) -> Self {
        match offered {
            Some(kinds) if kinds.contains(&PositionEncodingKind::UTF8) => Self::Utf8,
            _ => Self::Utf16,
        }
    }

    /// The name in the protocol.
    #[must_use]
    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf16 => PositionEncodingKind::UTF16,
            Self::Utf8 => PositionEncodingKind::UTF8,
        }
    }
}

/// The byte of a position; the end of the line where that is shorter, the end of the text behind its last line.
#[must_use]
pub fn byte_at(text: &str, position: Position, encoding: Encoding) -> usize {
    let mut line_breaks = memchr::memchr_iter(b'\n', text.as_bytes());
    let start = match position.line {
        0 => Some(0),
        line => line_breaks.nth(line as usize - 1).map(|at| at + 1),
    };
    let Some(start) = start else { return text.len() };
    let rest = text.get(start..).unwrap_or_default();
    let line = rest.split('\n').next().unwrap_or_default();
    let line = line.strip_suffix('\r').unwrap_or(line);
    let wanted = position.character as usize;
    let mut units = 0;
    for (at, character) in line.char_indices() {
        if units >= wanted {
            return start + at;
        }
        units += match encoding {
            Encoding::Utf16 => character.len_utf16(),
            Encoding::Utf8 => character.len_utf8(),
        };
        if units > wanted {
            // In the middle of a character.
            return start + at;
        }
    }
    start + line.len()
}

/// The position of a byte.
#[must_use]
pub fn position_of(text: &str, byte: usize, encoding: Encoding) -> Position {
    let mut byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    let before = text.get(..byte).unwrap_or_default();
    let line = memchr::memchr_iter(b'\n', before.as_bytes()).count();
    let start = memchr::memrchr(b'\n', before.as_bytes()).map_or(0, |at| at + 1);
    let column = before.get(start..).unwrap_or_default();
    let units = match encoding {
        Encoding::Utf16 => column.chars().map(char::len_utf16).sum(),
        Encoding::Utf8 => column.len(),
    };
    Position::new(line as u32, units as u32)
}

/// A position in a text that begins at `start` of another one, as a position there.
#[must_use]
pub fn shifted(start: Position, inner: Position) -> Position {
    let column = if inner.line == 0 { start.character + inner.character } else { inner.character };
    Position::new(start.line + inner.line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_of_all_languages() {
        let text = "a\nü日𝒳b\r\n\nend";
        for (byte, line, utf16, utf8) in [
            (0, 0, 0, 0),
            (1, 0, 1, 1),
            (2, 1, 0, 0),
            (4, 1, 1, 2),
            (7, 1, 2, 5),
            (11, 1, 4, 9),
            (15, 3, 0, 0),
        ] {
            assert_eq!(position_of(text, byte, Encoding::Utf16), Position::new(line, utf16), "{byte}");
            assert_eq!(position_of(text, byte, Encoding::Utf8), Position::new(line, utf8), "{byte}");
            assert_eq!(byte_at(text, Position::new(line, utf16), Encoding::Utf16), byte);
            assert_eq!(byte_at(text, Position::new(line, utf8), Encoding::Utf8), byte);
        }
        // The middle of a character, beyond the line, beyond the text.
        assert_eq!(byte_at(text, Position::new(1, 3), Encoding::Utf16), 7);
        assert_eq!(byte_at(text, Position::new(1, 99), Encoding::Utf16), 12);
        assert_eq!(byte_at(text, Position::new(99, 0), Encoding::Utf16), text.len());
        assert_eq!(position_of(text, 999, Encoding::Utf8), Position::new(3, 3));
        assert_eq!(position_of(text, 5, Encoding::Utf16), Position::new(1, 1));
    }
}
