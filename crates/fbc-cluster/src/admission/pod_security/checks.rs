//! What pod security looks for: each check with the versions of Kubernetes from which on it is made so.
//!
//! Source: `kubernetes/pod-security-admission:policy/check_*.go`.

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
    baseline("appArmorProfile", &[(0, app_armor)]),
    baseline("capabilities_baseline", &[(0, capabilities)]),
    baseline("hostNamespaces", &[(0, host_namespaces)]),
    baseline("hostPathVolumes", &[(0, host_paths)]),
    baseline("hostPorts", &[(0, host_ports)]),
    baseline("hostProbesAndHostLifecycle", &[(34, host_probes)]),
    baseline("privileged", &[(0, privileged)]),
    baseline("procMount", &[(0, proc_mount), (35, |pod| pod.unless_own_users(proc_mount))]),
    baseline("seLinuxOptions", &[(0, |pod| se_linux(pod, false)), (31, |pod| se_linux(pod, true))]),
    baseline("seccompProfile_baseline", &[(0, seccomp_annotations), (19, |pod| seccomp(pod, false))]),
    baseline(
        "sysctls",
        &[
            (0, |pod| sysctls(pod, 5)),
            (27, |pod| sysctls(pod, 6)),
            (29, |pod| sysctls(pod, 10)),
            (32, |pod| sysctls(pod, 12)),
            (37, |pod| sysctls(pod, 14)),
        ],
    ),
    baseline("windowsHostProcess", &[(0, host_process)]),
    restricted(
        "allowPrivilegeEscalation",
        None,
        &[(8, privilege_escalation), (25, |pod| pod.unless_windows(privilege_escalation))],
    ),
    restricted(
        "capabilities_restricted",
        Some("capabilities_baseline"),
        &[(22, dropped_capabilities), (25, |pod| pod.unless_windows(dropped_capabilities))],
    ),
    restricted("procMount_restricted", Some("procMount"), &[(35, proc_mount)]),
    restricted("restrictedVolumes", Some("hostPathVolumes"), &[(0, volume_types)]),
    restricted("runAsNonRoot", None, &[(0, non_root), (35, |pod| pod.unless_own_users(non_root))]),
    restricted("runAsUser", None, &[(23, root_user), (35, |pod| pod.unless_own_users(root_user))]),
    restricted(
        "seccompProfile_restricted",
        Some("seccompProfile_baseline"),
        &[(19, |pod| seccomp(pod, true)), (25, |pod| pod.unless_windows(|pod| seccomp(pod, true)))],
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

fn app_armor(pod: &Pod<'_>) -> Violation {
    const ANNOTATION: &str = "container.apparmor.security.beta.kubernetes.io/";
    let is_bad = |profile: &Value| !["RuntimeDefault", "Localhost"].contains(&profile.text(&["type"]));
    let bad = |container: &Value| own(container, "appArmorProfile").is_some_and(is_bad);
    let of_pod = pod.spec.given(&["securityContext", "appArmorProfile"]).is_some_and(is_bad);
    let types = pod.contexts("appArmorProfile").map(|(_, profile)| profile).filter(|one| is_bad(one));
    let mut values: Vec<String> =
        sorted(types.map(|one| one.text(&["type"]))).into_iter().map(str::to_owned).collect();
    let mut annotations: Vec<String> = pod
        .annotations
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| {
            let value = value.as_str().filter(|_| name.starts_with(ANNOTATION))?;
            let is_allowed =
                value.is_empty() || value == "runtime/default" || value.starts_with("localhost/");
            (!is_allowed).then(|| format!("{name}={value:?}"))
        })
        .collect();
    annotations.sort();
    let mut found: Vec<String> = setters(of_pod, &pod.containers(bad)).into_iter().collect();
    if !annotations.is_empty() {
        found.push(plural("annotation", annotations.len()));
        values.append(&mut annotations);
    }
    let reason = if values.len() == 1 { "forbidden AppArmor profile" } else { "forbidden AppArmor profiles" };
    (!found.is_empty()).then(|| {
        let values = quoted(values.iter().map(String::as_str));
        (reason, format!("{} must not set AppArmor profile type to {values}", found.join(" and ")))
    })
}

fn added(container: &Value) -> impl Iterator<Item = &str> {
    container.list(&["securityContext", "capabilities", "add"]).iter().filter_map(Value::as_str)
}

