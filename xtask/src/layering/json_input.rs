//! JSON that comes into a cluster from outside is read by `fbc_go::json`, which knows how deep it may nest.

use super::{rust_text, sources};

/// The crates that read what clients, manifests and webhooks send.
const CRATES: [&str; 3] = ["fbc-cluster", "fbc-apiserver", "fbc-kubectl"];

/// Who reads JSON otherwise, and why nothing of it comes in by that way.
const ELSEWHERE: [(&str, &str); 8] = [
    ("fbc-cluster/src/apply/packed.rs", "raw values of what the store wrote itself"),
    ("fbc-cluster/src/apply/path_element.rs", "keys of items in field sets that the store wrote itself"),
    ("fbc-cluster/src/schema/strict.rs", "one string"),
    ("fbc-cluster/src/validation/defaults.rs", "a table in the source"),
    ("fbc-apiserver/src/resources/snapshot.rs", "a token of the server"),
    ("fbc-apiserver/src/authentication/tokens.rs", "claims that the server signed"),
    ("fbc-kubectl/src/jsonpath/parse.rs", "one literal of an expression"),
    ("fbc-kubectl/src/release/mod.rs", "the metadata of a release"),
];

/// Every other reader of JSON in a source file, one message each.
pub(super) fn check(crate_name: &str, path: &str, text: &str) -> Vec<String> {
    let is_elsewhere = ELSEWHERE.iter().any(|(other, _)| path.ends_with(other));
    if !CRATES.contains(&crate_name) || is_elsewhere || sources::holds_only_tests(path) {
        return Vec::new();
    }
    let code = rust_text::without_tests(&rust_text::code_only(text));
    let readers = ["from_str", "from_slice", "from_reader", "Deserializer"];
    let mut found: Vec<usize> = readers
        .iter()
        .flat_map(|reader| {
            code.match_indices(&format!("serde_json::{reader}")).map(|(start, _)| start).collect::<Vec<_>>()
        })
        .collect();
    found.sort_unstable();
    let line = |start: usize| 1 + code[..start].matches('\n').count();
    let message =
        |start| format!("{path}:{}: JSON from outside is read by `fbc_go::json::read_value`", line(start));
    found.into_iter().map(message).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readers_without_a_limit_of_depth_are_found() {
        let text = "fn f() {\n serde_json::from_str::<Value>(x);\n serde_json::from_slice(y); }";
        let path = "crates/fbc-apiserver/src/request/body.rs";
        let expected = [2, 3]
            .map(|line| format!("{path}:{line}: JSON from outside is read by `fbc_go::json::read_value`"));
        assert_eq!(check("fbc-apiserver", path, text), expected);
        assert_eq!(check("fbc-lint", "crates/fbc-lint/src/x.rs", text), [""; 0]);
        assert_eq!(check("fbc-apiserver", "crates/fbc-apiserver/src/resources/snapshot.rs", text), [""; 0]);
        assert_eq!(check("fbc-cluster", "crates/fbc-cluster/src/a.rs", "// serde_json::from_str"), [""; 0]);
    }
}
