//! Text as other languages quote it.
//!
//! Source of the behaviour: `golang/go:src/text/template/funcs.go`.

use crate::text::is_print;

/// Text for HTML.
pub(super) fn html(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        match byte {
            0 => out.extend("\u{fffd}".bytes()),
            b'"' => out.extend(b"&#34;"),
            b'\'' => out.extend(b"&#39;"),
            b'&' => out.extend(b"&amp;"),
            b'<' => out.extend(b"&lt;"),
            b'>' => out.extend(b"&gt;"),
            byte => out.push(*byte),
        }
    }
    out
}

/// Text for a string of JavaScript.
pub(super) fn js(text: &[u8]) -> Vec<u8> {
    let mut out = String::with_capacity(text.len());
    for c in String::from_utf8_lossy(text).chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\'' => out.push_str("\\'"),
            '"' => out.push_str("\\\""),
            '<' | '>' | '&' | '=' | '\0'..='\x1f' => out.push_str(&format!("\\u{:04X}", c as u32)),
            c if c.is_ascii() || is_print(c) => out.push(c),
            c => out.push_str(&format!("\\u{:04X}", c as u32)),
        }
    }
    out.into_bytes()
}

/// Text for the query of a URL.
pub(super) fn query(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        match byte {
            b' ' => out.push(b'+'),
            byte if byte.is_ascii_alphanumeric() || b"-_.~".contains(byte) => out.push(*byte),
            byte => out.extend(format!("%{byte:02X}").bytes()),
        }
    }
    out
}
