//! Values whose form follows from go-yaml's source alone; the comparison with a model of go-yaml is
//! in `tests/yaml_writer.rs`.

mod texts;

use super::*;
use crate::document::{Document, DocumentBuilder};

fn written(document: &Document) -> String {
    let mut out = String::new();
    write(&mut out, document.root()).unwrap();
    out
}

fn from_json(json: &str) -> Document {
    crate::json_reader::read_value(json.as_bytes(), 0).unwrap().0
}

fn yaml_of_json(json: &str) -> String {
    written(&from_json(json))
}

fn text_document(text: &str) -> Document {
    let mut builder = DocumentBuilder::new();
    let root = builder.string(text);
    builder.finish(root)
}

fn yaml_of_text(text: &str) -> String {
    written(&text_document(text))
}

fn error_of_text(text: &str) -> Option<WriteError> {
    write(&mut String::new(), text_document(text).root()).err()
}

#[test]
fn layout_of_containers() {
    let json =
        r#"{"a":[1,[2,[3,[]]],{"b":null,"c":[true]}],"d":{"e":{"f":{}}},"g":[],"h":[[{"i":1,"j":2}]]}"#;
    let yaml = "\
a:
- 1
- - 2
  - - 3
    - []
- b: null
  c:
  - true
d:
  e:
    f: {}
g: []
h:
- - i: 1
    j: 2
";
    assert_eq!(yaml_of_json(json), yaml);
    assert_eq!(yaml_of_json(r#"[[1],{"a":1}]"#), "- - 1\n- a: 1\n");
    for (json, yaml) in [("{}", "{}\n"), ("[]", "[]\n"), ("null", "null\n"), ("false", "false\n")] {
        assert_eq!(yaml_of_json(json), yaml);
    }
}

#[test]
fn numbers_as_after_reading_their_json_text() {
    for (number, yaml) in [
        (0.0, "0"),
        (-0.0, "0"),
        (-5.0, "-5"),
        (123456.5, "123456.5"),
        (1234567.5, "1.2345675e+06"),
        (0.00012345, "0.00012345"),
        (0.000012345, "1.2345e-05"),
        (1e-7, "1e-07"),
        (123456789012345.0, "123456789012345"),
        (9007199254740993.0, "9007199254740992"),
        (12345678901234567890.0, "12345678901234567000"),
        (-9223372036854775808.0, "-9.223372036854776e+18"),
        (-9223372036854774784.0, "-9223372036854775000"),
        (18446744073709549568.0, "18446744073709550000"),
        (18446744073709551616.0, "1.8446744073709552e+19"),
        (1e20, "1e+20"),
        (1e21, "1e+21"),
        (5e-324, "5e-324"),
    ] {
        let mut builder = DocumentBuilder::new();
        let root = builder.number(number);
        assert_eq!(written(&builder.finish(root)), format!("{yaml}\n"));
    }
}

#[test]
fn keys() {
    let long = "k".repeat(129);
    let ascending = |keys: &[&str]| {
        let mut builder = DocumentBuilder::new();
        let mark = builder.open();
        for key in keys {
            let value = builder.number(1.0);
            builder.push_member(key, value);
        }
        let root = builder.close_object(mark);
        written(&builder.finish(root))
    };
    assert_eq!(
        ascending(&["n", "", "a b", "a: b", "<<", "é"]),
        "\"\": 1\n<<: 1\na b: 1\n'a: b': 1\n\"n\": 1\né: 1\n"
    );
    assert_eq!(ascending(&[&long[1..]]), format!("{}: 1\n", &long[1..]));
    assert_eq!(ascending(&[&long]), format!("? {long}\n: 1\n"));
    assert_eq!(ascending(&["a\nb", "a\rb"]), "? |-\n  a\n  b\n: 1\n? \"a\\rb\"\n: 1\n");
    // Keys of one line are never folded, explicit ones are.
    let words = format!("{} {}", "a".repeat(81), "b".repeat(40));
    assert_eq!(ascending(&[&words]), format!("{words}: 1\n"));
    let words = format!("{} {}", "a".repeat(81), "b".repeat(60));
    assert_eq!(ascending(&[&words]), format!("? {}\n  {}\n: 1\n", "a".repeat(81), "b".repeat(60)));
    assert_eq!(
        yaml_of_json(r#"{"x":{"a\nb":{"c":[1],"d":"e"},"f\ng\n":["h","i"],"j\n":[],"k":1}}"#),
        "x:\n  ? |-\n    a\n    b\n  : c:\n    - 1\n    d: e\n  ? |\n    f\n    g\n  : - h\n    - i\n  ? |\n    j\n  : []\n  k: 1\n"
    );
}

#[test]
fn order_of_keys() {
    let sorted =
        ["", "_", "~", "0", "A", "a", "a1", "a01", "a2", "a10", "aB", "ab", "v1", "v10", "é", "é1", "é10"];
    for (index, a) in sorted.iter().enumerate() {
        for (other, b) in sorted.iter().enumerate() {
            assert_eq!(key_order(a, b), index.cmp(&other), "{a} {b}");
        }
    }
    // A zero inside of a number is none that leads.
    assert!(key_order("a10", "a1b").is_lt());
    assert!(key_order("a105", "a11").is_gt());
    assert!(key_order("a005", "a01").is_gt());
    // Zeros before it do not make a number begin.
    assert!(key_order("a001", "a02").is_lt());
    assert!(key_order("a1001", "a102").is_gt());
    // Characters that differ in a later byte only.
    assert!(key_order("aé", "aè").is_gt());
    // Numbers wrap around as int64 does.
    assert!(key_order("a9223372036854775808", "a1").is_lt());
    // Digits of other scripts continue a number.
    assert!(key_order("a\u{0661}", "a9").is_gt());
}

#[test]
fn keys_without_an_order_have_one_place_nevertheless() {
    let keys = ["v2", "v10", "v1alpha1", "v1", "v1beta1", "v11"];
    let yaml_of = |keys: &[&str], builder: fn() -> DocumentBuilder| {
        let mut builder = builder();
        let mark = builder.open();
        for key in keys {
            let value = builder.null();
            builder.push_member(key, value);
        }
        let root = builder.close_object(mark);
        written(&builder.finish(root))
    };
    let expected = yaml_of(&keys, DocumentBuilder::new);
    let mut rotated = keys;
    for _ in 0..keys.len() {
        rotated.rotate_left(1);
        assert_eq!(yaml_of(&rotated, DocumentBuilder::new), expected);
        assert_eq!(yaml_of(&rotated, DocumentBuilder::in_written_order), expected);
    }
}

#[test]
fn of_equal_keys_the_last_counts() {
    let mut builder = DocumentBuilder::in_written_order();
    let mark = builder.open();
    for (key, number) in [("b", 1.0), ("a", 2.0), ("b", 3.0), ("b", 4.0)] {
        let value = builder.number(number);
        builder.push_member(key, value);
    }
    let root = builder.close_object(mark);
    assert_eq!(written(&builder.finish(root)), "a: 2\nb: 4\n");
}

#[test]
fn what_reading_json_text_as_yaml_changes() {
    for (text, yaml) in [
        ("a\u{85}b", "a b\n"),
        ("a  \u{85} b", "a b\n"),
        ("a\u{85}\u{85}b", "|-\n  a\n  b\n"),
        ("a\u{85} \u{85}\u{85}b", "|-\n  a\n\n  b\n"),
        ("\u{85}", "' '\n"),
        ("a\n\u{85}b", "|-\n  a\n   b\n"),
        ("a\u{85}---", "a ---\n"),
        ("1\u{85}", "'1 '\n"),
    ] {
        assert_eq!(yaml_of_text(text), yaml, "{text:?}");
    }
}

#[test]
fn what_cannot_be_read_back() {
    for text in ["\u{7f}", "é\u{80}", "\u{9f}", "a\u{fffe}", "\u{ffff}", "\u{85}\u{7f}"] {
        assert_eq!(error_of_text(text), Some(WriteError::ControlCharacter), "{text:?}");
    }
    for text in ["\u{a0}", "\u{e000}", "\u{fdd0}", "\u{1fffe}", "\u{feff}", "\u{1}"] {
        assert_eq!(error_of_text(text), None, "{text:?}");
    }
    assert_eq!(error_of_text("a\u{85}--- b"), Some(WriteError::DocumentIndicator));
    assert_eq!(error_of_text("a \u{85}...\u{85}"), Some(WriteError::DocumentIndicator));
    assert_eq!(error_of_text("a\u{85} --- b"), None);
    assert_eq!(WriteError::UnreadableKey.to_string(), "yaml: did not find expected ',' or '}'");

    let with_key = |key: &str| {
        let mut builder = DocumentBuilder::new();
        let mark = builder.open();
        let value = builder.null();
        builder.push_member(key, value);
        let root = builder.close_object(mark);
        write(&mut String::new(), builder.finish(root).root()).err()
    };
    assert_eq!(with_key("a\u{7f}"), Some(WriteError::ControlCharacter));
    assert_eq!(with_key("a\u{85}"), Some(WriteError::UnreadableKey));
    assert_eq!(with_key(&"é".repeat(1022)), None);
    assert_eq!(with_key(&"é".repeat(1023)), Some(WriteError::UnreadableKey));
    assert_eq!(with_key(&"\n".repeat(511)), None);
    assert_eq!(with_key(&"\n".repeat(512)), Some(WriteError::UnreadableKey));
}

#[test]
fn nesting_is_limited() {
    let nested = |depth: usize| {
        let mut builder = DocumentBuilder::new();
        let mut root = builder.null();
        for level in 0..depth {
            let mark = builder.open();
            root = if level % 2 == 0 {
                builder.push_member("key", root);
                builder.close_object(mark)
            } else {
                builder.push_item(root);
                builder.close_array(mark)
            };
        }
        let document = builder.finish(root);
        let mut out = String::new();
        write(&mut out, document.root()).map(|()| out.len())
    };
    let run = move || {
        assert!(nested(MAX_DEPTH).is_ok());
        assert_eq!(nested(MAX_DEPTH + 1), Err(WriteError::TooDeep));
    };
    std::thread::Builder::new().stack_size(16 << 20).spawn(run).unwrap().join().unwrap();
}

#[test]
fn appends_to_what_is_there() {
    let mut out = "---\n".to_owned();
    write(&mut out, from_json(r#"{"a":"b"}"#).root()).unwrap();
    out.push_str("---\n");
    write(&mut out, text_document("c\n").root()).unwrap();
    assert_eq!(out, "---\na: b\n---\n|\n  c\n");
}

#[test]
fn indentation_has_an_end() {
    let nested = |depth: usize, rest: &str| {
        from_json(&format!("{}{rest}{}", "{\"a\":".repeat(depth), "}".repeat(depth)))
    };
    let lines = |count: usize| format!("\"{}\"", "x\\n".repeat(count));
    for (document, bytes) in [
        // The innermost key of 103 is indented by 204 columns.
        (nested(103, "1"), 202 + 204),
        (nested(101, "1"), 0),
        (nested(101, &lines(10)), 10 * 202),
    ] {
        let within =
            |room: u64| write_within(&mut String::new(), document.root(), &mut LayoutRoom::new(room));
        assert_eq!(within(bytes), Ok(()));
        if let Some(less) = bytes.checked_sub(1) {
            assert_eq!(within(less), Err(WriteError::Layout(LayoutExceeded { most: less })));
        }
    }
    // The room of an output is shared by its parts.
    let mut room = LayoutRoom::new(2 * 406);
    let document = nested(103, "1");
    let results = [(); 3].map(|()| write_within(&mut String::new(), document.root(), &mut room).is_ok());
    assert_eq!(results, [true, true, false]);
    // 60 KB do not become 100 MB.
    let run = || {
        let mut out = String::new();
        let depth = MAX_DEPTH - 100;
        let json = format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        assert!(matches!(write(&mut out, from_json(&json).root()), Err(WriteError::Layout(_))));
        assert!(out.len() < 70 << 20, "{}", out.len());
    };
    std::thread::Builder::new().stack_size(32 << 20).spawn(run).unwrap().join().unwrap();
}
