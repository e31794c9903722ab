//! Classes: the ones that claims and ingresses get which name none, and what the class of a pod's runtime asks for.
//!
//! Sources: `kubernetes/kubernetes:plugin/pkg/admission/{storage/storageclass/setdefault,network/defaultingressclass,runtimeclass,
//! storage/persistentvolume/resize}/admission.go`.

use std::cmp::Reverse;

use fbc_kubernetes::quantity::Quantity;
use serde_json::{Map, Value};

use super::shown_name;
use crate::error::ApiError;
use crate::object::{Object, ObjectFields};

/// A class that counts where nothing is said: the newest of those that are marked so, by these annotations.
fn default_class<'c>(classes: impl Iterator<Item = &'c Object>, annotations: &[&str]) -> Option<&'c Object> {
    let is_default = |class: &&Object| annotations.iter().any(|name| class.annotation(name) == Some("true"));
    classes.filter(is_default).min_by_key(|class| {
        (Reverse(class.text(&["metadata", "creationTimestamp"]).to_owned()), class.name().to_owned())
    })
}

/// Gives a new claim that says nothing of its class the default one.
pub(crate) fn set_storage_class<'c>(claim: &mut Object, classes: impl Iterator<Item = &'c Object>) {
    const FORMER: &str = "volume.beta.kubernetes.io/storage-class";
    const DEFAULT: [&str; 2] =
        ["storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class"];
    if claim.given(&["spec", "storageClassName"]).is_some() || claim.annotation(FORMER).is_some() {
        return;
    }
    if let Some(class) = default_class(classes, &DEFAULT) {
        claim.set(&["spec", "storageClassName"], class.name());
    }
}

/// Gives a new ingress that says nothing of its class the default one.
pub(crate) fn set_ingress_class<'c>(ingress: &mut Object, classes: impl Iterator<Item = &'c Object>) {
    const FORMER: &str = "kubernetes.io/ingress.class";
    if ingress.given(&["spec", "ingressClassName"]).is_some() || ingress.annotation(FORMER).is_some() {
        return;
    }
    if let Some(class) = default_class(classes, &["ingressclass.kubernetes.io/is-default-class"]) {
        ingress.set(&["spec", "ingressClassName"], class.name());
    }
}

/// Gives a new pod what the class of its runtime asks for. `class` looks it up.
///
/// # Errors
/// There is no such class, or the pod asks for something else.
pub(crate) fn apply_runtime_class<'c>(
    pod: &mut Object,
    class: impl Fn(&str) -> Option<&'c Object>,
) -> Result<(), ApiError> {
    let name = pod.text(&["spec", "runtimeClassName"]).to_owned();
    let refused = |pod: &Object, cause: &str| Err(ApiError::forbidden("", "pods", shown_name(pod), cause));
    let found = if name.is_empty() { None } else { class(&name) };
    if !name.is_empty() && found.is_none() {
        return refused(pod, &format!("pod rejected: RuntimeClass {name:?} not found"));
    }
    let overhead = found.and_then(|class| class.given(&["overhead", "podFixed"]));
    let own = pod.given(&["spec", "overhead"]);
    match (overhead.filter(|amounts| amounts.as_object().is_some_and(|one| !one.is_empty())), own) {
        (Some(overhead), own) => {
            if own.is_some_and(|own| own != overhead) {
                let text = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
                return refused(pod, text);
            }
            pod.set(&["spec", "overhead"], overhead.clone());
        }
        (None, Some(_)) => {
            let text = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
            return refused(pod, text);
        }
        (None, None) => {}
    }
    let Some(class) = found else { return Ok(()) };
    let wanted = class.at(&["scheduling", "nodeSelector"]).and_then(Value::as_object);
    for (key, value) in wanted.into_iter().flat_map(Map::iter) {
        let value = value.as_str().unwrap_or_default();
        match pod.at(&["spec", "nodeSelector", key]).and_then(Value::as_str) {
            Some(own) if own != value => {
                let text = format!(
                    "conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; pod.spec.nodeSelector[{key}] = {own}"
                );
                return refused(pod, &text);
            }
            _ => pod.set(&["spec", "nodeSelector", key], value),
        }
    }
    let mut tolerations = pod.list(&["spec", "tolerations"]).to_vec();
    for added in class.list(&["scheduling", "tolerations"]) {
        if !tolerations.contains(added) {
            tolerations.push(added.clone());
        }
    }
    if !tolerations.is_empty() {
        pod.set(&["spec", "tolerations"], tolerations);
    }
    Ok(())
}

