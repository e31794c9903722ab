//! Capabilities: the parts of OpenShift that a cluster can leave out.
//!
//! Source: `openshift/api:config/v1/types_cluster_version.go`.

use std::collections::BTreeSet;

/// The annotation that puts a manifest into capabilities, joined by `+`.
pub const ANNOTATION: &str = "capability.openshift.io/name";

/// A baseline set and what it adds to the one before it.
const BASELINES: [(&str, &[&str]); 9] = [
    ("None", &[]),
    ("v4.11", &["baremetal", "marketplace", "openshift-samples", "MachineAPI"]),
    ("v4.12", &["Console", "Insights", "Storage", "CSISnapshot"]),
    ("v4.13", &["NodeTuning"]),
    ("v4.14", &["Build", "DeploymentConfig", "ImageRegistry"]),
    ("v4.15", &["OperatorLifecycleManager", "CloudCredential"]),
    ("v4.16", &["Ingress", "CloudControllerManager"]),
    ("v4.17", &[]),
    ("v4.18", &["OperatorLifecycleManagerV1"]),
];

/// Capabilities that exist only where the feature gate of the same name is enabled.
const GATED: [&str; 2] = ["ClusterAPI", "CompatibilityRequirements"];

/// All capabilities of a cluster with these feature gates.
pub fn known(gates: &BTreeSet<String>) -> BTreeSet<String> {
    let gated = GATED.iter().filter(|name| gates.contains(**name));
    BASELINES.iter().flat_map(|(_, added)| *added).chain(gated).map(|name| (*name).to_owned()).collect()
}

/// The capabilities of a baseline set. An empty or unknown name means all, as `vCurrent` does.
pub fn baseline(name: &str, gates: &BTreeSet<String>) -> BTreeSet<String> {
    match BASELINES.iter().position(|(set, _)| *set == name) {
        Some(last) => BASELINES
            .iter()
            .take(last + 1)
            .flat_map(|(_, added)| *added)
            .map(|name| (*name).to_owned())
            .collect(),
        None => known(gates),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn baseline_sets_grow() {
        let gates = BTreeSet::new();
        assert_eq!(baseline("None", &gates).len(), 0);
        assert_eq!(baseline("v4.11", &gates).len(), 4);
        assert_eq!(baseline("v4.17", &gates), baseline("v4.16", &gates));
        assert_eq!(baseline("v4.18", &gates), baseline("", &gates));
        let gated = BTreeSet::from(["ClusterAPI".to_owned()]);
        assert!(
            baseline("vCurrent", &gated).contains("ClusterAPI")
                && !baseline("v4.18", &gated).contains("ClusterAPI")
        );
    }
}
