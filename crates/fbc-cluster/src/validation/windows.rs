//! Validation of what security contexts say about containers of Windows.
//!
//! Source: `kubernetes/kubernetes:pkg/apis/core/validation/validation.go` (`validateWindowsSecurityContextOptions`,
//! `validateWindowsHostProcessPod`).

use serde_json::Value;

use super::metadata::push_all;
use super::names::subdomain;
use crate::error::{FieldError, FieldReason};
use crate::object::ObjectFields;

/// What is wrong with the options of a security context at a place.
pub(super) fn validate_windows(context: &Value, place: &str) -> Vec<FieldError> {
    const LARGEST: usize = 64 * 1024;
    let Some(options) = context.given(&["windowsOptions"]) else { return Vec::new() };
    let (mut errors, place) = (Vec::new(), format!("{place}.windowsOptions"));
    let text = |field: &str| options.get(field).and_then(Value::as_str);
    if let Some(name) = text("gmsaCredentialSpecName") {
        push_all(&mut errors, &format!("{place}.gmsaCredentialSpecName"), name, subdomain(name));
    }
    let mut refuse = |field: &str, value: &str, why: &str| {
        errors.push(FieldError::invalid_text(format!("{place}.{field}"), value, why));
    };
    match text("gmsaCredentialSpec") {
        Some("") => refuse("gmsaCredentialSpec", "", "gmsaCredentialSpec cannot be an empty string"),
        Some(spec) if spec.len() > LARGEST => {
            refuse("gmsaCredentialSpec", spec, "gmsaCredentialSpec size must be under 64 KiB");
        }
        _ => {}
    }
    if let Some(name) = text("runAsUserName") {
        for why in windows_user_faults(name) {
            refuse("runAsUserName", name, &format!("runAsUserName{why}"));
        }
    }
    errors
}

/// Whether containers of Windows that are processes of their host are alone, and in its network.
pub(super) fn validate_host_processes(spec: &Value, place: &str) -> Vec<FieldError> {
    let flag = |of: &Value| of.at(&["securityContext", "windowsOptions", "hostProcess"])?.as_bool();
    let of_pod = flag(spec);
    let (mut errors, mut count, mut of_host) = (Vec::new(), 0, 0);
    for list in ["initContainers", "containers", "ephemeralContainers"] {
        for (index, container) in spec.list(&[list]).iter().enumerate() {
            let own = flag(container);
            count += 1;
            of_host += usize::from(own.or(of_pod) == Some(true));
            if let (Some(of_pod), Some(own)) = (of_pod, own)
                && of_pod != own
            {
                errors.push(FieldError::new(
                    format!("{place}.{list}[{index}].securityContext.windowsOptions.hostProcess"),
                    FieldReason::Invalid,
                    own.to_string(),
                    format!("pod hostProcess value must be identical if both are specified, was {of_pod}"),
                ));
            }
        }
    }
    if of_host > 0 && of_host != count {
        let text =
            "If pod contains any hostProcess containers then all containers must be HostProcess containers";
        errors.push(FieldError::invalid_text(place, "", text));
    }
    if of_host > 0 && spec.at(&["hostNetwork"]) != Some(&Value::Bool(true)) {
        let text = "hostNetwork must be true if pod contains any hostProcess containers";
        errors.push(FieldError::new(format!("{place}.hostNetwork"), FieldReason::Invalid, "false", text));
    }
    errors
}

/// What is wrong with the name of a user of Windows, `USER` or `DOMAIN\USER`.
fn windows_user_faults(name: &str) -> Vec<&'static str> {
    if name.is_empty() {
        return vec![" cannot be an empty string"];
    }
    if name.chars().any(|character| character.is_ascii_control()) {
        return vec![" cannot contain control characters"];
    }
    let (domain, user) = match name.split('\\').collect::<Vec<_>>()[..] {
        [user] => (None, user),
        [domain, user] => (Some(domain), user),
        _ => return vec![" cannot contain more than one backslash"],
    };
    let mut faults = Vec::new();
    if domain.is_some_and(|domain| domain.len() >= 256) {
        faults.push("'s Domain length must be under 256 characters");
    }
    if domain.is_some_and(|domain| !is_net_bios(domain) && !is_domain(domain)) {
        faults.push("'s Domain doesn't match the NetBios nor the DNS format");
    }
    if user.is_empty() {
        faults.push("'s User cannot be empty");
    } else if user.len() > 104 {
        faults.push("'s User length must not be longer than 104 characters");
    }
    if !user.is_empty() && user.chars().all(|character| ". ".contains(character)) {
        faults.push("'s User cannot contain only periods or spaces");
    }
    if user.chars().any(|character| "\"/\\:;|=,+*?<>@[]".contains(character)) {
        faults.push("'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]");
    }
    faults
}

fn is_net_bios(domain: &str) -> bool {
    let is_free = |character: char| !"\\/:*?\"<>|".contains(character);
    !domain.starts_with('.') && (1..=15).contains(&domain.chars().count()) && domain.chars().all(is_free)
}

/// Labels of letters, digits and dashes with dots between them.
fn is_domain(domain: &str) -> bool {
    let is_label = |label: &str| {
        let is_end = |byte: Option<u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric());
        label.len() <= 63
            && is_end(label.bytes().next())
            && is_end(label.bytes().last())
            && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    };
    domain.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::texts;
    use super::*;

    #[test]
    fn users_of_windows() {
        for (name, faults) in [
            ("ContainerAdministrator", &[][..]),
            ("NT AUTHORITY\\System", &[]),
            ("example.com\\me", &[]),
            ("", &[" cannot be an empty string"]),
            ("a\\b\\c", &[" cannot contain more than one backslash"]),
            (".\\me", &["'s Domain doesn't match the NetBios nor the DNS format"]),
            ("me\\", &["'s User cannot be empty"]),
            ("...", &["'s User cannot contain only periods or spaces"]),
            ("a*b", &["'s User cannot contain the following characters: \"/\\:;|=,+*?<>@[]"]),
            ("a\nb", &[" cannot contain control characters"]),
        ] {
            assert_eq!(windows_user_faults(name), faults, "{name:?}");
        }
    }

    #[test]
    fn processes_of_the_host_are_alone() {
        let host = json!({"windowsOptions": {"hostProcess": true}});
        let spec = json!({"containers": [{"securityContext": host}, {}]});
        assert_eq!(
            texts(&validate_host_processes(&spec, "spec")),
            [
                "spec: Invalid value: \"\": If pod contains any hostProcess containers then all containers must be HostProcess containers",
                "spec.hostNetwork: Invalid value: false: hostNetwork must be true if pod contains any hostProcess containers",
            ]
        );
    }
}
