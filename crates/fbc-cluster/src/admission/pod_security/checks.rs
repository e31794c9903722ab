//! What pod security looks for: each check with the versions of Kubernetes from which on it is made so.
//!
//! Source: `kubernetes/pod-security-admission:policy/check_*.go`.

mod baseline;
mod restricted;

use std::collections::BTreeSet;

use serde_json::Value;

use super::Level;
use crate::object::ObjectFields;

/// What a check has against a pod: a reason and more in words.
pub(super) type Violation = Option<(&'static str, String)>;
/// A check in one of its versions.
pub(super) type Test = fn(&Pod<'_>) -> Violation;

/// A check.
pub(super) struct Check {
    pub(super) id: &'static str,
    pub(super) level: Level,
    /// The check whose place this one takes.
    pub(super) overrides: Option<&'static str>,
    /// From which minor version on it is made how.
    pub(super) versions: &'static [(u32, Test)],
}

const fn baseline(id: &'static str, versions: &'static [(u32, Test)]) -> Check {
    Check { id, level: Level::Baseline, overrides: None, versions }
}

const fn restricted(
    id: &'static str,
    overrides: Option<&'static str>,
    versions: &'static [(u32, Test)],
) -> Check {
    Check { id, level: Level::Restricted, overrides, versions }
}

/// All checks, in the order in which they are told.
pub(super) static CHECKS: [Check; 19] = [
    baseline("appArmorProfile", &[(0, baseline::app_armor)]),
    baseline("capabilities_baseline", &[(0, baseline::capabilities)]),
    baseline("hostNamespaces", &[(0, baseline::host_namespaces)]),
    baseline("hostPathVolumes", &[(0, baseline::host_paths)]),
    baseline("hostPorts", &[(0, baseline::host_ports)]),
    baseline("hostProbesAndHostLifecycle", &[(34, baseline::host_probes)]),
    baseline("privileged", &[(0, baseline::privileged)]),
    baseline(
        "procMount",
        &[(0, baseline::proc_mount), (35, |pod| pod.unless_own_users(baseline::proc_mount))],
    ),
    baseline(
        "seLinuxOptions",
        &[(0, |pod| baseline::se_linux(pod, false)), (31, |pod| baseline::se_linux(pod, true))],
    ),
    baseline(
        "seccompProfile_baseline",
        &[(0, baseline::seccomp_annotations), (19, |pod| baseline::seccomp(pod, false))],
    ),
    baseline(
        "sysctls",
        &[
            (0, |pod| baseline::sysctls(pod, 5)),
            (27, |pod| baseline::sysctls(pod, 6)),
            (29, |pod| baseline::sysctls(pod, 10)),
            (32, |pod| baseline::sysctls(pod, 12)),
            (37, |pod| baseline::sysctls(pod, 14)),
        ],
    ),
    baseline("windowsHostProcess", &[(0, baseline::host_process)]),
    restricted(
        "allowPrivilegeEscalation",
        None,
        &[
            (8, restricted::privilege_escalation),
            (25, |pod| pod.unless_windows(restricted::privilege_escalation)),
        ],
    ),
    restricted(
        "capabilities_restricted",
        Some("capabilities_baseline"),
        &[
            (22, restricted::dropped_capabilities),
            (25, |pod| pod.unless_windows(restricted::dropped_capabilities)),
        ],
    ),
    restricted("procMount_restricted", Some("procMount"), &[(35, baseline::proc_mount)]),
    restricted("restrictedVolumes", Some("hostPathVolumes"), &[(0, restricted::volume_types)]),
    restricted(
        "runAsNonRoot",
        None,
        &[(0, restricted::non_root), (35, |pod| pod.unless_own_users(restricted::non_root))],
    ),
    restricted(
        "runAsUser",
        None,
        &[(23, restricted::root_user), (35, |pod| pod.unless_own_users(restricted::root_user))],
    ),
    restricted(
        "seccompProfile_restricted",
        Some("seccompProfile_baseline"),
        &[
            (19, |pod| baseline::seccomp(pod, true)),
            (25, |pod| pod.unless_windows(|pod| baseline::seccomp(pod, true))),
        ],
    ),
];

/// A pod or a template.
pub(super) struct Pod<'p> {
    annotations: &'p Value,
    spec: &'p Value,
    containers: Vec<&'p Value>,
}

impl<'p> Pod<'p> {
    pub(super) fn of(pod: &'p Value) -> Self {
        let spec = &pod["spec"];
        let lists = ["initContainers", "containers", "ephemeralContainers"];
        let containers = lists.iter().flat_map(|list| spec.list(&[list])).collect();
        Self { annotations: &pod["metadata"]["annotations"], spec, containers }
    }

    fn unless_windows(&self, test: Test) -> Violation {
        if self.spec.text(&["os", "name"]) == "windows" { None } else { test(self) }
    }

    /// Pods with users of their own may do more.
    fn unless_own_users(&self, test: Test) -> Violation {
        if self.spec.at(&["hostUsers"]).is_some_and(|own| *own == false) { None } else { test(self) }
    }

    /// The names of containers that something holds for.
    fn containers(&self, is_meant: impl Fn(&Value) -> bool) -> Vec<&'p str> {
        let found = self.containers.iter().filter(|container| is_meant(container));
        found.map(|container| container.text(&["name"])).collect()
    }

    /// A field of the security contexts, first that of the pod.
    fn contexts(&self, field: &'static str) -> impl Iterator<Item = (bool, &'p Value)> + use<'p> {
        let of_pod = self.spec.given(&["securityContext", field]).map(|value| (true, value));
        let of_containers: Vec<_> =
            self.containers.iter().filter_map(|one| one.given(&["securityContext", field])).collect();
        of_pod.into_iter().chain(of_containers.into_iter().map(|value| (false, value)))
    }
}

fn own<'c>(container: &'c Value, field: &str) -> Option<&'c Value> {
    container.given(&["securityContext", field])
}

/// `"a", "b"`
fn quoted<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let texts: Vec<String> = texts.into_iter().map(|text| format!("\"{text}\"")).collect();
    texts.join(", ")
}

fn plural(word: &str, count: usize) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}

/// `container "a"`, `containers "a", "b"`
fn named(what: &str, names: &[&str]) -> String {
    format!("{} {}", plural(what, names.len()), quoted(names.iter().copied()))
}

fn uses(count: usize) -> &'static str {
    if count == 1 { "uses" } else { "use" }
}

/// Who sets something: the pod, containers, or both.
fn setters(of_pod: bool, containers: &[&str]) -> Option<String> {
    let mut found: Vec<String> = of_pod.then(|| "pod".to_owned()).into_iter().collect();
    if !containers.is_empty() {
        found.push(named("container", containers));
    }
    (!found.is_empty()).then(|| found.join(" and "))
}

fn sorted<'t>(texts: impl Iterator<Item = &'t str>) -> Vec<&'t str> {
    texts.collect::<BTreeSet<_>>().into_iter().collect()
}

fn added(container: &Value) -> impl Iterator<Item = &str> {
    container.list(&["securityContext", "capabilities", "add"]).iter().filter_map(Value::as_str)
}
