//! Pod security: namespaces say by labels how much pods may ask for, and what they are only warned of.
//!
//! Sources: `kubernetes/pod-security-admission:admission/admission.go`, `policy/registry.go`, `api/helpers.go`.

mod checks;
mod level;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

pub use level::{Level, Policy, Standard};

use self::checks::{CHECKS, Pod};
use crate::object::{Object, ObjectFields};

/// The parts of pods that requests may write without a look at the pod.
const IGNORED_PARTS: [&str; 8] =
    ["exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"];
/// So many pods of a namespace are looked at when its labels change.
const MOST_PODS: usize = 3000;

/// What pod security has against a pod.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Violations(Vec<(&'static str, String)>);

impl Violations {
    /// True if there is nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `privileged, host namespaces`
    fn reasons(&self) -> String {
        self.0.iter().map(|(reason, _)| *reason).collect::<Vec<_>>().join(", ")
    }

    /// `privileged (container "c" must not set securityContext.privileged=true)`
    pub fn details(&self) -> String {
        let detail = |(reason, detail): &(&'static str, String)| match detail.as_str() {
            "" => (*reason).to_owned(),
            detail => format!("{reason} ({detail})"),
        };
        self.0.iter().map(detail).collect::<Vec<_>>().join(", ")
    }
}

/// What a standard has against a pod or a template, on a server of this minor version.
pub fn violations(standard: &Standard, pod: &Value, server: u32) -> Violations {
    if standard.level == Level::Privileged {
        return Violations::default();
    }
    let minor = standard.version.map_or(server, |version| version.min(server));
    let is_restricted = standard.level == Level::Restricted;
    // A restricted check takes the place of one of the baseline.
    let mut applied: Vec<(&checks::Check, checks::Test)> = Vec::new();
    for check in CHECKS.iter().filter(|check| is_restricted || check.level == Level::Baseline) {
        let newest = check.versions.iter().rev().find(|(from, _)| *from <= minor);
        let Some((_, test)) = newest else { continue };
        applied.retain(|(other, _)| Some(other.id) != check.overrides);
        applied.push((check, *test));
    }
    let pod = Pod::of(pod);
    Violations(applied.into_iter().filter_map(|(_, test)| test(&pod)).collect())
}

/// What is said of a pod or a template in a namespace: the refusal, and the warning.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Why it must not be.
    pub refusal: Option<String>,
    /// What to warn of.
    pub warning: Option<String>,
}

/// Judges a pod (`is_enforced`) or the template of a workload, of which is only warned.
pub fn judge(policy: &Policy, pod: &Value, is_enforced: bool, server: u32) -> Verdict {
    let say = |standard: &Standard, would: &str| {
        let found = violations(standard, pod, server);
        (!found.is_empty())
            .then(|| format!("{would} PodSecurity {:?}: {}", standard.to_string(), found.details()))
    };
    let refusal = if is_enforced { say(&policy.enforce, "violates") } else { None };
    let warning = if refusal.is_none() { say(&policy.warn, "would violate") } else { None };
    Verdict { refusal, warning }
}

/// Whether a write to this part of a pod is looked at.
pub fn is_looked_at(part: &str) -> bool {
    !IGNORED_PARTS.contains(&part)
}

/// Whether a change of a pod is one that pod security looks at: another image, or another container.
pub fn is_significant(before: &Object, after: &Object) -> bool {
    let differs = |list: &str| {
        let (before, after) = (before.list(&["spec", list]), after.list(&["spec", list]));
        before.len() != after.len()
            || before.iter().zip(after).any(|(before, after)| before["image"] != after["image"])
    };
    differs("containers") || differs("initContainers") || differs("ephemeralContainers")
}

/// The template in a workload of a kind, if workloads of the kind have one.
pub fn template<'o>(group: &str, kind: &str, object: &'o Object) -> Option<&'o Value> {
    let path: &[&str] = match (group, kind) {
        ("", "PodTemplate") => &["template"],
        ("", "ReplicationController")
        | ("apps", "ReplicaSet" | "Deployment" | "StatefulSet" | "DaemonSet")
        | ("batch", "Job") => &["spec", "template"],
        ("batch", "CronJob") => &["spec", "jobTemplate", "spec", "template"],
        _ => return None,
    };
    object.given(path)
}

/// The warnings about the pods of a namespace whose standard becomes another.
pub fn namespace_warnings<'p>(
    namespace: &str,
    before: &Standard,
    after: &Standard,
    pods: impl Iterator<Item = &'p Object>,
    server: u32,
) -> Vec<String> {
    let is_relaxed = after.version == before.version && after.level <= before.level;
    if before == after || after.level == Level::Privileged || is_relaxed {
        return Vec::new();
    }
    // The first pod of each controller comes before the others.
    let mut controllers = BTreeSet::new();
    let (first, others): (Vec<&Object>, Vec<&Object>) = pods.partition(|pod| {
        let controller = pod.owner_references().iter().find(|owner| owner["controller"] == true);
        controller.is_none_or(|owner| controllers.insert(owner.text(&["uid"]).to_owned()))
    });
    let count = first.len() + others.len();
    let mut found: BTreeMap<String, (String, usize)> = BTreeMap::new();
    for pod in first.into_iter().chain(others).take(MOST_PODS) {
        let violations = violations(after, pod, server);
        if violations.is_empty() {
            continue;
        }
        let (name, count) = found.entry(violations.reasons()).or_insert_with(|| (pod.name().to_owned(), 0));
        if pod.name() < name.as_str() {
            pod.name().clone_into(name);
        }
        *count += 1;
    }
    let mut warnings = Vec::new();
    if count > MOST_PODS {
        warnings.push(format!(
            "new PodSecurity enforce level only checked against the first {MOST_PODS} of {count} existing pods"
        ));
    }
    if !found.is_empty() {
        warnings.push(format!(
            "existing pods in namespace {namespace:?} violate the new PodSecurity enforce level {:?}",
            after.to_string()
        ));
    }
    let mut of_pods: Vec<String> = found
        .into_iter()
        .map(|(reasons, (name, count))| match count {
            1 => format!("{name}: {reasons}"),
            2 => format!("{name} (and 1 other pod): {reasons}"),
            _ => format!("{name} (and {} other pods): {reasons}", count - 1),
        })
        .collect();
    of_pods.sort();
    warnings.extend(of_pods);
    warnings
}
