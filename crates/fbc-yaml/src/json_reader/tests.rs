//! Values and errors as Go has them.

use super::*;

fn compact(text: &[u8]) -> String {
    match read_value(text, 0) {
        Ok((document, end)) => format!("{document:?} {end}"),
        Err(error) => format!("{} @{}", error.message, error.offset),
    }
}

#[test]
fn values() {
    for (text, expected) in [
        (r#" {"b":1,"a":[true,null,"x"]} rest"#, r#"{"a":[true,null,"x"],"b":1} 28"#),
        (r#"{"a":1,"a":2}"#, r#"{"a":2} 13"#),
        (r#"[]"#, "[] 2"),
        (r#"[{},[[]]]"#, "[{},[[]]] 9"),
        (r#""\u0041\n\/\ud83d\ude00\ud800x\ud800\u0041""#, "\"A\\n/😀\u{fffd}x\u{fffd}A\" 43"),
        ("12345678901234567890", "12345678901234567000 20"),
        ("-0.0", "-0 4"),
        ("1e2 ", "100 3"),
    ] {
        assert_eq!(compact(text.as_bytes()), expected, "{text}");
    }
    assert_eq!(compact(b"\"a\xff\xe2\x82z\""), "\"a\u{fffd}\u{fffd}\u{fffd}z\" 7");
}

#[test]
fn errors_as_go() {
    for (text, expected) in [
        ("{,}", "invalid character ',' looking for beginning of object key string @1"),
        ("{\"a\" 1}", "invalid character '1' after object key @5"),
        ("{\"a\":1 \"b\"}", "invalid character '\"' after object key:value pair @7"),
        ("[1 2]", "invalid character '2' after array element @3"),
        ("[1,]", "invalid character ']' looking for beginning of value @3"),
        ("{\"a\":1,}", "invalid character '}' looking for beginning of object key string @7"),
        ("--", "invalid character '-' in numeric literal @1"),
        ("1.x", "invalid character 'x' after decimal point in numeric literal @2"),
        ("1e+", "unexpected EOF @3"),
        ("trux", "invalid character 'x' in literal true (expecting 'e') @3"),
        ("\"a\nb\"", "invalid character '\\n' in string literal @2"),
        ("\"\\q\"", "invalid character 'q' in string escape code @2"),
        ("\"\\u00g0\"", "invalid character 'g' in \\u hexadecimal character escape @5"),
        ("'a'", "invalid character '\\'' looking for beginning of value @0"),
        ("\u{e9}", "invalid character 'Ã' looking for beginning of value @0"),
        ("{\"a\": ", "unexpected EOF @6"),
        ("[1e400]", "json: cannot unmarshal number 1e400 into Go value of type float64 @1"),
    ] {
        assert_eq!(compact(text.as_bytes()), expected, "{text}");
    }
    assert!(compact("[".repeat(100_000).as_bytes()).starts_with("exceeded max depth"));
    let deep = format!("{}{}", "[".repeat(10_000), "]".repeat(10_000));
    assert!(read_value(deep.as_bytes(), 0).is_ok());
}
