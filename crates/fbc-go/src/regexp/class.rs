//! Character classes of Go regular expressions: brackets, `\d` and its like, `[:alpha:]`, `\p{Greek}`.

use super::parser::{Fault, Parser};
use super::syntax::{Class, Item, Node};
use super::unicode::Table;

/// Ranges of ASCII characters.
type Ranges = &'static [(u8, u8)];

const DIGITS: Ranges = &[(b'0', b'9')];
const SPACES: Ranges = &[(b'\t', b'\n'), (0x0C, b'\r'), (b' ', b' ')];
const WORDS: Ranges = &[(b'0', b'9'), (b'A', b'Z'), (b'_', b'_'), (b'a', b'z')];

/// The classes that are named within brackets.
const NAMED: [(&str, Ranges); 14] = [
    ("alnum", &[(b'0', b'9'), (b'A', b'Z'), (b'a', b'z')]),
    ("alpha", &[(b'A', b'Z'), (b'a', b'z')]),
    ("ascii", &[(0, 0x7F)]),
    ("blank", &[(b'\t', b'\t'), (b' ', b' ')]),
    ("cntrl", &[(0, 0x1F), (0x7F, 0x7F)]),
    ("digit", DIGITS),
    ("graph", &[(b'!', b'~')]),
    ("lower", &[(b'a', b'z')]),
    ("print", &[(b' ', b'~')]),
    ("punct", &[(b'!', b'/'), (b':', b'@'), (b'[', b'`'), (b'{', b'~')]),
    ("space", &[(b'\t', b'\r'), (b' ', b' ')]),
    ("upper", &[(b'A', b'Z')]),
    ("word", WORDS),
    ("xdigit", &[(b'0', b'9'), (b'A', b'F'), (b'a', b'f')]),
];

impl<'a> Parser<'a> {
    /// A class in brackets, with the text at its `[`.
    pub(super) fn class(&mut self, text: &'a str) -> Result<&'a str, Fault> {
        let mut class = Class { fold: self.flags.fold, ..Class::default() };
        let mut rest = &text[1..];
        if let Some(after) = rest.strip_prefix('^') {
            class.negated = true;
            rest = after;
        }
        let mut first = true;
        while first || !rest.starts_with(']') {
            first = false;
            if let Some((item, after)) = self.named_class(rest)? {
                class.items.push(item);
                rest = after;
                continue;
            }
            if let Some((item, after)) = escaped_class(rest)? {
                class.items.push(item);
                rest = after;
                continue;
            }
            let start = rest;
            let (low, after) = class_character(rest, text)?;
            rest = after;
            let mut high = low;
            // A minus at the end is one character; anywhere else it makes a range.
            if let Some(after) =
                rest.strip_prefix('-').filter(|after| !after.is_empty() && !after.starts_with(']'))
            {
                (high, rest) = class_character(after, text)?;
                if high < low {
                    return Err(Fault::between("invalid character class range", start, rest));
                }
            }
            class.items.push(Item::Range(low, high));
        }
        self.push(Node::Class(class));
        Ok(&rest[1..])
    }

    /// `[:alpha:]` and its like. Where one has no end, none behind it has one.
    fn named_class<'t>(&mut self, text: &'t str) -> Result<Option<(Item, &'t str)>, Fault> {
        let begun = text.strip_prefix("[:").filter(|rest| self.may_name_classes && !rest.is_empty());
        let Some(rest) = begun else { return Ok(None) };
        let Some(end) = rest.find(":]") else {
            self.may_name_classes = false;
            return Ok(None);
        };
        let (whole, rest) = text.split_at(end + 4);
        let name = &whole[2..end + 2];
        let (name, negated) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
        match NAMED.iter().find(|(known, _)| *known == name) {
            Some((_, ranges)) => Ok(Some((Item::Ascii { ranges, negated }, rest))),
            None => Err(Fault::new("invalid character class range", whole)),
        }
    }
}

