//! Strict validation of fields: unknown ones and those that are written twice.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::error::{ApiError, FieldError};

/// The refusal of a request for strict validation, unless there is nothing to refuse.
///
/// Source: `kubernetes/apimachinery:pkg/runtime/error.go`.
pub fn refusal(kind: &str, version: &str, unknown: &[String], duplicates: &[String]) -> Option<ApiError> {
    let faults = faults(unknown, duplicates);
    (!faults.is_empty()).then(|| {
        let faults = faults.join(", ");
        ApiError::bad_request(format!(
            "{kind} in version {version:?} cannot be handled as a {kind}: strict decoding error: {faults}"
        ))
    })
}

/// The refusal of a patch that asks for strict validation, unless there is nothing to refuse; `patch` as the API server
/// shows it.
///
/// Source: `kubernetes/apiserver:pkg/endpoints/handlers/patch.go`.
pub fn patch_refusal(
    patch: impl FnOnce() -> String,
    unknown: &[String],
    duplicates: &[String],
) -> Option<ApiError> {
    let faults = faults(unknown, duplicates);
    (!faults.is_empty()).then(|| {
        let text = format!("strict decoding error: {}", faults.join(", "));
        let cause = FieldError::invalid_text("patch", &patch(), &text);
        ApiError::invalid("", "", "", vec![cause])
    })
}

/// One text for each field that is there twice or not known, as warnings have it.
pub fn faults(unknown: &[String], duplicates: &[String]) -> Vec<String> {
    let duplicates = duplicates.iter().map(|path| format!("duplicate field {path:?}"));
    duplicates.chain(unknown.iter().map(|path| format!("unknown field {path:?}"))).collect()
}

/// The paths of fields that JSON text has more than once, sorted. The text must be JSON.
pub fn duplicate_fields(json: &str) -> Vec<String> {
    let mut found = BTreeSet::new();
    let mut open: Vec<Level<'_>> = Vec::new();
    let (mut rest, mut is_key) = (json, false);
    while let Some(start) = rest.find(|character| "{}[],:\"".contains(character)) {
        let (token, behind) = rest.split_at(start).1.split_at(1);
        rest = behind;
        match token {
            "{" => open.push(Level::Object { names: BTreeSet::new(), name: "" }),
            "[" => open.push(Level::Array(0)),
            "}" | "]" => drop(open.pop()),
            "," => {
                if let Some(Level::Array(index)) = open.last_mut() {
                    *index += 1;
                }
            }
            "\"" => {
                let end = end_of_string(rest);
                let (text, behind) = rest.split_at(end);
                rest = behind.get(1..).unwrap_or_default();
                if let (true, Some(Level::Object { names, name })) = (is_key, open.last_mut()) {
                    *name = text;
                    if !names.insert(unescaped(text)) {
                        found.insert(path(&open));
                    }
                }
            }
            _ => {}
        }
        // A string that begins an object, or follows a comma in it, is a key.
        is_key = matches!(token, "{" | ",") && matches!(open.last(), Some(Level::Object { .. }));
    }
    found.into_iter().collect()
}

/// A list or an object that is not closed yet, with the place in it that is being read. Names are as they are written.
enum Level<'j> {
    Array(usize),
    Object { names: BTreeSet<Cow<'j, str>>, name: &'j str },
}

/// `a.b[0].c`
fn path(open: &[Level<'_>]) -> String {
    let mut path = String::new();
    for level in open {
        match level {
            Level::Array(index) => path.push_str(&format!("[{index}]")),
            Level::Object { name, .. } => {
                let dot = if path.is_empty() { "" } else { "." };
                path.push_str(&format!("{dot}{}", unescaped(name)));
            }
        }
    }
    path
}

/// Where the quote is that ends a string.
fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().position(|byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.unwrap_or(text.len())
}

/// What a string in JSON says.
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    serde_json::from_str(&format!("\"{text}\"")).map_or(Cow::Borrowed(text), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicates_are_found_at_any_depth() {
        assert_eq!(
            duplicate_fields(r#"{"a": 1, "b": [{"c": 1, "c": 2}], "a": {"d": 1, "d": 2}}"#),
            ["a", "a.d", "b[0].c"]
        );
        assert_eq!(
            duplicate_fields(
                r#"{"a,": "b\"{", "c": ["c", "c"], "\u0061,": {"x": "x", "x\\": [], "x\\": {}}}"#
            ),
            ["a,", "a,.x\\"]
        );
        assert!(duplicate_fields("{").is_empty());
        let refusal = refusal("Widget", "v1", &["spec.x".into()], &[]).expect("a refusal");
        assert_eq!(
            refusal.message,
            r#"Widget in version "v1" cannot be handled as a Widget: strict decoding error: unknown field "spec.x""#
        );
    }
}
