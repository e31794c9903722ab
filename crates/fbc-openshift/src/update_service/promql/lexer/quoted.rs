//! Texts in quotes.

use super::Characters;
use crate::update_service::promql::syntax_error::{SyntaxError, refuse};

/// A text in quotes. Between backquotes everything is itself.
pub(super) fn text(rest: &mut Characters<'_>) -> Result<String, SyntaxError> {
    let Some((_, quote)) = rest.next() else { return refuse("unterminated quoted string") };
    // Escapes may write a character byte by byte.
    let mut bytes = Vec::new();
    loop {
        match rest.next() {
            Some((_, c)) if c == quote => break,
            None if quote == '`' => return refuse("unterminated raw string"),
            None => return refuse("unterminated quoted string"),
            Some((_, '\n')) if quote != '`' => return refuse("unterminated quoted string"),
            Some((_, '\\')) if quote != '`' => match escaped(rest, quote) {
                Some(Escaped::Character(c)) => push(&mut bytes, c),
                Some(Escaped::Byte(byte)) => bytes.push(byte),
                None => return refuse("unknown escape sequence in a string"),
            },
            Some((_, c)) => push(&mut bytes, c),
        }
    }
    String::from_utf8(bytes).map_err(|_| SyntaxError::Text("a string is not UTF-8".to_owned()))
}

fn push(bytes: &mut Vec<u8>, c: char) {
    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
}

enum Escaped {
    Character(char),
    Byte(u8),
}

/// What stands behind a backslash, as Go has it.
fn escaped(rest: &mut Characters<'_>, quote: char) -> Option<Escaped> {
    let (_, c) = rest.next()?;
    let mut digits = |first: u32, count: usize, radix: u32| {
        (0..count).try_fold(first, |value, _| {
            value.checked_mul(radix)?.checked_add(rest.next()?.1.to_digit(radix)?)
        })
    };
    let byte = |value: u32| u8::try_from(value).ok().map(Escaped::Byte);
    let character = |value: u32| char::from_u32(value).map(Escaped::Character);
    match c {
        'a' => Some(Escaped::Byte(0x07)),
        'b' => Some(Escaped::Byte(0x08)),
        'f' => Some(Escaped::Byte(0x0c)),
        'n' => Some(Escaped::Byte(b'\n')),
        'r' => Some(Escaped::Byte(b'\r')),
        't' => Some(Escaped::Byte(b'\t')),
        'v' => Some(Escaped::Byte(0x0b)),
        '\\' => Some(Escaped::Byte(b'\\')),
        _ if c == quote => Some(Escaped::Character(c)),
        'x' => digits(0, 2, 16).and_then(byte),
        'u' => digits(0, 4, 16).and_then(character),
        'U' => digits(0, 8, 16).and_then(character),
        '0'..='7' => digits(c.to_digit(8)?, 2, 8).and_then(byte),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_those_of_go() {
        let read = |quoted: &str| text(&mut quoted.char_indices().peekable());
        for (quoted, expected) in [
            (r#""a\"b'c""#, "a\"b'c"),
            (r"'\'\\\a\t'", "'\\\x07\t"),
            (r#""\xc3\xa9\303\251\u00e9\U0001f600""#, "ééé😀"),
            (r"`\n`", "\\n"),
            ("`a\nb`", "a\nb"),
        ] {
            assert_eq!(read(quoted).as_deref(), Ok(expected), "{quoted}");
        }
        for (quoted, message) in [
            ("\"a", "unterminated quoted string"),
            ("\"a\nb\"", "unterminated quoted string"),
            ("`a", "unterminated raw string"),
            (r"'\q'", "unknown escape sequence in a string"),
            (r#"'\"'"#, "unknown escape sequence in a string"),
            (r"'\777'", "unknown escape sequence in a string"),
            (r"'\ud800'", "unknown escape sequence in a string"),
            (r"'\xff'", "a string is not UTF-8"),
        ] {
            assert_eq!(read(quoted).unwrap_err().to_string(), message, "{quoted}");
        }
    }
}
