//! Validation of security contexts.
//!
//! Source: `kubernetes/kubernetes:pkg/apis/core/validation/validation.go` (`validatePodSpecSecurityContext`,
//! `ValidateSecurityContext`).

use std::collections::BTreeSet;

use serde_json::Value;

use super::internal_json::in_one_line;
use super::nodes::not_supported;
use super::pods::duplicate;
use super::volumes::validate_local_path;
use super::windows::validate_windows;
use crate::error::{FieldError, FieldReason};
use crate::object::ObjectFields;

/// What is wrong with the security context of a pod specification.
pub(super) fn validate_pod_security(spec: &Value, place: &str) -> Vec<FieldError> {
    let Some(context) = spec.given(&["securityContext"]) else { return Vec::new() };
    let place = format!("{place}.securityContext");
    let mut errors = Vec::new();
    for field in ["fsGroup", "runAsUser", "runAsGroup"] {
        errors.extend(validate_id(context.get(field), format!("{place}.{field}")));
    }
    for (index, group) in context.list(&["supplementalGroups"]).iter().enumerate() {
        errors.extend(validate_id(Some(group), format!("{place}.supplementalGroups[{index}]")));
    }
    let is_on = |field: &str| spec.at(&[field]) == Some(&Value::Bool(true));
    if is_on("shareProcessNamespace") && is_on("hostPID") {
        errors.push(FieldError::new(
            format!("{place}.shareProcessNamespace"),
            FieldReason::Invalid,
            "true",
            "ShareProcessNamespace and HostPID cannot both be enabled",
        ));
    }
    validate_sysctls(spec, context, &format!("{place}.sysctls"), &mut errors);
    one_of(context, "fsGroupChangePolicy", &["Always", "OnRootMismatch"], &place, &mut errors);
    errors.extend(validate_seccomp(context, &place));
    errors.extend(validate_windows(context, &place));
    errors.extend(validate_app_armor(context, &place));
    one_of(context, "supplementalGroupsPolicy", &["Merge", "Strict"], &place, &mut errors);
    one_of(context, "seLinuxChangePolicy", &["MountOption", "Recursive"], &place, &mut errors);
    errors
}

/// What is wrong with the security context of a container of a pod specification.
pub(super) fn validate_container_security(spec: &Value, container: &Value, place: &str) -> Vec<FieldError> {
    const MOUNTS: [&str; 2] = ["Default", "Unmasked"];
    let Some(context) = container.given(&["securityContext"]) else { return Vec::new() };
    let place = format!("{place}.securityContext");
    let mut errors = Vec::new();
    for field in ["runAsUser", "runAsGroup"] {
        errors.extend(validate_id(context.get(field), format!("{place}.{field}")));
    }
    one_of(context, "procMount", &MOUNTS, &place, &mut errors);
    let shares_users = spec.at(&["hostUsers"]) != Some(&Value::Bool(false));
    if shares_users && context.text(&["procMount"]) == "Unmasked" {
        let text = "`hostUsers` must be false to use `Unmasked`";
        errors.push(FieldError::invalid_text(format!("{place}.procMount"), "Unmasked", text));
    }
    errors.extend(validate_seccomp(context, &place));
    if context.at(&["allowPrivilegeEscalation"]) == Some(&Value::Bool(false)) {
        let mut refuse = |text: &str| {
            let value = in_one_line(context, "core", "SecurityContext");
            errors.push(FieldError::new(&place, FieldReason::Invalid, value, text));
        };
        if context.at(&["privileged"]) == Some(&Value::Bool(true)) {
            refuse("cannot set `allowPrivilegeEscalation` to false and `privileged` to true");
        }
        let added = context.list(&["capabilities", "add"]);
        for _ in added.iter().filter(|capability| *capability == "CAP_SYS_ADMIN") {
            refuse("cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN");
        }
    }
    errors.extend(validate_windows(context, &place));
    errors.extend(validate_app_armor(context, &place));
    errors
}

/// Users and groups of Linux.
fn validate_id(id: Option<&Value>, place: String) -> Option<FieldError> {
    let id = id.and_then(Value::as_i64)?;
    let text = "must be between 0 and 2147483647, inclusive";
    let fits = (0..=i64::from(i32::MAX)).contains(&id);
    (!fits).then(|| FieldError::invalid_number(place, id, text))
}

fn one_of(context: &Value, field: &str, known: &[&str], place: &str, errors: &mut Vec<FieldError>) {
    if let Some(value) = context.given(&[field]).and_then(Value::as_str)
        && !known.contains(&value)
    {
        errors.push(not_supported(&format!("{place}.{field}"), value, known));
    }
}

