//! Recorded answers of a real kubectl to the same commands over objects that are rebuilt here.
//!
//! Ages, dates and addresses are placeholders in the recordings, and columns were laid out again there, so both sides
//! are compared word by word.

use serde_json::{Value, json};

use super::super::memory::Memory;
use super::super::{Session, run};
use super::objects;
use crate::command_line::parse;

/// What stands in the recordings for values that differ between two runs.
const PLACEHOLDERS: [(&str, &str); 14] = [
    ("Wed, 31 Dec 2025 23:56:00 +0000", "<date>"),
    ("2025-12-31T23:56:00Z", "<time>"),
    ("Wed, 31 Dec 2025 23:56:05 +0000", "<date>"),
    ("pending.0", "pending.<hash>"),
    ("pending.1", "pending.<hash>"),
    ("pending.2", "pending.<hash>"),
    ("pending.3", "pending.<hash>"),
    ("over 4m)", "over <age>)"),
    ("4m", "<age>"),
    ("5s", "<age>"),
    ("1s", "<age>"),
    ("100m", "<age>"),
    ("200m", "<age>"),
    ("(lasts 0s)", "(lasts <invalid>)"),
];

/// The words of a text, with placeholders for what differs between two runs.
pub(crate) fn words(text: &str) -> Vec<String> {
    let mut text = text.to_owned();
    for (value, placeholder) in PLACEHOLDERS {
        text = text
            .split('\n')
            .map(|line| {
                // Spans within names and tolerations are not ages.
                if placeholder == "<age>" {
                    line.split(' ')
                        .map(|word| if word == value { placeholder } else { word })
                        .collect::<Vec<_>>()
                        .join(" ")
                } else {
                    line.replace(value, placeholder)
                }
            })
            .collect::<Vec<_>>()
            .join("\n");
    }
    text.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn tables_and_descriptions() {
    let Some(cases) = fbc_testing::recorded_json("kube/11-tables/cases.json") else { return };
    let cases: Vec<Value> = serde_json::from_value(cases).unwrap();
    let mut server =
        Memory::new().with_columns("example.com", "Widget", objects::widget_columns()).with(objects::all());
    let mut different = Vec::new();
    for case in &cases {
        let name = case["name"].as_str().unwrap();
        let arguments = case["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_owned());
        let command =
            parse(&std::iter::once("kubectl".to_owned()).chain(arguments).collect::<Vec<_>>()).unwrap();
        let outcome = run(&command, &mut Session::default(), &mut server, &|_| None);
        let recorded = |stream: &str| words(case[stream].as_str().unwrap_or_default());
        let same = words(&outcome.stdout) == recorded("stdout")
            && words(&outcome.stderr) == recorded("stderr")
            && json!(outcome.exit_code) == case["exit"];
        if !same {
            let expected = recorded("stdout");
            let got = words(&outcome.stdout);
            let at = expected.iter().zip(&got).take_while(|(a, b)| a == b).count();
            let near = |words: &[String]| {
                words.iter().skip(at.saturating_sub(3)).take(9).cloned().collect::<Vec<_>>().join(" ")
            };
            println!(
                "{name}\n   recorded … {}\n   printed … {}\n   {}",
                near(&expected),
                near(&got),
                outcome.stderr
            );
            different.push(name);
        }
    }
    assert!(different.is_empty(), "{} of {} differ: {different:?}", different.len(), cases.len());
}

/// The paths of all values in a value.
fn paths(value: &Value, prefix: &str, found: &mut Vec<String>) {
    found.push(prefix.to_owned());
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                let key = key.replace('~', "~0").replace('/', "~1");
                paths(member, &format!("{prefix}/{key}"), found);
            }
        }
        Value::Array(items) => {
            items
                .iter()
                .enumerate()
                .for_each(|(index, item)| paths(item, &format!("{prefix}/{index}"), found));
        }
        _ => {}
    }
}

#[test]
fn mistyped_fields_are_shown_somehow() {
    let mut seen = Vec::new();
    let values = [json!(null), json!(i64::MIN), json!("\u{e9}\n"), json!([[]]), json!({"a": {}})];
    for object in objects::all() {
        let kind = object["kind"].as_str().unwrap().to_owned();
        if seen.contains(&kind) {
            continue;
        }
        let mut all = Vec::new();
        paths(&object, "", &mut all);
        let kept = ["", "/apiVersion", "/kind", "/metadata", "/metadata/name", "/metadata/namespace"];
        for path in all.iter().filter(|path| !kept.contains(&path.as_str())) {
            for value in &values {
                let mut broken = object.clone();
                *broken.pointer_mut(path).unwrap() = value.clone();
                let mut server = Memory::new().with([broken]);
                for verb in ["get", "describe"] {
                    let line = ["kubectl", verb, &kind.to_lowercase(), "-A"].map(str::to_owned);
                    let outcome =
                        run(&parse(&line).unwrap(), &mut Session::default(), &mut server, &|_| None);
                    assert!(!outcome.stdout.is_empty(), "{verb} {kind} {path}");
                }
            }
        }
        seen.push(kind);
    }
    assert!(seen.len() > 12, "{seen:?}");
}
