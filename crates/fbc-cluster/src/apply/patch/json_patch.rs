//! JSON patches (RFC 6902), with the texts of the library that the API server uses.
//!
//! Source: `evanphx/json-patch:patch.go` (version 4).

use fbc_go::json::{MOST_LEVELS, nests_deeper};
use serde_json::Value;

use super::PatchError;
use crate::budget::Size;

/// The most operations of a patch.
///
/// Source: `kubernetes/apiserver:pkg/endpoints/handlers/patch.go` (`maxJSONPatchOperations`).
const MOST_OPERATIONS: usize = 10_000;
/// The most bytes that the copies of a patch may have in all.
///
/// Source: `kubernetes/apiserver:pkg/server/config.go` (`JSONPatchMaxCopyBytes`).
const MOST_COPIED: u64 = 3 << 20;

/// The most work of a patch: items of lists that operations push along, which stand behind what they add or remove, and bytes of
/// what they move. A real API server takes its time.
const MOST_WORK: u64 = 20_000_000;

/// Applies a JSON patch.
///
/// # Errors
/// It is not a list of operations, or one of them cannot be done.
pub fn json_patch(object: &Value, patch: &Value) -> Result<Value, PatchError> {
    json_patch_within(object, patch, MOST_WORK)
}

/// As [`json_patch`], with so much work.
fn json_patch_within(object: &Value, patch: &Value, most_work: u64) -> Result<Value, PatchError> {
    let Some(operations) = patch.as_array() else {
        let found = match patch {
            Value::Object(_) => "object",
            Value::String(_) => "string",
            Value::Bool(_) => "bool",
            _ => "number",
        };
        return Err(PatchError::Malformed(format!(
            "error decoding patch: json: cannot unmarshal {found} into Go value of type jsonpatch.Patch"
        )));
    };
    if operations.len() > MOST_OPERATIONS {
        return Err(PatchError::TooLarge(format!(
            "The allowed maximum operations in a JSON patch is {MOST_OPERATIONS}, got {}",
            operations.len()
        )));
    }
    let mut patched = object.clone();
    let (mut copied, mut work) = (0, 0);
    for operation in operations {
        apply(&mut patched, operation, &mut copied, &mut work)
            .map_err(|fault| PatchError::Rejected(fault.to_string()))?;
        if work > most_work {
            return Err(PatchError::TooLarge(format!(
                "the operations push items of lists along, or move values, {work} times; at most {most_work}"
            )));
        }
        if copied > MOST_COPIED {
            return Err(PatchError::TooLarge(format!(
                "Unable to complete the copy, the accumulated size increase of copy is {copied}, exceeding the limit \
                 {MOST_COPIED}"
            )));
        }
    }
    Ok(patched)
}

/// Why an operation cannot be done, in the words of the library.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error("{0} operation failed to decode path: missing path")]
    NoPath(String),
    #[error("{0} operation failed to decode from: missing from")]
    NoSource(String),
    #[error("unexpected kind: {0}")]
    Kind(String),
    #[error("replace operation does not apply: doc is missing key: {0}: missing value")]
    NothingToReplace(String),
    #[error("copy operation does not apply: doc is missing from path: {0}")]
    NothingToCopy(String),
    #[error("exceeded max depth")]
    Depth,
    #[error("testing value {0} failed: test failed")]
    Test(String),
    #[error("{kind} operation does not apply: doc is missing path: {path:?}: missing value")]
    NoPlace { kind: String, path: String },
    #[error(
        "add operation does not apply: doc is missing path: {path:?}: Unable to access invalid index: {index}: invalid \
         index referenced"
    )]
    AddIndex { path: String, index: String },
    #[error("error in {kind} for path: '{path}': Unable to remove nonexistent key: {key}: missing value")]
    NoKey { kind: String, path: String, key: String },
    #[error(
        "error in {kind} for path: '{path}': Unable to access invalid index: {index}: invalid index referenced"
    )]
    NoIndex { kind: String, path: String, index: String },
}

impl Fault {
    fn no_place(kind: &str, path: &str) -> Self {
        Self::NoPlace { kind: kind.to_owned(), path: path.to_owned() }
    }
}

