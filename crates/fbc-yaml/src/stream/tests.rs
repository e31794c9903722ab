//! Tables of inputs and what the reference makes of them.

use super::*;

fn only_objects(document: Document) -> Result<Document, String> {
    match document.root().kind() {
        crate::Kind::Object | crate::Kind::Null => Ok(document),
        kind => Err(format!("no {}", kind.go_name())),
    }
}

fn show(text: &[u8]) -> Vec<String> {
    read(text, &only_objects)
        .into_iter()
        .map(|decoded| match decoded.outcome {
            Ok(document) => format!("{document:?}"),
            Err(Fault::Malformed { message, .. } | Fault::Rejected(message)) => message,
            Err(Fault::Separator { rest, .. }) => format!("separator {rest}"),
        })
        .collect()
}

#[test]
fn yaml_values_become_json() {
    for (text, expected) in [
        ("a: y", r#"{"a":true}"#),
        (
            "a: [y, no, ~, 017, 1_000, 1.0, 1.10, '1', \"x\\ty\"]",
            r#"{"a":[true,false,null,15,1000,1,1.1,"1","x\ty"]}"#,
        ),
        ("{a: b}", r#"{"a":"b"}"#),
        ("1: a\n0x10: b\ny: c\n1.5: d\n", r#"{"1":"a","1.5":"d","16":"b","true":"c"}"#),
        ("a: 1\na: 2\n", r#"{"a":2}"#),
        ("x: &x {a: 1, b: 2}\nz:\n  <<: *x\n  b: 3\n", r#"{"x":{"a":1,"b":2},"z":{"a":1,"b":3}}"#),
        ("z:\n  <<: [{a: 1}, {a: 2, b: 2}]\n", r#"{"z":{"a":1,"b":2}}"#),
        ("!!merge <<: {a: 1}\n!!merge b: {a: 2}\n", r#"{"a":1,"b":{"a":2}}"#),
        // What another value takes the place of is not looked at.
        ("a: .inf\na: 1\n.inf: b\n", r#"{".inf":"b","a":1}"#),
        ("a: !!str 1\nb: !!int \"3\"\nc: !!binary aGk=\nd: !foo x\n", r#"{"a":"1","b":3,"c":"hi","d":"x"}"#),
        (
            "a: 9007199254740993\nb: 12345678901234567890\n",
            r#"{"a":9007199254740992,"b":12345678901234567000}"#,
        ),
        (
            "a: |\n  x\n   y\n\nb: >-\n  x\n  y\n\n  z\nc: |+\n  k\n\n",
            "{\"a\":\"x\\n y\\n\",\"b\":\"x y\\nz\",\"c\":\"k\\n\\n\"}",
        ),
        ("a: x\n  y\n\n  z # c\nb: 'q\n\n  r'\n", r#"{"a":"x y\nz","b":"q\nr"}"#),
        ("- a\n- - b\n  - c\n-\n- d: e\n  f:\n  - g\n", r#"no array"#),
        (
            "a:\n- b: c\n  d: e\n-   f: g\n    h:\n    - i\nj:\n",
            r#"{"a":[{"b":"c","d":"e"},{"f":"g","h":["i"]}],"j":null}"#,
        ),
        ("a: \"x\\\n  y\\u00e9\"\n", r#"{"a":"xyé"}"#),
        ("a: 2001-01-01\nb: 190:20:30\nc: .inf_\n", r#"{"a":"2001-01-01","b":"190:20:30","c":".inf_"}"#),
        ("a: 1\n...\nb: 2\n", r#"{"a":1}"#),
        ("\u{feff}a: 1\n", r#"{"a":1}"#),
        ("a: b\r\nc: |\r\n  d\r\n", r#"{"a":"b","c":"d\n"}"#),
        ("# only a comment\n", "null"),
    ] {
        let shown = show(text.as_bytes());
        assert_eq!(shown.len(), 1, "{text:?}: {shown:?}");
        assert!(shown[0].ends_with(expected), "{text:?}: {shown:?}");
    }
}

#[test]
fn faults_of_yaml() {
    let conversion = "error converting YAML to JSON: ";
    for (text, expected) in [
        ("%YAML 1.1\na: b\n", "yaml: line 1: did not find expected <document start>"),
        ("just text: [\n", "yaml: line 1: did not find expected node content"),
        ("a: b\nc: d: e\n", "yaml: line 2: mapping values are not allowed in this context"),
        ("a: .inf\n", "json: unsupported value: +Inf"),
        ("b: .inf\na: [.nan]\n", "json: unsupported value: NaN"),
        ("a: *b\n", "yaml: unknown anchor 'b' referenced"),
        ("a: &x [*x]\n", "yaml: anchor 'x' value contains itself"),
        ("a: !!int abc\n", "yaml: cannot decode !!str `abc` as a !!int"),
        ("a:\n\tb: c\n", "yaml: line 2: found character that cannot start any token"),
        ("<<: 3\n", "yaml: map merge requires map or sequence of maps as the value"),
        ("? [a]\n: b\n", "yaml: invalid map key: []interface {}{\"a\"}"),
        ("? {a: ~}\n: b\n", "yaml: invalid map key: map[interface {}]interface {}{\"a\":interface {}(nil)}"),
        ("~: b\n", "unsupported map key of type: %!s(<nil>), key: <nil>, value: \"b\""),
        (
            "~: {~: b}\n",
            "unsupported map key of type: %!s(<nil>), key: <nil>, value: map[interface {}]interface {}{interface {}(nil):\"b\"}",
        ),
        ("~:\n", "unsupported map key of type: %!s(<nil>), key: <nil>, value: <nil>"),
        (
            "18446744073709551615: [1]\n",
            "unsupported map key of type: uint64, key: 0xffffffffffffffff, value: []interface {}{1}",
        ),
        // go-yaml objects before the conversion does, and that before the encoder does.
        ("~: b\n? [a]\n: b\n", "yaml: invalid map key: []interface {}{\"a\"}"),
        ("a: .inf\n~: b\n", "unsupported map key of type: %!s(<nil>), key: <nil>, value: \"b\""),
        ("a: \u{0}\n", "yaml: control characters are not allowed"),
    ] {
        assert_eq!(show(text.as_bytes()), [format!("{conversion}{expected}")], "{text:?}");
    }
    assert_eq!(show(b"a: \xff\n"), [format!("{conversion}yaml: invalid leading UTF-8 octet")]);
    let deep = format!("a: {}", "[".repeat(100_000));
    assert!(show(deep.as_bytes())[0].contains("exceeded max depth of 10000"));
    let mut bomb = "a: &a [x,x,x,x,x,x,x,x,x]\n".to_owned();
    for (name, of) in "bcdefghi".chars().zip("abcdefgh".chars()) {
        bomb.push_str(&format!("{name}: &{name} [*{of},*{of},*{of},*{of},*{of},*{of},*{of},*{of},*{of}]\n"));
    }
    assert_eq!(show(bomb.as_bytes()), [format!("{conversion}yaml: document contains excessive aliasing")]);
}

#[test]
fn streams_of_json() {
    for (text, expected) in [
        ("{\"a\":1}{\"b\":2}\n{\"c\":3}", vec![r#"{"a":1}"#, r#"{"b":2}"#, r#"{"c":3}"#]),
        ("{\"a\":1}\n---\nb: 2\n", vec![r#"{"a":1}"#, r#"{"b":2}"#]),
        ("{\"a\": 1,}\n", vec![r#"{"a":1}"#]),
        ("{'a': 1}\n", vec![r#"{"a":1}"#]),
        (
            "{\"a\":1}\n{\"b\":2}\n---\n",
            vec![r#"{"a":1}"#, r#"{"b":2}"#, "invalid character '-' in numeric literal"],
        ),
        (
            "{\"a\":1}\n{\"b\":2}\n{\"c\":3,}\n{\"d\":4}\n",
            vec![
                r#"{"a":1}"#,
                r#"{"b":2}"#,
                "invalid character '}' looking for beginning of object key string",
                r#"{"d":4}"#,
            ],
        ),
        (
            "{\"a\":1,,}\n",
            vec!["json: offset 8: invalid character ',' looking for beginning of object key string"],
        ),
        ("{\"a\":\n", vec!["unexpected EOF"]),
        (" \n\n", vec!["null"]),
        ("", vec![]),
        ("\u{feff}{\"a\":1}\n", vec![r#"{"a":1}"#]),
    ] {
        assert_eq!(show(text.as_bytes()), expected, "{text:?}");
    }
}

#[test]
fn utf_16_as_far_as_lines_leave_it_whole() {
    let encoded = |text: &str, mark: [u8; 2], unit: fn(u16) -> [u8; 2]| -> Vec<u8> {
        mark.into_iter().chain(text.encode_utf16().flat_map(unit)).collect()
    };
    let big = |text: &str| encoded(text, [0xFE, 0xFF], u16::to_be_bytes);
    assert_eq!(show(&big("a: \u{e9}\n")), ["{\"a\":\"\u{e9}\"}"]);
    assert_eq!(show(&big("{\"a\": 1}\n")), [r#"{"a":1}"#]);
    let conversion = "error converting YAML to JSON: ";
    assert_eq!(show(&big("a: b")), [format!("{conversion}yaml: incomplete UTF-16 character")]);
    let little = |text: &str| encoded(text, [0xFF, 0xFE], u16::to_le_bytes);
    assert_eq!(show(&little("a: b\n")), [format!("{conversion}yaml: incomplete UTF-16 character")]);
    // Nothing is read behind the first document.
    assert_eq!(show(&little("{a: b}\n{\ncccccccccccccccc: dddddddddddddddd\n}\n")), [r#"{"a":"b"}"#]);
}

#[test]
fn a_line_that_is_no_separator_counts_before_the_document_that_it_ends() {
    let first = |text: &str| {
        read_first(text.as_bytes(), &only_objects).map(|decoded| match decoded.outcome {
            Ok(document) => format!("{document:?}"),
            Err(Fault::Separator { rest, .. }) => format!("separator {rest}"),
            Err(Fault::Malformed { message, .. } | Fault::Rejected(message)) => message,
        })
    };
    assert_eq!(first("a: 1\n---x\nb: 2\n").as_deref(), Some("separator x"));
    assert_eq!(first("a: [\n---x\n").as_deref(), Some("separator x"));
    assert_eq!(first("a: 1\n---\nb: 2\n---x\n").as_deref(), Some(r#"{"a":1}"#));
    assert_eq!(
        first("{\"a\":1,}\n---x\n").as_deref(),
        Some("json: offset 8: invalid character '}' looking for beginning of object key string")
    );
    assert_eq!(first(""), None);
}

#[test]
fn every_fault_of_a_file_is_noted() {
    assert_eq!(
        show(b"a: 1\n--- b\nc: 3\n---\nd: [\n---\ne: 5\n"),
        [
            r#"{"a":1}"#,
            "separator b",
            r#"{"c":3}"#,
            "error converting YAML to JSON: yaml: line 1: did not find expected node content",
            r#"{"e":5}"#,
        ]
    );
}

#[test]
fn places_survive_normalising() {
    let chunk = b"\xEF\xBB\xBFa\r\n\xC3\xA9\r\n\r\nb";
    let text = normalised(chunk);
    let carriage_returns = CarriageReturns::new(chunk);
    for (byte, found) in text.iter().enumerate().take(text.len() - 1) {
        let original = carriage_returns.original(byte);
        let expected = if *found == b'\n' { b'\r' } else { *found };
        assert_eq!(chunk.get(original), Some(&expected), "{byte}");
    }
    assert_eq!(carriage_returns.original(99), chunk.len());
}

#[test]
fn budgets_end_reading() {
    use crate::limits::{LimitExceeded, Limits, Meter, VALUE_BYTES};
    let read = |text: &str, limits: Limits| {
        let meter = Meter::new(limits);
        let decoded = read_within(text.as_bytes(), &meter, &only_objects);
        (decoded.iter().filter(|decoded| decoded.outcome.is_ok()).count(), meter.exceeded())
    };
    let documents = |documents| Limits { documents, ..Limits::default() };
    for text in ["{} ".repeat(10), "---\na: b\n".repeat(10)] {
        assert_eq!(read(&text, documents(10)), (10, None), "{text}");
        assert_eq!(read(&text, documents(9)).1, Some(LimitExceeded::Documents(9)), "{text}");
    }
    // Chunks behind the budget are not even looked for.
    assert_eq!(read(&"---\n".repeat(100_000), documents(5)), (0, Some(LimitExceeded::Documents(5))));
    let text = "a: &a 12345678\nb: &b [*a, *a]\nc: *b\n";
    // Two times the text, and the list with both.
    let bytes = 2 * (VALUE_BYTES + 8) + VALUE_BYTES + 2 * (VALUE_BYTES + 8);
    let alias = |alias_bytes| Limits { alias_bytes, ..Limits::default() };
    assert_eq!(read(text, alias(bytes)), (1, None));
    assert_eq!(read(text, alias(bytes - 1)), (0, Some(LimitExceeded::AliasBytes(bytes - 1))));
    let twice = format!("{text}---\n{text}");
    assert_eq!(read(&twice, alias(2 * bytes - 1)).1, Some(LimitExceeded::AliasBytes(2 * bytes - 1)));
    // An alias whose text is long runs into the budget long before go-yaml's own limit.
    let bomb = format!("a: &a {}\nb: [{}]\n", "x".repeat(100_000), "*a, ".repeat(1000));
    let error = show(bomb.as_bytes());
    assert_eq!(error, ["error converting YAML to JSON: YAML aliases repeat more than 67108864 bytes"]);
}
