//! Tables of ways to write documents.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod generated;

use super::*;
use crate::stream::read_one;

fn json(text: &str) -> Document {
    read_one(text.as_bytes()).unwrap()
}

fn insert(pointer: &str, index: usize, item: &str) -> Change {
    Change::new(pointer, Action::Insert { index, item: json(item) })
}

fn remove(pointer: &str, index: usize) -> Change {
    Change::new(pointer, Action::Remove { index })
}

fn set(pointer: &str, key: &str, value: &str) -> Change {
    Change::new(pointer, Action::Set { key: key.to_owned(), value: json(value) })
}

fn edited(text: &str, change: &Change) -> Result<String, EditError> {
    let mut editor = Editor::new(text.as_bytes());
    editor.change(0, change)?;
    Ok(String::from_utf8(editor.finish()?).unwrap())
}

#[track_caller]
fn check(change: &Change, table: &[(&str, &str)]) {
    for (text, expected) in table {
        assert_eq!(edited(text, change).as_deref(), Ok(*expected), "{text}\n{change:?}");
    }
}

#[test]
fn items_are_appended_in_the_way_of_the_list() {
    check(
        &insert("/e", 2, r#"{"name": "c", "skips": ["x"]}"#),
        &[
            // Indentless, with comments behind and between.
            (
                "e:\n- name: a # first\n# about b\n- name: b\n  # still b\n# about z\nz: 1\n",
                "e:\n- name: a # first\n# about b\n- name: b\n  # still b\n- name: c\n  skips:\n  - x\n# about z\nz: 1\n",
            ),
            // Indented, and the list inside is indented too.
            (
                "e:\n  - name: a\n  - name: b",
                "e:\n  - name: a\n  - name: b\n  - name: c\n    skips:\n      - x",
            ),
            (
                "e:\r\n- name: a\r\n- name: b\r\n",
                "e:\r\n- name: a\r\n- name: b\r\n- name: c\r\n  skips:\r\n  - x\r\n",
            ),
            // The order of keys and the space behind the dash are those of the item before.
            (
                "e:\n-   skips: []\n    name: a\n-   skips: []\n    name: b\n",
                "e:\n-   skips: []\n    name: a\n-   skips: []\n    name: b\n-   skips:\n    - x\n    name: c\n",
            ),
            (
                "e:\n-\n  name: a\n-\n  name: b\nf: 1\n",
                "e:\n-\n  name: a\n-\n  name: b\n- name: c\n  skips:\n  - x\nf: 1\n",
            ),
            // Blank lines behind a list stay there.
            ("e:\n- a\n- b\n\n\nf: 1\n", "e:\n- a\n- b\n- name: c\n  skips:\n  - x\n\n\nf: 1\n"),
            // Lines that a block scalar keeps stay with it.
            (
                "e:\n- a\n- m: |+\n    t\n\nf: 1\n",
                "e:\n- a\n- m: |+\n    t\n\n- name: c\n  skips:\n  - x\nf: 1\n",
            ),
            (
                "e:\n- a\n- m: |\n    # t\n\nf: 1\n",
                "e:\n- a\n- m: |\n    # t\n- name: c\n  skips:\n  - x\n\nf: 1\n",
            ),
            // Objects in braces beget objects in braces.
            ("e:\n- {name: a}\n- {name: b}\n", "e:\n- {name: a}\n- {name: b}\n- {name: c, skips: [x]}\n"),
            ("e: [{name: a}, {name: b}]\n", "e: [{name: a}, {name: b}, {name: c, skips: [x]}]\n"),
            ("e: [{name: a}, {name: b},] # t\n", "e: [{name: a}, {name: b}, {name: c, skips: [x]},] # t\n"),
        ],
    );
    check(
        &insert("/e", 2, "\"yes\""),
        &[
            ("e: [a, b]\n", "e: [a, b, \"yes\"]\n"),
            ("e: [\n  a, # one\n  b # two\n]\n", "e: [\n  a, # one\n  b, # two\n  \"yes\"\n]\n"),
            ("e: [\n  a,\n  b,\n]\n", "e: [\n  a,\n  b,\n  \"yes\",\n]\n"),
            ("e:\n- a\n-\nf: &x\n- a\n", "e:\n- a\n-\n- \"yes\"\nf: &x\n- a\n"),
            ("e: &x\n- a\n- b\n", "e: &x\n- a\n- b\n- \"yes\"\n"),
            ("{\"e\":[1,2]}", "{\"e\":[1,2,\"yes\"]}"),
            ("{\"e\": [1, 2]}\n", "{\"e\": [1, 2, \"yes\"]}\n"),
            (
                "{\n\t\"e\": [\n\t\t1,\n\t\t2\n\t]\n}\n",
                "{\n\t\"e\": [\n\t\t1,\n\t\t2,\n\t\t\"yes\"\n\t]\n}\n",
            ),
            (
                "{\r\n  \"e\": [\r\n    1,\r\n    2\r\n  ]\r\n}",
                "{\r\n  \"e\": [\r\n    1,\r\n    2,\r\n    \"yes\"\r\n  ]\r\n}",
            ),
        ],
    );
}

#[test]
fn items_in_front_and_between() {
    check(
        &insert("/e", 0, "{\"k\": \"x\"}"),
        &[
            ("e:\n# newest first\n- k: a\n", "e:\n# newest first\n- k: x\n- k: a\n"),
            ("e: [{k: a}]", "e: [{k: x}, {k: a}]"),
            ("{\"e\": [\n  {\"k\": 1}\n ]}", "{\"e\": [\n  {\"k\": \"x\"},\n  {\"k\": 1}\n ]}"),
        ],
    );
    check(
        &insert("/e/0", 0, "x"),
        &[("e:\n- - a\n  - b\n", "e:\n- - x\n  - a\n  - b\n"), ("e:\n-\n  - a\n", "e:\n-\n  - x\n  - a\n")],
    );
    check(
        &insert("/e", 1, "{\"k\": \"x\"}"),
        &[("e:\n- k: a\n  # a\n# b\n- k: b\n", "e:\n- k: a\n  # a\n- k: x\n# b\n- k: b\n")],
    );
}

#[test]
fn the_first_item_of_a_list() {
    check(
        &insert("/e", 0, "{\"k\": \"x\"}"),
        &[
            ("e: [] # none\nf: 1\n", "e: # none\n- k: x\nf: 1\n"),
            ("e:\nf: 1\n", "e:\n- k: x\nf: 1\n"),
            ("e: null", "e:\n- k: x"),
            ("e: ~ # none\nf:\n  - 1\n", "e: # none\n  - k: x\nf:\n  - 1\n"),
            ("{\"e\":[]}", "{\"e\":[{\"k\":\"x\"}]}"),
            ("{\n  \"e\": []\n}", "{\n  \"e\": [\n    {\n      \"k\": \"x\"\n    }\n  ]\n}"),
            ("{\n  \"e\": null\n}", "{\n  \"e\": [\n    {\n      \"k\": \"x\"\n    }\n  ]\n}"),
        ],
    );
    check(&insert("/a/e", 0, "x"), &[("a: {e: []}\n", "a: {e: [x]}\n"), ("a: {e: }\n", "a: {e: [x]}\n")]);
}

#[test]
fn items_are_removed_with_their_comments() {
    check(
        &remove("/e", 1),
        &[
            ("e:\n- a\n# b\n- b # b\n  # b\n# z\nz: 1\n", "e:\n- a\n# b\n# z\nz: 1\n"),
            ("e:\n- a\n- b", "e:\n- a"),
            ("e: [a, b]", "e: [a]"),
            ("e: [a, b, c]", "e: [a, c]"),
            ("{\"e\": [\n  1,\n  2\n]}", "{\"e\": [\n  1\n]}"),
        ],
    );
    check(
        &remove("/e", 0),
        &[
            ("e: [a, b]", "e: [b]"),
            ("e:\n- a\nz: 1", "e: []\nz: 1"),
            ("e: [ a ]", "e: []"),
            ("{\"e\": [\n  1\n]}", "{\"e\": []}"),
        ],
    );
    check(&remove("/0", 0), &[("- - a\n  - b\n", "- - b\n")]);
}

#[test]
fn members_are_set() {
    check(
        &set("", "m", "\"a\\nb\\n\""),
        &[
            ("m: old # why\nz: 1\n", "m: | # why\n  a\n  b\nz: 1\n"),
            ("z: 1\nm: |-\n  old\n  text\n", "z: 1\nm: |\n  a\n  b\n"),
            ("m:\nz: 1\n", "m: |\n  a\n  b\nz: 1\n"),
            ("M: 'x'", "M: |\n  a\n  b"),
            ("z: 1 # c\n# end\n", "z: 1 # c\nm: |\n  a\n  b\n# end\n"),
            ("{\"z\":1}", "{\"z\":1,\"m\":\"a\\nb\\n\"}"),
            ("{\"m\":1}", "{\"m\":\"a\\nb\\n\"}"),
        ],
    );
    check(
        &set("/e/0", "skips", "[\"1.0\", \"b\"]"),
        &[
            ("e:\n  - name: a # a\n", "e:\n  - name: a # a\n    skips:\n      - \"1.0\"\n      - b\n"),
            ("e:\n- {name: a}\n", "e:\n- {name: a, skips: [\"1.0\", b]}\n"),
            (
                "{\n \"e\": [\n  {\n   \"name\": \"a\"\n  }\n ]\n}",
                "{\n \"e\": [\n  {\n   \"name\": \"a\",\n   \"skips\": [\n    \"1.0\",\n    \"b\"\n   ]\n  }\n ]\n}",
            ),
        ],
    );
    // YAML 1.1 reads these as other than text unless they are quoted.
    for word in ["y", "no", "1.0", "0x1", "~", "2001-01-01", "1:20", "", "a: b", "# c", "- d", "*e", " f "] {
        let written = edited("m: old # note\n", &set("", "m", &format!("{word:?}"))).unwrap();
        assert_eq!(json(&written).root().get_str("m"), Some(word), "{written}");
        assert!(written.ends_with(" # note\n"), "{written}");
    }
}

#[test]
fn what_is_written_elsewhere_is_refused() {
    let from_alias = |pointer: &str| EditError::FromAlias { pointer: pointer.to_owned() };
    let shared = |pointer: &str| EditError::Shared { pointer: pointer.to_owned(), anchor: "x".to_owned() };
    for (text, error) in [
        ("a: &x [1]\ne: *x\n", from_alias("/e")),
        ("e: &x [1]\na: *x\n", shared("/e")),
        ("b: &b {e: [1]}\na: 1\n<<: *b\n", from_alias("/e")),
        ("a: 1\n", EditError::NotFound { pointer: "/e".to_owned() }),
        ("e: {}\n", EditError::NotFound { pointer: "/e".to_owned() }),
        ("- 1\n", EditError::NotFound { pointer: "/e".to_owned() }),
        ("e: [\n", EditError::NoDocument),
    ] {
        assert_eq!(edited(text, &insert("/e", 0, "1")), Err(error), "{text}");
    }
    assert_eq!(
        edited("e: [1]\n", &insert("/e", 2, "1")),
        Err(EditError::NotFound { pointer: "/e".to_owned() })
    );
    // An anchor that nobody refers to is not an obstacle, nor is setting what an alias gave so far.
    check(&insert("/e", 1, "2"), &[("e: &x [1]\n", "e: &x [1, 2]\n")]);
    check(&set("", "m", "\"k\""), &[("a: &x v\nm: *x\n", "a: &x v\nm: k\n")]);
    check(&set("", "m", "\"k\""), &[("<<: {m: v}\na: b\n", "<<: {m: v}\na: b\nm: k\n")]);
}

#[test]
fn documents_are_inserted_and_removed() {
    let inserted = |text: &str, behind: usize, new: &str| {
        let mut editor = Editor::new(text.as_bytes());
        editor.insert_behind(behind, new).unwrap();
        String::from_utf8(editor.finish().unwrap()).unwrap()
    };
    for (text, behind, expected) in [
        ("a: 1\n---\nb: 2\n", 0, "a: 1\n---\nx: 1\n---\nb: 2\n"),
        ("a: 1\n---\nb: 2", 9, "a: 1\n---\nb: 2\n---\nx: 1\n"),
        ("---\na: 1\r\n", 0, "---\na: 1\r\n---\nx: 1\n"),
        ("a: 1\r\n", 0, "a: 1\r\n---\r\nx: 1\r\n"),
        ("", 0, "---\nx: 1\n"),
    ] {
        assert_eq!(inserted(text, behind, "x: 1\n"), expected, "{text}");
    }
    assert_eq!(inserted("{\"a\":1}\n{\"b\":2}\n", 0, "{\"x\": 1}\n"), "{\"a\":1}\n{\"x\": 1}\n{\"b\":2}\n");
    assert_eq!(inserted("---\n{\"a\":1}\n", 0, "{\"x\": 1}\n"), "---\n{\"a\":1}\n---\n{\"x\": 1}\n");
    assert_eq!(Editor::new(b"---\n{\"a\":1}\n").layout_behind(0), Layout::JsonInYaml);
    for (text, document, expected) in [
        ("a: 1\n---\nb: 2\n", 1, "a: 1\n"),
        ("a: 1\n---\nb: 2\n---\nc: 1\n", 1, "a: 1\n---\nc: 1\n"),
        ("---\na: 1\n---\nb: 2\n", 0, "b: 2\n"),
        ("a: 1\n", 0, ""),
        ("{\"a\":1}\n{\"b\":2}\n", 1, "{\"a\":1}\n"),
        ("{\"a\":1}\n{\"b\":2}\n", 0, "{\"b\":2}\n"),
    ] {
        let mut editor = Editor::new(text.as_bytes());
        editor.remove(document).unwrap();
        assert_eq!(String::from_utf8(editor.finish().unwrap()).unwrap(), expected, "{text}");
    }
}
