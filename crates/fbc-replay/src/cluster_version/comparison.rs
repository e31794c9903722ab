//! What must be equal: conditions in their order, the history, the lists of updates, the objects at the end.

use std::collections::{BTreeMap, BTreeSet};

use fbc_cluster::object::ObjectFields;
use serde_json::{Value, json};

use super::world::Played;

/// The states of a ClusterVersion from the transitions of a case, each with its time.
pub(super) fn recorded_states(initial: &Value, case: &Value) -> Vec<(u64, Value)> {
    let objects = initial.as_array().cloned().unwrap_or_default();
    let mut state =
        objects.into_iter().find(|one| one.kind() == "ClusterVersion").unwrap_or_else(|| json!({}));
    let mut states = Vec::new();
    for transition in
        case.list(&["transitions"]).iter().filter(|one| one["object"] == "ClusterVersion/version")
    {
        if let Some(set) = transition.get("set") {
            state = set.clone();
        }
        for (path, value) in transition["change"].as_object().into_iter().flatten() {
            change(&mut state, path, value);
        }
        if transition["event"] == "DELETED" {
            state = json!({});
        }
        states.push((transition.number(&["at_ms"]).unwrap_or_default().unsigned_abs(), state.clone()));
    }
    states
}

fn change(state: &mut Value, path: &str, value: &Value) {
    if let Some((before, kind)) = path.strip_suffix(']').and_then(|path| path.split_once("conditions[")) {
        let parents: Vec<&str> = before.split('.').filter(|part| !part.is_empty()).collect();
        let mut full = parents.clone();
        full.push("conditions");
        let mut list = state.list(&full).to_vec();
        let place = list.iter().position(|one| one["type"] == kind);
        match (place, value) {
            (Some(index), Value::Null) => {
                list.remove(index);
            }
            (None, Value::Null) => {}
            (place, value) => {
                let mut condition = place.map_or_else(|| json!({"type": kind}), |index| list[index].clone());
                for (field, value) in value.as_object().into_iter().flatten() {
                    if value.is_null() {
                        condition.remove(&[field]);
                    } else {
                        condition.set(&[field], value.clone());
                    }
                }
                match place {
                    Some(index) => list[index] = condition,
                    None => list.push(condition),
                }
            }
        }
        state.set(&full, list);
        return;
    }
    let parts: Vec<&str> = path.split('.').collect();
    if value.is_null() && parts != ["status", "availableUpdates"] {
        state.remove(&parts);
    } else {
        state.set(&parts, value.clone());
    }
}

/// How far a pass is does not count.
fn without_progress(text: &str) -> String {
    let Some((before, rest)) = text.split_once(": ") else { return text.to_owned() };
    let Some((done, behind)) = rest.split_once("% complete)") else { return text.to_owned() };
    if !before.starts_with("Working towards") || !done.contains(" of ") {
        return text.to_owned();
    }
    match behind.strip_prefix(", ") {
        Some(waiting) => format!("{before}: {waiting}"),
        None => before.to_owned(),
    }
}

/// Times of day and names of pods differ.
pub(super) fn without_chance(text: &str) -> String {
    let mut text = text.to_owned();
    for version in ["4.19.1", "4.19.2", "4.20.0"] {
        let prefix = format!("pod version-{version}-");
        let mut from = 0;
        while let Some(at) = text[from..].find(&prefix) {
            let start = from + at + prefix.len();
            let end = text[start..].find(' ').map_or(text.len(), |end| start + end);
            text.replace_range(start..end, "<r>");
            from = start;
        }
    }
    let mut from = 0;
    while let Some(at) = text[from..].find("throttled until ") {
        let start = from + at + "throttled until ".len();
        let end = text[start..].find(')').map_or(text.len(), |end| start + end);
        text.replace_range(start..end, "<time>");
        from = start;
    }
    text
}

