//! The YAML writer against a slow, simple model of go-yaml v2, and against files that opm wrote.

// Helpers of tests count as tests.
use std::cmp::Ordering;
use std::path::{Path, PathBuf};

use fbc_yaml::{Built, Document, DocumentBuilder, Node, stream, yaml_writer};
use proptest::prelude::*;

mod model;

/// A JSON value to be put into a document.
#[derive(Clone, Debug)]
enum Value {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Value>),
    Mapping(Vec<(String, Value)>),
}

fn build(builder: &mut DocumentBuilder, value: &Value) -> Built {
    match value {
        Value::Null => builder.null(),
        Value::Bool(value) => builder.boolean(*value),
        Value::Number(number) => builder.number(*number),
        Value::Text(text) => builder.string(text),
        Value::List(items) => {
            let items: Vec<Built> = items.iter().map(|item| build(builder, item)).collect();
            let mark = builder.open();
            items.into_iter().for_each(|item| builder.push_item(item));
            builder.close_array(mark)
        }
        Value::Mapping(members) => {
            let members: Vec<(&String, Built)> =
                members.iter().map(|(key, value)| (key, build(builder, value))).collect();
            let mark = builder.open();
            members.into_iter().for_each(|(key, value)| builder.push_member(key, value));
            builder.close_object(mark)
        }
    }
}

fn document_of(value: &Value) -> Document {
    let mut builder = DocumentBuilder::new();
    let root = build(&mut builder, value);
    builder.finish(root)
}

fn written(node: Node<'_>) -> String {
    let mut out = String::new();
    yaml_writer::write(&mut out, node).unwrap();
    out
}

/// Pieces that texts are put together from: what YAML gives a meaning, in places where it matters.
const PIECES: &[&str] = &[
    " ",
    " ",
    " ",
    "  ",
    "   ",
    "\n",
    "\n",
    "\n\n",
    "\t",
    "\r",
    ":",
    ": ",
    " #",
    "#",
    "-",
    "- ",
    "---",
    "...",
    "?",
    "? ",
    "'",
    "''",
    "\"",
    "\\",
    ",",
    "[",
    "]",
    "{",
    "}",
    "&",
    "*",
    "!",
    "|",
    ">",
    "%",
    "@",
    "`",
    "~",
    "<<",
    "=",
    ".",
    "_",
    "+",
    "0",
    "0x",
    "0b",
    "0o",
    "1",
    "17",
    "59",
    "60",
    "08",
    "1e3",
    ".5",
    ".inf",
    "e5",
    "2001-01-01",
    "T1:2:3Z",
    "t01:02:03.5+01:30",
    " 10:20:30",
    ":59",
    "y",
    "No",
    "true",
    "null",
    "a",
    "b1",
    "v10",
    "word",
    "supercalifragilistic",
    "operators.coreos.com/v1alpha1",
    "Lorem ipsum dolor sit amet, consectetur adipisici elit, sed eiusmod tempor.",
    "iVBORw0KGgoAAAANSUhEUgAAAMgAAADICAYAAACtWK6eAAAACXBIWXMAAAsTAAALEwEAmpwYAAAKT2lDQ1BQaG90b3Nob3AgSUNDIHByb2Zp",
];

/// Characters outside ASCII that go-yaml writes as they are, with some that break lines.
const PRINTABLE: &[&str] =
    &["é", "ß", "–", "’", "\u{a0}", "世界", "\u{fffd}", "\u{e000}", "\u{2028}", "\u{2029}"];

/// Characters that it escapes.
const ESCAPED: &[&str] = &["\u{1f600}", "\u{10000}", "\u{10ffff}", "\0", "\u{1}", "\u{1b}", "\u{1f}"];

fn text(pieces: Vec<&'static str>) -> impl Strategy<Value = String> + Clone {
    let piece = proptest::sample::select(pieces);
    let any = proptest::collection::vec(piece, 0..12);
    let long =
        proptest::collection::vec("[a-z']{1,14}|[a-z]{1,3} |: ?|  ", 1..60).prop_map(|words| words.join(" "));
    let digits = "[-+]?[0-9._:xbobeEf-]{1,8}";
    prop_oneof![
        6 => any.prop_map(|pieces| pieces.concat()),
        2 => long,
        1 => digits,
        1 => "[ -~]{0,100}",
    ]
    // The model's emitter ends such text differently.
    .prop_map(|text| if text.ends_with(['\u{2028}', '\u{2029}']) { text + "." } else { text })
}

