//! What the API server warns of in objects that it takes: nothing is wrong, and little good will come of it.
//!
//! Sources: `kubernetes/kubernetes:pkg/registry/*/*/strategy.go` (`WarningsOnCreate`, `WarningsOnUpdate`),
//! `pkg/api/persistentvolume/util.go`, `kubernetes/apiextensions-apiserver:pkg/registry/customresource/strategy.go`.

use serde_json::Value;

use super::metadata::is_bare_finalizer;
use super::names::{label, qualified_name};
use super::pod_warnings::{claim_warnings, node_terms, pod_warnings};
use crate::kind::Kind;
use crate::object::{Object, ObjectFields};

/// The warnings about a new object of a built-in kind, or about one that is changed.
pub fn warnings(kind: &Kind, before: Option<&Object>, object: &Object) -> Vec<String> {
    let mut found = Vec::new();
    let is_new = before.is_none();
    // What nobody changed was warned of before.
    let is_other = before.is_none_or(|before| before.generation() != object.generation());
    let template = |path: &[&str]| pod_warnings(object.at(path).unwrap_or(&Value::Null), &path.join("."));
    match (kind.group.as_str(), kind.kind.as_str()) {
        // Pods change too often for it.
        ("", "Pod") if is_new => {
            found.extend(name_warning(object, "the Pod's hostname"));
            found.extend(pod_warnings(object, ""));
        }
        ("", "PodTemplate") if is_other => found.extend(template(&["template"])),
        ("apps", "DaemonSet") if is_other => found.extend(template(&["spec", "template"])),
        ("apps", "Deployment" | "ReplicaSet" | "StatefulSet")
        | ("", "ReplicationController")
        | ("batch", "Job") => {
            if is_new {
                found.extend(name_warning(object, "Pod names and hostnames"));
            }
            if is_other {
                found.extend(template(&["spec", "template"]));
            }
            for (index, claim) in object.list(&["spec", "volumeClaimTemplates"]).iter().enumerate() {
                found.extend(claim_warnings(&claim["spec"], &format!("spec.volumeClaimTemplates[{index}]")));
            }
        }
        ("batch", "CronJob") => {
            if is_new {
                found.extend(name_warning(object, "Pod names and hostnames"));
            }
            if is_other {
                found.extend(template(&["spec", "jobTemplate", "spec", "template"]));
            }
            if object.text(&["spec", "schedule"]).contains("TZ") {
                found.push(TIME_ZONE.to_owned());
            }
        }
        ("", "PersistentVolumeClaim") => found.extend(claim_warnings(&object["spec"], "spec")),
        ("", "PersistentVolume") => found.extend(volume_warnings(object)),
        ("", "Service")
            if object.text(&["spec", "clusterIP"]) == "None"
                && object.text(&["spec", "sessionAffinity"]) == "ClientIP" =>
        {
            found.push("spec.SessionAffinity is ignored for headless services".to_owned());
        }
        ("networking.k8s.io", "Ingress") if is_new && object.annotation(INGRESS_CLASS).is_some() => {
            found.push(format!(
                "annotation {INGRESS_CLASS:?} is deprecated, please use 'spec.ingressClassName' instead"
            ));
        }
        _ => {}
    }
    found
}

const TIME_ZONE: &str = "CRON_TZ or TZ used in spec.schedule is not officially supported, see \
    https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details";
const INGRESS_CLASS: &str = "kubernetes.io/ingress.class";

/// The warning of a name that no host can have.
fn name_warning(object: &Object, used: &str) -> Option<String> {
    let faults = label(object.name());
    (!faults.is_empty()).then(|| {
        let faults = faults.join(" ");
        format!(
            "metadata.name: this is used in {used}, which can result in surprising behavior; a DNS label is \
             recommended: [{faults}]"
        )
    })
}

