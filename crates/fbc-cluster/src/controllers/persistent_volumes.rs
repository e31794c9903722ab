//! Claims and volumes find each other. Nothing is provisioned, and nothing is deleted behind a volume.
//!
//! A claim that waits for its first pod stays unbound; pods that use it run nevertheless.
//!
//! Source: `kubernetes/kubernetes:pkg/controller/volume/persistentvolume/{pv_controller,index}.go`.

use std::sync::Arc;

use fbc_kubernetes::quantity::Quantity;
use serde_json::json;

use super::events::Recorder;
use super::write::{outcome, update, update_status};
use crate::api::ApiServer;
use crate::engine::{Controller, Outcome};
use crate::error::ApiError;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::selector::LabelSelector;
use crate::store::Change;

/// Both sides were written; what comes apart later was bound once.
const BIND_COMPLETED: &str = "pv.kubernetes.io/bind-completed";
/// The side was chosen by the controller, not by who wrote the object.
const BOUND_BY_CONTROLLER: &str = "pv.kubernetes.io/bound-by-controller";
/// The provisioner of classes whose volumes are made by hand.
const NO_PROVISIONER: &str = "kubernetes.io/no-provisioner";

/// Binds claims to volumes.
#[derive(Debug)]
pub struct PersistentVolumes {
    recorder: Recorder,
}

impl Default for PersistentVolumes {
    fn default() -> Self {
        Self { recorder: Recorder::new("persistentvolume-controller") }
    }
}

impl Controller for PersistentVolumes {
    fn name(&self) -> &'static str {
        "persistentvolume-controller"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[("", "PersistentVolume"), ("", "PersistentVolumeClaim")]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        requests.push(change.key.name.clone());
        for object in [&change.before, &change.after].into_iter().flatten() {
            if kind.1 == "PersistentVolumeClaim" {
                requests.extend(volume_of(object));
            } else {
                requests.extend(claim_of(object));
            }
        }
        let is_free = |volume: &Arc<Object>| volume.text(&["spec", "claimRef", "uid"]).is_empty();
        if kind.1 == "PersistentVolume" && change.after.as_ref().is_some_and(is_free) {
            let may_want = |claim: &&Arc<Object>| volume_of(claim).is_none_or(|name| name == change.key.name);
            let claims = api.all("", "PersistentVolumeClaim").filter(may_want);
            requests.extend(claims.map(|claim| claim.object_name()));
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        if request.namespace.is_empty() {
            let volume = api.find("", "PersistentVolume", request).cloned();
            return outcome(volume.map_or(Ok(()), |volume| sync_volume(api, &volume)));
        }
        let claim = api.find("", "PersistentVolumeClaim", request).cloned();
        match claim.filter(|claim| !claim.is_terminating()) {
            Some(claim) => outcome(self.sync_claim(api, &claim)),
            None => Outcome::Done,
        }
    }
}

impl PersistentVolumes {
    fn sync_claim(&mut self, api: &mut ApiServer, claim: &Arc<Object>) -> Result<(), ApiError> {
        let volume = volume_of(claim).map(|name| api.find("", "PersistentVolume", &name).cloned());
        if claim.annotation(BIND_COMPLETED).is_none() {
            return match volume {
                None => self.choose(api, claim),
                Some(Some(volume)) if is_claimed_by(&volume, claim) => bind(api, &volume, claim),
                Some(Some(volume)) if volume.given(&["spec", "claimRef"]).is_none() => {
                    match misfit(&volume, claim) {
                        None => bind(api, &volume, claim),
                        Some(reason) => {
                            let text =
                                format!("Cannot bind to requested volume {:?}: {reason}", volume.name());
                            self.recorder.warning(api, claim, "VolumeMismatch", &text);
                            Ok(())
                        }
                    }
                }
                // The volume is somebody else's, or not there yet.
                Some(_) => Ok(()),
            };
        }
        let (reason, text) = match volume {
            Some(Some(volume)) => match volume.text(&["spec", "claimRef", "uid"]) {
                "" => return bind(api, &volume, claim),
                uid if uid == claim.uid() => return bind(api, &volume, claim),
                _ => (
                    "ClaimMisbound",
                    "Two claims are bound to the same volume, this one is bound incorrectly",
                ),
            },
            Some(None) => {
                ("ClaimLost", "Bound claim has lost its PersistentVolume. Data on the volume is lost!")
            }
            None => (
                "ClaimLost",
                "Bound claim has lost reference to PersistentVolume. Data on the volume is lost!",
            ),
        };
        if claim.text(&["status", "phase"]) != "Lost" {
            update_status(api, claim, json!({"phase": "Lost"}))?;
            self.recorder.warning(api, claim, reason, text);
        }
        Ok(())
    }