fn capabilities(pod: &Pod<'_>) -> Violation {
    const ALLOWED: [&str; 13] = [
        "AUDIT_WRITE",
        "CHOWN",
        "DAC_OVERRIDE",
        "FOWNER",
        "FSETID",
        "KILL",
        "MKNOD",
        "NET_BIND_SERVICE",
        "SETFCAP",
        "SETGID",
        "SETPCAP",
        "SETUID",
        "SYS_CHROOT",
    ];
    let is_bad = |name: &&str| !ALLOWED.contains(name);
    let bad = pod.containers(|container| added(container).any(|name| is_bad(&name)));
    (!bad.is_empty()).then(|| {
        let names = sorted(pod.containers.iter().flat_map(|container| added(container)).filter(is_bad));
        let detail = format!(
            "{} must not include {} in securityContext.capabilities.add",
            named("container", &bad),
            quoted(names)
        );
        ("non-default capabilities", detail)
    })
}

fn dropped_capabilities(pod: &Pod<'_>) -> Violation {
    let drops_all = |container: &Value| {
        container.list(&["securityContext", "capabilities", "drop"]).iter().any(|name| name == "ALL")
    };
    let is_bad = |name: &&str| *name != "NET_BIND_SERVICE";
    let (keeping, adding) = (
        pod.containers(|container| !drops_all(container)),
        pod.containers(|container| added(container).any(|name| is_bad(&name))),
    );
    let mut details = Vec::new();
    if !keeping.is_empty() {
        details.push(format!(
            "{} must set securityContext.capabilities.drop=[\"ALL\"]",
            named("container", &keeping)
        ));
    }
    if !adding.is_empty() {
        let names = sorted(pod.containers.iter().flat_map(|container| added(container)).filter(is_bad));
        details.push(format!(
            "{} must not include {} in securityContext.capabilities.add",
            named("container", &adding),
            quoted(names)
        ));
    }
    (!details.is_empty()).then(|| ("unrestricted capabilities", details.join("; ")))
}

fn host_namespaces(pod: &Pod<'_>) -> Violation {
    let fields = ["hostNetwork", "hostPID", "hostIPC"];
    let found: Vec<String> = fields
        .iter()
        .filter(|field| pod.spec[**field] == true)
        .map(|field| format!("{field}=true"))
        .collect();
    (!found.is_empty()).then(|| ("host namespaces", found.join(", ")))
}

fn host_paths(pod: &Pod<'_>) -> Violation {
    let volumes = pod.spec.list(&["volumes"]).iter().filter(|volume| volume.given(&["hostPath"]).is_some());
    let names: Vec<&str> = volumes.map(|volume| volume.text(&["name"])).collect();
    (!names.is_empty()).then(|| ("hostPath volumes", named("volume", &names)))
}

fn host_ports(pod: &Pod<'_>) -> Violation {
    let of = |container: &Value| -> Vec<String> {
        let ports = container.list(&["ports"]).iter().filter_map(|port| port.number(&["hostPort"]));
        ports.filter(|port| *port != 0).map(|port| port.to_string()).collect()
    };
    let bad = pod.containers(|container| !of(container).is_empty());
    (!bad.is_empty()).then(|| {
        let ports: BTreeSet<String> = pod.containers.iter().flat_map(|container| of(container)).collect();
        let words = (uses(bad.len()), plural("hostPort", ports.len()));
        let ports: Vec<String> = ports.into_iter().collect();
        ("hostPort", format!("{} {} {} {}", named("container", &bad), words.0, words.1, ports.join(", ")))
    })
}

fn host_probes(pod: &Pod<'_>) -> Violation {
    const PLACES: [&[&str]; 5] = [
        &["livenessProbe"],
        &["readinessProbe"],
        &["startupProbe"],
        &["lifecycle", "postStart"],
        &["lifecycle", "preStop"],
    ];
    fn hosts(container: &Value) -> impl Iterator<Item = &str> {
        let places = PLACES.iter().filter_map(|path| container.given(path));
        places
            .flat_map(|place| ["httpGet", "tcpSocket"].map(|action| place.text(&[action, "host"])))
            .filter(|host| !host.is_empty())
    }
    let bad = sorted(pod.containers(|container| hosts(container).next().is_some()).into_iter());
    (!bad.is_empty()).then(|| {
        let hosts = sorted(pod.containers.iter().flat_map(|container| hosts(container)));
        let what = plural("probe or lifecycle host", hosts.len());
        let detail = format!("{} {} {what} {}", named("container", &bad), uses(bad.len()), quoted(hosts));
        ("probe or lifecycle host", detail)
    })
}

