//! Constants of templates: texts, characters, numbers.
//!
//! Sources of the behaviour: `golang/go:src/strconv/quote.go` (`Unquote`) and
//! `golang/go:src/text/template/parse/node.go` (`newNumber`).

use crate::text::quote;

use super::token::Kind;
use super::tree::{Number, NumberValue};

/// The text of a constant in quotes or backquotes; nothing where Go refuses it.
pub(super) fn unquote(quoted: &str) -> Option<Vec<u8>> {
    if let Some(raw) = quoted.strip_prefix('`') {
        return Some(raw.strip_suffix('`')?.replace('\r', "").into_bytes());
    }
    let mut rest = quoted.strip_prefix('"')?.strip_suffix('"')?;
    let mut text = Vec::with_capacity(rest.len());
    while !rest.is_empty() {
        let (unit, tail) = unquote_unit(rest, '"')?;
        match unit {
            Unit::Byte(byte) => text.push(byte),
            Unit::Character(c) => text.extend(c.encode_utf8(&mut [0; 4]).bytes()),
        }
        rest = tail;
    }
    Some(text)
}

enum Unit {
    Byte(u8),
    Character(char),
}

/// One character of a constant, and what follows it.
fn unquote_unit(text: &str, quote: char) -> Option<(Unit, &str)> {
    let mut characters = text.chars();
    let first = characters.next()?;
    if first == quote {
        return None;
    }
    if first != '\\' {
        return Some((Unit::Character(first), characters.as_str()));
    }
    let escape = characters.next()?;
    let rest = characters.as_str();
    let simple = |c: char| Some((Unit::Character(c), rest));
    match escape {
        'a' => simple('\x07'),
        'b' => simple('\x08'),
        'f' => simple('\x0c'),
        'n' => simple('\n'),
        'r' => simple('\r'),
        't' => simple('\t'),
        'v' => simple('\x0b'),
        '\\' => simple('\\'),
        '\'' | '"' if escape == quote => simple(escape),
        'x' => {
            let byte = u8::from_str_radix(digits(rest, 2, 16)?, 16).ok()?;
            Some((Unit::Byte(byte), rest.get(2..)?))
        }
        'u' | 'U' => {
            let width = if escape == 'u' { 4 } else { 8 };
            let code = u32::from_str_radix(digits(rest, width, 16)?, 16).ok()?;
            Some((Unit::Character(char::from_u32(code)?), rest.get(width..)?))
        }
        '0'..='7' => {
            let octal =
                text.get(1..4).filter(|octal| octal.bytes().all(|byte| (b'0'..=b'7').contains(&byte)))?;
            let byte = u8::from_str_radix(octal, 8).ok()?;
            Some((Unit::Byte(byte), text.get(4..)?))
        }
        _ => None,
    }
}

fn digits(text: &str, width: usize, radix: u32) -> Option<&str> {
    text.get(..width).filter(|digits| digits.chars().all(|c| c.is_digit(radix)))
}

/// A constant that is neither a number nor a character.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum NumberError {
    #[error("invalid syntax")]
    Character,
    #[error("malformed character constant: {0}")]
    LongCharacter(String),
    #[error("complex number {} has no meaning here", quote(.0))]
    Complex(String),
    #[error("integer overflow: {}", quote(.0))]
    Overflow(String),
    #[error("illegal number syntax: {}", quote(.0))]
    Syntax(String),
}

/// A number or a character.
pub(super) fn number(text: &str, kind: Kind) -> Result<Number, NumberError> {
    let number = |value| Ok(Number { text: text.to_owned(), value });
    if kind == Kind::CharacterConstant {
        let inner = text.get(1..).unwrap_or_default();
        let (unit, tail) = unquote_unit(inner, '\'').ok_or(NumberError::Character)?;
        if tail != "'" {
            return Err(NumberError::LongCharacter(text.to_owned()));
        }
        return number(NumberValue::Int(match unit {
            Unit::Byte(byte) => i64::from(byte),
            Unit::Character(c) => i64::from(c as u32),
        }));
    }
    if kind == Kind::Complex || text.ends_with('i') {
        return Err(NumberError::Complex(text.to_owned()));
    }
    let unsigned = text.trim_start_matches(['+', '-']);
    let is_hexadecimal = unsigned.starts_with("0x") || unsigned.starts_with("0X");
    let looks_like_float =
        if is_hexadecimal { text.contains(['.', 'p', 'P']) } else { text.contains(['.', 'e', 'E']) };
    match integer(text) {
        Some(value) => {
            return i64::try_from(value)
                .map_or_else(|_| number(NumberValue::Uint), |value| number(NumberValue::Int(value)));
        }
        None if looks_like_float => {}
        None => {
            // A whole number that only a float could hold.
            let is_whole = unsigned.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
                && unsigned.starts_with(|first: char| first.is_ascii_digit())
                && separates_digits(unsigned);
            let error = if is_whole { NumberError::Overflow } else { NumberError::Syntax };
            return Err(error(text.to_owned()));
        }
    }
    match text.replace('_', "").parse::<f64>() {
        Ok(value) if value.is_finite() && separates_digits(text) => number(NumberValue::Float(value)),
        _ => Err(NumberError::Syntax(text.to_owned())),
    }
}

/// Whether every underscore stands between digits.
fn separates_digits(text: &str) -> bool {
    let is_digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
    let bytes = text.as_bytes();
    let underscores = (0..bytes.len()).filter(|&at| bytes.get(at) == Some(&b'_'));
    underscores.into_iter().all(|at| at > 0 && is_digit(bytes.get(at - 1)) && is_digit(bytes.get(at + 1)))
}

/// A whole number as Go's `ParseInt` with base 0 reads it, as far as 64 bits hold it.
fn integer(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    // An unsigned number has no sign.
    let is_signed = digits.len() != text.len();
    let lower = digits.to_ascii_lowercase();
    let (radix, body) = match lower.get(..2) {
        Some("0x") => (16, lower.get(2..)?),
        Some("0o") => (8, lower.get(2..)?),
        Some("0b") => (2, lower.get(2..)?),
        _ if lower.len() > 1 && lower.starts_with('0') => (8, lower.get(1..)?),
        _ => (10, lower.as_str()),
    };
    let is_prefixed = body.len() != lower.len();
    let has_good_underscores =
        !body.ends_with('_') && !body.contains("__") && (is_prefixed || !body.starts_with('_'));
    let body = body.replace('_', "");
    if body.is_empty() || !has_good_underscores {
        return None;
    }
    let value = i128::from(u64::from_str_radix(&body, radix).ok()?);
    let value = if negative { -value } else { value };
    let fits = value >= i128::from(i64::MIN) && (value <= i128::from(i64::MAX) || !is_signed);
    fits.then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source of the answers: Go 1.26.
    #[test]
    fn numbers_that_no_integer_holds() {
        for (text, expected) in [
            ("18446744073709551616", "integer overflow"),
            ("-9223372036854775809", "integer overflow"),
            ("1_0009223372036854775808", "integer overflow"),
            ("1__0009223372036854775808", "illegal number syntax"),
            ("0x1_0000_0000_0000_0000", "illegal number syntax"),
        ] {
            let error = number(text, Kind::Number).err().map(|error| error.to_string());
            assert_eq!(error, Some(format!("{expected}: {}", quote(text))));
        }
    }
}
