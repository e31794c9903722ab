//! Defaults of templates and pods, as far as recordings need them.

use serde_json::json;

use crate::api::Mutator;
use crate::kind::Kind;
use crate::object::{Object, ObjectFields};

/// Fills in what the API server would.
pub(super) struct Defaults;

impl Mutator for Defaults {
    fn mutate(&self, kind: &Kind, object: &mut Object) -> Result<(), String> {
        match kind.kind.as_str() {
            "Deployment" | "ReplicaSet" | "StatefulSet" | "DaemonSet" => {
                pod_spec(object.place(&["spec", "template", "spec"]));
            }
            "Job" => {
                pod_spec(object.place(&["spec", "template", "spec"]));
                for (field, value) in [("completions", json!(1)), ("parallelism", json!(1))] {
                    default(object.place(&["spec"]), field, value);
                }
                for (field, value) in [
                    ("backoffLimit", json!(6)),
                    ("suspend", json!(false)),
                    ("completionMode", json!("NonIndexed")),
                ] {
                    default(object.place(&["spec"]), field, value);
                }
            }
            "Pod" => pod_spec(object.place(&["spec"])),
            _ => {}
        }
        Ok(())
    }

    fn name(&self) -> &str {
        "defaults"
    }
}

fn pod_spec(spec: &mut serde_json::Value) {
    for (field, value) in [
        ("restartPolicy", json!("Always")),
        ("terminationGracePeriodSeconds", json!(30)),
        ("dnsPolicy", json!("ClusterFirst")),
        ("securityContext", json!({})),
        ("schedulerName", json!("default-scheduler")),
    ] {
        default(spec, field, value);
    }
    for container in spec["containers"].as_array_mut().into_iter().flatten() {
        for (field, value) in [
            ("resources", json!({})),
            ("terminationMessagePath", json!("/dev/termination-log")),
            ("terminationMessagePolicy", json!("File")),
            ("imagePullPolicy", json!("IfNotPresent")),
        ] {
            default(container, field, value);
        }
    }
}

fn default(object: &mut serde_json::Value, field: &str, value: serde_json::Value) {
    if object.get(field).is_none() {
        object.set(&[field], value);
    }
}