fn privileged(pod: &Pod<'_>) -> Violation {
    let bad = pod.containers(|container| own(container, "privileged").is_some_and(|value| *value == true));
    (!bad.is_empty()).then(|| {
        ("privileged", format!("{} must not set securityContext.privileged=true", named("container", &bad)))
    })
}

fn proc_mount(pod: &Pod<'_>) -> Violation {
    let is_bad = |value: &&Value| **value != "Default";
    let bad = pod.containers(|container| own(container, "procMount").is_some_and(|value| is_bad(&value)));
    (!bad.is_empty()).then(|| {
        let values = pod.containers.iter().filter_map(|container| own(container, "procMount")).filter(is_bad);
        let values = quoted(sorted(values.filter_map(Value::as_str)));
        (
            "procMount",
            format!("{} must not set securityContext.procMount to {values}", named("container", &bad)),
        )
    })
}

fn se_linux(pod: &Pod<'_>, has_engine: bool) -> Violation {
    let is_allowed = |of: &str| {
        ["", "container_t", "container_init_t", "container_kvm_t"].contains(&of)
            || has_engine && of == "container_engine_t"
    };
    let is_bad = |options: &Value| {
        !is_allowed(options.text(&["type"]))
            || ["user", "role"].iter().any(|field| !options.text(&[field]).is_empty())
    };
    let of_pod = pod.spec.given(&["securityContext", "seLinuxOptions"]).is_some_and(is_bad);
    let containers = pod.containers(|container| own(container, "seLinuxOptions").is_some_and(is_bad));
    let found = setters(of_pod, &containers)?;
    let options = || pod.contexts("seLinuxOptions").map(|(_, options)| options);
    let types = sorted(options().map(|options| options.text(&["type"])).filter(|of| !is_allowed(of)));
    let mut data = Vec::new();
    if !types.is_empty() {
        data.push(named("type", &types));
    }
    for field in ["user", "role"] {
        if options().any(|options| !options.text(&[field]).is_empty()) {
            data.push(format!("{field} may not be set"));
        }
    }
    let detail = format!("{found} set forbidden securityContext.seLinuxOptions: {}", data.join("; "));
    Some(("seLinuxOptions", detail))
}

fn seccomp_annotations(pod: &Pod<'_>) -> Violation {
    let is_allowed = |value: &str| {
        ["runtime/default", "docker/default"].contains(&value) || value.starts_with("localhost/")
    };
    let of_containers = pod.containers.iter().map(|container| {
        format!("container.seccomp.security.alpha.kubernetes.io/{}", container.text(&["name"]))
    });
    let names = std::iter::once("seccomp.security.alpha.kubernetes.io/pod".to_owned()).chain(of_containers);
    let found: BTreeSet<String> = names
        .filter_map(|name| {
            let value = pod.annotations.get(&name)?.as_str()?;
            (!is_allowed(value)).then(|| format!("{name}={value:?}"))
        })
        .collect();
    (!found.is_empty()).then(|| {
        let word = plural("annotation", found.len());
        let found: Vec<String> = found.into_iter().collect();
        ("seccompProfile", format!("forbidden {word} {}", found.join(", ")))
    })
}

fn seccomp(pod: &Pod<'_>, must_be_set: bool) -> Violation {
    let is_bad = |profile: &Value| !["Localhost", "RuntimeDefault"].contains(&profile.text(&["type"]));
    let of_pod = pod.spec.given(&["securityContext", "seccompProfile"]);
    let bad = pod.containers(|container| own(container, "seccompProfile").is_some_and(is_bad));
    if let Some(found) = setters(of_pod.is_some_and(is_bad), &bad) {
        let values = pod.contexts("seccompProfile").map(|(_, profile)| profile).filter(|one| is_bad(one));
        let values = quoted(sorted(values.map(|profile| profile.text(&["type"]))));
        let detail = format!("{found} must not set securityContext.seccompProfile.type to {values}");
        return Some(("seccompProfile", detail));
    }
    if !must_be_set || of_pod.is_some() {
        return None;
    }
    let silent = pod.containers(|container| own(container, "seccompProfile").is_none());
    (!silent.is_empty()).then(|| {
        let who = named("container", &silent);
        let what = "must set securityContext.seccompProfile.type to \"RuntimeDefault\" or \"Localhost\"";
        ("seccompProfile", format!("pod or {who} {what}"))
    })
}