fn value(text: impl Strategy<Value = String> + Clone + 'static) -> impl Strategy<Value = Value> {
    let number = prop_oneof![
        any::<f64>().prop_filter("JSON has no others", |number| number.is_finite()),
        any::<i32>().prop_map(f64::from),
        any::<i64>().prop_map(|number| number as f64),
        (-400..400_i32, -30..30_i32).prop_map(|(number, exponent)| f64::from(number) * 10_f64.powi(exponent)),
    ];
    let leaf = prop_oneof![
        1 => Just(Value::Null),
        1 => any::<bool>().prop_map(Value::Bool),
        2 => number.prop_map(Value::Number),
        8 => text.clone().prop_map(Value::Text),
    ];
    leaf.prop_recursive(5, 40, 6, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::List),
            proptest::collection::vec((text.clone(), inner), 0..6).prop_map(Value::Mapping),
        ]
    })
}

fn check(value: &Value) -> Result<(), TestCaseError> {
    let document = document_of(value);
    prop_assume!(model::has_key_order(document.root()));
    prop_assert_eq!(written(document.root()), model::yaml_of(document.root()));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_as_the_model_writes_them(value in value(text([PIECES, PRINTABLE].concat()))) {
        check(&value)?;
    }

    #[test]
    fn values_with_escapes_as_the_model_writes_them(value in value(text([PIECES, ESCAPED].concat()))) {
        check(&value)?;
    }

    #[test]
    fn keys_as_the_model_orders_them(start in "[a0-1]{0,3}", a in "[a0-2_.é-]{0,4}", b in "[a0-2_.é-]{0,4}") {
        let (a, b) = (format!("{start}{a}"), format!("{start}{b}"));
        let order = yaml_writer::key_order(&a, &b);
        prop_assert_eq!(order == Ordering::Less, model::is_less(&a, &b));
        prop_assert_eq!(order == Ordering::Greater, model::is_less(&b, &a));
    }
}

#[test]
fn tricky_texts_as_the_model_writes_them() {
    let mut texts: Vec<String> = PIECES.iter().chain(PRINTABLE).map(|piece| (*piece).to_owned()).collect();
    for first in PIECES {
        for second in PIECES {
            texts.push(format!("{first}{second}"));
            texts.push(format!("{first}a{second}"));
            texts.push(format!("{}{first}b{second}c", "x".repeat(79)));
        }
    }
    for length in 70..90 {
        for joint in [" ", "  ", " ' ", "' '", " \t", "\n ", "é é"] {
            texts.push(format!(
                "{}{joint}{}{joint}{}",
                "a".repeat(length),
                "b".repeat(90 - length),
                "c".repeat(60)
            ));
            texts.push(format!(" {}{joint}é", "a".repeat(length)));
        }
    }
    texts.retain(|text| !text.ends_with(['\u{2028}', '\u{2029}']));
    for text in texts {
        let text = Value::Text(text);
        let as_key = Value::Mapping(vec![(
            match &text {
                Value::Text(text) => text.clone(),
                _ => String::new(),
            },
            Value::List(vec![text.clone()]),
        )]);
        for value in [text.clone(), Value::List(vec![text.clone(), text.clone()]), as_key] {
            let document = document_of(&value);
            assert_eq!(written(document.root()), model::yaml_of(document.root()), "{value:?}");
        }
    }
}

fn files_below(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, extension, found);
        } else if path.extension().is_some_and(|found| found == extension) {
            found.push(path);
        }
    }
}

fn documents_of(file: &Path) -> Vec<Document> {
    let bytes = std::fs::read(file).unwrap();
    let decoded = stream::read::<_, ()>(&bytes, &|document| Ok(document));
    decoded.into_iter().filter_map(|decoded| decoded.outcome.ok()).collect()
}

#[test]
fn files_that_opm_wrote() {
    let Some(recordings) = fbc_testing::recordings("") else { return };
    let mut files = Vec::new();
    files_below(&recordings.join("render"), "yaml", &mut files);
    assert!(!files.is_empty());
    for file in files {
        let mut out = String::new();
        for document in documents_of(&file) {
            out.push_str("---\n");
            yaml_writer::write(&mut out, document.root()).unwrap();
        }
        assert!(out == std::fs::read_to_string(&file).unwrap(), "{}", file.display());
    }
}

#[test]
fn real_blobs_as_the_model_writes_them() {
    let Some(recordings) = fbc_testing::recordings("") else { return };
    let mut files = Vec::new();
    files_below(&recordings.join("render/bundles"), "json", &mut files);
    files_below(&recordings.join("catalogs/kueue-v4.18"), "json", &mut files);
    let mut compared = 0;
    for document in files.iter().flat_map(|file| documents_of(file)) {
        if model::can_write(document.root()) {
            assert!(written(document.root()) == model::yaml_of(document.root()), "{document:.300?}");
            compared += 1;
        }
    }
    assert!(compared > 0);
}
