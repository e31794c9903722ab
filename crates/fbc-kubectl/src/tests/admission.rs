//! Taints of nodes, tolerations of pods.

use fbc_cluster::api::{FieldValidation, Patch, Subresource, WriteOptions};
use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Value, json};

use super::world::{World, administrator, same_answer};
use super::{Played, Verdict, played, same};
use crate::run::Session;

const DRY_RUN: WriteOptions =
    WriteOptions { dry_run: true, validation: FieldValidation::Ignore, names_manager: true };

fn pod(namespace: &str, name: &str, tolerations: &Value) -> Object {
    json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace},
        "spec": {"containers": [{"name": "c", "image": "i"}], "tolerations": tolerations},
    })
}

/// A list of the spec without times.
fn listed(object: &Object, list: &str) -> Value {
    let mut items = object.at(&["spec", list]).cloned().unwrap_or_default();
    for item in items.as_array_mut().into_iter().flatten() {
        if item.get("timeAdded").is_some() {
            item["timeAdded"] = "<time>".into();
        }
    }
    items
}

pub(super) fn validation() -> Vec<Played> {
    let mut world = World::new(&[]);
    let mut all = played("02-validation/node-taints.json", |case| {
        let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "x"}, "spec": {"taints": case["spec.taints"]}});
        let answer = world.api().create(&administrator(), node, DRY_RUN);
        same_answer(answer, &case["result"], true, |node| {
            same("taints", &listed(node, "taints"), &case["result"]["taints"])
        })
    });
    all.extend(played("02-validation/pod-tolerations.json", |case| {
        let answer =
            world.api().create(&administrator(), pod("default", "x", &case["spec.tolerations"]), DRY_RUN);
        same_answer(answer, &case["result"], true, |pod| {
            same("tolerations", &listed(pod, "tolerations"), &case["result"]["tolerations"])
        })
    }));
    all.extend(played("02-validation/pod-update.json", |case| {
        change_of_bound_pod(&mut World::new(&[]), case)
    }));
    all.extend(played("02-validation/kubectl.json", |case| {
        world.play_command(&mut Session::default(), case)
    }));
    all
}

fn change_of_bound_pod(world: &mut World, case: &Value) -> Verdict {
    let mut bound = pod("default", "upd", &case["before"]);
    let spec = bound.place(&["spec"]);
    spec.set(&["nodeName"], "node1");
    spec.set(&["terminationGracePeriodSeconds"], 1);
    spec.set(&["serviceAccountName"], "default");
    // What the API server of the recordings adds for the service account.
    spec.set(&["volumes"], json!([{"name": "kube-api-access-abcde", "projected": {"sources": [
        {"serviceAccountToken": {"expirationSeconds": 3607, "path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt", "items": [{"key": "ca.crt", "path": "ca.crt"}]}},
        {"configMap": {"name": "openshift-service-ca.crt", "items": [{"key": "service-ca.crt", "path": "service-ca.crt"}]}},
        {"downwardAPI": {"items": [{"path": "namespace", "fieldRef": {"fieldPath": "metadata.namespace"}}]}},
    ]}}]));
    spec["containers"][0]["volumeMounts"] = json!([
        {"name": "kube-api-access-abcde", "readOnly": true, "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"},
    ]);
    let mut changed = world.create(bound);
    changed["spec"]["tolerations"] = case["requested"].clone();
    match case.text(&["do"]) {
        "set nodeSelector" => changed["spec"]["nodeSelector"] = json!({"a": "b"}),
        "change nodeName" => changed["spec"]["nodeName"] = "node2".into(),
        _ => {}
    }
    let answer = world.api().update(&administrator(), changed, Subresource::None, DRY_RUN);
    same_answer(answer, &case["result"], true, |pod| {
        same("tolerations", &listed(pod, "tolerations"), &case["result"]["tolerations"])
    })
}

pub(super) fn tolerations() -> Vec<Played> {
    let mut world = World::new(&["tol-def", "tol-wl", "tol-wl0", "tol-conf", "tol-bad"]);
    let dedicated = r#"[{"key":"dedicated","operator":"Equal","value":"a","effect":"NoSchedule"}]"#;
    let whitelist = r#"[{"key":"dedicated","operator":"Exists"},
        {"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute"},
        {"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute"}]"#;
    let (default, allowed) = ("defaultTolerations", "tolerationsWhitelist");
    let other = r#"[{"key":"other","operator":"Exists"}]"#;
    for (namespace, annotations) in [
        ("tol-def", &[(default, dedicated)][..]),
        ("tol-wl", &[(allowed, whitelist)]),
        ("tol-wl0", &[(allowed, "[]")]),
        ("tol-conf", &[(default, dedicated), (allowed, other)]),
        ("tol-bad", &[(default, "not json")]),
    ] {
        for (annotation, value) in annotations {
            let key = format!("scheduler.alpha.kubernetes.io/{annotation}");
            let patch = Patch::Merge(json!({"metadata": {"annotations": {key: value}}}));
            let id = world.api().kind_id("", "Namespace").unwrap();
            let name = fbc_cluster::object::ObjectName::cluster(namespace);
            let (caller, options) = (administrator(), WriteOptions::default());
            world.api().patch(&caller, id, &name, &patch, Subresource::None, options).unwrap();
        }
    }
    played("05-automatic-tolerations/admission.json", |case| {
        let mut pod = pod(case.text(&["namespace"]), "x", &case["spec.tolerations"]);
        for part in ["requests", "limits"] {
            if case["resources"][part].is_object() {
                pod["spec"]["containers"][0]["resources"][part] = case["resources"][part].clone();
            }
        }
        let answer = world.api().create(&administrator(), pod, DRY_RUN);
        let result = &case["result"];
        same_answer(answer, result, true, |pod| {
            same("tolerations", &listed(pod, "tolerations"), &result["tolerations"])?;
            same("class", &pod["status"]["qosClass"], &result["qosClass"])?;
            same("resources", &pod["spec"]["containers"][0]["resources"], &result["resources"])
        })
    })
}
