//! ClusterRoles of groups and of APIs, and the rights of operators that work in all namespaces.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/olm/operatorgroup.go`.

use std::collections::BTreeSet;

use fbc_cluster::error::ApiError;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::selector::LabelSelector;
use serde_json::{Value, json};

use super::apis::{Apis, Namespaces, api};
use super::csv::object::api_service_name;
use super::csv::{permissions, requirements};
use super::hash::{fnv_1a_64, text_hash};
use super::owners::{is_managed, is_owned_by, labels, managed_labels, selector};
use crate::client::Client;
use crate::look_error::LookError;
use crate::names::{AGGREGATE_TO_PREFIX, API_REGISTRATION, EXTENSIONS, MANAGED, RBAC};

/// The levels of rights, with what they allow.
const LEVELS: [(&str, &[&str]); 3] = [
    ("admin", &["*"]),
    ("edit", &["create", "update", "patch", "delete"]),
    ("view", &["get", "list", "watch"]),
];
/// The longest name.
const LONGEST_NAME: usize = 253;

fn aggregation_label(api: &str, level: &str) -> String {
    format!("{AGGREGATE_TO_PREFIX}{}-{level}", fnv_1a_64(api))
}

/// The name of the role of a group: the name of the group is cut if that is needed.
fn group_role_name(group: &Object, level: &str) -> String {
    let hash = text_hash(&format!("{}/{}/{level}", group.namespace(), group.name()));
    let room = LONGEST_NAME - "olm.og..-".len() - level.len() - hash.len();
    let name = group.name().get(..room).unwrap_or(group.name());
    format!("olm.og.{name}.{level}-{hash}")
}

/// Keeps the three roles of a group in step with the APIs of its operators. Without any, the rule for taking over rights
/// goes, and the rights stay (V0-147).
///
/// # Errors
/// A refusal.
pub fn ensure_for_group(client: &mut Client<'_>, group: &Object, apis: &Apis) -> Result<(), LookError> {
    for (level, _) in LEVELS {
        let labels_of_apis: BTreeSet<String> = apis.iter().map(|api| aggregation_label(api, level)).collect();
        let selectors: Vec<Value> =
            labels_of_apis.into_iter().map(|label| json!({"matchLabels": {label: "true"}})).collect();
        let rule = (!selectors.is_empty()).then(|| json!({"clusterRoleSelectors": selectors}));
        let name = group_role_name(group, level);
        let existing = client.get(RBAC, "ClusterRole", "", &name).filter(|role| is_managed(role));
        let mut role = match &existing {
            Some(existing) => Object::clone(existing),
            None => json!({
                "apiVersion": format!("{RBAC}/v1"), "kind": "ClusterRole", "metadata": {"name": name},
            }),
        };
        let wanted = if existing.is_some() { labels(group) } else { managed_labels(group) };
        for (key, value) in wanted {
            role.set(&["metadata", "labels", &key], value);
        }
        match rule {
            Some(rule) => role.set(&["aggregationRule"], rule),
            None => {
                role.remove(&["aggregationRule"]);
            }
        }
        match existing {
            // The reference only notes a refused change in its log.
            Some(existing) if *existing != role => drop(client.update(role)),
            Some(_) => {}
            None => drop(client.create(role).map_err(|error| error.message)?),
        }
    }
    Ok(())
}

/// Makes the roles for the APIs of an operator, owned by what defines these (V0-087).
///
/// # Errors
/// A definition is missing, or a role is refused.
pub fn ensure_for_apis(client: &mut Client<'_>, version: &Object) -> Result<(), LookError> {
    for owned in version.list(&["spec", "customresourcedefinitions", "owned"]) {
        let name = owned.text(&["name"]);
        let definition = client.get(EXTENSIONS, "CustomResourceDefinition", "", name);
        let definition = definition.ok_or_else(|| format!("crd {name:?} not found"))?;
        let (plural, group) = name.split_once('.').unwrap_or((name, ""));
        let owner = reference(&definition, "customresourcedefinition");
        let api = api(owned.text(&["kind"]), owned.text(&["version"]), group);
        let prefix = format!("{name}-{}-", owned.text(&["version"]));
        for (level, verbs) in LEVELS {
            let rule = json!({"verbs": verbs, "apiGroups": [group], "resources": [plural]});
            ensure_for_api(client, &format!("{prefix}{level}"), level, &api, rule, &definition, &owner)?;
        }
        let rule = json!({
            "verbs": ["get"], "apiGroups": [EXTENSIONS], "resources": ["customresourcedefinitions"],
            "resourceNames": [name],
        });
        ensure_for_api(client, &format!("{prefix}crdview"), "view", &api, rule, &definition, &owner)?;
    }
    for owned in version.list(&["spec", "apiservicedefinitions", "owned"]) {
        let name = api_service_name(owned);
        let service = client.get(API_REGISTRATION, "APIService", "", &name);
        let service = service.ok_or_else(|| format!("apiservice {name:?} not found"))?;
        let owner = reference(&service, "APIService");
        let text = |field| owned.text(&[field]);
        let api = api(text("kind"), text("version"), text("group"));
        for (level, verbs) in LEVELS {
            let rule = json!({"verbs": verbs, "apiGroups": [text("group")], "resources": [text("name")]});
            let role = format!("{}-{}-{level}", text("name"), text("version"));
            ensure_for_api(client, &role, level, &api, rule, &service, &owner)?;
        }
    }
    Ok(())
}