fn apply(
    object: &mut Value,
    operation: &Value,
    sum_of_copies: &mut u64,
    work: &mut u64,
) -> Result<(), Fault> {
    let text = |name: &str| operation.get(name).and_then(Value::as_str);
    let kind = text("op").unwrap_or("unknown");
    let path = text("path").ok_or_else(|| Fault::NoPath(kind.to_owned()))?;
    let value = || operation.get("value").cloned().unwrap_or_default();
    let from = || text("from").ok_or_else(|| Fault::NoSource(kind.to_owned()));
    match kind {
        "add" => add(object, path, value(), kind, work),
        "remove" => remove(object, path, kind, work).map(drop),
        "replace" => match find(object, path) {
            Some(place) => {
                let value = value();
                check_depth(path, &value)?;
                *place = value;
                Ok(())
            }
            None => Err(Fault::NothingToReplace(path.to_owned())),
        },
        "move" => {
            let moved = remove(object, from()?, kind, work)?;
            *work += Size::of(&moved).json;
            add(object, path, moved, kind, work)
        }
        "copy" => {
            let from = from()?;
            let copied = find(object, from).cloned();
            let copied = copied.ok_or_else(|| Fault::NothingToCopy(from.to_owned()))?;
            *sum_of_copies += Size::of(&copied).json;
            if *sum_of_copies > MOST_COPIED {
                return Ok(());
            }
            add(object, path, copied, kind, work)
        }
        "test" => {
            let wanted = operation.get("value").unwrap_or(&Value::Null);
            if find(object, path).map_or(&Value::Null, |found| found) == wanted {
                Ok(())
            } else {
                Err(Fault::Test(path.to_owned()))
            }
        }
        other => Err(Fault::Kind(other.to_owned())),
    }
}

/// Refuses a value that would nest too deep where it is to be: operations could otherwise nest values without end.
fn check_depth(path: &str, value: &Value) -> Result<(), Fault> {
    match MOST_LEVELS.checked_sub(path.matches('/').count()) {
        Some(left) if !nests_deeper(value, left) => Ok(()),
        _ => Err(Fault::Depth),
    }
}

/// The steps of a pointer, decoded.
fn steps(path: &str) -> Vec<String> {
    path.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~")).collect()
}

/// The item that a step means; negative numbers count from the end.
fn index(step: &str, length: usize) -> Option<usize> {
    match step.strip_prefix('-') {
        Some(back) => length.checked_sub(back.parse().ok()?),
        None => step.parse().ok(),
    }
}

fn descend<'v>(value: &'v mut Value, step: &str) -> Option<&'v mut Value> {
    match value {
        Value::Object(members) => members.get_mut(step),
        Value::Array(items) => {
            let at = index(step, items.len())?;
            items.get_mut(at)
        }
        _ => None,
    }
}

fn find<'v>(object: &'v mut Value, path: &str) -> Option<&'v mut Value> {
    steps(path).iter().try_fold(object, |value, step| descend(value, step))
}

/// The object or list that holds the end of a path, and the last step.
fn parent<'v>(object: &'v mut Value, path: &str, kind: &str) -> Result<(&'v mut Value, String), Fault> {
    let missing = || Fault::no_place(kind, path);
    let mut steps = steps(path);
    let last = steps.pop().ok_or_else(missing)?;
    let holder = steps.iter().try_fold(object, |value, step| descend(value, step)).ok_or_else(missing)?;
    Ok((holder, last))
}

fn add(object: &mut Value, path: &str, value: Value, kind: &str, work: &mut u64) -> Result<(), Fault> {
    check_depth(path, &value)?;
    if path.is_empty() {
        *object = value;
        return Ok(());
    }
    let (holder, last) = parent(object, path, kind)?;
    match holder {
        Value::Object(members) => {
            members.insert(last, value);
            Ok(())
        }
        Value::Array(items) => {
            // A negative number means a place after the insertion.
            let at = if last == "-" { Some(items.len()) } else { index(&last, items.len() + 1) };
            match at.filter(|at| *at <= items.len()) {
                Some(at) => {
                    *work += (items.len() - at) as u64;
                    items.insert(at, value);
                    Ok(())
                }
                None => Err(Fault::AddIndex { path: path.to_owned(), index: last }),
            }
        }
        _ => Err(Fault::no_place("add", path)),
    }
}

