//! JSON as `encoding/json` writes it, and JSON text laid out anew without being decoded: keys, numbers and escapes stay as they are written.
//!
//! The reference keeps some values as text (`json.RawMessage`) and only changes the space around them.

mod encode;
mod value;

pub use encode::encode;
pub use value::{MOST_LEVELS, ReadError, nests_deeper, read_value, reread_value};

/// Valid JSON without white space between its tokens, as Go's `json.Compact` leaves it.
#[must_use]
pub fn compact(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for token in tokens(json) {
        out.push_str(token);
    }
    out
}

/// Appends valid JSON in the layout of the reference's writers.
pub fn write_indented(out: &mut String, json: &str, indent: usize, level: usize) {
    let mut level = level;
    let mut tokens = tokens(json).peekable();
    while let Some(token) = tokens.next() {
        match token {
            "{" | "[" => {
                out.push_str(token);
                match tokens.next_if(|next| matches!(*next, "}" | "]")) {
                    Some(close) => out.push_str(close),
                    None => {
                        level += 1;
                        break_line(out, indent * level);
                    }
                }
            }
            "}" | "]" => {
                level = level.saturating_sub(1);
                break_line(out, indent * level);
                out.push_str(token);
            }
            "," => {
                out.push(',');
                break_line(out, indent * level);
            }
            ":" => out.push_str(": "),
            _ => out.push_str(token),
        }
    }
}

/// Appends a line break and that many spaces.
#[inline]
pub fn break_line(out: &mut String, spaces: usize) {
    const BLANK: &str = "\n                                                                ";
    match BLANK.get(..=spaces) {
        Some(text) => out.push_str(text),
        None => {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', spaces));
        }
    }
}

/// The tokens of valid JSON: brackets, commas and colons one by one, strings and other scalars whole.
fn tokens(json: &str) -> impl Iterator<Item = &str> {
    let mut rest = json;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        let length = match rest.as_bytes().first()? {
            b'{' | b'}' | b'[' | b']' | b',' | b':' => 1,
            b'"' => string_length(rest.as_bytes()),
            _ => rest.find([' ', '\t', '\r', '\n', '{', '}', '[', ']', ',', ':', '"']).unwrap_or(rest.len()),
        };
        let (token, tail) = rest.split_at_checked(length).unwrap_or((rest, ""));
        rest = tail;
        Some(token)
    })
}

fn string_length(bytes: &[u8]) -> usize {
    let mut at = 1;
    loop {
        match bytes.get(at) {
            Some(b'"') => return at + 1,
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
            None => return bytes.len(),
        }
    }
}

/// JSON text with `<`, `>` and `&` escaped, which stand in strings only.
#[must_use]
pub fn escape_html(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find(['<', '>', '&']) {
        let (plain, tail) = rest.split_at(at);
        escaped.push_str(plain);
        escaped.push_str(match tail.as_bytes().first() {
            Some(b'<') => "\\u003c",
            Some(b'>') => "\\u003e",
            _ => "\\u0026",
        });
        rest = tail.get(1..).unwrap_or_default();
    }
    escaped.push_str(rest);
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_space_changes() {
        let json = "{ \"b\" : [1.0 , {}, [ ]],\n \"a\\\" ,\": \"\\u003cx y\" }";
        assert_eq!(compact(json), "{\"b\":[1.0,{},[]],\"a\\\" ,\":\"\\u003cx y\"}");
        let mut out = String::new();
        write_indented(&mut out, json, 2, 1);
        assert_eq!(
            out,
            "{\n    \"b\": [\n      1.0,\n      {},\n      []\n    ],\n    \"a\\\" ,\": \"\\u003cx y\"\n  }"
        );
        assert_eq!(compact("\"unclosed \\"), "\"unclosed \\");
    }
}