fn validate_sysctls(spec: &Value, context: &Value, place: &str, errors: &mut Vec<FieldError>) {
    let mut names = BTreeSet::new();
    for (index, sysctl) in context.list(&["sysctls"]).iter().enumerate() {
        let (name, place) = (sysctl.text(&["name"]), format!("{place}[{index}].name"));
        if name.is_empty() {
            errors.push(FieldError::required(&place, ""));
        } else if !is_sysctl(name) {
            let segment = "[a-z0-9]([-_a-z0-9]*[a-z0-9])?";
            let text =
                format!("must have at most 253 characters and match regex ^({segment}[\\./])*{segment}$");
            errors.push(FieldError::invalid_text(&place, name, text));
        } else if names.contains(name) {
            errors.push(duplicate(place.clone(), name));
        }
        if let Some(field) = sharing_field(name)
            && spec.at(&[field]) == Some(&Value::Bool(true))
        {
            let text = format!("may not be specified when '{field}' is true");
            errors.push(FieldError::invalid_text(&place, name, text));
        }
        names.insert(name);
    }
}

/// Whether a name consists of segments with dots or slashes between them.
fn is_sysctl(name: &str) -> bool {
    let is_end =
        |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    let is_segment = |segment: &str| {
        is_end(segment.bytes().next())
            && is_end(segment.bytes().last())
            && segment.bytes().all(|byte| is_end(Some(byte)) || byte == b'-' || byte == b'_')
    };
    name.len() <= 253 && name.split(['.', '/']).all(is_segment)
}

/// Parameters of the kernel that belong to the namespace for communication between processes.
///
/// Source: `kubernetes/component-helpers:node/util/sysctl/namespace.go`.
const OF_IPC: [&str; 10] = [
    "kernel.sem",
    "kernel.shmall",
    "kernel.shmmax",
    "kernel.shmmni",
    "kernel.shm_rmid_forced",
    "kernel.shm",
    "kernel.msgmax",
    "kernel.msgmnb",
    "kernel.msgmni",
    "kernel.msg",
];

/// The field of a pod that shares the namespace of a kernel parameter with the node.
fn sharing_field(sysctl: &str) -> Option<&'static str> {
    // The first separator says which of the two it is.
    let name = match sysctl.find(['.', '/']).map(|at| sysctl[at..].starts_with('/')) {
        Some(true) => sysctl.replace('/', "."),
        _ => sysctl.to_owned(),
    };
    let name = name.split('*').next().unwrap_or_default();
    if name.starts_with("net.") {
        Some("hostNetwork")
    } else if OF_IPC.contains(&name) || name.starts_with("fs.mqueue.") {
        Some("hostIPC")
    } else {
        None
    }
}

const PROFILES: [&str; 3] = ["Localhost", "RuntimeDefault", "Unconfined"];

fn validate_seccomp(context: &Value, place: &str) -> Vec<FieldError> {
    let Some(profile) = context.given(&["seccompProfile"]) else { return Vec::new() };
    let (mut errors, place) = (Vec::new(), format!("{place}.seccompProfile"));
    let kind = profile.text(&["type"]);
    match kind {
        "" => {
            let text = "type is required when seccompProfile is set";
            errors.push(FieldError::required(format!("{place}.type"), text));
        }
        known if PROFILES.contains(&known) => {}
        other => errors.push(not_supported(&format!("{place}.type"), other, &PROFILES)),
    }
    let of_path = format!("{place}.localhostProfile");
    match (kind == "Localhost", profile.given(&["localhostProfile"]).and_then(Value::as_str)) {
        (true, None) => {
            errors.push(FieldError::required(of_path, "must be set when seccomp type is Localhost"));
        }
        (true, Some(path)) => errors.extend(validate_local_path(path, &of_path)),
        (false, Some(_)) => errors.push(FieldError::new(
            of_path,
            FieldReason::Invalid,
            in_one_line(profile, "core", "SeccompProfile"),
            "can only be set when seccomp type is Localhost",
        )),
        (false, None) => {}
    }
    errors
}

