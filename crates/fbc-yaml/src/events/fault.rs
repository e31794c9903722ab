//! The first place of a text that is not a character, or none that YAML allows.
//!
//! Done once for the whole text, so that everything behind it can rely on a `&str`. When a fault
//! counts is decided by [`super::reader`].

use memchr::memchr_iter;

/// Something that go-yaml's reader refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// The first byte of the broken character.
    pub(super) at: usize,
    /// How many bytes of the text must have been read before it is noticed; more than there are if
    /// only the end of the text shows it.
    pub(super) needed: usize,
    /// go-yaml's text.
    pub(super) problem: &'static str,
}

/// The text up to the first fault, and that fault.
pub(super) fn valid_prefix(bytes: &[u8]) -> (&str, Option<Fault>) {
    if bytes.starts_with(b"\xFF\xFE") || bytes.starts_with(b"\xFE\xFF") {
        // go-yaml would read UTF-16. The loader cuts files into lines of bytes before that, which
        // leaves a text of an odd length in nearly all cases, and this is what it is told then.
        return ("", Some(Fault { at: 0, needed: 0, problem: "incomplete UTF-16 character" }));
    }
    let (text, fault) = match std::str::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let at = error.valid_up_to();
            let prefix = bytes.get(..at).and_then(|valid| std::str::from_utf8(valid).ok());
            (prefix.unwrap_or_default(), Some(malformed(bytes, at)))
        }
    };
    match first_control(text.as_bytes()) {
        None => (text, fault),
        Some(at) => {
            let width = width(text.as_bytes().get(at).copied().unwrap_or_default());
            let problem = "control characters are not allowed";
            (text.get(..at).unwrap_or_default(), Some(Fault { at, needed: at + width, problem }))
        }
    }
}

/// How long a character with that first byte is; nothing begins with the bytes that give 0.
pub(super) fn width(first: u8) -> usize {
    match first {
        0..=0x7F => 1,
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => 0,
    }
}

/// What is wrong with the bytes at `at`, which are not UTF-8.
fn malformed(bytes: &[u8], at: usize) -> Fault {
    let octets = bytes.get(at..).unwrap_or_default();
    let first = octets.first().copied().unwrap_or_default();
    let width = width(first);
    let fault = |problem| Fault { at, needed: at + width.max(1), problem };
    if width == 0 {
        return fault("invalid leading UTF-8 octet");
    }
    let Some(trailing) = octets.get(1..width) else {
        return fault("incomplete UTF-8 octet sequence");
    };
    if trailing.iter().any(|octet| octet & 0xC0 != 0x80) {
        return fault("invalid trailing UTF-8 octet");
    }
    let is_overlong = match (first, trailing.first()) {
        (0xC0 | 0xC1, _) => true,
        (0xE0, Some(second)) => *second < 0xA0,
        (0xF0, Some(second)) => *second < 0x90,
        _ => false,
    };
    fault(if is_overlong { "invalid length of a UTF-8 sequence" } else { "invalid Unicode character" })
}

/// The first character that YAML 1.1 does not allow in a text.
fn first_control(bytes: &[u8]) -> Option<usize> {
    let is_control = |byte: u8| (byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r')) || byte == 0x7F;
    let mut narrow = None;
    for (index, chunk) in bytes.chunks(64).enumerate() {
        // Without an early exit the compiler turns this into a few vector instructions.
        if chunk.iter().fold(false, |found, &byte| found | is_control(byte)) {
            narrow = chunk.iter().position(|&byte| is_control(byte)).map(|at| index * 64 + at);
            break;
        }
    }
    let before = bytes.get(..narrow.unwrap_or(bytes.len())).unwrap_or(bytes);
    let after = |at: usize, offset: usize| before.get(at + offset).copied().unwrap_or_default();
    let c1 = memchr_iter(0xC2, before).find(|&at| after(at, 1) < 0xA0 && after(at, 1) != 0x85);
    let noncharacter = memchr_iter(0xEF, before).find(|&at| after(at, 1) == 0xBF && after(at, 2) >= 0xBE);
    [c1, noncharacter, narrow].into_iter().flatten().min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults() {
        for (bytes, at, needed, problem) in [
            (&b"ab\xFFc"[..], 2, 3, "invalid leading UTF-8 octet"),
            (b"\x80", 0, 1, "invalid leading UTF-8 octet"),
            (b"\xF8\x88\x80\x80\x80", 0, 1, "invalid leading UTF-8 octet"),
            (b"a\xE2\x82", 1, 4, "incomplete UTF-8 octet sequence"),
            (b"a\xE2A", 1, 4, "incomplete UTF-8 octet sequence"),
            (b"a\xE2AB", 1, 4, "invalid trailing UTF-8 octet"),
            (b"\xC3\n", 0, 2, "invalid trailing UTF-8 octet"),
            (b"\xC0\x80", 0, 2, "invalid length of a UTF-8 sequence"),
            (b"\xE0\x80\x80", 0, 3, "invalid length of a UTF-8 sequence"),
            (b"\xF0\x80\x80\x80", 0, 4, "invalid length of a UTF-8 sequence"),
            (b"\xED\xA0\x80", 0, 3, "invalid Unicode character"),
            (b"\xF4\x90\x80\x80", 0, 4, "invalid Unicode character"),
            (b"\xF7\xBF\xBF\xBF", 0, 4, "invalid Unicode character"),
            (b"a\0b\xFF", 1, 2, "control characters are not allowed"),
            (b"a\x7F", 1, 2, "control characters are not allowed"),
            (b"\xC2\x9F\x01", 0, 2, "control characters are not allowed"),
            (b"\xEF\xBF\xBE", 0, 3, "control characters are not allowed"),
            (b"\xFF\xFEa\0", 0, 0, "incomplete UTF-16 character"),
        ] {
            let (text, fault) = valid_prefix(bytes);
            assert_eq!(fault, Some(Fault { at, needed, problem }), "{bytes:?}");
            assert_eq!(text.as_bytes(), &bytes[..at]);
        }
        let fine = "\t\r\n ~\u{85}\u{a0}\u{d7ff}\u{e000}\u{feff}\u{fffd}\u{10000}\u{10ffff}";
        assert_eq!(valid_prefix(fine.as_bytes()), (fine, None));
    }
}
