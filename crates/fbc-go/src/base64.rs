//! Base64 as Go's standard encoding reads it: padded, line breaks anywhere, and no check that the
//! unused bits of the last character are zero.

use std::borrow::Cow;

use base64::alphabet;
use base64::engine::{DecodePaddingMode, Engine, GeneralPurpose, GeneralPurposeConfig};

const ENGINE: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::RequireCanonical),
);

/// Text that is not base64. The message is Go's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("illegal base64 data at input byte {0}")]
pub struct Base64Error(
    /// The offset of the first byte that cannot stand where it stands.
    pub usize,
);

/// Decodes a text.
///
/// # Errors
/// [`Base64Error`] at the first byte that is outside the alphabet or breaks the padding.
pub fn decode(text: &str) -> Result<Vec<u8>, Base64Error> {
    let joined = if memchr::memchr2(b'\r', b'\n', text.as_bytes()).is_some() {
        Cow::Owned(text.replace(['\r', '\n'], ""))
    } else {
        Cow::Borrowed(text)
    };
    ENGINE.decode(joined.as_bytes()).map_err(|_| Base64Error(offset_of_fault(text.as_bytes())))
}

/// Whether a text decodes; tells it without decoding, where it has no line breaks.
///
/// # Errors
/// As [`decode`].
pub fn check(text: &str) -> Result<(), Base64Error> {
    let bytes = text.as_bytes();
    let digits = bytes.strip_suffix(b"==").or_else(|| bytes.strip_suffix(b"=")).unwrap_or(bytes);
    // Without an early exit the compiler turns this into a few vector instructions.
    let is_plain = digits.chunks(64).all(|chunk| {
        chunk.iter().fold(true, |plain, byte| {
            plain & (byte.is_ascii_alphanumeric() | (*byte == b'+') | (*byte == b'/'))
        })
    });
    if is_plain && bytes.len().is_multiple_of(4) { Ok(()) } else { decode(text).map(drop) }
}

/// Where Go sees the fault of a text that has one: line breaks count, and so do the oddities of
/// `encoding/base64` (`decodeQuantum`), which blames the start of a quantum that ends too early.
fn offset_of_fault(text: &[u8]) -> usize {
    let is_break = |at: usize| matches!(text.get(at), Some(b'\r' | b'\n'));
    let mut at = 0;
    loop {
        let mut digits = 0;
        while digits < 4 {
            match text.get(at) {
                None => return at - digits,
                Some(b'\r' | b'\n') => {}
                Some(byte) if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/') => digits += 1,
                Some(b'=') if digits >= 2 => break,
                Some(_) => return at,
            }
            at += 1;
        }
        if digits == 4 {
            continue;
        }
        at += 1;
        if digits == 2 {
            while is_break(at) {
                at += 1;
            }
            match text.get(at) {
                None => return at,
                Some(b'=') => at += 1,
                Some(_) => return at - 1,
            }
        }
        while is_break(at) {
            at += 1;
        }
        return at;
    }
}

/// Encodes bytes with padding, on one line.
pub fn encode(bytes: &[u8]) -> String {
    ENGINE.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_like_go() {
        assert_eq!(decode(""), Ok(vec![]));
        assert_eq!(decode("aGk="), Ok(b"hi".to_vec()));
        assert_eq!(decode("aG\r\nk=\n"), Ok(b"hi".to_vec()));
        assert_eq!(decode("aGl="), Ok(b"hi".to_vec()), "unused bits are ignored");
        for text in ["aGk", "aGk==", "a", "=", "aGk*", "aG k"] {
            assert!(decode(text).is_err(), "{text}");
        }
        assert_eq!(
            decode("!aGk=").map_err(|e| e.to_string()),
            Err("illegal base64 data at input byte 0".into())
        );
        // Made with Go.
        for (text, offset) in [
            ("aGk", 0),
            ("aGk==", 4),
            ("a", 0),
            ("aaaaa", 4),
            ("=", 0),
            ("a=", 1),
            ("aG=", 3),
            ("aG=k", 2),
            ("aG\n=\nk", 4),
            ("aGk*", 3),
            ("aG k", 2),
            ("a\nGk", 1),
            ("aGk=\n\naGk=", 6),
            ("YWJj\nYWJjZ", 9),
            ("YWJjYWJj\n\nYWé", 12),
        ] {
            assert_eq!(decode(text), Err(Base64Error(offset)), "{text:?}");
            assert_eq!(check(text), Err(Base64Error(offset)), "{text:?}");
        }
        assert_eq!(encode(b"hi"), "aGk=");
    }

    /// All texts of up to six of these letters: what is checked is what decodes.
    #[test]
    fn checks_as_it_decodes() {
        let mut texts = vec![String::new()];
        for length in 0..6 {
            let longest: Vec<String> = texts.iter().filter(|text| text.len() == length).cloned().collect();
            let letters = ["a", "/", "=", "\n", "*"];
            texts.extend(longest.iter().flat_map(|text| letters.map(|letter| format!("{text}{letter}"))));
        }
        for text in &texts {
            assert_eq!(check(text), decode(text).map(drop), "{text:?}");
            let long = format!("{}{text}", "aGkh".repeat(40));
            assert_eq!(check(&long), decode(&long).map(drop), "{long:?}");
        }
    }
}
