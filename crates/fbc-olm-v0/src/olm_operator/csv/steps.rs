//! The steps out of each phase, with their tests in the order of the reference.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/olm/operator.go`
//! (`transitionCSVState`, `updateInstallStatus`).

use std::sync::Arc;

use fbc_cluster::api::{Caller, Propagation};
use fbc_cluster::engine::Requeue;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::{MINUTE, Milliseconds, Moment, SECOND};
use serde_json::Value;

use super::super::CLUSTER_SERVICE_VERSIONS;
use super::super::cluster_roles;
use super::super::install::api_services::{self, Availability};
use super::super::install::deployment::{TroubleKind, Wanted};
use super::super::install::{self, deployment, webhooks};
use super::look::{Look, fails_forward};
use super::object::{phase, reason};
use super::requirements::{self, Requirements};
use super::{chain, upgradeable};
use crate::accounts;
use crate::client::Client;

/// How long an operator may take to become healthy (V0-092).
pub(super) const INSTALL_TIMEOUT: Milliseconds = 5 * MINUTE;
/// When an APIService whose pods are being moved is looked at again.
const DISRUPTION_RETRY: Milliseconds = 10 * SECOND;

impl Look<'_> {
    pub(super) fn pending(&mut self) {
        if let Some(replaced) = chain::replaced(self.api, &self.version)
            && let Err(why) = upgradeable::check(self.api, &replaced)
        {
            // Shows V0-112.
            let message = format!("operator is not upgradeable: {why}");
            return self.enter_if_changed("Pending", "OperatorConditionNotUpgradeable", &message);
        }
        let Some(found) = self.requirements() else { return };
        let replaced = chain::replaced(self.api, &self.version);
        if let Some(replaced) = replaced.as_ref().filter(|replaced| phase(replaced) == "Succeeded") {
            self.requeue(replaced);
        }
        if !found.are_met {
            let message = "one or more requirements couldn't be found";
            self.enter_if_changed("Pending", "RequirementsNotMet", message);
            self.error = Some("requirements were not met".to_owned());
            return;
        }
        if let Err(message) = webhooks::check(&self.version) {
            return self.enter_if_changed("Failed", "InvalidWebhookDescription", &message);
        }
        let conflict = if chain::owns_definitions_of(self.api, &self.version) {
            Some("conflicting CRD owner in namespace")
        } else if api_services::has_conflict(self.api, &self.version) {
            Some("unable to adopt APIService")
        } else {
            None
        };
        if let Some(message) = conflict {
            self.enter("Failed", "OwnerConflict", message);
            self.error = Some(message.to_owned());
            return;
        }
        // Shows V0-111.
        if replaced.is_some_and(|replaced| phase(&replaced) != "Replacing") {
            return;
        }
        self.enter("InstallReady", "AllRequirementsMet", "all requirements found, attempting install");
    }

    /// What is required, noted in the status; nothing if that cannot be told, which is a failure.
    fn requirements(&mut self) -> Option<Requirements> {
        match requirements::check(self.api, &self.version) {
            Ok(found) => {
                self.note(&found);
                Some(found)
            }
            Err(why) => {
                self.enter("Failed", "InvalidInstallStrategy", &format!("install strategy invalid: {why}"));
                None
            }
        }
    }

    fn note(&mut self, found: &Requirements) {
        if found.statuses.is_empty() {
            self.version.remove(&["status", "requirementStatus"]);
        } else {
            self.version.set(&["status", "requirementStatus"], Value::Array(found.statuses.clone()));
        }
    }

    /// With whose rights the operator is installed; nothing if there is no way to do so. Wakes the one that it replaces.
    fn installer(&mut self) -> Option<Caller> {
        if let Err(why) = requirements::check_strategy(&self.version) {
            let message = format!("install strategy invalid: {why}");
            self.enter_if_changed("Failed", "InvalidInstallStrategy", &message);
            return None;
        }
        if let Some(replaced) = chain::replaced(self.api, &self.version) {
            self.requeue(&replaced);
        }
        accounts::scoped(self.api, self.version.namespace(), self.caller).ok()
    }

    pub(super) fn install_ready(&mut self) {
        let Some(installer) = self.installer() else { return };
        match install::install(&mut Client::new(self.api, &installer), &self.version) {
            Err(error) => {
                let reason =
                    if error.is_final { "InstallComponentFailedNoRetry" } else { "InstallComponentFailed" };
                self.enter("Failed", reason, &format!("install strategy failed: {}", error.message));
                self.error = Some(error.message);
            }
            Ok(rotation) => {
                if let Some(rotation) = rotation {
                    self.version.set(&["status", "certsLastUpdated"], rotation.made_at.to_string());
                    self.version.set(&["status", "certsRotateAt"], rotation.due_at.to_string());
                }
                let message = "waiting for install components to report healthy";
                self.enter("Installing", "InstallSucceeded", message);
                let version = self.version.clone();
                self.requeue(&version);
            }
        }
    }

    pub(super) fn installing(&mut self) {
        if self.installer().is_none() {
            return;
        }
        let Some(wanted) = self.wanted() else { return };
        let is_healthy = self.check_health(&wanted, "Installing", "InstallWaiting");
        if !is_healthy && self.is_overdue() {
            self.enter("Failed", "InstallCheckFailed", "install timeout");
        }
    }

    /// Whether the phase has lasted longer than an installation may.
    fn is_overdue(&self) -> bool {
        let since = Moment::parse(self.version.text(&["status", "lastTransitionTime"]));
        since.is_some_and(|since| self.api.now().since(since) >= INSTALL_TIMEOUT)
    }

    /// The Deployments that are to be; nothing if a certificate for them is missing, which means to install once more.
    fn wanted(&mut self) -> Option<Vec<Wanted>> {
        let version = self.version.clone();
        let wanted = install::wanted_with_certificates(&self.client(), &version);
        if wanted.is_err() {
            self.enter("Pending", "NeedsReinstall", "calculated deployment install is bad");
        }
        wanted.ok()
    }

    pub(super) fn succeeded(&mut self) {
        if let Some(replacement) = chain::replacement(self.api, &self.version) {
            // Shows V0-109.
            let message = format!("being replaced by csv: {}", replacement.name());
            return self.enter("Replacing", "BeingReplaced", &message);
        }
        if self.installer().is_none() {
            return;
        }
        let version = self.version.clone();
        if let Err(damage) = api_services::check(&self.client(), &version) {
            return self.enter("Failed", "APIServiceResourceIssue", &damage.text());
        }
        if install::are_certificates_due(&self.client(), &version) {
            return self.enter(
                "Pending",
                "NeedsCertRotation",
                "CSV owns resources that require a cert refresh",
            );
        }
        match requirements::check(self.api, &self.version) {
            Err(why) => {
                return self.enter(
                    "Failed",
                    "InvalidInstallStrategy",
                    &format!("install strategy invalid: {why}"),
                );
            }
            Ok(found) if !found.are_met => {
                self.note(&found);
                return self.enter("Failed", "RequirementsNotMet", "requirements no longer met");
            }
            Ok(_) => {}
        }
        let Some(wanted) = self.wanted() else { return };
        if !self.check_health(&wanted, "Failed", "ComponentUnhealthy") {
            return;
        }
        if let Err(why) = cluster_roles::ensure_for_apis(&mut self.client(), &version) {
            self.error = Some(why.into());
        }
    }

    pub(super) fn failed(&mut self, group: &Object) {
        if fails_forward(group)
            && let Some(replacement) = chain::replacement(self.api, &self.version)
        {
            let message = format!(
                "Fail Forward is enabled, allowing Failed csv to be replaced by csv: {}",
                replacement.name()
            );
            return self.enter("Replacing", "BeingReplaced", &message);
        }
        if self.installer().is_none() {
            return;
        }
        let recovered = match reason(&self.version) {
            "NoTargetNamespaces"
            | "NoOperatorGroup"
            | "TooManyOperatorGroups"
            | "UnsupportedOperatorGroup" => Some("InstallModes now support target namespaces"),
            "InterOperatorGroupOwnerConflict" => {
                Some("OperatorGroup no longer intersecting with conflicting owner")
            }
            "CannotModifyStaticOperatorGroupProvidedAPIs" => {
                Some("static OperatorGroup and intersecting groups now support providedAPIs")
            }
            _ => None,
        };
        if let Some(message) = recovered {
            return self.enter("Pending", "RequirementsUnknown", message);
        }
        match requirements::check(self.api, &self.version) {
            Err(why) if reason(&self.version) != "InvalidInstallStrategy" => {
                return self.enter(
                    "Failed",
                    "InvalidInstallStrategy",
                    &format!("install strategy invalid: {why}"),
                );
            }
            Ok(found) if found.are_met => {}
            unmet => {
                self.note(&unmet.unwrap_or_default());
                return self.enter("Pending", "RequirementsNotMet", "requirements not met");
            }
        }
        let version = self.version.clone();
        if let Err(damage) = api_services::check(&self.client(), &version) {
            if !damage.is_foreign {
                self.enter("Pending", "APIServiceResourcesNeedReinstall", &damage.text());
            }
            return;
        }
        if install::are_certificates_due(&self.client(), &version) {
            return self.enter("Pending", "NeedsCertRotation", "owned APIServices need cert refresh");
        }
        let Some(wanted) = self.wanted() else { return };
        self.check_health(&wanted, "Pending", "NeedsReinstall");
    }

    /// Whether everything is installed and healthy. If not, the phase and the reason tell where to go from here.
    fn check_health(&mut self, wanted: &[Wanted], phase: &str, reason: &str) -> bool {
        let version = self.version.clone();
        let deployments = deployment::check(self.api, &version, wanted);
        let services = api_services::availability(self.api, self.options.target, &version);
        let hooks = webhooks::are_available(&mut self.client(), &version);
        if deployments.is_ok() && services == Availability::Available && hooks == Ok(true) {
            let message = "install strategy completed with no errors";
            self.enter_if_changed("Succeeded", "InstallSucceeded", message);
            return true;
        }
        match (deployments, services, hooks) {
            (Err(trouble), ..) if trouble.kind == TroubleKind::Expired => {
                let message = format!("install failed: {}", trouble.message);
                self.enter_if_changed("Failed", "InstallCheckFailed", &message);
            }
            (_, Availability::Disrupted, _) => {
                let again = Requeue::now(CLUSTER_SERVICE_VERSIONS, version.object_name());
                self.requeues.push(Requeue { after: DISRUPTION_RETRY, ..again });
            }
            (_, Availability::Unknown(why), _) => {
                let message = format!("APIService install failed: {why}");
                self.enter_if_changed("Failed", "APIServiceInstallFailed", &message);
            }
            (_, Availability::Missing, _) => {
                self.enter_if_changed(phase, reason, "apiServices not installed")
            }
            (_, _, Err(why)) => {
                let message = format!("Webhook install failed: {why}");
                self.enter_if_changed("InstallReady", reason, &message);
            }
            (_, _, Ok(false)) => self.enter_if_changed(phase, reason, "webhooks not installed"),
            (Err(trouble), ..) => {
                let phase = if trouble.kind == TroubleKind::Changed { "InstallReady" } else { phase };
                self.enter_if_changed(phase, reason, &format!("installing: {}", trouble.message));
            }
            (Ok(()), ..) => {}
        }
        false
    }

    /// Shows V0-110, V0-151.
    pub(super) fn replacing(&mut self, group: &Object) {
        if chain::replaced(self.api, &self.version).is_some() {
            return;
        }
        let Some(mut next) = chain::replacement(self.api, &self.version) else {
            self.error = Some("marked as replacement, but no replacement CSV found in cluster".to_owned());
            return;
        };
        if fails_forward(group) {
            match chain::last(self.api, Arc::clone(&next)) {
                Ok(last) => next = last,
                Err(why) => {
                    self.error = Some(why.into());
                    return;
                }
            }
        }
        if phase(&next) == "Succeeded" {
            let message =
                "has been replaced by a newer ClusterServiceVersion that has successfully installed.";
            return self.enter("Deleting", "Replaced", message);
        }
        self.is_busy = true;
        // The reference looks at both without pause. Here the other one is looked at when something has changed.
        if self.is_woken {
            self.requeue(&next);
        }
    }

    pub(super) fn deleting(&mut self) {
        let version = self.version.clone();
        if let Err(error) = self.client().delete(&version, Propagation::Background) {
            self.error = Some(error.message);
        }
    }
}
