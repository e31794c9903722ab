//! The roles and bindings that every cluster has, as tables.
//!
//! A role is a line with its name and, behind it, `to=` the role that takes its rules, `from=` whose rules it takes,
//! `in=` its namespace and `as=` the name of its binding, if that is another one. Below it stand its rules: groups,
//! resources, verbs and names, with ` | ` between them and `core` for the core group, or `path`, paths and verbs. A line
//! with `for` makes a binding of the subjects in it.
//!
//! Source: `kubernetes/kubernetes:plugin/pkg/auth/authorizer/rbac/bootstrappolicy`
//! (`policy.go`, `controller_policy.go`, `namespace_policy.go`).

use serde_json::{Map, Value, json};

use super::RBAC_GROUP;
use crate::object::{Object, ObjectFields};

static OF_USERS: &str = include_str!("users.roles");
static OF_COMPONENTS: &str = include_str!("components.roles");

/// The roles and bindings of users, groups and what acts for a whole cluster.
pub fn default_objects() -> Vec<Object> {
    read(OF_USERS)
}

/// The roles and bindings of nodes, controllers, and what runs beside the API server.
pub fn component_objects() -> Vec<Object> {
    read(OF_COMPONENTS)
}

fn read(table: &str) -> Vec<Object> {
    let (mut roles, mut bindings): (Vec<Object>, Vec<Object>) = (Vec::new(), Vec::new());
    let mut binding_name = "";
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let Some(rule) = line.strip_prefix("  ") else {
            let role = role(line);
            binding_name = line.split(' ').find_map(|word| word.strip_prefix("as=")).unwrap_or_default();
            roles.push(role);
            continue;
        };
        let Some(role) = roles.last_mut() else { continue };
        match rule.strip_prefix("for") {
            Some(subjects) => bindings.push(binding(role, binding_name, subjects)),
            None => {
                if let Some(rules) = role["rules"].as_array_mut() {
                    rules.push(rule_of(rule));
                }
            }
        }
    }
    roles.append(&mut bindings);
    roles
}

fn object(kind: &str, namespace: &str, name: &str) -> Object {
    let mut object = json!({
        "apiVersion": format!("{RBAC_GROUP}/v1"), "kind": kind,
        "metadata": {
            "name": name,
            "labels": {"kubernetes.io/bootstrapping": "rbac-defaults"},
            "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
        },
    });
    if !namespace.is_empty() {
        object.set(&["metadata", "namespace"], namespace);
    }
    object
}

fn role(line: &str) -> Object {
    let namespace = line.split(' ').find_map(|word| word.strip_prefix("in=")).unwrap_or_default();
    let kind = if namespace.is_empty() { "ClusterRole" } else { "Role" };
    let mut words = line.split(' ');
    let mut role = object(kind, namespace, words.next().unwrap_or_default());
    role["rules"] = json!([]);
    for word in words {
        let label =
            |name: &str| Map::from_iter([(format!("{RBAC_GROUP}/aggregate-to-{name}"), json!("true"))]);
        match word.split_once('=') {
            Some(("from", name)) => {
                role["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": label(name)}]});
            }
            Some(("to", name)) => {
                if let Value::Object(labels) = &mut role["metadata"]["labels"] {
                    labels.extend(label(name));
                }
            }
            _ => {}
        }
    }
    role
}

/// The binding of a role to subjects such as `User:name` and `ServiceAccount:namespace/name`.
fn binding(role: &Object, name: &str, subjects: &str) -> Object {
    let kind = format!("{}Binding", role.kind());
    let name = if name.is_empty() { role.name() } else { name };
    let mut binding = object(&kind, role.namespace(), name);
    binding["roleRef"] = json!({"apiGroup": RBAC_GROUP, "kind": role.kind(), "name": role.name()});
    let subjects = subjects.split_whitespace().filter_map(|subject| subject.split_once(':'));
    let subjects: Vec<Value> = subjects
        .map(|(kind, name)| match (kind, name.split_once('/')) {
            ("ServiceAccount", Some((namespace, name))) => {
                json!({"kind": kind, "namespace": namespace, "name": name})
            }
            _ => json!({"apiGroup": RBAC_GROUP, "kind": kind, "name": name}),
        })
        .collect();
    if !subjects.is_empty() {
        binding["subjects"] = subjects.into();
    }
    binding
}

fn rule_of(line: &str) -> Value {
    let mut columns = line.split(" | ");
    let mut texts =
        || -> Vec<&str> { columns.next().map(|text| text.split(' ').collect()).unwrap_or_default() };
    let groups = texts();
    let (resources, verbs, names) = (texts(), texts(), texts());
    if groups == ["path"] {
        return json!({"nonResourceURLs": resources, "verbs": verbs});
    }
    let groups: Vec<&str> =
        groups.into_iter().map(|group| if group == "core" { "" } else { group }).collect();
    let mut rule = json!({"apiGroups": groups, "resources": resources, "verbs": verbs});
    if !names.is_empty() {
        rule["resourceNames"] = names.into();
    }
    rule
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_become_roles_and_bindings() {
        let table = "reader in=kube-system as=others\n  core apps | configmaps | get list | a b\n  path | /x | get\n  for User:u ServiceAccount:n/s";
        let objects = read(table);
        assert_eq!(objects.len(), 2);
        let (role, binding) = (&objects[0], &objects[1]);
        assert_eq!((role.kind(), role.namespace(), role.name()), ("Role", "kube-system", "reader"));
        assert_eq!(
            role["rules"],
            json!([
                {"apiGroups": ["", "apps"], "resources": ["configmaps"], "verbs": ["get", "list"], "resourceNames": ["a", "b"]},
                {"nonResourceURLs": ["/x"], "verbs": ["get"]},
            ])
        );
        assert_eq!((binding.kind(), binding.name()), ("RoleBinding", "others"));
        assert_eq!(
            binding["subjects"],
            json!([
                {"apiGroup": RBAC_GROUP, "kind": "User", "name": "u"},
                {"kind": "ServiceAccount", "namespace": "n", "name": "s"},
            ])
        );
    }

    #[test]
    fn every_controller_has_a_role_for_its_own_account() {
        let objects = component_objects();
        let bindings: Vec<(&str, &Object)> = objects
            .iter()
            .filter(|object| object.kind() == "ClusterRoleBinding")
            .filter_map(|object| Some((object.name().strip_prefix("system:controller:")?, object)))
            .collect();
        assert!(bindings.len() > 30, "{}", bindings.len());
        for (account, binding) in bindings {
            let subject = json!({"kind": "ServiceAccount", "namespace": "kube-system", "name": account});
            assert_eq!(binding["subjects"], json!([subject]));
        }
    }
}
