//! Values whose form follows from go-yaml's source alone; the comparison with a model of go-yaml is
//! in `tests/yaml_writer.rs`.

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
fn styles_of_texts() {
    let plain = [
        "a",
        "<<",
        "a:b",
        "a#b",
        "-a",
        "?a",
        ":a",
        "--",
        "..",
        ".",
        "a - b",
        "é",
        "\u{a0}",
        "\u{fffd}",
        "yEs",
        "nULL",
        "1.2.3",
        "v1",
        "0x",
        "0x1FFFFFFFFFFFFFFFFFFF",
        "1e400",
        "0b2",
        "=",
        "a'b",
        "a\"b",
        "1:60",
        "2001-13-01",
        "2001-02-29",
        "2001-01-01T00:00:00",
        "sha256:0",
        ".e3",
        "._5",
        ".5_",
        ".1__2",
        "1e",
    ];
    for text in plain {
        assert_eq!(yaml_of_text(text), format!("{text}\n"));
    }
    let double = [
        "",
        "~",
        "y",
        "No",
        "on",
        "OFF",
        "True",
        "null",
        "0",
        "-1",
        "+1",
        "1_0",
        "017",
        "0o17",
        "08",
        "0x1F",
        "0b1",
        "0b-1",
        "0b+1",
        "-0b1",
        "1.0",
        "1.",
        ".5",
        "+.5",
        "1e3",
        "1_0.5",
        ".5_0",
        ".inf",
        "+.inf",
        "-.INF",
        ".NaN",
        "1:20",
        "-1:20:30.5_",
        "190:20:30",
        "1_9:5",
        "2001-01-01",
        "2001-1-1T1:2:3Z",
        "2001-12-14 21:59:43.10",
        "2001-12-14   21:59:43",
        "2001-12-14T21:59:43,5+00:00",
        "18446744073709551615",
        "99999999999999999999",
    ];
    for text in double {
        assert_eq!(yaml_of_text(text), format!("\"{text}\"\n"));
    }
    let single = [
        "#", ",", "[", "]", "{", "}", "&a", "*a", "!a", "|", ">", "\"", "%", "@", "`", "-", "?", ":", "- a",
        "? a", ": a", "a: b", "a:", "a #b", "---", "---a", "...", " a", "a ", " ", "{{ .x }}", "1:",
    ];
    for text in single {
        assert_eq!(yaml_of_text(text), format!("'{text}'\n"));
    }
    assert_eq!(yaml_of_text("'a'"), "'''a'''\n");
}

#[test]
fn what_cannot_be_printed_is_escaped() {
    for (text, yaml) in [
        ("a\tb", r#""a\tb""#),
        ("\0\x07\x08\x0b\x0c\r\x1b\x01", r#""\0\a\b\v\f\r\e\x01""#),
        ("\"\\ é\t", r#""\"\\ é\t""#),
        ("a \u{1f600}\u{10ffff}", r#""a \U0001F600\U0010FFFF""#),
        ("a\u{feff}é", r#""a\uFEFFé""#),
        // The whole text, since it begins with a byte order mark.
        ("\u{feff}a é\u{a0}\u{4e00}\"", r#""\uFEFF\x61\x20\xE9\_\u4E00\"""#),
        ("a \nb", r#""a \nb""#),
        ("a\nb ", r#""a\nb ""#),
        ("a \u{2028}b", r#""a \Lb""#),
        ("a\u{2029} b", r#""a\P b""#),
        ("1\u{1f600}\nb", r#""1\U0001F600\nb""#),
    ] {
        assert_eq!(yaml_of_text(text), format!("{yaml}\n"));
    }
}

#[test]
fn texts_of_several_lines_are_literal_blocks() {
    for (text, yaml) in [
        ("a\nb", "|-\n  a\n  b\n"),
        ("a\n", "|\n  a\n"),
        ("a\n\n", "|+\n  a\n\n"),
        ("\n", "|2+\n\n"),
        ("\na", "|2-\n\n  a\n"),
        (" a\n  b\n", "|2\n   a\n    b\n"),
        ("a\n\n\nb", "|-\n  a\n\n\n  b\n"),
        ("# a: 'b'\n- y\n", "|\n  # a: 'b'\n  - y\n"),
        // Separators break lines, too, but stay as they are.
        ("a\nb\u{2028}c", "|-\n  a\n  b\u{2028}  c\n"),
        ("a\u{2028}b\n", "|\n  a\u{2028}  b\n"),
        ("a\n\u{2029}", "|+\n  a\n\u{2029}"),
        ("\u{2028}\n", "|2+\n\u{2028}\n"),
    ] {
        assert_eq!(yaml_of_text(text), yaml, "{text:?}");
    }
    let json = r#"{"a":"b\nc","d":["e\n",{"f":"g\n\n"}],"h":1}"#;
    assert_eq!(yaml_of_json(json), "a: |-\n  b\n  c\nd:\n- |\n  e\n- f: |+\n    g\n\nh: 1\n");
}

#[test]
fn separators_without_newlines_are_single_quoted() {
    for (text, yaml) in [
        ("a\u{2028}b", "'a\u{2028}  b'\n"),
        ("\u{2029}it's", "'\u{2029}  it''s'\n"),
        ("a\u{2028}", "'a\u{2028}'\n"),
        ("a\u{2028}\u{2028}b c", "'a\u{2028}\u{2028}  b c'\n"),
    ] {
        assert_eq!(yaml_of_text(text), yaml, "{text:?}");
    }
    let word = "x".repeat(40);
    let yaml = format!("'{word} {word}\n  {word} {word}\n  y\u{2028}  z'\n");
    assert_eq!(yaml_of_text(&format!("{word} {word} {word} {word} y\u{2028}z")), yaml);
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
fn folding() {
    let word = |length: usize| "x".repeat(length);
    for (text, yaml) in [
        // 81 columns, then a space: the first that folds.
        (format!("{} a", word(80)), format!("{} a\n", word(80))),
        (format!("{} a", word(81)), format!("{}\n  a\n", word(81))),
        (format!("{}  a b", word(81)), format!("{}  a\n  b\n", word(81))),
        // Characters count, not bytes.
        (format!("{} a", "é".repeat(80)), format!("{} a\n", "é".repeat(80))),
        (format!("{} a", "é".repeat(81)), format!("{}\n  a\n", "é".repeat(81))),
        // Quotes count.
        (format!("'{} a", word(77)), format!("'''{} a'\n", word(77))),
        (format!("'{} a", word(78)), format!("'''{}\n  a'\n", word(78))),
        (format!("#{}  a b ", word(80)), format!("'#{}  a\n  b '\n", word(80))),
        (format!("\t{} a", word(77)), format!("\"\\t{} a\"\n", word(77))),
        (format!("\t{} a", word(78)), format!("\"\\t{}\n  a\"\n", word(78))),
        (format!("\t{}   a", word(78)), format!("\"\\t{}\n  \\  a\"\n", word(78))),
        (format!("\t{} ", word(99)), format!("\"\\t{} \"\n", word(99))),
    ] {
        assert_eq!(yaml_of_text(&text), yaml, "{text:?}");
    }
    let json = format!(r#"{{"key":[{{"k":"{} b c"}}]}}"#, word(75));
    assert_eq!(yaml_of_json(&json), format!("key:\n- k: {} b\n    c\n", word(75)));
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
