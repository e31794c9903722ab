//! Operators: one for each package and namespace, which lists everything that carries its label.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/operator_controller.go`,
//! `components.go`, `decorators/operator.go`.

use fbc_cluster::api::{ApiServer, Caller};
use fbc_cluster::engine::{Controller, Outcome};
use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_cluster::store::Change;
use serde_json::{Map, Value, json};

use super::csv::object::has_copy_label;
use super::owners::is_managed;
use crate::Options;
use crate::client::Client;
use crate::names::{
    API_REGISTRATION, CLUSTER_SERVICE_VERSION, COMPONENT_PREFIX, EXTENSIONS, GROUP, INSTALL_PLAN, OPERATOR,
    OPERATOR_CONDITION, RBAC, SUBSCRIPTION, V1,
};

/// The kinds of parts of operators, and whether their conditions are listed.
const COMPONENTS: [(&str, &str, bool); 16] = [
    ("apps", "Deployment", true),
    ("", "Service", true),
    ("", "Namespace", true),
    (API_REGISTRATION, "APIService", true),
    (EXTENSIONS, "CustomResourceDefinition", true),
    (GROUP, SUBSCRIPTION, true),
    (GROUP, INSTALL_PLAN, true),
    (GROUP, CLUSTER_SERVICE_VERSION, true),
    (GROUP, OPERATOR_CONDITION, true),
    ("", "Secret", false),
    ("", "ConfigMap", false),
    ("", "ServiceAccount", false),
    (RBAC, "Role", false),
    (RBAC, "RoleBinding", false),
    (RBAC, "ClusterRole", false),
    (RBAC, "ClusterRoleBinding", false),
];
/// Kinds of which the program sees every object, managed or not.
const UNFILTERED: [(&str, &str); 6] = [
    ("", "Namespace"),
    ("", "Secret"),
    (GROUP, SUBSCRIPTION),
    (GROUP, INSTALL_PLAN),
    (GROUP, CLUSTER_SERVICE_VERSION),
    (GROUP, OPERATOR_CONDITION),
];
/// The longest name in a label.
const LONGEST: usize = 63;

/// The label of the parts of an operator: its name is cut where it is too long.
pub fn label(name: &str) -> String {
    let name = name.get(..LONGEST).map_or(name, |cut| cut.trim_end_matches(['.', '_', '-']));
    format!("{COMPONENT_PREFIX}{name}")
}

/// The kinds of parts of operators.
pub fn component_kinds() -> impl Iterator<Item = (&'static str, &'static str)> {
    COMPONENTS.iter().map(|(group, kind, _)| (*group, *kind))
}

/// Whether the part of the program that keeps Operators sees an object: of most kinds only what OLM manages, and no copied
/// ClusterServiceVersions (the roles of copies are seen).
///
/// Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/cmd/olm/manager.go`.
pub fn is_seen(kind: (&str, &str), object: &Object) -> bool {
    let is_copy = kind.1 == CLUSTER_SERVICE_VERSION && has_copy_label(object);
    !is_copy && (UNFILTERED.contains(&kind) || is_managed(object))
}

/// The operators whose part an object is.
pub fn names(object: &Object) -> impl Iterator<Item = &str> {
    let labels = object.at(&["metadata", "labels"]).and_then(Value::as_object);
    labels.into_iter().flatten().filter_map(|(key, _)| key.strip_prefix(COMPONENT_PREFIX))
}

/// The controller.
pub struct Operators {
    caller: Caller,
}

impl Operators {
    /// The controller of an installation of OLM.
    pub fn new(options: &Options) -> Self {
        Self { caller: options.olm_operator() }
    }

    /// Shows V0-123, V0-155.
    fn look(&self, api: &mut ApiServer, name: &ObjectName) -> Result<(), ApiError> {
        let refs = refs(api, &name.name);
        let mut client = Client::new(api, &self.caller);
        let Some(found) = client.get(GROUP, OPERATOR, "", &name.name) else {
            if refs.is_empty() {
                return Ok(());
            }
            let object =
                json!({"apiVersion": V1, "kind": OPERATOR, "metadata": {"name": name.name}, "spec": {}});
            return client.create(object).map(drop);
        };
        let selector = json!({"matchExpressions": [{"key": label(&name.name), "operator": "Exists"}]});
        let mut status = json!({"components": {"labelSelector": selector}});
        if !refs.is_empty() {
            status.set(&["components", "refs"], refs);
        }
        if found.get("status") == Some(&status) {
            return Ok(());
        }
        client.update_status(&found, status).map(drop)
    }
}

