//! The style in which a text is written: plain, quoted or as a literal block.
//!
//! Sources of the behaviour, branch v2 of `go-yaml/yaml`: `encode.go` (`stringv`) wants a style,
//! `emitterc.go` (`yaml_emitter_analyze_scalar`, `yaml_emitter_select_scalar_style`) replaces it
//! where it cannot carry the text, `yamlprivateh.go` says what is printable and what breaks a line.

use memchr::{memchr, memchr3_iter};

use super::WriteError;
use crate::scalar::{Scalar, looks_like_timestamp, resolve_plain};

/// How a text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
}

/// What the writer must know of a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Survey {
    pub(super) style: Style,
    /// No character breaks a line for go-yaml: a condition for keys.
    pub(super) is_one_line: bool,
    /// There are spaces, at which lines may be folded.
    pub(super) has_spaces: bool,
    /// Every character is one byte.
    pub(super) is_ascii: bool,
    /// There are U+2028 or U+2029: printable, yet they break lines.
    pub(super) has_separators: bool,
    /// There is U+0085, which reading JSON text as YAML folds; `style` says nothing then.
    pub(super) has_next_line: bool,
}

// Classes of bytes. Where the class of a byte, moved up by one bit, meets the class of the next
// byte, the two make one of the pairs below; no other bits of these classes are neighbours that
// matter.
const COLON: u8 = 1;
const BLANK: u8 = 1 << 1 | 1 << 4;
const HASH: u8 = 1 << 2;
/// Not printable for go-yaml: controls, and all that UTF-8 writes in four bytes.
const SPECIAL: u8 = 1 << 3;
const NEWLINE: u8 = 1 << 5;
/// Begins a character that may be special; [`look_closer`] decides.
const DOUBTFUL: u8 = 1 << 6;
const NOT_ASCII: u8 = 1 << 7;

const COLON_BLANK: u8 = COLON << 1;
const BLANK_HASH: u8 = HASH;
const BLANK_NEWLINE: u8 = NEWLINE;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'\n' => NEWLINE,
            b' ' => BLANK,
            b':' => COLON,
            b'#' => HASH,
            0..=0x1F | 0x7F => SPECIAL,
            b'!'..=b'~' => 0,
            0xC2 | 0xE2 | 0xEF => DOUBTFUL | NOT_ASCII,
            0xF0..=0xFF => SPECIAL | NOT_ASCII,
            _ => NOT_ASCII,
        };
        byte += 1;
    }
    classes
};

/// All classes in the text, and all pairs of neighbours.
fn classes_of(bytes: &[u8]) -> (u8, u8) {
    const LANES: usize = 32;
    let (mut seen, mut pairs, mut previous) = (0, 0, 0);
    for chunk in bytes.chunks(LANES) {
        // Chunks of printable ASCII without space, `:` and `#` have no class at all: 0x21 to 0x7E
        // but for these two. Base64 consists of such chunks; this is a few vector instructions.
        let is_bare = chunk.len() == LANES
            && !chunk.iter().fold(false, |found, &byte| {
                found | (byte.wrapping_sub(0x21) > 0x7E - 0x21) | (byte == b':') | (byte == b'#')
            });
        if is_bare {
            previous = 0;
            continue;
        }
        for &byte in chunk {
            let class = CLASSES[usize::from(byte)];
            seen |= class;
            pairs |= (previous << 1) & class;
            previous = class;
        }
    }
    (seen, pairs)
}

/// What single bytes do not tell.
#[derive(Default)]
struct Closer {
    is_special: bool,
    has_return: bool,
    has_separators: bool,
    has_next_line: bool,
    blank_separator: bool,
    separator_blank: bool,
}

/// Looks at the characters that classes of bytes leave open.
fn look_closer(bytes: &[u8], seen: u8) -> Result<Closer, WriteError> {
    let mut closer = Closer { is_special: seen & SPECIAL != 0, ..Closer::default() };
    if closer.is_special {
        if memchr(0x7F, bytes).is_some() {
            return Err(WriteError::ControlCharacter);
        }
        closer.has_return = memchr(b'\r', bytes).is_some();
    }
    if seen & DOUBTFUL == 0 {
        return Ok(closer);
    }
    for at in memchr3_iter(0xC2, 0xE2, 0xEF, bytes) {
        match bytes.get(at..).unwrap_or_default() {
            [0xC2, 0x85, ..] => closer.has_next_line = true,
            [0xC2, 0x80..=0x9F, ..] | [0xEF, 0xBF, 0xBE | 0xBF, ..] => {
                return Err(WriteError::ControlCharacter);
            }
            [0xE2, 0x80, 0xA8 | 0xA9, after @ ..] => {
                closer.has_separators = true;
                closer.blank_separator |= bytes.get(..at).is_some_and(|before| before.ends_with(b" "));
                closer.separator_blank |= after.starts_with(b" ");
            }
            // The byte order mark.
            [0xEF, 0xBB, 0xBF, ..] => closer.is_special = true,
            _ => {}
        }
    }
    Ok(closer)
}

