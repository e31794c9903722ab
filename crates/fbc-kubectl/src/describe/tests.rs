//! Descriptions of whole objects.

use serde_json::{Value, json};

use super::*;

struct Objects(Vec<Value>);

impl Look for Objects {
    fn list(&self, _: &str, kind: &str, _: Option<&str>) -> Vec<Object> {
        self.0.iter().filter(|object| object["kind"] == kind).cloned().collect()
    }
}

fn text(object: &Value, others: Vec<Value>) -> String {
    let group = object["apiVersion"].as_str().unwrap().split_once('/').map_or("", |(group, _)| group);
    let kind = Kind {
        group: group.into(),
        versions: vec!["v1".into()],
        kind: object["kind"].as_str().unwrap().into(),
        plural: String::new(),
        singular: String::new(),
        short_names: Vec::new(),
        categories: Vec::new(),
        namespaced: true,
        has_status: true,
        has_generation: true,
    };
    describe(&kind, object, &Objects(others), Moment::START)
}

#[test]
fn custom_resources_field_by_field() {
    let object = json!({
        "apiVersion": "olm.operatorframework.io/v1", "kind": "ClusterExtension",
        "metadata": {"name": "argocd", "uid": "u", "generation": 1, "labels": {"a": "b", "c": "d"}, "managedFields": [{"x": 1}]},
        "spec": {"source": {"catalog": {"packageName": "argocd", "channels": ["a", "b"]}}},
        "status": {"conditions": [{"type": "Installed", "observedGeneration": 1}, {"type": "Progressing"}]},
    });
    let event = |count| {
        json!({"kind": "Event", "type": "Normal", "reason": "R", "message": "m\n", "count": count,
        "source": {"component": "c"}, "firstTimestamp": "2025-12-31T23:59:00Z", "lastTimestamp": "2025-12-31T23:59:30Z",
        "involvedObject": {"kind": "ClusterExtension", "name": "argocd", "uid": "u"}})
    };
    assert_eq!(
        text(&object, vec![event(3), event(1)]),
        "Name:         argocd
Namespace:    
Labels:       a=b
              c=d
Annotations:  <none>
API Version:  olm.operatorframework.io/v1
Kind:         ClusterExtension
Metadata:
  Generation:  1
  UID:         u
Spec:
  Source:
    Catalog:
      Channels:
        a
        b
      Package Name:  argocd
Status:
  Conditions:
    Observed Generation:  1
    Type:                 Installed
    Type:                 Progressing
Events:
  Type    Reason  Age                From  Message
  ----    ------  ----               ----  -------
  Normal  R       30s (x3 over 60s)  c     m
  Normal  R       60s                c     m
"
    );
}

#[test]
fn long_annotations_begin_below_their_key() {
    let long = "x".repeat(150);
    let object = json!({"apiVersion": "v1", "kind": "Namespace",
        "metadata": {"name": "a", "annotations": {"k": "v", "l": long, "m": "1\n2\n",
            "kubectl.kubernetes.io/last-applied-configuration": "{}"}},
        "status": {"phase": "Active"}});
    let cut = "x".repeat(138);
    assert_eq!(
        text(&object, vec![]),
        format!(
            "Name:         a
Labels:       <none>
Annotations:  k: v
              l:
                {cut}...
              m:
                1
                2
Status:       Active

No resource quota.

No LimitRange resource.
"
        )
    );
}

#[test]
fn secrets_show_sizes_only() {
    let object = json!({"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a", "namespace": "n"}, "type": "Opaque",
        "data": {"k": "eHl6"}});
    assert_eq!(
        text(&object, vec![]),
        "Name:         a
Namespace:    n
Labels:       <none>
Annotations:  <none>

Type:  Opaque

Data
====
k:  3 bytes
"
    );
}

#[test]
fn nodes_add_up_what_pods_ask_for() {
    let pod = |name: &str, cpu: &str| {
        json!({"kind": "Pod", "metadata": {"name": name, "namespace": "n"}, "status": {"phase": "Running"}, "spec": {
            "nodeName": "w", "containers": [{"resources": {"requests": {"cpu": cpu, "memory": "64Mi"}}}]}})
    };
    let node = json!({"apiVersion": "v1", "kind": "Node", "metadata": {"name": "w"},
        "spec": {"taints": [{"key": "b", "effect": "NoSchedule"}, {"key": "a", "value": "v", "effect": "NoExecute"}]},
        "status": {"allocatable": {"cpu": "4", "memory": "8Gi"}}});
    let text = text(&node, vec![pod("a", "100m"), pod("b", "900m")]);
    for line in [
        "Taints:             a=v:NoExecute\n                    b:NoSchedule\n",
        "  n                           a       100m (2%)     0 (0%)      64Mi (0%)        0 (0%)         <unknown>\n",
        "  cpu                1 (25%)     0 (0%)\n",
        "  memory             128Mi (1%)  0 (0%)\n",
    ] {
        assert!(text.contains(line), "{line:?} not in\n{text}");
    }
}
