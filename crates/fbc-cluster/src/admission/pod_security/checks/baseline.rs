//! The checks of the level `baseline`.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Pod, Violation, added, named, own, plural, quoted, setters, sorted, uses};
use crate::object::ObjectFields;

pub(super) fn app_armor(pod: &Pod<'_>) -> Violation {
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

pub(super) fn capabilities(pod: &Pod<'_>) -> Violation {
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

pub(super) fn host_namespaces(pod: &Pod<'_>) -> Violation {
    let fields = ["hostNetwork", "hostPID", "hostIPC"];
    let found: Vec<String> = fields
        .iter()
        .filter(|field| pod.spec[**field] == true)
        .map(|field| format!("{field}=true"))
        .collect();
    (!found.is_empty()).then(|| ("host namespaces", found.join(", ")))
}

pub(super) fn host_paths(pod: &Pod<'_>) -> Violation {
    let volumes = pod.spec.list(&["volumes"]).iter().filter(|volume| volume.given(&["hostPath"]).is_some());
    let names: Vec<&str> = volumes.map(|volume| volume.text(&["name"])).collect();
    (!names.is_empty()).then(|| ("hostPath volumes", named("volume", &names)))
}

pub(super) fn host_ports(pod: &Pod<'_>) -> Violation {
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

pub(super) fn host_probes(pod: &Pod<'_>) -> Violation {
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

pub(super) fn privileged(pod: &Pod<'_>) -> Violation {
    let bad = pod.containers(|container| own(container, "privileged").is_some_and(|value| *value == true));
    (!bad.is_empty()).then(|| {
        ("privileged", format!("{} must not set securityContext.privileged=true", named("container", &bad)))
    })
}

pub(super) fn proc_mount(pod: &Pod<'_>) -> Violation {
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

pub(super) fn se_linux(pod: &Pod<'_>, has_engine: bool) -> Violation {
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

pub(super) fn seccomp_annotations(pod: &Pod<'_>) -> Violation {
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

pub(super) fn seccomp(pod: &Pod<'_>, must_be_set: bool) -> Violation {
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

pub(super) fn sysctls(pod: &Pod<'_>, known: usize) -> Violation {
    let names = pod.spec.list(&["securityContext", "sysctls"]).iter().map(|one| one.text(&["name"]));
    let bad: Vec<&str> = names.filter(|name| !SYSCTLS.iter().take(known).any(|one| one == name)).collect();
    (!bad.is_empty()).then(|| ("forbidden sysctls", bad.join(", ")))
}

pub(super) fn host_process(pod: &Pod<'_>) -> Violation {
    let is_bad = |options: &Value| options["hostProcess"] == true;
    let of_pod = pod.spec.given(&["securityContext", "windowsOptions"]).is_some_and(is_bad);
    let bad = pod.containers(|container| own(container, "windowsOptions").is_some_and(is_bad));
    let found = setters(of_pod, &bad)?;
    Some(("hostProcess", format!("{found} must not set securityContext.windowsOptions.hostProcess=true")))
}
