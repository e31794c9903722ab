//! Values as Go's encoder writes them: compact, members sorted, HTML escaped. Names of Secrets and digests depend on it.
//!
//! Source: `golang/go:src/encoding/json/encode.go`.

use std::io;

use serde::Serialize;
use serde_json::Value;
use serde_json::ser::{CharEscape, Formatter, Serializer};

use crate::text::push_json_number;

/// The text of a value.
pub fn encode(value: &Value) -> String {
    let mut bytes = Vec::new();
    // Neither values nor memory fail to be written.
    let _ = value.serialize(&mut Serializer::with_formatter(&mut bytes, Go));
    String::from_utf8(bytes).unwrap_or_default()
}

/// Where Go departs from `serde_json`: numbers with a fraction, and characters that HTML or JavaScript would read.
struct Go;

impl Formatter for Go {
    fn write_f64<W: ?Sized + io::Write>(&mut self, writer: &mut W, number: f64) -> io::Result<()> {
        let mut text = String::new();
        push_json_number(&mut text, number);
        writer.write_all(text.as_bytes())
    }

    fn write_string_fragment<W: ?Sized + io::Write>(&mut self, writer: &mut W, text: &str) -> io::Result<()> {
        let mut rest = text;
        while let Some(at) = rest.find(['<', '>', '&', '\u{2028}', '\u{2029}']) {
            let (before, from) = rest.split_at(at);
            let Some(character) = from.chars().next() else { break };
            write!(writer, "{before}\\u{:04x}", u32::from(character))?;
            rest = &from[character.len_utf8()..];
        }
        writer.write_all(rest.as_bytes())
    }

    fn write_char_escape<W: ?Sized + io::Write>(
        &mut self,
        writer: &mut W,
        escape: CharEscape,
    ) -> io::Result<()> {
        let text = match escape {
            CharEscape::Quote => "\\\"",
            CharEscape::ReverseSolidus => "\\\\",
            CharEscape::Solidus => "/",
            CharEscape::Backspace => "\\b",
            CharEscape::FormFeed => "\\f",
            CharEscape::LineFeed => "\\n",
            CharEscape::CarriageReturn => "\\r",
            CharEscape::Tab => "\\t",
            CharEscape::AsciiControl(byte) => return write!(writer, "\\u{byte:04x}"),
        };
        writer.write_all(text.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_are_those_of_go() {
        for (value, text) in [
            (json!({"b": 1, "a": [true, null]}), r#"{"a":[true,null],"b":1}"#),
            (json!("<a & b>\u{2028}\u{1}\"\n"), r#""\u003ca \u0026 b\u003e\u2028\u0001\"\n""#),
            (json!([1.5, 1e21, 1e-7, 2.0]), "[1.5,1e+21,1e-7,2]"),
        ] {
            assert_eq!(encode(&value), text);
        }
    }
}
