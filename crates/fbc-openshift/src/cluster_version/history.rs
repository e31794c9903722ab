//! `status.history`: which releases a cluster had, newest first.
//!
//! Sources: `openshift/cluster-version-operator:pkg/cvo/status.go` (`mergeOperatorHistory`), `pkg/cvo/status_history.go`.

use fbc_cluster::object::ObjectFields;
use serde_json::{Value, json};

/// So many entries are kept.
const MOST: usize = 100;

/// What a status sync says about the release that is applied.
pub(super) struct Present<'p> {
    pub(super) version: &'p str,
    pub(super) image: &'p str,
    pub(super) is_verified: bool,
    pub(super) is_completed: bool,
    /// Risks that were accepted; nothing where the payload is the operator's own.
    pub(super) accepted_risks: Option<&'p str>,
}

/// Brings the history up to date.
pub(super) fn merge(history: &mut Vec<Value>, present: &Present<'_>, now: &str) {
    let entry = |state: &str| {
        let mut entry = json!({
            "state": state, "startedTime": now, "completionTime": null,
            "version": present.version, "image": present.image, "verified": false,
        });
        if let Some(risks) = present.accepted_risks.filter(|risks| !risks.is_empty()) {
            entry.set(&["acceptedRisks"], risks);
        }
        entry
    };
    if history.is_empty() {
        history.push(entry("Partial"));
    }
    let Some(last) = history.first_mut() else { return };
    if is_same(last, present) {
        for (field, text) in [("version", present.version), ("image", present.image)] {
            if !text.is_empty() {
                last.set(&[field], text);
            }
        }
        if present.is_completed {
            last.set(&["state"], "Completed");
            if last["completionTime"].is_null() {
                last.set(&["completionTime"], now);
            }
        }
        match present.accepted_risks {
            Some("") => {
                last.remove(&["acceptedRisks"]);
            }
            Some(risks) => last.set(&["acceptedRisks"], risks),
            None => {}
        }
    } else {
        if last["completionTime"].is_null() {
            last.set(&["completionTime"], now);
        }
        let mut new = entry(if present.is_completed { "Completed" } else { "Partial" });
        if present.is_completed {
            new.set(&["completionTime"], now);
        }
        history.insert(0, new);
    }
    if let Some(first) = history.first_mut().filter(|_| present.is_verified) {
        first.set(&["verified"], true);
    }
    prune(history);
}

fn is_same(last: &Value, present: &Present<'_>) -> bool {
    let (version, image) = (last.text(&["version"]), last.text(&["image"]));
    let fits = |one: &str, other: &str| one.is_empty() || other.is_empty() || one == other;
    !present.image.is_empty() && present.image == image && fits(version, present.version)
        || !present.version.is_empty() && present.version == version && fits(image, present.image)
}

/// The version that counts as the present one: the newest that was completed, else the oldest.
pub(super) fn current_version(history: &[Value]) -> &str {
    let completed = history.iter().find(|entry| entry["state"] == "Completed");
    completed.or(history.last()).map(|entry| entry.text(&["version"])).unwrap_or_default()
}

/// Removes the entry that says least, if there are too many.
fn prune(history: &mut Vec<Value>) {
    if history.len() <= MOST {
        return;
    }
    let newest_completed = history.iter().position(|entry| entry["state"] == "Completed");
    let mut lowest = (f64::INFINITY, 0);
    for index in 0..history.len() {
        let weight = if index <= 4 || index == MOST || Some(index) == newest_completed {
            1000.0
        } else if is_edge_of_minor(history, index) {
            30.0
        } else {
            match between(history, index) {
                Some((older, newer)) if part(older, 1) != part(newer, 1) => 20.0,
                Some((older, newer)) if part(older, 2) != part(newer, 2) => -20.0,
                _ => 0.0,
            }
        };
        // Entries are few; their numbers are exact.
        let rank = weight - 1.01 * f64::from(u32::try_from(index).unwrap_or(u32::MAX));
        if rank < lowest.0 {
            lowest = (rank, index);
        }
    }
    history.remove(lowest.1);
}

/// Whether an entry is the first or last completed one of its minor version.
fn is_edge_of_minor(history: &[Value], index: usize) -> bool {
    let Some(entry) = history.get(index).filter(|entry| entry["state"] != "Partial") else { return false };
    let differs = |other: Option<&Value>| other.is_none_or(|other| part(other, 1) != part(entry, 1));
    differs(older(history, index)) || differs(newer(history, index))
}

/// The completed entries around a partial one.
fn between(history: &[Value], index: usize) -> Option<(&Value, &Value)> {
    history.get(index).filter(|entry| entry["state"] != "Completed")?;
    Some((older(history, index)?, newer(history, index)?))
}

fn older(history: &[Value], index: usize) -> Option<&Value> {
    history.iter().skip(index + 1).find(|entry| entry["state"] == "Completed")
}

fn newer(history: &[Value], index: usize) -> Option<&Value> {
    history.iter().take(index).rev().find(|entry| entry["state"] == "Completed")
}

/// A number of a version by its place.
fn part(entry: &Value, place: usize) -> &str {
    entry.text(&["version"]).split('.').nth(place).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn present<'p>(version: &'p str, image: &'p str, is_completed: bool) -> Present<'p> {
        Present { version, image, is_verified: false, is_completed, accepted_risks: Some("") }
    }

    /// Vector 8
    #[test]
    fn an_interrupted_update_stays_partial_with_a_completion_time() {
        let mut history = Vec::new();
        for (version, is_completed) in
            [("4.10.22", false), ("4.10.22", true), ("4.11.0", false), ("4.11.1", false)]
        {
            merge(&mut history, &present(version, &format!("image-{version}"), is_completed), "now");
        }
        let short: Vec<(&str, &str, bool)> = history
            .iter()
            .map(|entry| {
                (entry.text(&["version"]), entry.text(&["state"]), entry["completionTime"].is_null())
            })
            .collect();
        assert_eq!(
            short,
            [("4.11.1", "Partial", true), ("4.11.0", "Partial", false), ("4.10.22", "Completed", false)]
        );
        assert_eq!(current_version(&history), "4.10.22");
    }

    #[test]
    fn a_full_history_loses_what_says_least() {
        let mut history = Vec::new();
        for number in 0..=MOST {
            let version = format!("4.10.{number}");
            merge(&mut history, &present(&version, &version, true), "now");
        }
        assert_eq!(history.len(), MOST);
        assert_eq!(history.last().map(|entry| entry.text(&["version"])), Some("4.10.0"));
        assert!(history.iter().all(|entry| entry["version"] != "4.10.1"));
    }
}
