//! Which capabilities are on, and which of them nobody asked for.
//!
//! Sources: `openshift/cluster-version-operator:lib/capability/capability.go`, `lib/manifest/manifest.go`
//! (`GetImplicitlyEnabledCapabilities`).

use std::collections::BTreeSet;

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::Value;

use crate::release::inclusion::capabilities_of;
use crate::release::{Inclusion, Manifest, capabilities};

/// The process ended with this text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Ended(pub(super) &'static str);

/// The capabilities of a cluster.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Capabilities {
    pub(super) known: BTreeSet<String>,
    pub(super) enabled: BTreeSet<String>,
    pub(super) implicit: BTreeSet<String>,
}

impl Capabilities {
    /// What ClusterVersion asks for, and what must stay on.
    pub(super) fn from_version(version: &Object, kept: &BTreeSet<String>, gates: &BTreeSet<String>) -> Self {
        let known = capabilities::known(gates);
        let mut wanted =
            capabilities::baseline(version.text(&["spec", "capabilities", "baselineCapabilitySet"]), gates);
        let additional = version.list(&["spec", "capabilities", "additionalEnabledCapabilities"]);
        wanted.extend(additional.iter().filter_map(Value::as_str).map(str::to_owned));
        let implicit: BTreeSet<String> =
            kept.iter().filter(|name| !wanted.contains(*name) && known.contains(*name)).cloned().collect();
        wanted.retain(|name| known.contains(name));
        wanted.extend(implicit.iter().cloned());
        Self { known, enabled: wanted, implicit }
    }

    /// Turns capabilities on that a new payload puts objects into which the cluster has already.
    ///
    /// # Errors
    /// With no capability at all there is no set to add to: the operator ends with a panic.
    pub(super) fn follow(
        &mut self,
        old: &[Manifest],
        new: &[Manifest],
        gates: &BTreeSet<String>,
    ) -> Result<(), Ended> {
        let inclusion = |manifest: &Manifest| {
            let known = capabilities_of(&manifest.object).into_iter().map(str::to_owned).collect();
            let inclusion = self.inclusion(gates);
            // Capabilities that are not known yet count as disabled here.
            let inclusion = Inclusion { known: Some(known), ..inclusion };
            apply_time_refusal(&inclusion, &manifest.object).is_none()
        };
        let mut found = BTreeSet::new();
        for manifest in new.iter().filter(|manifest| !inclusion(manifest)) {
            let is_managed = |other: &&Manifest| other.is_same_object(manifest) && inclusion(other);
            for other in old.iter().filter(is_managed) {
                let before = capabilities_of(&other.object);
                let added = capabilities_of(&manifest.object).into_iter();
                found.extend(
                    added
                        .filter(|name| !before.contains(name) && !self.enabled.contains(*name))
                        .map(str::to_owned),
                );
            }
        }
        if self.enabled.is_empty() && !found.is_empty() {
            return Err(Ended("panic: assignment to entry in nil map"));
        }
        self.enabled.extend(found.iter().cloned());
        self.implicit.extend(found);
        Ok(())
    }

    /// What is asked of a manifest when it is applied.
    pub(super) fn inclusion(&self, gates: &BTreeSet<String>) -> Inclusion {
        Inclusion {
            gates: gates.clone(),
            known: Some(self.known.clone()),
            enabled: Some(self.enabled.clone()),
            ..Inclusion::default()
        }
    }

    /// As it stands in ClusterVersion.
    pub(super) fn status(&self) -> Value {
        let mut value = serde_json::json!({"knownCapabilities": self.known});
        if !self.enabled.is_empty() {
            value.set(&["enabledCapabilities"], self.enabled.iter().cloned().collect::<Vec<_>>());
        }
        value
    }
}

/// Why a manifest of a payload that was loaded is not applied: gates and capabilities may have changed since.
pub(super) fn apply_time_refusal(inclusion: &Inclusion, object: &Object) -> Option<String> {
    inclusion.changeable_refusal(object)
}
