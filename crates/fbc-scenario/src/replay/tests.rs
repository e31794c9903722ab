//! The recorded scenarios, compared as the suite `olmv1` does.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_cluster::object::ObjectFields;
use fbc_model::tree::DiskTree;
use serde_json::{Value, json};

use super::{ContentDirectories, play};

fn directory() -> Option<PathBuf> {
    fbc_testing::recordings("")
}

/// One form for texts that the reference writes in random order, and for digests.
fn unordered(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("sha256:") {
        let (before, from) = rest.split_at(at + "sha256:".len());
        out.push_str(before);
        out.push_str("<digest>");
        rest = match from.strip_prefix("<digest") {
            Some(placeholder) => placeholder.split_once('>').map_or("", |(_, rest)| rest),
            None => from.trim_start_matches(|character: char| character.is_ascii_hexdigit()),
        };
    }
    out.push_str(rest);
    let mut text = out;
    if let Some((head, tail)) = text.split_once("new required fields: [")
        && let Some((fields, tail)) = tail.split_once(']')
    {
        let mut fields: Vec<&str> = fields.split_whitespace().collect();
        fields.sort_unstable();
        text = format!("{head}new required fields: [{}]{tail}", fields.join(" "));
    }
    if let Some(at) = text.find("validating upgrade for CRD \"")
        && let Some(end) = text[at..].find("\": ")
    {
        text.insert(at + end + 3, '\n');
    }
    let mut lines: Vec<&str> = text.split('\n').collect();
    lines.sort_unstable();
    lines.join("\n")
}

fn status(objects: &[Value]) -> BTreeMap<String, Value> {
    let observed = objects.iter().filter(|object| object.kind() != "ClusterObjectSet");
    observed
        .map(|object| {
            let conditions: BTreeMap<&str, Value> = object
                .list(&["status", "conditions"])
                .iter()
                .map(|one| {
                    let message = unordered(one.text(&["message"]));
                    (
                        one.text(&["type"]),
                        json!([one["status"], one["reason"], message, one["observedGeneration"]]),
                    )
                })
                .collect();
            let rest: BTreeMap<&str, String> = ["install", "resolvedSource", "urls"]
                .into_iter()
                .filter_map(|field| Some((field, unordered(&object.at(&["status", field])?.to_string()))))
                .collect();
            let finalizers: BTreeSet<&str> = object.finalizers().collect();
            let summary = json!({
                "conditions": conditions, "rest": rest, "generation": object["metadata"]["generation"],
                "finalizers": finalizers, "deleting": object.is_terminating(),
            });
            (format!("{}/{}", object.kind(), object.name()), summary)
        })
        .collect()
}

fn changed(objects: &[Value]) -> Vec<String> {
    let counts =
        |object: &&Value| !(object.kind() == "Secret" && object.text(&["name"]).contains("helm.release"));
    let mut lines: Vec<String> = objects
        .iter()
        .filter(counts)
        .map(|object| {
            let text = |field: &str| object.text(&[field]).to_owned();
            format!("{} {} {}/{}", text("change"), text("kind"), text("namespace"), text("name"))
        })
        .collect();
    lines.sort_unstable();
    lines
}

fn errors(step: &Value) -> Vec<String> {
    let mut errors: Vec<String> =
        step.list(&["errors"]).iter().map(|error| unordered(error.as_str().unwrap_or_default())).collect();
    errors.sort_unstable();
    errors
}

/// What differs first between a step and its recording.
fn difference(found: &Value, recorded: &Value) -> Option<String> {
    let (got, want) = (status(found.list(&["settled"])), status(recorded.list(&["settled"])));
    for key in got.keys().chain(want.keys()).collect::<BTreeSet<_>>() {
        let (got, want) = (got.get(key), want.get(key));
        if got != want {
            let show = |value: Option<&Value>| value.map_or_else(|| "nothing".to_owned(), Value::to_string);
            return Some(format!("{key}:\n      got  {}\n      want {}", show(got), show(want)));
        }
    }
    let (got, want) = (changed(found.list(&["objects"])), changed(recorded.list(&["objects"])));
    if got != want {
        let surplus: Vec<&String> = got.iter().filter(|line| !want.contains(line)).collect();
        let missing: Vec<&String> = want.iter().filter(|line| !got.contains(line)).collect();
        return Some(format!("objects: too many {surplus:?}, missing {missing:?}"));
    }
    let (got, want) = (errors(found), errors(recorded));
    (got != want).then(|| format!("errors: got {got:?}, want {want:?}"))
}

/// Plays a scenario; none if it comes out as recorded.
fn failure(directory: &Path, content: &ContentDirectories, name: &str) -> Option<String> {
    let scenario = directory.join("olmv1").join(name);
    let played = match play(&DiskTree { root: scenario.clone() }, content, 1) {
        Ok(played) => played,
        Err(error) => return Some(error.to_string()),
    };
    for step in played.list(&["steps"]) {
        let number = step.text(&["file"]);
        let text = std::fs::read_to_string(scenario.join(format!("recorded/{number}.json"))).unwrap();
        let recorded: Value = serde_json::from_str(&text).unwrap();
        if let Some(difference) = difference(step, &recorded) {
            return Some(format!("step {number}, {difference}"));
        }
    }
    None
}

#[test]
fn recorded_scenarios() {
    let Some(directory) = directory() else { return };
    let content = ContentDirectories {
        images: Arc::new(DiskTree { root: directory.join("olmv1/content") }),
        bundles: Some(Arc::new(DiskTree { root: directory.join("bundles") })),
    };
    let mut names: Vec<String> = std::fs::read_dir(directory.join("olmv1"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| directory.join("olmv1").join(name).join("recorded").is_dir())
        .collect();
    names.sort_unstable();
    assert!(!names.is_empty(), "no scenario is recorded");
    let mut failures = Vec::new();
    for name in &names {
        if let Some(failure) = failure(&directory, &content, name) {
            println!("{name}: {failure}");
            failures.push(name.as_str());
        }
    }
    println!("{} of {} scenarios come out as recorded", names.len() - failures.len(), names.len());
    assert!(failures.is_empty(), "{failures:?}");
}