fn condition_text(condition: &Value) -> String {
    let message = without_chance(&without_progress(condition.text(&["message"])));
    format!("{} {} {message}", condition.text(&["status"]), condition.text(&["reason"]))
}

/// The different states of each condition, one after another.
fn sequences(states: &[(u64, Value)]) -> BTreeMap<String, Vec<(u64, String)>> {
    let mut sequences: BTreeMap<String, Vec<(u64, String)>> = BTreeMap::new();
    for (at, state) in states {
        let conditions = state.list(&["status", "conditions"]);
        let kinds: BTreeSet<String> = conditions
            .iter()
            .map(|one| one.text(&["type"]).to_owned())
            .chain(sequences.keys().filter(|kind| kind.starts_with(char::is_uppercase)).cloned())
            .collect();
        for kind in kinds {
            let condition = conditions.iter().find(|one| one["type"] == kind.as_str());
            let text = condition.map_or_else(|| "absent".to_owned(), condition_text);
            let list = sequences.entry(kind).or_default();
            if list.last().is_none_or(|(_, last)| *last != text) {
                list.push((*at, text));
            }
        }
        let mut lists = BTreeMap::new();
        lists.insert("history", history(state));
        lists.insert("desired", state["status"]["desired"].to_string());
        lists.insert("availableUpdates", state["status"]["availableUpdates"].to_string());
        lists.insert("conditionalUpdates", conditional(state));
        lists.insert("capabilities", state["status"]["capabilities"].to_string());
        for (name, text) in lists {
            let list = sequences.entry(name.to_owned()).or_default();
            if list.last().is_none_or(|(_, last)| *last != text) {
                list.push((*at, text));
            }
        }
    }
    sequences
}

/// Without states of progress that are shorter than the time between two writes: which of them are seen depends on load.
fn settled(mut sequences: BTreeMap<String, Vec<(u64, String)>>) -> BTreeMap<String, Vec<(u64, String)>> {
    const TICK: u64 = 20_000;
    for kind in ["Progressing", "Failing"] {
        let Some(list) = sequences.get_mut(kind) else { continue };
        let ends: Vec<u64> = list.iter().skip(1).map(|(at, _)| *at).chain([u64::MAX]).collect();
        let mut kept: Vec<(u64, String)> = Vec::new();
        for ((at, text), end) in list.drain(..).zip(ends) {
            let is_new = kept.last().is_none_or(|(_, last)| *last != text);
            if end - at >= TICK && is_new {
                kept.push((at, text));
            }
        }
        *list = kept;
    }
    sequences
}

/// Whether two lists of states are equal but for states that last shorter than the time between two writes: both changes
/// may fall into one write, and a write may come up to 15 seconds later than its cause.
fn agree_but_for_short(one: &[(u64, String)], other: &[(u64, String)]) -> bool {
    const TICK: u64 = 17_000;
    let lasting = |list: &[(u64, String)]| -> Vec<String> {
        let ends = list.iter().skip(1).map(|(at, _)| *at).chain([u64::MAX]);
        let mut kept = vec!["absent".to_owned()];
        for ((at, text), end) in list.iter().zip(ends) {
            if end - at >= TICK && kept.last() != Some(text) {
                kept.push(text.clone());
            }
        }
        kept
    };
    let is_short = |list: &[(u64, String)], index: usize| {
        let end = list.get(index + 1).map_or(u64::MAX, |(at, _)| *at);
        list.get(index).is_some_and(|(at, _)| end - at < TICK)
    };
    if lasting(one) == lasting(other) {
        return true;
    }
    let (mut left, mut right) = (0, 0);
    while left < one.len() || right < other.len() {
        let texts = (one.get(left).map(|(_, text)| text), other.get(right).map(|(_, text)| text));
        if texts.0.is_some() && texts.0 == texts.1 {
            (left, right) = (left + 1, right + 1);
        } else if is_short(other, right) {
            right += 1;
        } else if is_short(one, left) {
            left += 1;
        } else {
            return false;
        }
    }
    true
}