/// References to all parts, by kind, API version, namespace and name.
fn refs(api: &ApiServer, name: &str) -> Vec<Value> {
    let label = label(name);
    let mut parts: Vec<(&Object, bool)> = Vec::new();
    for (group, kind, has_conditions) in COMPONENTS {
        let Some(id) = api.kind_id(group, kind) else { continue };
        let labelled = api.store().with_label(id, &label, "").filter(|one| is_seen((group, kind), one));
        parts.extend(labelled.map(|one| (one.as_ref(), has_conditions)));
    }
    parts.sort_by_key(|(one, _)| (one.kind(), one.api_version(), one.namespace(), one.name()));
    parts.into_iter().map(|(one, has_conditions)| reference(one, has_conditions)).collect()
}

fn reference(object: &Object, has_conditions: bool) -> Value {
    let mut reference =
        json!({"apiVersion": object.api_version(), "kind": object.kind(), "name": object.name()});
    if !object.namespace().is_empty() {
        reference.set(&["namespace"], object.namespace());
    }
    let conditions: Vec<Value> = if object.kind() == CLUSTER_SERVICE_VERSION {
        let status = object.get("status").cloned().unwrap_or_default();
        let mut condition = short(&status);
        condition.set(&["type"], status.text(&["phase"]));
        condition.set(&["status"], "True");
        vec![condition]
    } else if has_conditions {
        object.list(&["status", "conditions"]).iter().map(short).collect()
    } else {
        Vec::new()
    };
    if !conditions.is_empty() {
        reference.set(&["conditions"], conditions);
    }
    reference
}

/// The fields of a condition that are listed.
fn short(condition: &Value) -> Value {
    let fields = ["type", "status", "reason", "message", "lastUpdateTime", "lastTransitionTime"];
    let given = fields.iter().filter_map(|field| Some((*field, condition.given(&[field])?)));
    let given = given.filter(|(_, value)| value.as_str() != Some(""));
    let members: Map<String, Value> = given.map(|(field, value)| (field.to_owned(), value.clone())).collect();
    Value::Object(members)
}

impl Controller for Operators {
    fn name(&self) -> &'static str {
        "operators"
    }

    fn watches(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (GROUP, OPERATOR),
            ("apps", "Deployment"),
            ("", "Namespace"),
            (EXTENSIONS, "CustomResourceDefinition"),
            (API_REGISTRATION, "APIService"),
            (GROUP, SUBSCRIPTION),
            (GROUP, INSTALL_PLAN),
            (GROUP, CLUSTER_SERVICE_VERSION),
            (GROUP, OPERATOR_CONDITION),
            ("", "ServiceAccount"),
            ("", "Secret"),
            ("", "ConfigMap"),
            (RBAC, "Role"),
            (RBAC, "RoleBinding"),
            (RBAC, "ClusterRole"),
            (RBAC, "ClusterRoleBinding"),
        ]
    }

    fn requests(
        &mut self,
        change: &Change,
        kind: (&str, &str),
        _api: &ApiServer,
        requests: &mut Vec<ObjectName>,
    ) {
        if kind == (GROUP, OPERATOR) {
            requests.push(change.key.name.clone());
            return;
        }
        for object in [&change.before, &change.after].into_iter().flatten().filter(|one| is_seen(kind, one)) {
            requests.extend(names(object).map(ObjectName::cluster));
        }
    }

    fn reconcile(&mut self, request: &ObjectName, api: &mut ApiServer) -> Outcome {
        match self.look(api, request) {
            Ok(()) => Outcome::Done,
            Err(error) => Outcome::Failed(error.message),
        }
    }

    fn events_end_waits(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_labels_are_cut_and_end_with_a_letter() {
        assert_eq!(label("lantern.port"), "operators.coreos.com/lantern.port");
        let long = format!("{}.port", "l".repeat(62));
        assert_eq!(label(&long), format!("operators.coreos.com/{}", "l".repeat(62)));
    }
}
