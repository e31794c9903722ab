//! The order of writes inside each component, and the events: each new text in its order.
//!
//! Between components the order is random in the real program, and how often a failing retrieval is told depends on ticks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fbc_cluster::object::ObjectFields;
use fbc_model::tree::Tree;
use fbc_openshift::release::file_name::runlevel_and_component;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::comparison::without_chance;
use super::world::Played;

/// A write: the object, and what became of it.
pub(super) type Write = (String, &'static str);

/// The component that each object belongs to, from the payloads that a case speaks of.
fn components(recordings: &dyn Tree, case: &Value) -> BTreeMap<String, String> {
    let text = case.to_string();
    let mut components = BTreeMap::new();
    for payload in recordings.list(Path::new("cvo/payloads")).unwrap_or_default() {
        let name = payload.name.to_string_lossy();
        let digest = Sha256::digest(format!("release {name}"));
        let hex: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        if !text.contains(&hex) {
            continue;
        }
        let directory = Path::new("cvo/payloads").join(&payload.name).join("release-manifests");
        for file in recordings.list(&directory).unwrap_or_default() {
            let name = file.name.to_string_lossy();
            let Some((_, component)) = runlevel_and_component(&name) else { continue };
            let bytes = recordings.read(&directory.join(&file.name)).unwrap_or_default();
            for manifest in fbc_openshift::release::manifest::read("release-manifests", &name, &bytes).0 {
                components
                    .insert(object(manifest.kind(), &manifest.name().to_string()), component.to_owned());
            }
        }
    }
    components
}

pub(super) fn object(kind: &str, name: &str) -> String {
    format!("{kind}/{name}")
}

/// The writes of a list by component, without those that repeat the one before.
fn by_component<'w>(
    writes: impl Iterator<Item = (&'w str, &'w str)>,
    components: &BTreeMap<String, String>,
    left_out: &BTreeSet<&str>,
) -> BTreeMap<String, Vec<String>> {
    let mut lists: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (object, event) in writes.filter(|(object, _)| !left_out.contains(object)) {
        let Some(component) = components.get(object) else { continue };
        let list = lists.entry(component.clone()).or_default();
        let text = format!("{event} {object}");
        if list.last() != Some(&text) {
            list.push(text);
        }
    }
    lists
}

/// Whether a recorded transition changes more than a status.
fn changes_content(transition: &Value) -> bool {
    transition["event"] != "MODIFIED"
        || transition["change"].as_object().is_some_and(|change| {
            change.keys().any(|key| !key.starts_with("status") && key != "metadata.ownerReferences")
        })
}

/// What differs.
pub(super) fn differences(recordings: &dyn Tree, case: &Value, played: &Played) -> Vec<String> {
    let components = &components(recordings, case);
    let transitions: Vec<&Value> =
        case.list(&["transitions"]).iter().filter(|one| changes_content(one)).collect();
    let by = |transition: &Value, who: &str| transition["by"] == who;
    // Objects that somebody else writes as well are left out.
    let others: BTreeSet<&str> =
        transitions.iter().filter(|one| !by(one, "cvo")).map(|one| one.text(&["object"])).collect();
    let recorded = transitions
        .iter()
        .filter(|one| by(one, "cvo"))
        .map(|one| (one.text(&["object"]), one.text(&["event"])));
    let recorded = by_component(recorded, components, &others);
    let got = played.writes.iter().map(|(object, event)| (object.as_str(), *event));
    let got = by_component(got, components, &others);
    let mut differences = Vec::new();
    let names: BTreeSet<&String> = recorded.keys().chain(got.keys()).collect();
    for name in names {
        if recorded.get(name) != got.get(name) {
            differences.push(format!(
                "writes of {name}\n    recorded: {:#?}\n    played: {:#?}",
                recorded.get(name),
                got.get(name)
            ));
        }
    }
    let recorded: Vec<String> = case
        .list(&["events"])
        .iter()
        .map(|event| told(event.text(&["type"]), event.text(&["reason"]), event.text(&["message"])))
        .collect();
    let got: Vec<String> =
        played.events.iter().map(|(kind, reason, message)| told(kind, reason, message)).collect();
    let (recorded, got) = (first_of_each(recorded), first_of_each(got));
    if recorded != got {
        differences.push(format!("events\n    recorded: {recorded:#?}\n    played: {got:#?}"));
    }
    differences
}

fn told(kind: &str, reason: &str, message: &str) -> String {
    format!("{kind} {reason} {}", without_times(&without_chance(message)))
}

/// What was tried when is written before each detail of a signature that is missing.
fn without_times(message: &str) -> String {
    let is_time =
        |word: &str| word.len() == 20 && word.ends_with('Z') && word.as_bytes().get(10) == Some(&b'T');
    let words = message.split(' ').map(|word| {
        let (bracket, time) = word.split_at(word.len() - word.trim_start_matches('[').len());
        match time.strip_suffix(':') {
            Some(time) if is_time(time) => format!("{bracket}<time>:"),
            _ => word.to_owned(),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

fn first_of_each(texts: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    texts.into_iter().filter(|text| seen.insert(text.clone())).collect()
}
