//! The control plane: from which version to which, which operators are there, and how long it may still take.

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::{MINUTE as MINUTE_OF_CLOCK, Milliseconds, Moment};
use serde_json::Value;

use super::health::{API_AVAILABILITY, Insight, Level, NONE, UPDATE_STALLED};
use super::span::{HOUR, MINUTE, milliseconds, rounded, short};
use super::{Facts, moment};
use crate::layout::align;

const MACHINE_CONFIG: &str = "machine-config";
const DOWN: &str = "https://github.com/openshift/runbooks/blob/master/alerts/cluster-monitoring-operator/ClusterOperatorDown.md";
const DEGRADED: &str = "https://github.com/openshift/runbooks/blob/master/alerts/cluster-monitoring-operator/ClusterOperatorDegraded.md";
const HISTORY: &str = "https://docs.openshift.com/container-platform/latest/updating/troubleshooting_updates/gathering-data-cluster-update.html#gathering-clusterversion-history-cli_troubleshooting_updates";
/// Conditions of operators: the bad status, the word for it, where to read on, and when it is an error.
const CONDITIONS: [(&str, &str, &str, &str, Milliseconds); 2] = [
    ("Available", "False", "unavailable", DOWN, 20 * MINUTE_OF_CLOCK),
    ("Degraded", "True", "degraded", DEGRADED, 40 * MINUTE_OF_CLOCK),
];
/// A bad condition is reported after so long.
const PATIENCE: Milliseconds = 5 * MINUTE_OF_CLOCK;

#[derive(Default)]
struct Operators<'f> {
    total: usize,
    unavailable: usize,
    degraded: usize,
    updated: usize,
    waiting: usize,
    /// Names with their condition `Progressing`.
    updating: Vec<(&'f str, &'f Value)>,
}

/// The section, and what is wrong.
pub(super) fn text(facts: &Facts<'_>, is_detailed: bool, insights: &mut Vec<Insight>) -> String {
    insights.extend(of_version(facts));
    let mut operators = Operators::default();
    let (mut last_progress, mut nodes_began) = (None, None);
    for operator in facts.operators.iter().filter(|operator| is_of_platform(operator)) {
        let is_updated = has_version(operator, facts);
        operators.total += 1;
        operators.updated += usize::from(is_updated);
        if let Some(progressing) = operator.condition("Progressing") {
            let since = moment(progressing, &["lastTransitionTime"]);
            last_progress = last_progress.max(since);
            match progressing.text(&["status"]) {
                "True" if !is_updated => {
                    operators.updating.push((operator.name(), progressing));
                    nodes_began = nodes_began.or(since.filter(|_| operator.name() == MACHINE_CONFIG));
                }
                "False" if !is_updated => operators.waiting += 1,
                _ => {}
            }
        }
        if operator.condition_status("Available") != "True" {
            operators.unavailable += 1;
        } else if operator.condition_status("Degraded") == "True" {
            operators.degraded += 1;
        }
        insights.extend(of_operator(operator, facts.now));
    }
    // Operators with pods on all nodes progress whenever a node reboots.
    if nodes_began.is_some() && operators.total - operators.updated == 1 {
        last_progress = nodes_began;
    }
    let is_completed = operators.updated == operators.total;
    insights.extend(of_incomplete(facts).filter(|_| !is_completed));
    let first = facts.history().first();
    let started = first.and_then(|entry| moment(entry, &["startedTime"]));
    let ended = first.filter(|entry| entry["state"] == "Completed");
    let ended = ended.and_then(|entry| moment(entry, &["completionTime"])).unwrap_or(facts.now);
    let updating_for = started.map_or(0, |started| milliseconds(started, ended));
    let unit = if updating_for > 10 * MINUTE * 1000 { MINUTE * 1000 } else { 1000 };
    let duration = short(rounded(updating_for, unit) / 1000);
    if is_completed {
        let target = first.map_or("unknown", |entry| entry.text(&["version"]));
        return format!(
            "= Control Plane =\nUpdate to {target} successfully completed at {ended} (duration: {duration})\n"
        );
    }
    let last_progress = last_progress.filter(|last| started.is_some_and(|started| *last > started));
    let to_last_progress =
        started.map_or(0, |started| milliseconds(started, last_progress.unwrap_or(facts.now)));
    let share = operators.updated as f64 / operators.total as f64;
    let left = time_left(baseline(facts.history()), to_last_progress, updating_for, share);
    let assessment = match left {
        ..-600 => "Stalled",
        -600..0 => "Progressing - Slow",
        _ => "Progressing",
    };
    let mut out =
        format!("= Control Plane =\nAssessment:      {assessment}\nTarget Version:  {}\n", versions(facts));
    if !operators.updating.is_empty() {
        let names: Vec<&str> = operators.updating.iter().map(|(name, _)| *name).collect();
        out.push_str(&format!("Updating:        {}\n", names.join(", ")));
    }
    out.push_str(&format!(
        "Completion:      {:.0}% ({} operators updated, {} updating, {} waiting)\nDuration:        {duration}",
        share * 100.0,
        operators.updated,
        operators.updating.len(),
        operators.waiting
    ));
    if left != 0 {
        let whole = (updating_for / 1000 + left) / MINUTE * MINUTE;
        let left = match left {
            _ if facts.becomes_multi() => "N/A for Multi-Architecture Migration".to_owned(),
            ..-600 => format!("N/A; estimate duration was {}", short(whole)),
            -600..600 => "<10m".to_owned(),
            left => short(left),
        };
        out.push_str(&format!(" (Est. Time Remaining: {left})"));
    }
    out.push_str(&format!("\nOperator Health: {}\n", operators.health()));
    if is_detailed {
        out.push_str(&operators.table(facts.now));
    }
    out
}

