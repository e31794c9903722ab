//! What the API server adds to pods and nodes of itself before they are validated.
//!
//! Sources: `kubernetes/kubernetes:plugin/pkg/admission/{defaulttolerationseconds,nodetaint}`.

use serde_json::{Value, json};

use crate::object::{Object, ObjectFields};

const NOT_READY: &str = "node.kubernetes.io/not-ready";
const UNREACHABLE: &str = "node.kubernetes.io/unreachable";

/// Gives a pod that is created or changed the tolerations of nodes that are not ready or not reachable for five
/// minutes, each unless it has one for that key that covers `NoExecute`.
pub fn add_default_tolerations(pod: &mut Object) {
    for key in [NOT_READY, UNREACHABLE] {
        let covers = |toleration: &Value| {
            let own = toleration.text(&["key"]);
            (own.is_empty() || own == key) && matches!(toleration.text(&["effect"]), "" | "NoExecute")
        };
        if pod.list(&["spec", "tolerations"]).iter().any(covers) {
            continue;
        }
        let added =
            json!({"key": key, "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 300});
        match pod.place(&["spec", "tolerations"]) {
            Value::Array(tolerations) => tolerations.push(added),
            place => *place = json!([added]),
        }
    }
}

/// Taints a node that is created as not ready, unless it says so itself.
pub fn taint_new_node(node: &mut Object) {
    let is_same =
        |taint: &Value| taint.text(&["key"]) == NOT_READY && taint.text(&["effect"]) == "NoSchedule";
    if node.list(&["spec", "taints"]).iter().any(is_same) {
        return;
    }
    let added = json!({"key": NOT_READY, "effect": "NoSchedule"});
    match node.place(&["spec", "taints"]) {
        Value::Array(taints) => taints.push(added),
        place => *place = json!([added]),
    }
}
