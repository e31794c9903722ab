//! Which namespaces an operator can watch.
//!
//! Source: `operator-framework/operator-controller:…/rukpak/render/render.go` (`validateTargetNamespaces`).

use std::collections::BTreeSet;

use super::dns::subdomain_errors;
use super::{Operator, Refusal};

/// The namespaces to watch: those asked for, or all where that is supported.
pub(super) fn targets_latest(
    operator: &Operator<'_>,
    install: &str,
    asked: Vec<String>,
) -> Result<Vec<String>, Refusal> {
    let modes = operator.install_modes();
    let targets = match asked.is_empty() {
        true if modes.contains("AllNamespaces") => vec![String::new()],
        _ => asked,
    };
    match fault(&modes, install, &targets) {
        None => Ok(targets),
        Some(fault) => Err(Refusal::of(format!(
            "invalid option(s): invalid target namespaces [{}]: {fault}",
            targets.join(" ")
        ))),
    }
}

fn fault(modes: &BTreeSet<&str>, install: &str, targets: &[String]) -> Option<String> {
    let distinct: BTreeSet<&str> = targets.iter().map(String::as_str).collect();
    let unsupported =
        |what: &str| Some(format!("supported install modes {} do not support {what}", listed(modes)));
    let others = || unsupported(&format!("target namespaces [{}]", targets.join(" ")));
    let own = || unsupported("targeting own namespace");
    match distinct.iter().copied().collect::<Vec<_>>().as_slice() {
        [] if modes.contains("MultiNamespace") => {
            Some("at least one target namespace must be specified".to_owned())
        }
        [] => Some("exactly one target namespace must be specified".to_owned()),
        [""] if modes.contains("AllNamespaces") => None,
        [""] => unsupported("targeting all namespaces"),
        [only] if *only == install => {
            if modes.contains("OwnNamespace") {
                None
            } else {
                own()
            }
        }
        [_] => {
            if modes.contains("SingleNamespace") {
                None
            } else {
                others()
            }
        }
        _ if !modes.contains("OwnNamespace") && distinct.contains(install) => own(),
        _ if modes.contains("MultiNamespace") && !distinct.contains("") => None,
        _ => others(),
    }
}

/// The namespaces to watch in 4.19, asked for by an annotation; the installation's own is the second default.
pub(super) fn targets_ocp_4_19(
    operator: &Operator<'_>,
    install: &str,
    asked: Vec<String>,
) -> Result<Vec<String>, Refusal> {
    if let Some(name) = asked.iter().find(|name| !name.is_empty() && !subdomain_errors(name).is_empty()) {
        return Err(Refusal::of(format!(
            "invalid watch namespace '{name}': namespace must consist of lower case alphanumeric characters, '-' or \
             '.', and must start and end with an alphanumeric character"
        )));
    }
    let modes = operator.install_modes();
    // An empty annotation counts as none, and none means all namespaces.
    let targets = if asked.is_empty() { vec![String::new()] } else { asked };
    let distinct: BTreeSet<&str> = targets.iter().map(String::as_str).collect();
    let reason = match distinct.iter().copied().collect::<Vec<_>>().as_slice() {
        [""] if modes.contains("AllNamespaces") => return Ok(targets),
        [""] => "targeting all namespaces".to_owned(),
        [_] if modes.contains("SingleNamespace") => return Ok(targets),
        [only] if modes.contains("OwnNamespace") && *only == install => return Ok(targets),
        [_, _, ..] if modes.contains("MultiNamespace") && !distinct.contains("") => return Ok(targets),
        _ => format!("target namespaces [{}]", targets.join(" ")),
    };
    Err(Refusal::of(format!("supported install modes {} do not support {reason}", listed(&modes))))
}

/// A set as Go prints it.
pub(super) fn listed(modes: &BTreeSet<&str>) -> String {
    format!("[{}]", modes.iter().copied().collect::<Vec<_>>().join(" "))
}
