//! The place of the cursor in JSON, by the brackets that are open before it.

use super::{Context, Quotes};

/// An object or list that is open.
enum Frame<'t> {
    Object {
        /// The key whose value comes, or is given.
        key: Option<&'t str>,
        /// The string behind the key `type`.
        kind: Option<&'t str>,
    },
    List,
}

/// Follows the brackets up to the cursor.
pub(super) fn context_at(before: &str) -> Option<Context<'_>> {
    let bytes = before.as_bytes();
    let mut frames: Vec<Frame<'_>> = Vec::new();
    // Whether a key comes next in the innermost object.
    let mut wants_key = false;
    let (mut prefix, mut quotes) = ("", Quotes::Missing);
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' => {
                frames.push(Frame::Object { key: None, kind: None });
                wants_key = true;
            }
            b'[' => {
                frames.push(Frame::List);
                wants_key = false;
            }
            b'}' | b']' => {
                frames.pop();
                wants_key = false;
            }
            b',' => {
                if let Some(Frame::Object { key, .. }) = frames.last_mut() {
                    *key = None;
                    wants_key = true;
                }
            }
            b':' => wants_key = false,
            b'"' => {
                let end = end_of_string(bytes, at + 1);
                let text = before.get(at + 1..end)?;
                if end == bytes.len() {
                    (prefix, quotes) = (text, Quotes::Open);
                } else if let Some(Frame::Object { key, kind }) = frames.last_mut() {
                    match *key {
                        _ if wants_key => *key = Some(text),
                        Some("type") => *kind = Some(text),
                        _ => {}
                    }
                }
                at = end;
            }
            byte if byte.is_ascii_whitespace() => {}
            _ => {
                let rest = bytes.get(at..).unwrap_or_default();
                let ends = |byte: &u8| byte.is_ascii_whitespace() || b",:{}[]\"".contains(byte);
                let length = rest.iter().position(ends).unwrap_or(rest.len());
                if at + length == bytes.len() {
                    prefix = before.get(at..)?;
                }
                at += length - 1;
            }
        }
        at += 1;
    }
    let is_key = wants_key && matches!(frames.last(), Some(Frame::Object { .. }));
    let steps = frames.iter().filter_map(|frame| match frame {
        Frame::Object { key, .. } => *key,
        Frame::List => Some("-"),
    });
    let property_type = match frames.as_slice() {
        [Frame::Object { key: Some("properties"), .. }, Frame::List, Frame::Object { kind, .. }, ..] => *kind,
        _ => None,
    };
    Some(Context { path: steps.collect(), prefix, is_key, property_type, quotes: Some(quotes) })
}

/// The quote that ends a string; a line break where it is missing, the end of the text if that comes first.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' | b'\n' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
    use super::*;

    #[test]
    fn the_place_of_the_cursor() {
        let text = r#"{"schema": "olm.bundle", "n": [1, {"x": true}], "properties": [
            {"type": "olm.gvk", "value": {"group": "g", "ki"#;
        let at = |needle: &str| {
            let end = text.find(needle).unwrap() + needle.len();
            let context = context_at(text.get(..end).unwrap()).unwrap();
            (context.path.join("/"), context.prefix.to_owned(), context.is_key, context.quotes.unwrap())
        };
        let expected =
            |path: &str, prefix: &str, is_key, quotes| (path.to_owned(), prefix.to_owned(), is_key, quotes);
        assert_eq!(at("{"), expected("", "", true, Quotes::Missing));
        assert_eq!(at("{\"sche"), expected("", "sche", true, Quotes::Open));
        assert_eq!(at("\"schema\": "), expected("schema", "", false, Quotes::Missing));
        assert_eq!(at("\"schema\": \"olm."), expected("schema", "olm.", false, Quotes::Open));
        assert_eq!(at("[1, "), expected("n/-", "", false, Quotes::Missing));
        assert_eq!(at("tr"), expected("n/-/x", "tr", false, Quotes::Missing));
        assert_eq!(at("\"type\": \"olm"), expected("properties/-/type", "olm", false, Quotes::Open));
        assert_eq!(at("\"group\": \"g"), expected("properties/-/value/group", "g", false, Quotes::Open));
        assert_eq!(at("\"ki"), expected("properties/-/value", "ki", true, Quotes::Open));
        assert_eq!(context_at(text).unwrap().property_type, Some("olm.gvk"));
        // A quote that is missing does not swallow the lines behind it.
        let broken = "{\"name\": \"a\n, \"skips\": [\"b";
        assert_eq!(context_at(broken).unwrap().path, ["skips", "-"]);
        for end in 0..text.len() {
            assert!(context_at(text.get(..end).unwrap()).is_some());
        }
        assert!(context_at("}]\\\"\\").is_some());
    }
}
