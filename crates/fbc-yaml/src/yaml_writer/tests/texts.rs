//! Styles of texts: plain, quoted, literal, folded.

use super::*;

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
