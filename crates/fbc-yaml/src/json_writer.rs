//! JSON as Go's encoder writes it without HTML escaping: canonical (compact) and indented.
//!
//! Keys come in the order of the document: sorted by bytes for loaded documents, which is what
//! makes the compact form canonical.

use fbc_go::json::break_line;
use fbc_go::text;

use crate::document::{Kind, Node};

/// The compact form on one line, without a final newline.
#[must_use]
pub fn compact(node: Node<'_>) -> String {
    let mut out = String::new();
    write_compact(&mut out, node);
    out
}

/// The compact form as Kubernetes' encoder writes what its decoder read: integers of 64 bits keep all their digits,
/// and there is no negative zero.
///
/// Source: `kubernetes-sigs/json:internal/golang/encoding/json/decode.go` (`preserveInts`).
#[must_use]
pub fn compact_with_integers(node: Node<'_>) -> String {
    let mut out = String::new();
    write_values(&mut out, node, &write_scalar_or_integer);
    out
}

/// The indented form of [`compact_with_integers`], from the first column.
#[must_use]
pub fn indented_with_integers(node: Node<'_>, indent: usize) -> String {
    let mut out = String::new();
    write_indented_values(&mut out, node, indent, 0, &write_scalar_or_integer);
    out
}

fn write_scalar_or_integer(out: &mut String, scalar: Node<'_>) {
    match scalar.as_large_integer().map(i64::try_from) {
        Some(Ok(number)) => out.push_str(&number.to_string()),
        _ if scalar.as_f64() == Some(0.0) => out.push('0'),
        _ => write_scalar(out, scalar),
    }
}

/// Appends the compact form.
pub fn write_compact(out: &mut String, node: Node<'_>) {
    write_values(out, node, &write_scalar);
}

#[inline]
fn write_values(out: &mut String, node: Node<'_>, write_scalar: &impl Fn(&mut String, Node<'_>)) {
    match node.kind() {
        Kind::Array => {
            out.push('[');
            for (index, item) in node.items().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_values(out, item, write_scalar);
            }
            out.push(']');
        }
        Kind::Object => {
            out.push('{');
            for (index, (key, value)) in node.members().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_string(out, key);
                out.push(':');
                write_values(out, value, write_scalar);
            }
            out.push('}');
        }
        _ => write_scalar(out, node),
    }
}

/// Appends the form that Go's `json.Indent` gives: `indent` spaces a level, the value itself
/// starting at the current column, inner lines at `level + 1`. Empty containers stay `[]`, `{}`.
pub fn write_indented(out: &mut String, node: Node<'_>, indent: usize, level: usize) {
    write_indented_values(out, node, indent, level, &write_scalar);
}

fn write_indented_values(
    out: &mut String,
    node: Node<'_>,
    indent: usize,
    level: usize,
    write_scalar: &impl Fn(&mut String, Node<'_>),
) {
    match node.kind() {
        Kind::Array if !node.is_empty() => {
            out.push('[');
            for (index, item) in node.items().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                break_line(out, indent * (level + 1));
                write_indented_values(out, item, indent, level + 1, write_scalar);
            }
            break_line(out, indent * level);
            out.push(']');
        }
        Kind::Object if !node.is_empty() => {
            out.push('{');
            for (index, (key, value)) in node.members().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                break_line(out, indent * (level + 1));
                write_string(out, key);
                out.push_str(": ");
                write_indented_values(out, value, indent, level + 1, write_scalar);
            }
            break_line(out, indent * level);
            out.push('}');
        }
        Kind::Array => out.push_str("[]"),
        Kind::Object => out.push_str("{}"),
        _ => write_scalar(out, node),
    }
}

fn write_scalar(out: &mut String, node: Node<'_>) {
    if let Some(text) = node.as_str() {
        write_string(out, text);
    } else if let Some(number) = node.as_f64() {
        text::push_json_number(out, number);
    } else {
        out.push_str(match node.as_bool() {
            Some(true) => "true",
            Some(false) => "false",
            None => "null",
        });
    }
}

/// Appends a quoted string: short escapes for `"` `\` and the common controls, `\u00xx` for other
/// controls, `\u2028` and `\u2029`; everything else raw.
pub fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = position_to_escape(rest.as_bytes()) {
        // `at` is the first byte of a character: every byte looked for is one.
        let (plain, tail) = rest.split_at(at);
        out.push_str(plain);
        let mut chars = tail.chars();
        match chars.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some('\x08') => out.push_str("\\b"),
            Some('\x0c') => out.push_str("\\f"),
            Some('\u{2028}') => out.push_str("\\u2028"),
            Some('\u{2029}') => out.push_str("\\u2029"),
            Some(c) if c < ' ' => {
                const HEX: [char; 16] =
                    ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
                out.push_str("\\u00");
                out.push(if c < '\x10' { '0' } else { '1' });
                out.push(HEX.get(c as usize & 15).copied().unwrap_or('0'));
            }
            Some(c) => out.push(c),
            None => {}
        }
        rest = chars.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

/// The first byte that may need an escape: a control, a quote, a backslash, or 0xE2, which begins
/// U+2028 and U+2029.
fn position_to_escape(bytes: &[u8]) -> Option<usize> {
    const LANES: usize = 32;
    let needs = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\' || byte == 0xE2;
    let mut offset = 0;
    for chunk in bytes.chunks(LANES) {
        // Without an early exit the compiler turns this into a few vector instructions.
        if chunk.iter().fold(false, |found, &byte| found | needs(byte)) {
            return chunk.iter().position(|&byte| needs(byte)).map(|at| offset + at);
        }
        offset += chunk.len();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::DocumentBuilder;

    #[test]
    fn strings_are_escaped_like_go() {
        for (text, written) in [
            ("<a href='x'>&\u{7f}é", "\"<a href='x'>&\u{7f}é\""),
            ("\"\\\n\r\t\u{8}\u{c}\u{0}\u{1f}", r#""\"\\\n\r\t\b\f\u0000\u001f""#),
            ("\u{2028}\u{2029}\u{2030}\u{e2}", "\"\\u2028\\u2029\u{2030}\u{e2}\""),
        ] {
            let mut out = String::new();
            write_string(&mut out, text);
            assert_eq!(out, written);
        }
        let long = format!("{}\"", "x".repeat(100));
        let mut out = String::new();
        write_string(&mut out, &long);
        assert_eq!(out, format!("\"{}\\\"\"", "x".repeat(100)));
    }

    #[test]
    fn indents_like_go() {
        let mut builder = DocumentBuilder::new();
        let mark = builder.open();
        let inner = builder.open();
        let value = builder.close_array(inner);
        builder.push_member("a", value);
        let inner = builder.open();
        let value = builder.close_object(inner);
        builder.push_member("b", value);
        let inner = builder.open();
        let item = builder.number(1.0);
        builder.push_item(item);
        let item = builder.null();
        builder.push_item(item);
        let value = builder.close_array(inner);
        builder.push_member("c", value);
        let root = builder.close_object(mark);
        let document = builder.finish(root);
        let mut out = String::new();
        write_indented(&mut out, document.root(), 4, 0);
        assert_eq!(
            out,
            "{\n    \"a\": [],\n    \"b\": {},\n    \"c\": [\n        1,\n        null\n    ]\n}"
        );
    }
}