/// Kinds of volumes that nothing mounts any more.
const FORMER_VOLUMES: [(&str, &str); 6] = [
    ("photonPersistentDisk", "deprecated in v1.11, non-functional in v1.16+"),
    ("scaleIO", "deprecated in v1.16, non-functional in v1.22+"),
    ("storageos", "deprecated in v1.22, non-functional in v1.25+"),
    ("glusterfs", "deprecated in v1.25, non-functional in v1.26+"),
    ("cephfs", "deprecated in v1.28, non-functional in v1.31+"),
    ("rbd", "deprecated in v1.28, non-functional in v1.31+"),
];

fn volume_warnings(volume: &Object) -> Vec<String> {
    let mut found = Vec::new();
    for (annotation, since, field) in [
        ("volume.beta.kubernetes.io/storage-class", "v1.8", "storageClassName"),
        ("volume.beta.kubernetes.io/mount-options", "v1.31", "mountOptions"),
    ] {
        if volume.annotation(annotation).is_some() {
            found.push(format!(
                "metadata.annotations[{annotation}]: deprecated since {since}; use {field:?} attribute instead"
            ));
        }
    }
    if volume.text(&["spec", "persistentVolumeReclaimPolicy"]) == "Recycle" {
        found.push(
            "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended \
             approach is to use dynamic provisioning."
                .to_owned(),
        );
    }
    for (field, text) in FORMER_VOLUMES {
        if volume.given(&["spec", field]).is_some() {
            found.push(format!("spec.{field}: {text}"));
        }
    }
    let terms = volume.list(&["spec", "nodeAffinity", "required", "nodeSelectorTerms"]);
    for (index, term) in terms.iter().enumerate() {
        found.extend(node_terms(term, &format!("spec.nodeAffinity.required.nodeSelectorTerms[{index}]")));
    }
    found
}

/// The warnings about finalizers that an object of a custom kind gets: names that others may use as well.
pub fn finalizer_warnings(before: Option<&Object>, object: &Object) -> Vec<String> {
    let is_old = |name: &&str| before.is_some_and(|before| before.finalizers().any(|old| old == *name));
    let mut added: Vec<&str> = object.finalizers().filter(|name| !is_old(name)).collect();
    added.sort_unstable();
    added.dedup();
    let mut found = Vec::new();
    for name in added {
        found.extend(
            qualified_name(name).iter().map(|fault| format!("metadata.finalizers: {name:?}: {fault}")),
        );
        if is_bare_finalizer(name) {
            found.push(format!(
                "metadata.finalizers: {name:?}: prefer a domain-qualified finalizer name including a path (/) to avoid \
                 accidental conflicts with other finalizer writers"
            ));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::kinds::builtin_kinds;
    use super::*;

    fn of(kind: &str, before: Option<&Object>, object: &Object) -> Vec<String> {
        warnings(&builtin_kinds().into_iter().find(|one| one.kind == kind).unwrap(), before, object)
    }

    #[test]
    fn templates_are_warned_of_when_they_change() {
        let variables = json!([{"name": "A", "value": "1"}, {"name": "A", "value": "2"}, {"name": "A", "value": "$(A)3"}]);
        let deployment = json!({
            "metadata": {"name": "a.b", "generation": 1},
            "spec": {"template": {"spec": {"containers": [{"name": "c", "env": variables}]}}},
        });
        let hidden = "spec.template.spec.containers[0].env[1]: hides previous definition of \"A\", which may be dropped \
                      when using apply";
        let found = of("Deployment", None, &deployment);
        assert!(found[0].starts_with("metadata.name: this is used in Pod names and hostnames"), "{found:?}");
        assert_eq!(found[1..], [hidden]);
        assert!(of("Deployment", Some(&deployment), &deployment).is_empty());
        let mut changed = deployment.clone();
        changed.set(&["metadata", "generation"], 2);
        assert_eq!(of("Deployment", Some(&deployment), &changed), [hidden]);
    }

    #[test]
    fn finalizers_of_custom_kinds_are_warned_of_once() {
        let object = json!({"metadata": {"finalizers": ["bare", "a.b/c", "orphan"]}});
        let found = finalizer_warnings(None, &object);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with(
            "metadata.finalizers: \"bare\": prefer a domain-qualified finalizer name including"
        ));
        assert!(finalizer_warnings(Some(&object), &object).is_empty());
    }
}
