//! Cases of every check, for both generations: old and new attributes, crdify's words, the words of 4.19.

use crate::crd_upgrade::schema_type::{SCHEMA, Type};
use crate::crd_upgrade::value::Value;
use crate::crd_upgrade::{Target, wording};

use super::{Attributes, FIRST, LATER};

/// What both targets say; nothing where they allow it. 4.19 is asked only about the checks that it has.
fn refusals(old: &str, new: &str) -> (Option<String>, Option<String>) {
    let read = |text: &str| {
        let document = fbc_yaml::stream::read_one(text.as_bytes()).unwrap();
        Attributes(Value::read(document.root(), Type::Struct(&SCHEMA)).unwrap())
    };
    let told = |target, checks: &[super::Check]| {
        let (mut old, mut new) = (read(old), read(new));
        checks.iter().find_map(|check| wording::refusal(target, &old.apply(&mut new, check)?))
    };
    (told(Target::Latest, FIRST).or_else(|| told(Target::Latest, LATER)), told(Target::Ocp419, FIRST))
}

#[test]
fn cases() {
    for (old, new, latest, first) in [
        (
            "{}",
            "{enum: [b, a]}",
            r#"enum constraint added when there was none previously : ["a" "b"]"#,
            r#"enum constraints ["a" "b"] added when there were no restrictions previously"#,
        ),
        (
            "{enum: [a, b]}",
            "{enum: [b, c]}",
            r#"allowed enum values removed : ["a"]"#,
            r#"enums ["a"] removed from the set of previously allowed values"#,
        ),
        (
            "{enum: [1]}",
            "{}",
            "allowed enum values removed : [1]",
            "enums [1] removed from the set of previously allowed values",
        ),
        ("{enum: [a]}", "{enum: [a, b]}", "", ""),
        ("{enum: [a, b]}", "{enum: [b, a]}", "", ""),
        (
            "{required: [a]}",
            "{required: [c, b, a]}",
            "new required fields: [b c]",
            "new required fields added: [b c]",
        ),
        ("{required: [a, b]}", "{required: [b]}", "", ""),
        ("{required: [a]}", "{}", "", ""),
        (
            "{}",
            "{default: {b: 1, a: \"<\"}}",
            r#"default added when there was none previously : "{\"a\":\"\\u003c\",\"b\":1}""#,
            r#"default value "{\"a\":\"\\u003c\",\"b\":1}" added when there was no default previously"#,
        ),
        ("{default: x}", "{}", r#"default value removed : "\"x\"""#, r#"default value "\"x\"" removed"#),
        (
            "{default: 1}",
            "{default: 2}",
            r#"default value changed : "1" -> "2""#,
            r#"default value changed from "1" to "2""#,
        ),
        ("{default: 1}", "{default: 1.0}", "", ""),
        (
            "{type: string}",
            "{type: integer}",
            r#"type changed : "string" -> "integer""#,
            r#"type changed from "string" to "integer""#,
        ),
        ("{type: string}", "{}", r#"type changed : "string" -> """#, r#"type changed from "string" to """#),
        ("{}", "{pattern: ^a}", r#"pattern added : "" -> "^a""#, ""),
        ("{pattern: ^a}", "{}", r#"pattern removed : "^a" -> """#, ""),
        ("{pattern: ^a}", "{pattern: ^b}", r#"pattern changed : "^a" -> "^b""#, ""),
        ("{}", "{nullable: true}", "nullable added : false -> true", ""),
        ("{nullable: true}", "{nullable: false}", "nullable removed : true -> false", ""),
        ("{oneOf: [{title: a}]}", "{oneOf: [{title: b, description: c}]}", "", ""),
    ] {
        let (told_latest, told_first) = refusals(old, new);
        assert_eq!(told_latest.unwrap_or_default(), latest, "{old} to {new}, latest");
        assert_eq!(told_first.unwrap_or_default(), first, "{old} to {new}, 4.19");
    }
}

#[test]
fn bounds_of_every_attribute() {
    for attribute in ["minimum", "minItems", "minLength", "minProperties"] {
        bound(attribute, "minimum", "increased", (2, 3), (3, 2));
    }
    for attribute in ["maximum", "maxItems", "maxLength", "maxProperties"] {
        bound(attribute, "maximum", "decreased", (3, 2), (2, 3));
    }
}

fn bound(attribute: &str, side: &str, word: &str, tighter: (u8, u8), looser: (u8, u8)) {
    let of = |number: u8| format!("{{{attribute}: {number}}}");
    assert_eq!(
        refusals("{}", &of(5)),
        (
            Some(format!("{side} constraint added when there was none previously : 5")),
            Some(format!("{attribute}: constraint 5 added when there were no restrictions previously"))
        )
    );
    let (old, new) = tighter;
    assert_eq!(
        refusals(&of(old), &of(new)),
        (
            Some(format!("{side} {word} : {old} -> {new}")),
            Some(format!("{attribute}: constraint {word} from {old} to {new}"))
        )
    );
    assert_eq!(refusals(&of(looser.0), &of(looser.1)), (None, None));
    assert_eq!(refusals(&of(5), "{}"), (None, None));
}

#[test]
fn numbers_are_written_as_go_writes_them() {
    assert_eq!(
        refusals("{}", "{maximum: 1000000}").0.unwrap(),
        "maximum constraint added when there was none previously : 1e+06"
    );
    assert_eq!(
        refusals("{}", "{maxLength: 1000000}").0.unwrap(),
        "maximum constraint added when there was none previously : 1000000"
    );
    assert_eq!(
        refusals("{}", "{maximum: 0.5}").1.unwrap(),
        "maximum: constraint 0.5 added when there were no restrictions previously"
    );
}

#[test]
fn alternatives_are_told_apart_by_their_own_text() {
    let (latest, _) = refusals("{oneOf: [{required: [a]}]}", "{oneOf: [{required: [a]}, {required: [b]}]}");
    let latest = latest.unwrap();
    assert!(
        latest.starts_with("allowed oneOf schemas added: [&JSONSchemaProps{ID:,Schema:,Ref:nil,"),
        "{latest}"
    );
    assert!(latest.contains("Required:[b],Items:nil,AllOf:[]JSONSchemaProps{},"), "{latest}");
    assert!(latest.ends_with("XMapType:nil,XValidations:[]ValidationRule{},}]"), "{latest}");
    let (latest, _) = refusals("{}", "{oneOf: [{required: [a]}]}");
    assert!(latest.unwrap().starts_with("oneOf constraint added when there was none previously: [&"));
    let (latest, _) = refusals("{oneOf: [{required: [a]}]}", "{}");
    assert!(latest.unwrap().starts_with("allowed oneOf schemas removed: [&"));
}
