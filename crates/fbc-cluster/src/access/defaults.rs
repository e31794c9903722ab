//! The roles and bindings that every cluster has.

use serde_json::{Map, Value, json};

use super::RBAC_GROUP;
use crate::object::Object;

/// The table: a role, the label that lets others take its rules, whose rules it takes; below it a line for each rule:
/// groups, resources and verbs, with `|` between them and `core` for the core group, or `path`, paths and verbs.
static TABLE: &str = include_str!("defaults.roles");

/// Bindings: the role, and its subjects.
static BINDINGS: [(&str, &[(&str, &str)]); 9] = [
    ("cluster-admin", &[("Group", "system:masters")]),
    ("system:basic-user", &[("Group", "system:authenticated")]),
    ("system:discovery", &[("Group", "system:authenticated")]),
    ("system:public-info-viewer", &[("Group", "system:authenticated"), ("Group", "system:unauthenticated")]),
    ("system:service-account-issuer-discovery", &[("Group", "system:serviceaccounts")]),
    ("system:monitoring", &[("Group", "system:monitoring")]),
    ("system:kube-controller-manager", &[("User", "system:kube-controller-manager")]),
    ("system:kube-scheduler", &[("User", "system:kube-scheduler")]),
    ("system:node-proxier", &[("User", "system:kube-proxy")]),
];

/// The ClusterRoles and ClusterRoleBindings that an API server makes when it starts, as far as users and operators
/// meet them; those of single controllers are left out.
///
/// Source: `kubernetes/kubernetes:plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go`.
pub fn default_objects() -> Vec<Object> {
    let mut objects: Vec<Object> = Vec::new();
    for line in TABLE.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.strip_prefix("  ") {
            None => objects.push(role(line)),
            Some(rule) => {
                if let Some(rules) = objects.last_mut().and_then(|role| role["rules"].as_array_mut()) {
                    rules.push(rule_of(rule));
                }
            }
        }
    }
    objects.extend(BINDINGS.iter().map(|(name, subjects)| {
        let subject =
            |(kind, name): &(&str, &str)| json!({"apiGroup": RBAC_GROUP, "kind": kind, "name": name});
        let mut binding = object("ClusterRoleBinding", name);
        binding["roleRef"] = json!({"apiGroup": RBAC_GROUP, "kind": "ClusterRole", "name": name});
        binding["subjects"] = subjects.iter().map(subject).collect();
        binding
    }));
    objects
}

fn object(kind: &str, name: &str) -> Object {
    json!({
        "apiVersion": format!("{RBAC_GROUP}/v1"), "kind": kind,
        "metadata": {
            "name": name,
            "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"},
            "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
        },
    })
}

fn role(line: &str) -> Object {
    let mut words = line.split(' ');
    let mut role = object("ClusterRole", words.next().unwrap_or_default());
    role["rules"] = json!([]);
    for word in words {
        let label =
            |name: &str| Map::from_iter([(format!("{RBAC_GROUP}/aggregate-to-{name}"), json!("true"))]);
        match word.split_once('=') {
            Some(("from", name)) => {
                role["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": label(name)}]});
            }
            Some((_, name)) => {
                if let Value::Object(labels) = &mut role["metadata"]["labels"] {
                    labels.extend(label(name));
                }
            }
            None => {}
        }
    }
    role
}

fn rule_of(line: &str) -> Value {
    let mut columns = line.split(" | ");
    let mut texts = || -> Vec<&str> { columns.next().unwrap_or_default().split(' ').collect() };
    let groups = texts();
    let (resources, verbs) = (texts(), texts());
    if groups == ["path"] {
        return json!({"nonResourceURLs": resources, "verbs": verbs});
    }
    let groups: Vec<&str> =
        groups.into_iter().map(|group| if group == "core" { "" } else { group }).collect();
    json!({"apiGroups": groups, "resources": resources, "verbs": verbs})
}
