//! What operator-controller cannot install at all.
//!
//! Source: `operator-framework/operator-controller:internal/operator-controller/applier/provider.go`.

use super::{Installation, Operator, Refusal};

/// The checks before anything is rendered.
pub(super) fn check(operator: &Operator<'_>, installation: &Installation) -> Result<(), Refusal> {
    let modes = operator.install_modes();
    let reason = if operator.owns_api_services() {
        // The spelling is the reference's.
        "apiServiceDefintions are not supported"
    } else if operator.webhooks().next().is_some() && installation.certificate_provider.is_none() {
        "webhookDefinitions are not supported"
    } else if !installation.gates.single_own_namespace && !modes.contains("AllNamespaces") {
        "bundle does not support AllNamespaces install mode"
    } else if !["AllNamespaces", "SingleNamespace", "OwnNamespace"].iter().any(|mode| modes.contains(mode)) {
        "bundle must support at least one of [AllNamespaces SingleNamespace OwnNamespace] install modes"
    } else {
        return Ok(());
    };
    Err(Refusal::of(format!("unsupported bundle: {reason}")))
}

/// The checks of 4.19, which come after those of install modes.
pub(super) fn check_ocp_4_19(operator: &Operator<'_>) -> Result<(), Refusal> {
    if operator.owns_api_services() {
        return Err(Refusal::of("apiServiceDefintions are not supported"));
    }
    if operator.webhooks().next().is_some() {
        return Err(Refusal::of("webhookDefinitions are not supported"));
    }
    Ok(())
}