fn validate_app_armor(context: &Value, place: &str) -> Vec<FieldError> {
    const LONGEST: usize = 4095;
    let Some(profile) = context.given(&["appArmorProfile"]) else { return Vec::new() };
    let (mut errors, place) = (Vec::new(), format!("{place}.appArmorProfile"));
    let of_name = format!("{place}.localhostProfile");
    let name = profile.given(&["localhostProfile"]).and_then(Value::as_str);
    match (profile.text(&["type"]), name) {
        ("Localhost", name) => {
            let name = name.unwrap_or_default();
            if name.trim() != name {
                errors.push(FieldError::invalid_text(&of_name, name, "must not be padded with whitespace"));
            } else if name.is_empty() {
                errors.push(FieldError::required(&of_name, "must be set when AppArmor type is Localhost"));
            }
            if name.len() > LONGEST {
                let text = format!("may not be more than {LONGEST} bytes");
                errors.push(FieldError::new(of_name, FieldReason::TooLong, "", text));
            }
        }
        ("RuntimeDefault" | "Unconfined", Some(name)) => {
            let text = "can only be set when AppArmor type is Localhost";
            errors.push(FieldError::invalid_text(of_name, name, text));
        }
        ("RuntimeDefault" | "Unconfined", None) => {}
        ("", _) => {
            let text = "type is required when appArmorProfile is set";
            errors.push(FieldError::required(format!("{place}.type"), text));
        }
        (other, _) => errors.push(not_supported(&format!("{place}.type"), other, &PROFILES)),
    }
    errors
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::texts;
    use super::*;

    #[test]
    fn contexts_of_pods() {
        for (spec, expected) in [
            (json!({}), vec![]),
            (
                json!({"securityContext": {"runAsUser": 0, "fsGroup": 2_147_483_647, "sysctls": [{"name": "net/a.b/c"}]}}),
                vec![],
            ),
            (
                json!({"securityContext": {"supplementalGroups": [1, -1], "runAsUser": 2_147_483_648_i64}}),
                vec![
                    "s.securityContext.runAsUser: Invalid value: 2147483648: must be between 0 and 2147483647, inclusive",
                    "s.securityContext.supplementalGroups[1]: Invalid value: -1: must be between 0 and 2147483647, inclusive",
                ],
            ),
            (
                json!({"shareProcessNamespace": true, "hostPID": true, "securityContext": {}}),
                vec![
                    "s.securityContext.shareProcessNamespace: Invalid value: true: ShareProcessNamespace and HostPID cannot both be enabled",
                ],
            ),
            (
                json!({"hostNetwork": true, "securityContext": {"sysctls": [
                    {"name": "net.a"}, {"name": "kernel.sem"}, {"name": "kernel.sem"}, {"name": "A"}, {"name": ""},
                ]}}),
                vec![
                    "s.securityContext.sysctls[0].name: Invalid value: \"net.a\": may not be specified when 'hostNetwork' is true",
                    "s.securityContext.sysctls[2].name: Duplicate value: \"kernel.sem\"",
                    "s.securityContext.sysctls[3].name: Invalid value: \"A\": must have at most 253 characters and match regex \
                     ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$",
                    "s.securityContext.sysctls[4].name: Required value",
                ],
            ),
            (
                json!({"securityContext": {"fsGroupChangePolicy": "Never", "seccompProfile": {}, "supplementalGroupsPolicy": "x"}}),
                vec![
                    "s.securityContext.fsGroupChangePolicy: Unsupported value: \"Never\": supported values: \"Always\", \"OnRootMismatch\"",
                    "s.securityContext.seccompProfile.type: Required value: type is required when seccompProfile is set",
                    "s.securityContext.supplementalGroupsPolicy: Unsupported value: \"x\": supported values: \"Merge\", \"Strict\"",
                ],
            ),
        ] {
            assert_eq!(texts(&validate_pod_security(&spec, "s")), expected, "{spec}");
        }
    }

    #[test]
    fn contexts_of_containers() {
        let whole = r#"{"Capabilities":{"Add":["CAP_SYS_ADMIN"],"Drop":null},"Privileged":true,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,"ReadOnlyRootFilesystem":null,"AllowPrivilegeEscalation":false,"ProcMount":null,"SeccompProfile":null,"AppArmorProfile":null}"#;
        for (context, expected) in [
            (json!({"privileged": true, "procMount": "Default"}), vec![]),
            (
                json!({"procMount": "Unmasked", "runAsGroup": -1}),
                vec![
                    "c.securityContext.runAsGroup: Invalid value: -1: must be between 0 and 2147483647, inclusive".to_owned(),
                    "c.securityContext.procMount: Invalid value: \"Unmasked\": `hostUsers` must be false to use `Unmasked`".to_owned(),
                ],
            ),
            (
                json!({"seccompProfile": {"type": "RuntimeDefault", "localhostProfile": "a"}}),
                vec![
                    "c.securityContext.seccompProfile.localhostProfile: Invalid value: \
                     {\"Type\":\"RuntimeDefault\",\"LocalhostProfile\":\"a\"}: can only be set when seccomp type is Localhost"
                        .to_owned(),
                ],
            ),
            (
                json!({"privileged": true, "allowPrivilegeEscalation": false, "capabilities": {"add": ["CAP_SYS_ADMIN"]}}),
                vec![
                    format!("c.securityContext: Invalid value: {whole}: cannot set `allowPrivilegeEscalation` to false and `privileged` to true"),
                    format!("c.securityContext: Invalid value: {whole}: cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN"),
                ],
            ),
            (
                json!({"appArmorProfile": {"type": "Localhost", "localhostProfile": " a"}}),
                vec!["c.securityContext.appArmorProfile.localhostProfile: Invalid value: \" a\": must not be padded with whitespace".to_owned()],
            ),
        ] {
            let container = json!({"securityContext": context});
            assert_eq!(texts(&validate_container_security(&json!({}), &container, "c")), expected, "{context}");
        }
    }
}