fn remove(object: &mut Value, path: &str, kind: &str, work: &mut u64) -> Result<Value, Fault> {
    let (holder, last) = parent(object, path, kind)?;
    match holder {
        Value::Object(members) => members.remove(&last).ok_or_else(|| Fault::NoKey {
            kind: kind.to_owned(),
            path: path.to_owned(),
            key: last,
        }),
        Value::Array(items) => match index(&last, items.len()).filter(|at| *at < items.len()) {
            Some(at) => {
                *work += (items.len() - at) as u64;
                Ok(items.remove(at))
            }
            None => Err(Fault::NoIndex { kind: kind.to_owned(), path: path.to_owned(), index: last }),
        },
        _ => Err(Fault::no_place(kind, path)),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn items_that_are_pushed_along_are_counted() {
        let object = json!({"a": vec![1; 100], "b": {"c": "x".repeat(1_000)}});
        let many = |operation: Value| Value::Array(vec![operation; 10]);
        for (operations, work) in [
            (many(json!({"op": "add", "path": "/a/0", "value": 1})), (100..110).sum::<u64>()),
            (many(json!({"op": "remove", "path": "/a/0"})), (91..=100).sum()),
            (many(json!({"op": "move", "from": "/a/0", "path": "/a/-"})), 10 * (100 + 4)),
            (many(json!({"op": "add", "path": "/a/-", "value": 1})), 0),
            (
                json!([{"op": "move", "from": "/b/c", "path": "/d"}, {"op": "move", "from": "/d", "path": "/e"}]),
                2_004,
            ),
        ] {
            let within = |most| json_patch_within(&object, &operations, most);
            assert!(within(work).is_ok(), "{operations}");
            if work > 0 {
                assert!(matches!(within(work - 1), Err(PatchError::TooLarge(_))), "{operations}");
            }
        }
    }

    #[test]
    fn operations_change_the_object_or_are_refused() {
        let object = json!({"a": {"b": [1, 2]}, "x/y": "z"});
        for (operations, expected) in [
            (
                json!([{"op": "add", "path": "/a/b/-", "value": 3}]),
                Some(json!({"a": {"b": [1, 2, 3]}, "x/y": "z"})),
            ),
            (
                json!([{"op": "add", "path": "/a/b/0", "value": 0}]),
                Some(json!({"a": {"b": [0, 1, 2]}, "x/y": "z"})),
            ),
            (json!([{"op": "remove", "path": "/a/b/-1"}]), Some(json!({"a": {"b": [1]}, "x/y": "z"}))),
            (
                json!([{"op": "replace", "path": "/x~1y", "value": 1}]),
                Some(json!({"a": {"b": [1, 2]}, "x/y": 1})),
            ),
            (
                json!([{"op": "move", "from": "/x~1y", "path": "/a/c"}]),
                Some(json!({"a": {"b": [1, 2], "c": "z"}})),
            ),
            (
                json!([{"op": "copy", "from": "/x~1y", "path": "/c"}]),
                Some(json!({"a": {"b": [1, 2]}, "x/y": "z", "c": "z"})),
            ),
            (json!([{"op": "test", "path": "/a/b/1", "value": 2}]), Some(object.clone())),
            (json!([{"op": "test", "path": "/missing", "value": null}]), Some(object.clone())),
            (json!([{"op": "test", "path": "/a/b/1", "value": 3}]), None),
            (json!([{"op": "remove", "path": "/missing"}]), None),
            (json!([{"op": "replace", "path": "/missing", "value": 1}]), None),
            (json!([{"op": "add", "path": "/missing/x", "value": 1}]), None),
            (json!([{"op": "add", "path": "/a/b/7", "value": 1}]), None),
            (json!([{"op": "frobnicate", "path": "/a"}]), None),
        ] {
            assert_eq!(json_patch(&object, &operations).ok(), expected, "{operations}");
        }
        let doubling = |count: usize| {
            let copies = (0..count).map(|_| json!({"op": "copy", "from": "/a", "path": "/a/b/-"}));
            json_patch(&json!({"a": {"b": ["x".repeat(3_000)]}}), &copies.collect::<Value>())
        };
        assert!(doubling(5).is_ok());
        assert!(
            matches!(doubling(40), Err(PatchError::TooLarge(text)) if text.contains("exceeding the limit 3145728"))
        );
        let many: Value = (0..10_001).map(|_| json!({"op": "test", "path": "/none"})).collect();
        assert!(
            matches!(json_patch(&object, &many), Err(PatchError::TooLarge(text)) if text.ends_with("got 10001"))
        );
        assert_eq!(
            json_patch(&object, &json!({})).map_err(|error| error.to_string()),
            Err("error decoding patch: json: cannot unmarshal object into Go value of type jsonpatch.Patch"
                .into())
        );
    }
}