impl Operators<'_> {
    fn health(&self) -> String {
        let mut text = format!("{} Healthy", self.total - self.unavailable - self.degraded);
        for (count, words) in [(self.unavailable, "Unavailable"), (self.degraded, "Available but degraded")] {
            if count > 0 {
                text.push_str(&format!(", {count} {words}"));
            }
        }
        text
    }

    fn table(&self, now: Moment) -> String {
        if self.updating.is_empty() {
            return String::new();
        }
        let mut table = "\nNAME\tSINCE\tREASON\tMESSAGE\n".to_owned();
        for (name, condition) in &self.updating {
            let since = moment(condition, &["lastTransitionTime"]).unwrap_or(now);
            let since = short(milliseconds(since, now) / 1000);
            let reason = match condition.text(&["reason"]) {
                "" => "-".to_owned(),
                long if long.chars().count() > 20 => long.chars().take(17).chain("...".chars()).collect(),
                reason => reason.to_owned(),
            };
            let message = condition.text(&["message"]).replace('\n', "\n\t\t\t");
            table.push_str(&format!("{name}\t{since}\t{reason}\t{message}\n"));
        }
        format!("\nUpdating Cluster Operators{}", align(&table, 0, 3))
    }
}

/// Operators that a payload brings have annotations of payloads.
fn is_of_platform(operator: &Object) -> bool {
    let annotations = operator.at(&["metadata", "annotations"]).and_then(Value::as_object);
    let prefixes = ["exclude.release.openshift.io/", "include.release.openshift.io/"];
    annotations.into_iter().flatten().any(|(key, _)| prefixes.iter().any(|prefix| key.starts_with(prefix)))
}

fn has_version(operator: &Object, facts: &Facts<'_>) -> bool {
    let target = facts.version.text(&["status", "desired", "version"]);
    let versions = operator.list(&["status", "versions"]).iter();
    let named = |name: &'static str| versions.clone().filter(move |one| one["name"] == name);
    let is_changing = operator.name() == MACHINE_CONFIG
        && named("operator-image").any(|one| one["version"] != facts.operator_image);
    !is_changing && named("operator").any(|one| one["version"] == target)
}

/// `4.19.1 (from 4.19.0)`
fn versions(facts: &Facts<'_>) -> String {
    match facts.history() {
        [] => "unknown (from unknown)".to_owned(),
        [only] => format!("{} (a new install)", only.text(&["version"])),
        [target, previous, ..] => {
            let (target, from) = (target.text(&["version"]), previous.text(&["version"]));
            match () {
                () if previous["state"] == "Partial" => format!("{target} (from incomplete {from})"),
                () if facts.becomes_multi() => format!("{target} to Multi-Architecture"),
                () => format!("{target} (from {from})"),
            }
        }
    }
}