    /// Binds a claim that names no volume to the smallest one that fits, or says what it waits for.
    fn choose(&mut self, api: &mut ApiServer, claim: &Arc<Object>) -> Result<(), ApiError> {
        let class_name = claim.text(&["spec", "storageClassName"]).to_owned();
        let class = api.find("storage.k8s.io", "StorageClass", &ObjectName::cluster(&class_name)).cloned();
        if class.as_ref().is_some_and(|class| class["volumeBindingMode"] == "WaitForFirstConsumer") {
            let text = "waiting for first consumer to be created before binding";
            self.recorder.normal(api, claim, "WaitForFirstConsumer", text);
            return Ok(());
        }
        let fitting = api.all("", "PersistentVolume").filter(|volume| is_free_for(volume, claim));
        // Volumes come in the order of their names, and the first of equal ones counts.
        let best = fitting.min_by_key(|volume| (!is_claimed_by(volume, claim), capacity(volume))).cloned();
        if let Some(volume) = best {
            return bind(api, &volume, claim);
        }
        match class.as_ref().map(|class| class.text(&["provisioner"])) {
            None if class_name.is_empty() => {
                let text = "no persistent volumes available for this claim and no storage class is set";
                self.recorder.normal(api, claim, "FailedBinding", text);
            }
            None => {
                let text = format!("storageclass.storage.k8s.io {class_name:?} not found");
                self.recorder.warning(api, claim, "ProvisioningFailed", &text);
            }
            Some(NO_PROVISIONER) => {}
            Some(provisioner) => {
                let text = format!(
                    "Waiting for a volume to be created either by the external provisioner '{provisioner}' or manually by the \
                     system administrator. If volume creation is delayed, please verify that the provisioner is running and \
                     correctly registered."
                );
                self.recorder.normal(api, claim, "ExternalProvisioning", &text);
            }
        }
        Ok(())
    }
}

/// The volume that a claim names.
fn volume_of(claim: &Object) -> Option<ObjectName> {
    Some(claim.text(&["spec", "volumeName"])).filter(|name| !name.is_empty()).map(ObjectName::cluster)
}

/// The claim that a volume is for.
fn claim_of(volume: &Object) -> Option<ObjectName> {
    let claim = volume.given(&["spec", "claimRef"])?;
    Some(ObjectName::namespaced(claim.text(&["namespace"]), claim.text(&["name"])))
}

/// Whether a volume names a claim, and no earlier one of that name.
fn is_claimed_by(volume: &Object, claim: &Object) -> bool {
    let uid = volume.text(&["spec", "claimRef", "uid"]);
    claim_of(volume).is_some_and(|name| name == claim.object_name()) && (uid.is_empty() || uid == claim.uid())
}

/// Whether a claim may be given a volume.
fn is_free_for(volume: &Object, claim: &Object) -> bool {
    let selector = claim.given(&["spec", "selector"]);
    let is_selected = selector.is_none_or(|selector| {
        LabelSelector::of_object(Some(selector)).is_ok_and(|it| it.matches_object(volume))
    });
    let is_free = volume.given(&["spec", "claimRef"]).is_none() || is_claimed_by(volume, claim);
    is_free && is_selected && !volume.is_terminating() && misfit(volume, claim).is_none()
}