/// Looks a text over and chooses its style.
///
/// # Errors
/// The text holds a character that go-yaml does not read.
pub(super) fn survey(text: &str) -> Result<Survey, WriteError> {
    let bytes = text.as_bytes();
    let (seen, pairs) = classes_of(bytes);
    let closer = if seen & (SPECIAL | DOUBTFUL) != 0 { look_closer(bytes, seen)? } else { Closer::default() };
    let has_newline = seen & NEWLINE != 0;
    Ok(Survey {
        style: style_of(text, (seen, pairs), &closer),
        is_one_line: !(has_newline || closer.has_separators || closer.has_return),
        has_spaces: seen & BLANK != 0,
        is_ascii: seen & NOT_ASCII == 0,
        has_separators: closer.has_separators,
        has_next_line: closer.has_next_line,
    })
}

fn style_of(text: &str, (seen, pairs): (u8, u8), closer: &Closer) -> Style {
    // No style but double quotes shows a blank at the end of a line, or what cannot be printed.
    if closer.is_special || closer.blank_separator || pairs & BLANK_NEWLINE != 0 {
        return Style::DoubleQuoted;
    }
    if seen & NEWLINE != 0 {
        return if text.ends_with(' ') { Style::DoubleQuoted } else { Style::Literal };
    }
    if !reads_as_text(text) || closer.separator_blank {
        return Style::DoubleQuoted;
    }
    let needs_quotes = closer.has_separators
        || pairs & (COLON_BLANK | BLANK_HASH) != 0
        || text.starts_with(' ')
        || text.ends_with([' ', ':'])
        || begins_like_markup(text.as_bytes());
    if needs_quotes { Style::SingleQuoted } else { Style::Plain }
}

/// Whether the beginning of a plain scalar would be taken for something else.
fn begins_like_markup(bytes: &[u8]) -> bool {
    match bytes {
        [b'#' | b',' | b'[' | b']' | b'{' | b'}' | b'&' | b'*' | b'!' | b'|' | b'>' | b'\'' | b'"', ..]
        | [b'%' | b'@' | b'`', ..]
        | [b'?' | b'-']
        | [b'?' | b'-' | b':', b' ', ..] => true,
        _ => bytes.starts_with(b"---") || bytes.starts_with(b"..."),
    }
}

/// Whether a plain scalar of this text is read as text: not as null, boolean, number or timestamp
/// (`resolve.go`), nor as a number to base 60, which only other readers know (`encode.go`,
/// `isBase60Float`).
fn reads_as_text(text: &str) -> bool {
    match text.as_bytes().first() {
        None => false,
        Some(b'0'..=b'9' | b'+' | b'-') => {
            // Long texts, as base64, soon have a letter that no number has. `+.inf` has one, too.
            let may_be_number = text.len() <= 5
                || text.bytes().all(|byte| {
                    byte.is_ascii_hexdigit()
                        || matches!(byte, b'x' | b'X' | b'o' | b'O' | b'_' | b'+' | b'-' | b'.')
                });
            !(may_be_number && resolve_plain(text) != Scalar::Text
                || looks_like_timestamp(text)
                || is_base_60(text))
        }
        Some(b'.') => resolve_plain(text) == Scalar::Text,
        // The longest word, `false`, has five letters.
        Some(b'y' | b'Y' | b'n' | b'N' | b't' | b'T' | b'f' | b'F' | b'o' | b'O' | b'~') => {
            text.len() > 5 || resolve_plain(text) == Scalar::Text
        }
        // `<<` among others: it merges only where it is read as a key.
        Some(_) => true,
    }
}

/// `^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$`
fn is_base_60(text: &str) -> bool {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let Some((whole, parts)) = text.split_once(':') else {
        return false;
    };
    let is_whole = whole.starts_with(|c: char| c.is_ascii_digit())
        && whole.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
    let (parts, fraction) = parts.split_once('.').unwrap_or((parts, ""));
    is_whole
        && parts.split(':').all(|part| matches!(part.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']))
        && fraction.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_')
}
