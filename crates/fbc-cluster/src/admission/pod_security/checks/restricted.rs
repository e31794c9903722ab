//! The checks that the level `restricted` adds.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{Pod, Violation, added, named, own, plural, quoted, setters, sorted, uses};
use crate::object::ObjectFields;

pub(super) fn dropped_capabilities(pod: &Pod<'_>) -> Violation {
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

pub(super) fn privilege_escalation(pod: &Pod<'_>) -> Violation {
    let is_off =
        |container: &Value| own(container, "allowPrivilegeEscalation").is_some_and(|value| *value == false);
    let bad = pod.containers(|container| !is_off(container));
    (!bad.is_empty()).then(|| {
        let detail =
            format!("{} must set securityContext.allowPrivilegeEscalation=false", named("container", &bad));
        ("allowPrivilegeEscalation != false", detail)
    })
}

pub(super) fn volume_types(pod: &Pod<'_>) -> Violation {
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

pub(super) fn non_root(pod: &Pod<'_>) -> Violation {
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

pub(super) fn root_user(pod: &Pod<'_>) -> Violation {
    let is_root = |value: &Value| value.as_i64() == Some(0);
    let of_pod = pod.spec.given(&["securityContext", "runAsUser"]).is_some_and(is_root);
    let bad = pod.containers(|container| own(container, "runAsUser").is_some_and(is_root));
    let found = setters(of_pod, &bad)?;
    Some(("runAsUser=0", format!("{found} must not set runAsUser=0")))
}
