//! One look at a ClusterServiceVersion: what it is allowed to do, and the step from its phase to the next.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/olm/operator.go`
//! (`transitionCSVState`).

use std::sync::Arc;

use fbc_cluster::api::{ApiServer, Caller, Propagation};
use fbc_cluster::controllers::events::Recorder;
use fbc_cluster::engine::Requeue;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::Value;

use super::super::operator_groups::{annotations_differ, set_annotations, targets};
use super::super::{CLUSTER_SERVICE_VERSIONS, OPERATOR_GROUPS, apis};
use super::install_modes::InstallModes;
use super::object::{deployments, phase, reason, update};
use super::phase;
use crate::Options;
use crate::client::Client;
use crate::names::{GROUP, OPERATOR_GROUP, PROVIDED_APIS, TARGET_NAMESPACES};

/// A look, and what it leads to.
pub struct Look<'l> {
    pub(super) api: &'l mut ApiServer,
    pub(super) caller: &'l Caller,
    pub(super) options: &'l Options,
    pub(super) recorder: &'l mut Recorder,
    pub(super) requeues: &'l mut Vec<Requeue>,
    /// The ClusterServiceVersion as it is to be.
    pub version: Object,
    /// Why the look is to be repeated.
    pub error: Option<String>,
    /// Whether the reference looks again without pause, until another object changes.
    pub is_busy: bool,
    /// Whether something changed since the last look that was busy.
    pub is_woken: bool,
    /// Whether the step is over and nothing else follows.
    pub is_over: bool,
}