fn of_version(facts: &Facts<'_>) -> Option<Insight> {
    let name = facts.version.name();
    let insight = |since: Option<Moment>, summary: String, description: &str| Insight {
        since,
        level: Level::Warning,
        impact: UPDATE_STALLED,
        summary,
        description: description.to_owned(),
        reference: DEGRADED,
        about: ("clusterversions.config.openshift.io", name.to_owned()),
    };
    let Some(failing) = facts.version.condition("Failing") else {
        let description = "Current status of Cluster Version reconciliation is unclear.  See 'oc -n openshift-cluster-version logs -l k8s-app=cluster-version-operator --tail -1' to debug.";
        let summary = format!("Cluster Version {name} has no Failing condition");
        return Some(insight(Some(facts.now), summary, description));
    };
    let verb = match failing.text(&["status"]) {
        "False" => return None,
        "Unknown" => "may be",
        _ => "is",
    };
    let summary = format!(
        "Cluster Version {name} {verb} failing to proceed with the update ({})",
        failing.text(&["reason"])
    );
    Some(insight(moment(failing, &["lastTransitionTime"]), summary, failing.text(&["message"])))
}

fn of_operator(operator: &Object, now: Moment) -> impl Iterator<Item = Insight> {
    let name = operator.name();
    CONDITIONS.into_iter().filter_map(move |(kind, bad, word, reference, limit)| {
        let condition = operator.condition(kind).filter(|one| one["status"] == bad)?;
        let since = moment(condition, &["lastTransitionTime"]);
        let lasts = since.map_or(Milliseconds::MAX, |since| now.since(since));
        if lasts <= PATIENCE {
            return None;
        }
        let message = condition.text(&["message"]);
        Some(Insight {
            since,
            level: if lasts > limit { Level::Error } else { Level::Warning },
            impact: API_AVAILABILITY,
            summary: format!("Cluster Operator {name} is {word} ({})", condition.text(&["reason"])),
            description: if message.is_empty() { "<no message>" } else { message }.to_owned(),
            reference,
            about: ("clusteroperators.config.openshift.io", name.to_owned()),
        })
    })
}

/// An update that began before the one before it was done.
fn of_incomplete(facts: &Facts<'_>) -> impl Iterator<Item = Insight> {
    let history = facts.history();
    let pair = match history {
        [target, previous, ..] if previous["state"] == "Partial" => Some((target, previous)),
        _ => None,
    };
    pair.into_iter().map(|(target, previous)| {
        let (to, before) = (target.text(&["version"]), previous.text(&["version"]));
        let complete = history.iter().skip(2).find(|entry| entry["state"] == "Completed");
        let complete = complete.map_or("unknown", |entry| entry.text(&["version"]));
        Insight {
            since: moment(target, &["startedTime"]),
            level: Level::Warning,
            impact: NONE,
            summary: format!("Previous update to {before} never completed, last complete update was {complete}"),
            description: format!(
                "Current update to {to} was initiated while the previous update to version {before} was still in progress"
            ),
            reference: HISTORY,
            about: ("clusterversions.config.openshift.io", facts.version.name().to_owned()),
        }
    })
}

/// How long the last completed update took, in seconds; an hour if there was none since the installation.
fn baseline(history: &[Value]) -> i64 {
    let updates = history.get(1..history.len().saturating_sub(1)).unwrap_or_default();
    let last = updates.iter().find(|entry| entry["state"] == "Completed");
    last.and_then(|entry| {
        let took = milliseconds(moment(entry, &["startedTime"])?, moment(entry, &["completionTime"])?);
        Some(took / 1000)
    })
    .unwrap_or(HOUR)
}

/// An estimate of what is left, in seconds; below zero when it should be over.
fn time_left(baseline: i64, to_last_progress: i64, updating_for: i64, share: f64) -> i64 {
    if share >= 1.0 {
        return 0;
    }
    let completion = share_of_time(share);
    let whole = if share > 0.0 && completion > 0.0 && to_last_progress > 5 * MINUTE * 1000 {
        to_last_progress as f64 / 1000.0 / completion
    } else {
        baseline as f64
    };
    let left = whole - updating_for as f64 / 1000.0;
    let left = (left * if left < 0.0 { 1.0 / 1.2 } else { 1.2 }) as i64;
    if left > 10 * MINUTE { rounded(left, MINUTE) } else { left }
}

/// The share of the whole time after which this share of the operators is usually there: a fit of the reference's.
fn share_of_time(share: f64) -> f64 {
    let polynomial = |factors: [f64; 5]| factors.iter().rev().fold(0.0, |sum, factor| sum * share + factor);
    match share {
        ..0.25 => polynomial([-0.030_787_88, 2.628_86, -3.823_954, 0.0, 0.0]),
        0.25..0.9 => polynomial([0.185_121_5, 1.649_94, -4.676_898, 5.451_824, -2.125_286]),
        _ => polynomial([25_053.32, -107_394.3, 172_527.2, -123_107.0, 32_921.81]),
    }
}