/// The kernel parameters that pods may set, in the order in which they came.
const SYSCTLS: [&str; 14] = [
    "kernel.shm_rmid_forced",
    "net.ipv4.ip_local_port_range",
    "net.ipv4.tcp_syncookies",
    "net.ipv4.ping_group_range",
    "net.ipv4.ip_unprivileged_port_start",
    "net.ipv4.ip_local_reserved_ports",
    "net.ipv4.tcp_keepalive_time",
    "net.ipv4.tcp_fin_timeout",
    "net.ipv4.tcp_keepalive_intvl",
    "net.ipv4.tcp_keepalive_probes",
    "net.ipv4.tcp_rmem",
    "net.ipv4.tcp_wmem",
    "net.ipv4.tcp_slow_start_after_idle",
    "net.ipv4.tcp_notsent_lowat",
];

fn sysctls(pod: &Pod<'_>, known: usize) -> Violation {
    let names = pod.spec.list(&["securityContext", "sysctls"]).iter().map(|one| one.text(&["name"]));
    let bad: Vec<&str> = names.filter(|name| !SYSCTLS.iter().take(known).any(|one| one == name)).collect();
    (!bad.is_empty()).then(|| ("forbidden sysctls", bad.join(", ")))
}

fn host_process(pod: &Pod<'_>) -> Violation {
    let is_bad = |options: &Value| options["hostProcess"] == true;
    let of_pod = pod.spec.given(&["securityContext", "windowsOptions"]).is_some_and(is_bad);
    let bad = pod.containers(|container| own(container, "windowsOptions").is_some_and(is_bad));
    let found = setters(of_pod, &bad)?;
    Some(("hostProcess", format!("{found} must not set securityContext.windowsOptions.hostProcess=true")))
}

fn privilege_escalation(pod: &Pod<'_>) -> Violation {
    let is_off =
        |container: &Value| own(container, "allowPrivilegeEscalation").is_some_and(|value| *value == false);
    let bad = pod.containers(|container| !is_off(container));
    (!bad.is_empty()).then(|| {
        let detail =
            format!("{} must set securityContext.allowPrivilegeEscalation=false", named("container", &bad));
        ("allowPrivilegeEscalation != false", detail)
    })
}

fn volume_types(pod: &Pod<'_>) -> Violation {
    const ALLOWED: [&str; 9] = [
        "configMap",
        "csi",
        "downwardAPI",
        "emptyDir",
        "ephemeral",
        "image",
        "persistentVolumeClaim",
        "projected",
        "secret",
    ];
    let type_of = |volume: &Value| -> Option<String> {
        let members = volume.as_object()?;
        let mut types = members.iter().filter(|(name, value)| *name != "name" && !value.is_null());
        match types.next() {
            Some((name, _)) if ALLOWED.contains(&name.as_str()) => None,
            Some((name, _)) => Some(name.clone()),
            None => Some("unknown".to_owned()),
        }
    };
    let (mut names, mut types) = (Vec::new(), BTreeSet::new());
    for volume in pod.spec.list(&["volumes"]) {
        if let Some(of) = type_of(volume) {
            names.push(volume.text(&["name"]));
            types.insert(of);
        }
    }
    (!names.is_empty()).then(|| {
        let what = plural("restricted volume type", types.len());
        let types = quoted(types.iter().map(String::as_str));
        (
            "restricted volume types",
            format!("{} {} {what} {types}", named("volume", &names), uses(names.len())),
        )
    })
}

fn non_root(pod: &Pod<'_>) -> Violation {
    const REASON: &str = "runAsNonRoot != true";
    let of_pod = pod.spec.at(&["securityContext", "runAsNonRoot"]).and_then(Value::as_bool);
    let of = |container: &Value| own(container, "runAsNonRoot").and_then(Value::as_bool);
    if let Some(found) = setters(of_pod == Some(false), &pod.containers(|one| of(one) == Some(false))) {
        return Some((REASON, format!("{found} must not set securityContext.runAsNonRoot=false")));
    }
    let silent = pod.containers(|one| of(one).is_none());
    (of_pod != Some(true) && !silent.is_empty()).then(|| {
        (REASON, format!("pod or {} must set securityContext.runAsNonRoot=true", named("container", &silent)))
    })
}

fn root_user(pod: &Pod<'_>) -> Violation {
    let is_root = |value: &Value| value.as_i64() == Some(0);
    let of_pod = pod.spec.given(&["securityContext", "runAsUser"]).is_some_and(is_root);
    let bad = pod.containers(|container| own(container, "runAsUser").is_some_and(is_root));
    let found = setters(of_pod, &bad)?;
    Some(("runAsUser=0", format!("{found} must not set runAsUser=0")))
}
