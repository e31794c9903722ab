//! The probes that every revision of an extension gets.
//!
//! Source: `defaultProgressionProbes` in
//! `operator-framework/operator-controller:internal/operator-controller/applier/boxcutter.go`.

use serde_json::{Value, json};

/// `spec.progressionProbes`.
pub(crate) fn defaults() -> Value {
    let replicas = || {
        let fields = json!({"fieldA": "status.updatedReplicas", "fieldB": "status.replicas"});
        json!({"type": "FieldsEqual", "fieldsEqual": fields})
    };
    json!([
        probe("apiextensions.k8s.io", "CustomResourceDefinition", vec![condition("Established")]),
        probe("cert-manager.io", "Certificate", vec![condition("Ready")]),
        probe("cert-manager.io", "Issuer", vec![condition("Ready")]),
        probe("", "Namespace", vec![phase("Active")]),
        probe("", "PersistentVolumeClaim", vec![phase("Bound")]),
        probe("apps", "StatefulSet", vec![replicas(), condition("Available")]),
        probe("apps", "Deployment", vec![replicas(), condition("Available")]),
    ])
}

fn probe(group: &str, kind: &str, assertions: Vec<Value>) -> Value {
    let selector = json!({"type": "GroupKind", "groupKind": {"group": group, "kind": kind}});
    json!({"selector": selector, "assertions": assertions})
}

fn condition(condition_type: &str) -> Value {
    json!({"type": "ConditionEqual", "conditionEqual": {"type": condition_type, "status": "True"}})
}

fn phase(value: &str) -> Value {
    json!({"type": "FieldValue", "fieldValue": {"fieldPath": "status.phase", "value": value}})
}
