//! The state of the cluster against that of the recording, and whether two values of a field say the same.

use std::collections::BTreeSet;
use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields};
use serde_json::Value;

use super::case::{Case, without_order};
use super::projection::{get, seconds, simplified};
use super::world::{World, api_version};
use super::{Difference, Suite, Time};

impl World {
    /// Compares everything with what the recording has at a time.
    pub(super) fn compare(&mut self, case: &Case, at: Time) -> Vec<Difference> {
        let slack = case.slack(at);
        let mut differences = Vec::new();
        let theirs = case.state(at);
        let names: BTreeSet<String> = theirs.keys().cloned().chain(self.shown_objects(case)).collect();
        for name in names {
            let mut tell = |text: String| differences.push(Difference { at, subject: name.clone(), text });
            match (self.find(&name), theirs.get(&name)) {
                (None, None) => {}
                (Some(_), None) => tell("is here but not there".to_owned()),
                (None, Some(_)) => tell("is there but not here".to_owned()),
                (Some(object), Some(fields)) => {
                    let kind = name.split('/').next().unwrap_or_default();
                    for field in case.fields(kind) {
                        let ours = get(self.suite, kind, &object, &field);
                        let theirs = fields.get(&field).and_then(simplified);
                        let same = match (&ours, &theirs) {
                            (Some(ours), Some(theirs)) => is_equal(ours, theirs, slack),
                            (ours, theirs) => ours == theirs,
                        };
                        if !same && !is_not_shown(kind, &field) {
                            let text = |value: &Option<Value>| {
                                value.as_ref().map_or("nothing".to_owned(), Value::to_string)
                            };
                            tell(format!("{field}: ours {}, theirs {}", text(&ours), text(&theirs)));
                        }
                    }
                }
            }
        }
        differences.extend(self.compare_events(case, at));
        differences
    }

    /// Objects of the kinds that controllers make and take away.
    fn shown_objects(&self, case: &Case) -> Vec<String> {
        let kinds: BTreeSet<&str> =
            case.transitions.iter().filter_map(|one| one.object.split('/').next()).collect();
        let kinds =
            kinds.into_iter().filter(|kind| *kind != "ClusterOperator" || case.suite == Suite::ControlPlane);
        kinds
            .flat_map(|kind| {
                let version = api_version(self.suite, kind);
                let group = version.split_once('/').map_or("", |(group, _)| group);
                self.cluster.api.all(group, kind).map(move |object| format!("{kind}/{}", object.name()))
            })
            .collect()
    }

    /// Compares the events since the last comparison, each once.
    fn compare_events(&mut self, case: &Case, at: Time) -> Vec<Difference> {
        let ours = self.events();
        let theirs: BTreeSet<[String; 3]> = case
            .events
            .iter()
            .filter(|(time, _)| *time > self.sampled && *time <= at)
            .map(|(_, event)| event.clone())
            .collect();
        self.sampled = at;
        let mut differences = Vec::new();
        for event in ours.symmetric_difference(&theirs) {
            // The same again says nothing new: how often depends on how fast requests are.
            if self.news.contains(event) {
                continue;
            }
            let side = if ours.contains(event) { "here but not there" } else { "there but not here" };
            let [object, reason, message] = event;
            let subject = format!("event {reason} of {object}");
            differences.push(Difference { at, subject, text: format!("{side}: {message}") });
        }
        self.news.extend(theirs);
        differences
    }

    fn events(&mut self) -> BTreeSet<[String; 3]> {
        let api: &ApiServer = &self.cluster.api;
        let Some(kind) = api.kind_id("", "Event") else { return BTreeSet::new() };
        let changes = api.store().changes_since(self.seen).into_iter().flatten();
        let events =
            changes.filter(|change| change.key.kind == kind).filter_map(|change| change.after.as_ref());
        // The disruption controller stands beside those that were recorded.
        let is_recorded =
            |event: &&Arc<Object>| event.text(&["involvedObject", "kind"]) != "PodDisruptionBudget";
        let events = events
            .filter(is_recorded)
            .map(|event| {
                let about = format!(
                    "{}/{}",
                    event.text(&["involvedObject", "kind"]),
                    event.text(&["involvedObject", "name"])
                );
                let message = event.text(&["message"]).trim_start_matches("(combined from similar events): ");
                [about, event.text(&["reason"]).to_owned(), without_order(message)]
            })
            .collect();
        self.seen = api.store().revision();
        events
    }
}

/// Fields that the recordings show in a form that only makes sense with their stand-ins.
fn is_not_shown(kind: &str, field: &str) -> bool {
    matches!(
        (kind, field),
        ("ControlPlaneMachineSet", "template") | (_, "creationTimestamp" | "namespace" | "generation")
    ) || (kind, field) == ("Pod", "phase")
}

/// True if two values are equal but for times that are off by this much, and parts that are random.
fn is_equal(ours: &Value, theirs: &Value, slack: Time) -> bool {
    match (ours, theirs) {
        (_, Value::String(text)) if text == "<uid>" => true,
        (Value::String(ours), Value::String(theirs)) => match (seconds(ours), seconds(theirs)) {
            (Some(ours), Some(theirs)) => (ours - theirs).abs() * 1000 <= slack + 1000,
            _ => ours == theirs || without_order(ours) == without_order(theirs),
        },
        (Value::Array(ours), Value::Array(theirs)) => {
            ours.len() == theirs.len()
                && ours.iter().zip(theirs).all(|(one, other)| is_equal(one, other, slack))
        }
        (Value::Object(ours), Value::Object(theirs)) => {
            // Recordings of some kinds show conditions without their times.
            let counts = |name: &&String| *name != "lastTransitionTime" || theirs.contains_key(*name);
            let counted = ours.keys().filter(counts).count();
            counted == theirs.len()
                && theirs
                    .iter()
                    .all(|(name, value)| ours.get(name).is_some_and(|one| is_equal(one, value, slack)))
        }
        _ => ours == theirs,
    }
}