impl Look<'_> {
    pub(super) fn client(&mut self) -> Client<'_> {
        Client::new(self.api, self.caller)
    }

    /// Puts the ClusterServiceVersion into a phase, and says so in an event (V0-124).
    pub(super) fn enter(&mut self, phase: &str, reason: &str, message: &str) {
        let about = self.version.clone();
        match phase {
            "Failed" => self.recorder.warning(self.api, &about, reason, message),
            _ => self.recorder.normal(self.api, &about, reason, message),
        }
        phase::set(&mut self.version, self.api.now(), phase, reason, message);
    }

    /// The same unless nothing would change.
    pub(super) fn enter_if_changed(&mut self, phase: &str, reason: &str, message: &str) {
        if !phase::is(&self.version, phase, reason, message) {
            self.enter(phase, reason, message);
        }
    }

    pub(super) fn requeue(&mut self, version: &Object) {
        self.requeues.push(Requeue::now(CLUSTER_SERVICE_VERSIONS, version.object_name()));
    }

    /// Everything, in the order of the reference.
    pub fn run(&mut self) {
        if reason(&self.version) == "InstallComponentFailedNoRetry" {
            self.is_over = true;
            return;
        }
        let Some(provided) = apis::provided(&self.version) else { return };
        let Some(group) = self.group() else { return };
        if !self.fits_targets() {
            return;
        }
        if self.settles_apis(&provided, &group) {
            self.step(&group);
        }
    }

    /// The group of the namespace, if there is one and the annotations say so already.
    fn group(&mut self) -> Option<Arc<Object>> {
        let namespace = self.version.namespace();
        let all = self.api.all(GROUP, OPERATOR_GROUP).filter(|group| group.namespace() == namespace);
        let groups: Vec<Arc<Object>> = all.cloned().collect();
        let [group] = groups.as_slice() else {
            let (reason, message) = match groups.len() {
                0 => ("NoOperatorGroup", "csv in namespace with no operatorgroups"),
                _ => (
                    "TooManyOperatorGroups",
                    "csv created in namespace with multiple operatorgroups, can't pick one automatically",
                ),
            };
            self.enter_if_changed("Failed", reason, message);
            self.error = Some(message.to_owned());
            return None;
        };
        if !annotations_differ(&self.version, group) {
            return Some(Arc::clone(group));
        }
        self.annotate(group);
        None
    }

    fn annotate(&mut self, group: &Object) {
        let before = self.version.at(&["metadata", "annotations"]).cloned();
        set_annotations(&mut self.version, group);
        let is_new = self.version.at(&["metadata", "annotations"]) != before.as_ref();
        let wanted = self.version.clone();
        match update(&mut self.client(), wanted) {
            Ok(stored) => {
                let status = self.version.get("status").cloned();
                self.version = Object::clone(&stored);
                if let Some(status) = status {
                    self.version.set(&["status"], status);
                }
            }
            Err(error) => {
                self.error = Some(error.message);
                return;
            }
        }
        if targets(self.api, group).is_ok_and(|targets| targets.is_empty()) {
            let message = "no targetNamespaces are matched operatorgroups namespace selection";
            self.enter_if_changed("Failed", "NoTargetNamespaces", message);
        }
        if is_new {
            self.requeues.push(Requeue::now(OPERATOR_GROUPS, group.object_name()));
        }
    }

    /// Whether the operator can work in the namespaces of its group (V0-083).
    fn fits_targets(&mut self) -> bool {
        let modes = self.version.list(&["spec", "installModes"]).to_vec();
        let (reason, message) = match InstallModes::read(&modes) {
            Err(message) => ("InvalidInstallModes", message.into()),
            Ok(modes) => match self.version.annotation(TARGET_NAMESPACES) {
                None => ("NoTargetNamespaces", "csv missing olm.targetNamespaces annotation".to_owned()),
                Some(targets) => {
                    let targets: Vec<&str> = targets.split(',').collect();
                    match modes.check(self.version.namespace(), &targets) {
                        Ok(()) => return true,
                        Err(message) => ("UnsupportedOperatorGroup", message.into()),
                    }
                }
            },
        };
        self.enter_if_changed("Failed", reason, &message);
        false
    }

    /// Whether the APIs of the operator are those of its group, and of no other that overlaps.
    fn settles_apis(&mut self, provided: &apis::Apis, group: &Arc<Object>) -> bool {
        let result = {
            let all = self.api.all(GROUP, OPERATOR_GROUP);
            let others = all.filter(|other| other.object_name() != group.object_name());
            apis::reconcile(provided, group, others.map(AsRef::as_ref))
        };
        let changes = matches!(result, apis::Reconciliation::Add | apis::Reconciliation::Remove);
        if changes && group.at(&["spec", "staticProvidedAPIs"]) == Some(&Value::Bool(true)) {
            // Shows V0-085.
            let message = "static provided api operatorgroup cannot be modified by these apis";
            self.refuse_apis("CannotModifyStaticOperatorGroupProvidedAPIs", message);
            return false;
        }
        let mut apis = apis::of_group(group);
        match result {
            apis::Reconciliation::Nothing => return true,
            apis::Reconciliation::Conflict => {
                let message = "intersecting operatorgroups provide the same apis";
                self.refuse_apis("InterOperatorGroupOwnerConflict", message);
                return false;
            }
            apis::Reconciliation::Add => apis.extend(provided.iter().cloned()),
            apis::Reconciliation::Remove => apis.retain(|api| !provided.contains(api)),
        }
        let text = apis::text(&apis);
        if group.annotation(PROVIDED_APIS) == Some(&*text) {
            return true;
        }
        let mut object = Object::clone(group);
        object.set(&["metadata", "annotations", PROVIDED_APIS], text);
        match self.client().update(object) {
            Err(error) if !error.is_not_found() => {
                self.error =
                    Some(format!("could not update operatorgroups {PROVIDED_APIS} annotation: {error}"));
            }
            _ => {}
        }
        let version = self.version.clone();
        self.requeue(&version);
        false
    }

    fn refuse_apis(&mut self, reason: &str, message: &str) {
        let current = self.version.text(&["status", "reason"]);
        // The reference asks for the first of the two reasons in both cases; the other would be written over and over.
        if current == "InterOperatorGroupOwnerConflict" || current == reason {
            return;
        }
        self.enter("Failed", reason, message);
        let namespace = self.version.namespace().to_owned();
        let names: Vec<String> =
            deployments(&self.version).iter().map(|one| one.text(&["name"]).to_owned()).collect();
        for name in names {
            let place = ObjectName::namespaced(&*namespace, name);
            if let Some(found) = self.api.find("apps", "Deployment", &place).cloned() {
                // Nothing waits for it.
                let _ = self.client().delete(&found, Propagation::Background);
            }
        }
    }

    fn step(&mut self, group: &Object) {
        match phase(&self.version) {
            "" => self.enter("Pending", "RequirementsUnknown", "requirements not yet checked"),
            "Pending" => self.pending(),
            "InstallReady" => self.install_ready(),
            "Installing" => self.installing(),
            "Succeeded" => self.succeeded(),
            "Failed" => self.failed(group),
            "Replacing" => self.replacing(group),
            "Deleting" => self.deleting(),
            // Shown by no program: the phase Unknown is never set.
            _ => {}
        }
    }
}

/// Whether a group lets Failed operators be replaced.
pub(super) fn fails_forward(group: &Object) -> bool {
    group.text(&["spec", "upgradeStrategy"]) == "TechPreviewUnsafeFailForward"
}
