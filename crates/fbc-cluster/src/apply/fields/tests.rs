//! Sets as texts against sets as values.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// The operations of texts against those of values.
fn check(one: &Value, other: &Value) {
    let (first, second) = (FieldSet::from_json(one.clone()), FieldSet::from_json(other.clone()));
    let (mut sum, mut rest) = (first.clone(), first.clone());
    sum.add(&second);
    rest.subtract(&second);
    let (of_one, of_other) = (Fields::of_text(&one.to_string()), Fields::of_text(&other.to_string()));
    let mut joined = of_one.clone();
    joined.add(&of_other);
    // What is added to nothing keeps its text.
    if !of_one.is_empty() {
        assert_eq!(joined.text(), sum.text(), "{one} and {other}");
    }
    let mut left = of_one;
    left.subtract(&of_other);
    assert_eq!(left.text(), rest.text(), "{one} without {other}");
}

#[test]
fn texts_that_are_written_otherwise_are_read() {
    let values = [
        json!({"f:a": {".": {}}, "f:b": {}}),
        json!({"f:a": {"f:b": 1}}),
        json!({"f:a": {"f:b": {".": {}, "f:c": {}}}}),
        json!({"f:a": {"f:\u{1}": {}, "f:\"": {}, "f:\\": {}, "f:b": {}}}),
        json!({"odd": {"f:b": {}}, "f:a": {}}),
        json!({"f:a": {"k:{\"a\":\"b\"}": {}, "k:{\"a\":1}": {".": {}, "f:a": {}}, "v:1": {}}}),
    ];
    for (one, other) in values.iter().flat_map(|one| values.iter().map(move |other| (one, other))) {
        check(one, other);
    }
    let mut spaced = Fields::of_text("{ \"f:b\": {}, \"f:a\": {} }");
    spaced.subtract(&Fields::of_text("{\"f:a\":{}}"));
    assert_eq!(spaced.text(), "{\"f:b\":{}}");
    for text in ["null", "", "{\"f:a", "[]", "{}", "{ }"] {
        assert!(Fields::of_text(text).is_empty() || text == "{\"f:a", "{text}");
    }
}

#[test]
fn steps_are_ordered_as_texts() {
    let steps = [
        "f:",
        "f:a",
        "f:a\"",
        "f:a\\",
        "f:a\n",
        "f:a!",
        "f:a]",
        "f:ab",
        "v:\"a\"",
        "v:1",
        "v:\"\\\\\"",
        "v:\"\\\"\"",
    ];
    let written = |step: &str| {
        let text = serde_json::to_string(step).unwrap();
        text[1..text.len() - 1].to_owned()
    };
    for (one, other) in steps.iter().flat_map(|one| steps.iter().map(move |other| (one, other))) {
        assert_eq!(order(&written(one), &written(other)), one.cmp(other), "{one} {other}");
    }
}

fn set() -> impl Strategy<Value = Value> {
    let path = proptest::collection::vec("f:[ab]|k:\\{\"a\":\"[bc\"]\"\\}|v:\"[a\\\\]\"|v:1", 1..4);
    proptest::collection::vec(path, 0..8).prop_map(|paths| {
        let mut set = FieldSet::default();
        paths.iter().for_each(|path| set.insert(path));
        set.into_json()
    })
}

proptest! {
    #[test]
    fn texts_are_joined_and_cut_as_sets(one in set(), other in set()) {
        check(&one, &other);
    }
}