/// A reference to what defines an API, whose kind the reference writes in its own way.
fn reference(owner: &Object, kind: &str) -> Value {
    json!({
        "apiVersion": owner.api_version(), "kind": kind, "name": owner.name(), "uid": owner.uid(),
        "controller": false, "blockOwnerDeletion": false,
    })
}

fn ensure_for_api(
    client: &mut Client<'_>,
    name: &str,
    level: &str,
    api: &str,
    rule: Value,
    owner: &Object,
    reference: &Value,
) -> Result<(), LookError> {
    let mut role = json!({
        "apiVersion": format!("{RBAC}/v1"), "kind": "ClusterRole",
        "metadata": {"name": name, "labels": {MANAGED: "true"}, "ownerReferences": [reference]},
        "rules": [rule],
    });
    role.set(&["metadata", "labels", &format!("{RBAC}/aggregate-to-{level}")], "true");
    role.set(&["metadata", "labels", &aggregation_label(api, level)], "true");
    let existing = client.get(RBAC, "ClusterRole", "", name).filter(|role| is_managed(role));
    let is_right = existing.is_some_and(|existing| {
        existing["rules"] == role["rules"]
            && is_owned_by(&existing, owner)
            && existing["metadata"]["labels"] == role["metadata"]["labels"]
    });
    if is_right {
        return Ok(());
    }
    client.replace(role).map(drop).map_err(|error| error.message.into())
}

/// Gives an operator for all namespaces in the whole cluster what it asks for in its own, unless it has that already (V0-088).
///
/// # Errors
/// Its roles are not there yet, or a role is refused.
pub fn lift(client: &mut Client<'_>, version: &Object, group: &Object) -> Result<(), LookError> {
    if !Namespaces::of_group(group).are_all() {
        return Ok(());
    }
    requirements::check_strategy(version)?;
    if permissions::check_in_cluster(client.api, version)? {
        return Ok(());
    }
    for (kind, lifted, missing) in [
        ("Role", "ClusterRole", "no owned roles found"),
        ("RoleBinding", "ClusterRoleBinding", "no owned rolebindings found"),
    ] {
        let owned = owned(client, kind, version);
        if owned.is_empty() {
            return Err(missing.into());
        }
        for object in owned {
            if client.get(RBAC, lifted, "", object.name()).is_none_or(|existing| !is_managed(&existing)) {
                lift_one(client, &object, lifted).map_err(|error| error.message)?;
            }
        }
    }
    Ok(())
}

/// The roles or bindings in the namespace of an operator whose labels name it.
pub fn owned(client: &Client<'_>, kind: &str, version: &Object) -> Vec<std::sync::Arc<Object>> {
    labelled(client, kind, version.namespace(), &selector(version))
}

/// The roles or bindings in a namespace that labels select.
pub fn labelled(
    client: &Client<'_>,
    kind: &str,
    namespace: &str,
    selector: &LabelSelector,
) -> Vec<std::sync::Arc<Object>> {
    let Some(id) = client.api.kind_id(RBAC, kind) else { return Vec::new() };
    let all = client.api.store().in_namespace(id, namespace);
    all.filter(|one| is_managed(one) && selector.matches_object(one)).cloned().collect()
}

fn lift_one(client: &mut Client<'_>, object: &Object, kind: &str) -> Result<(), ApiError> {
    let mut lifted = json!({
        "apiVersion": format!("{RBAC}/v1"), "kind": kind,
        "metadata": {"name": object.name(), "labels": object["metadata"]["labels"]},
    });
    if kind == "ClusterRole" {
        let mut rules = object.list(&["rules"]).to_vec();
        rules
            .push(json!({"verbs": ["get", "list", "watch"], "apiGroups": [""], "resources": ["namespaces"]}));
        lifted.set(&["rules"], rules);
    } else {
        lifted.set(&["subjects"], object["subjects"].clone());
        let role =
            json!({"apiGroup": RBAC, "kind": "ClusterRole", "name": object.text(&["roleRef", "name"])});
        lifted.set(&["roleRef"], role);
    }
    client.replace(lifted).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_of_groups_have_the_names_of_the_real_program() {
        let group = json!({"metadata": {"namespace": "port", "name": "port-group"}});
        assert_eq!(
            group_role_name(&group, "view"),
            "olm.og.port-group.view-4WmheMkUS02R9lYKY3NlXFZefQ4RJOySCsSPKu"
        );
        let long = json!({"metadata": {"namespace": "port", "name": "g".repeat(253)}});
        assert_eq!(group_role_name(&long, "admin").len(), LONGEST_NAME);
        assert_eq!(
            aggregation_label("Lantern.v1.lantern.example.com", "edit"),
            "olm.opgroup.permissions/aggregate-to-bddb72013b9c29d3-edit"
        );
    }
}