/// `\d`, `\pL` and their like.
pub(super) fn escaped_class(text: &str) -> Result<Option<(Item, &str)>, Fault> {
    let Some(escaped) = text.strip_prefix('\\') else { return Ok(None) };
    let Some(letter) = escaped.chars().next() else { return Ok(None) };
    let rest = &escaped[letter.len_utf8()..];
    let ranges = match letter.to_ascii_lowercase() {
        'd' => DIGITS,
        's' => SPACES,
        'w' => WORDS,
        'p' => return unicode_class(text, rest, letter == 'P').map(Some),
        _ => return Ok(None),
    };
    Ok(Some((Item::Ascii { ranges, negated: letter.is_ascii_uppercase() }, rest)))
}

/// What follows `\p` or `\P`.
fn unicode_class<'a>(text: &'a str, rest: &'a str, negated: bool) -> Result<(Item, &'a str), Fault> {
    let length = match rest.strip_prefix('{') {
        Some(_) => match rest.find('}') {
            Some(end) => end + 1,
            None => return Err(Fault::new("invalid character class range", text)),
        },
        None => rest.chars().next().map_or(0, char::len_utf8),
    };
    let (name, after) = rest.split_at(length);
    let sequence = &text[..text.len() - after.len()];
    let name = name.strip_prefix('{').map_or(name, |name| &name[..name.len() - 1]);
    let (name, negated) = name.strip_prefix('^').map_or((name, negated), |name| (name, !negated));
    match Table::named(name) {
        Some(table) => Ok((Item::Unicode { table, negated }, after)),
        None => Err(Fault::new("invalid character class range", sequence)),
    }
}

/// One character of a class; `whole` is the class from its bracket on.
fn class_character<'a>(text: &'a str, whole: &str) -> Result<(u32, &'a str), Fault> {
    match text.chars().next() {
        None => Err(Fault::new("missing closing ]", whole)),
        Some('\\') => escape(text),
        Some(character) => Ok((u32::from(character), &text[character.len_utf8()..])),
    }
}

/// The code point of an escape, with the text at its backslash.
///
/// Source: `golang/go:src/regexp/syntax/parse.go` (`parseEscape`).
pub(super) fn escape(text: &str) -> Result<(u32, &str), Fault> {
    let mut characters = text[1..].chars();
    let Some(letter) = characters.next() else {
        return Err(Fault::new("trailing backslash at end of expression", ""));
    };
    let invalid = |rest: &str| Err(Fault::between("invalid escape sequence", text, rest));
    let rest = characters.as_str();
    let point = match letter {
        '1'..='7' if !rest.starts_with(|next: char| ('0'..='7').contains(&next)) => return invalid(rest),
        '0'..='7' => {
            let mut point = u32::from(letter) - u32::from('0');
            let digits = rest.bytes().take(2).take_while(|digit| (b'0'..=b'7').contains(digit)).count();
            for digit in rest[..digits].bytes() {
                point = point * 8 + u32::from(digit - b'0');
            }
            return Ok((point, &rest[digits..]));
        }
        'x' => return hexadecimal(text, rest),
        'a' => 0x07,
        'f' => 0x0C,
        'n' => 0x0A,
        'r' => 0x0D,
        't' => 0x09,
        'v' => 0x0B,
        other if other.is_ascii() && !other.is_ascii_alphanumeric() => u32::from(other),
        _ => return invalid(rest),
    };
    Ok((point, rest))
}

/// What follows `\x`.
fn hexadecimal<'a>(text: &'a str, rest: &'a str) -> Result<(u32, &'a str), Fault> {
    let invalid = |rest: &str| Err(Fault::between("invalid escape sequence", text, rest));
    let mut characters = rest.chars();
    match characters.next() {
        None => invalid(rest),
        Some('{') => {
            let (mut point, mut digits) = (0u32, 0);
            loop {
                match characters.next() {
                    Some('}') if digits > 0 => return Ok((point, characters.as_str())),
                    Some(character) => match character.to_digit(16) {
                        Some(digit) if point * 16 + digit <= 0x10_FFFF => point = point * 16 + digit,
                        _ => return invalid(characters.as_str()),
                    },
                    None => return invalid(""),
                }
                digits += 1;
            }
        }
        Some(first) => {
            let second = characters.next();
            match (first.to_digit(16), second.and_then(|second| second.to_digit(16))) {
                (Some(high), Some(low)) => Ok((high * 16 + low, characters.as_str())),
                _ => invalid(characters.as_str()),
            }
        }
    }
}