fn history(state: &Value) -> String {
    let entries = state.list(&["status", "history"]).iter().map(|entry| {
        format!(
            "{} {} {} {} {}",
            entry.text(&["version"]),
            entry.text(&["state"]),
            if entry["completionTime"].is_null() { "open" } else { "closed" },
            entry["verified"],
            entry.text(&["acceptedRisks"])
        )
    });
    entries.collect::<Vec<_>>().join("; ")
}

fn conditional(state: &Value) -> String {
    let mut list = state["status"]["conditionalUpdates"].clone();
    if let Value::Array(list) = &mut list {
        for update in list {
            let conditions: Vec<String> = update.list(&["conditions"]).iter().map(condition_text).collect();
            update.set(&["conditions"], conditions);
            if let Value::Array(risks) = update.place(&["risks"]) {
                for risk in risks.iter_mut().filter(|risk| risk.get("conditions").is_some()) {
                    let conditions: Vec<String> =
                        risk.list(&["conditions"]).iter().map(condition_text).collect();
                    risk.set(&["conditions"], conditions);
                }
            }
        }
    }
    list.to_string()
}

/// What differs; nothing if the case agrees.
pub(super) fn differences(initial: &Value, case: &Value, played: &Played) -> Vec<String> {
    let mut differences = played.refusals.clone();
    // Both begin with what was there.
    let first = initial.as_array().into_iter().flatten().find(|one| one.kind() == "ClusterVersion");
    let from = |states: Vec<(u64, Value)>| -> Vec<(u64, Value)> {
        first.map(|first| (0, first.clone())).into_iter().chain(states).collect()
    };
    let all_wanted = sequences(&from(recorded_states(initial, case)));
    let all_got = sequences(&from(played.states.clone()));
    let (wanted, got) = (settled(all_wanted.clone()), settled(all_got.clone()));
    // What is due at the end of the recording may come a little later; what comes because time goes on does not count.
    let end = case.number(&["duration_ms"]).unwrap_or_default().unsigned_abs();
    let in_time = played.states.iter().filter(|(at, _)| *at <= end).cloned().collect();
    let got_in_time = settled(sequences(&from(in_time)));
    let names: BTreeSet<&String> = wanted.keys().chain(got.keys()).collect();
    for name in names {
        let texts = |list: Option<&Vec<(u64, String)>>| -> Vec<String> {
            list.map(|list| list.iter().map(|(_, text)| text.clone()).collect()).unwrap_or_default()
        };
        let (one, other) = (texts(wanted.get(name)), texts(got.get(name)));
        let states =
            |lists: &BTreeMap<String, Vec<(u64, String)>>| lists.get(name).cloned().unwrap_or_default();
        let (long, short) = (states(&got), states(&got_in_time));
        let agrees = |got: &[(u64, String)]| agree_but_for_short(&states(&wanted), got);
        let whole = || agree_but_for_short(&states(&all_wanted), &states(&all_got));
        if one != other && !agrees(&long) && !agrees(&short) && !whole() {
            let shown = |list: Option<&Vec<(u64, String)>>| -> String {
                list.into_iter().flatten().map(|(at, text)| format!("\n      {at:>7} {text}")).collect()
            };
            differences.push(format!(
                "{name}\n    recorded:{}\n    played:{}",
                shown(wanted.get(name)),
                shown(got.get(name))
            ));
        }
    }
    let mut there: BTreeMap<String, bool> = BTreeMap::new();
    for transition in case.list(&["transitions"]) {
        there.insert(transition.text(&["object"]).to_owned(), transition["event"] != "DELETED");
    }
    let counts = |name: &&String| !name.starts_with("Event/") && !name.contains("/version-");
    for (name, exists) in there.iter().filter(|(name, _)| counts(name)) {
        if played.objects.contains(name) != *exists {
            differences.push(format!("{name} at the end: recorded {exists}"));
        }
    }
    differences
}