/// Why a volume is not what a claim asks for.
fn misfit(volume: &Object, claim: &Object) -> Option<&'static str> {
    let wanted = claim.at(&["spec", "resources", "requests", "storage"]).and_then(Quantity::from_json);
    let mode = |object: &Object| match object.text(&["spec", "volumeMode"]) {
        "" => "Filesystem".to_owned(),
        mode => mode.to_owned(),
    };
    let modes = volume.list(&["spec", "accessModes"]);
    if capacity(volume) < wanted {
        Some("requested PV is too small")
    } else if volume.text(&["spec", "storageClassName"]) != claim.text(&["spec", "storageClassName"]) {
        Some("storageClassName does not match")
    } else if mode(volume) != mode(claim) {
        Some("incompatible volumeMode")
    } else if !claim.list(&["spec", "accessModes"]).iter().all(|mode| modes.contains(mode)) {
        Some("incompatible accessMode")
    } else {
        None
    }
}

fn capacity(volume: &Object) -> Option<Quantity> {
    volume.at(&["spec", "capacity", "storage"]).and_then(Quantity::from_json)
}

/// Makes both sides name each other. What is there already is not written again.
fn bind(api: &mut ApiServer, volume: &Arc<Object>, claim: &Arc<Object>) -> Result<(), ApiError> {
    let mut changed = Object::clone(volume);
    let was_claimed = changed.given(&["spec", "claimRef"]).is_some();
    if !was_claimed {
        changed.set(&["metadata", "annotations", BOUND_BY_CONTROLLER], "yes");
    }
    if changed.text(&["spec", "claimRef", "uid"]) != claim.uid() {
        let reference = json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": claim.namespace(), "name": claim.name(),
            "uid": claim.uid(), "resourceVersion": claim["metadata"]["resourceVersion"],
        });
        changed.set(&["spec", "claimRef"], reference);
    }
    let volume = if changed == **volume { Arc::clone(volume) } else { update(api, changed)? };
    set_phase(api, &volume, "Bound")?;
    let mut changed = Object::clone(claim);
    if volume_of(claim).is_none() {
        changed.set(&["spec", "volumeName"], volume.name());
        changed.set(&["metadata", "annotations", BOUND_BY_CONTROLLER], "yes");
    }
    changed.set(&["metadata", "annotations", BIND_COMPLETED], "yes");
    let claim = if changed == **claim { Arc::clone(claim) } else { update(api, changed)? };
    let status = json!({
        "phase": "Bound", "accessModes": volume["spec"]["accessModes"], "capacity": volume["spec"]["capacity"],
    });
    update_status(api, &claim, status).map(drop)
}

fn sync_volume(api: &mut ApiServer, volume: &Arc<Object>) -> Result<(), ApiError> {
    let Some(name) = claim_of(volume).filter(|_| !volume.text(&["spec", "claimRef", "uid"]).is_empty())
    else {
        return set_phase(api, volume, "Available");
    };
    let claim = api.find("", "PersistentVolumeClaim", &name).cloned();
    let Some(claim) = claim.filter(|claim| claim.uid() == volume.text(&["spec", "claimRef", "uid"])) else {
        return match volume.text(&["status", "phase"]) {
            "Released" | "Failed" => Ok(()),
            _ => set_phase(api, volume, "Released"),
        };
    };
    match volume_of(&claim) {
        // The claim is about to be bound.
        None => Ok(()),
        Some(bound) if bound.name == volume.name() => set_phase(api, volume, "Bound"),
        Some(_) => {
            let mut free = Object::clone(volume);
            if volume.annotation(BOUND_BY_CONTROLLER).is_some() {
                free.remove(&["spec", "claimRef"]);
                free.remove(&["metadata", "annotations", BOUND_BY_CONTROLLER]);
            } else {
                free.remove(&["spec", "claimRef", "uid"]);
            }
            let free = update(api, free)?;
            set_phase(api, &free, "Available")
        }
    }
}

fn set_phase(api: &mut ApiServer, volume: &Arc<Object>, phase: &str) -> Result<(), ApiError> {
    if volume.text(&["status", "phase"]) == phase {
        return Ok(());
    }
    let status = json!({"phase": phase, "lastPhaseTransitionTime": api.now().to_string()});
    update_status(api, volume, status).map(drop)
}