/// Refuses a claim that grows where its class does not let it. `class` looks one up.
///
/// # Errors
/// The API server's refusal.
pub(crate) fn check_growth<'c>(
    before: &Object,
    claim: &Object,
    class: impl Fn(&str) -> Option<&'c Object>,
) -> Result<(), ApiError> {
    let size = |claim: &Object| {
        claim.at(&["spec", "resources", "requests", "storage"]).and_then(Quantity::from_json)
    };
    let grows = matches!((size(before), size(claim)), (Some(old), Some(new)) if new > old);
    if !grows {
        return Ok(());
    }
    let refused = |cause: &str| Err(ApiError::forbidden("", "persistentvolumeclaims", claim.name(), cause));
    if before.text(&["status", "phase"]) != "Bound" {
        return refused("Only bound persistent volume claims can be expanded");
    }
    let name = claim.text(&["spec", "storageClassName"]);
    let can_grow = |class: &Object| class["allowVolumeExpansion"] == true;
    if name.is_empty() || !class(name).is_some_and(can_grow) {
        return refused(
            "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support \
             resize",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn class(name: &str, created: &str, annotation: &str) -> Object {
        json!({"metadata": {"name": name, "creationTimestamp": created, "annotations": {annotation: "true"}}})
    }

    #[test]
    fn the_newest_default_counts() {
        let annotation = "storageclass.kubernetes.io/is-default-class";
        let classes = [
            class("b", "2026-01-01T00:00:00Z", annotation),
            class("a", "2026-01-02T00:00:00Z", annotation),
            class("c", "2026-01-03T00:00:00Z", "x"),
        ];
        let mut claim = json!({"metadata": {"name": "p"}, "spec": {}});
        set_storage_class(&mut claim, classes.iter());
        assert_eq!(claim.text(&["spec", "storageClassName"]), "a");
        let mut silent = json!({"metadata": {"name": "p"}, "spec": {"storageClassName": ""}});
        set_storage_class(&mut silent, classes.iter());
        assert_eq!(silent["spec"]["storageClassName"], "");
        let mut ingress = json!({"metadata": {"name": "i"}, "spec": {}});
        set_ingress_class(&mut ingress, classes.iter());
        assert_eq!(ingress["spec"], json!({}));
    }

    #[test]
    fn runtime_classes_ask_for_more() {
        let kata = json!({
            "metadata": {"name": "kata"}, "overhead": {"podFixed": {"cpu": "1"}},
            "scheduling": {"nodeSelector": {"kata": "yes"}, "tolerations": [{"key": "kata", "operator": "Exists"}]},
        });
        let find = |name: &str| (name == "kata").then_some(&kata);
        let mut pod = json!({"metadata": {"name": "p"}, "spec": {"runtimeClassName": "kata"}});
        assert_eq!(apply_runtime_class(&mut pod, find), Ok(()));
        assert_eq!(pod["spec"]["overhead"], json!({"cpu": "1"}));
        assert_eq!(pod["spec"]["nodeSelector"], json!({"kata": "yes"}));
        for (spec, cause) in [
            (json!({"runtimeClassName": "x"}), "pod rejected: RuntimeClass \"x\" not found"),
            (
                json!({"overhead": {"cpu": "1"}}),
                "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead",
            ),
            (
                json!({"runtimeClassName": "kata", "nodeSelector": {"kata": "no"}}),
                "conflict: runtimeClass.scheduling.nodeSelector[kata] = yes; pod.spec.nodeSelector[kata] = no",
            ),
        ] {
            let mut pod = json!({"metadata": {"name": "p"}, "spec": spec});
            let refusal = apply_runtime_class(&mut pod, find).unwrap_err();
            assert_eq!(refusal.message, format!("pods \"p\" is forbidden: {cause}"));
        }
    }

    #[test]
    fn claims_grow_where_their_class_lets_them() {
        let claim = |size: &str, phase: &str| {
            json!({
                "metadata": {"name": "c"}, "status": {"phase": phase},
                "spec": {"storageClassName": "s", "resources": {"requests": {"storage": size}}},
            })
        };
        let grows = json!({"metadata": {"name": "s"}, "allowVolumeExpansion": true});
        let (old, new) = (claim("1Gi", "Bound"), claim("2Gi", "Bound"));
        assert!(check_growth(&old, &new, |_| Some(&grows)).is_ok());
        assert!(check_growth(&old, &old, |_| None).is_ok());
        assert!(check_growth(&old, &new, |_| None).is_err());
        assert!(check_growth(&claim("1Gi", "Pending"), &new, |_| Some(&grows)).is_err());
    }
}
