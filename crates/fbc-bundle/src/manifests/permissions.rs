//! Service accounts, roles and their bindings.
//!
//! Source: `operator-framework/operator-controller:…/render/registryv1/generators/generators.go`.

use std::collections::BTreeSet;

use fbc_kubernetes::types::Named;
use fbc_kubernetes::types::named::{CLUSTER_ROLE, CLUSTER_ROLE_BINDING, ROLE, ROLE_BINDING, SERVICE_ACCOUNT};
use fbc_yaml::{Document, DocumentBuilder, Node};
use serde_json::{Value, json};

use super::names::unique_name;
use super::{Object, Plan, json as tree};

/// The API group of roles.
const GROUP: &str = "rbac.authorization.k8s.io";

/// The service account of whoever names none; it always exists.
const DEFAULT_ACCOUNT: &str = "default";

/// The service accounts that permissions name.
pub(super) fn service_accounts(plan: &Plan<'_>) -> Vec<Object> {
    accounts(plan, permitted_accounts(plan))
}

/// The service accounts that permissions or deployments name.
pub(super) fn service_accounts_ocp_4_19(plan: &Plan<'_>) -> Vec<Object> {
    let mut names = permitted_accounts(plan);
    names.extend(plan.operator.deployments().map(|deployment| {
        let pod = deployment.spec.get("template").and_then(|template| template.get("spec"));
        or_default(pod.and_then(|pod| pod.get_str("serviceAccountName")))
    }));
    accounts(plan, names)
}

fn permitted_accounts<'b>(plan: &Plan<'b>) -> BTreeSet<&'b str> {
    plan.operator.permissions().chain(plan.operator.cluster_permissions()).map(account_of).collect()
}

fn accounts(plan: &Plan<'_>, names: BTreeSet<&str>) -> Vec<Object> {
    let names = names.into_iter().filter(|name| *name != DEFAULT_ACCOUNT);
    names
        .map(|name| {
            let account = json!({
                "kind": "ServiceAccount",
                "apiVersion": "v1",
                "metadata": { "name": name, "namespace": plan.namespace },
            });
            Object::typed(&account, SERVICE_ACCOUNT)
        })
        .collect()
}

fn account_of(permission: Node<'_>) -> &str {
    or_default(permission.get_str("serviceAccountName"))
}

fn or_default(name: Option<&str>) -> &str {
    name.filter(|name| !name.is_empty()).unwrap_or(DEFAULT_ACCOUNT)
}

/// Roles and bindings in each watched namespace.
pub(super) fn roles(plan: &Plan<'_>) -> Vec<Object> {
    let grants: Vec<Grant> =
        plan.operator.permissions().map(|permission| Grant::of(plan, permission)).collect();
    plan.targets
        .iter()
        .flat_map(|namespace| grants.iter().flat_map(move |grant| grant.objects(plan, Some(namespace))))
        .collect()
}

/// Roles and bindings in the whole cluster. If the operator watches all namespaces, its permissions in
/// namespaces become such, and it may list namespaces as well.
pub(super) fn cluster_roles(plan: &Plan<'_>) -> Vec<Object> {
    let in_cluster = plan.operator.cluster_permissions().map(|permission| Grant::of(plan, permission));
    let promoted = plan
        .operator
        .permissions()
        .filter(|_| plan.watches_all_namespaces())
        .map(|permission| Grant::of(plan, with_namespace_rule(permission).root()));
    in_cluster.chain(promoted).flat_map(|grant| grant.objects(plan, None)).collect()
}

/// A permission with the rule added, members in Go's order, because they are hashed.
fn with_namespace_rule(permission: Node<'_>) -> Document {
    let mut builder = DocumentBuilder::in_written_order();
    let mark = builder.open();
    let account = builder.string(permission.get_str("serviceAccountName").unwrap_or_default());
    builder.push_member("serviceAccountName", account);
    let list = builder.open();
    for rule in permission.get("rules").into_iter().flat_map(Node::items) {
        let rule = builder.copy(rule);
        builder.push_item(rule);
    }
    let rule = builder.open();
    for (name, items) in [
        ("verbs", &["get", "list", "watch"][..]),
        ("apiGroups", &[""][..]),
        ("resources", &["namespaces"][..]),
    ] {
        let mark = builder.open();
        for item in items {
            let item = builder.string(item);
            builder.push_item(item);
        }
        let items = builder.close_array(mark);
        builder.push_member(name, items);
    }
    let rule = builder.close_object(rule);
    builder.push_item(rule);
    let rules = builder.close_array(list);
    builder.push_member("rules", rules);
    let root = builder.close_object(mark);
    builder.finish(root)
}

/// Rules for a service account, under a generated name.
struct Grant {
    account: String,
    name: String,
    rules: Value,
}

impl Grant {
    fn of(plan: &Plan<'_>, permission: Node<'_>) -> Self {
        let account = account_of(permission);
        let name = unique_name(&format!("{}-{account}", plan.operator.name()), permission);
        Self { account: account.to_owned(), name, rules: tree::tree_of(permission.get("rules")) }
    }

    /// The role in a namespace, or in the cluster, and its binding.
    fn objects(&self, plan: &Plan<'_>, namespace: Option<&str>) -> [Object; 2] {
        let (kind, role, binding): (&str, Named, Named) = match namespace {
            Some(_) => ("Role", ROLE, ROLE_BINDING),
            None => ("ClusterRole", CLUSTER_ROLE, CLUSTER_ROLE_BINDING),
        };
        let version = format!("{GROUP}/v1");
        let metadata = json!({ "name": self.name, "namespace": namespace });
        let role_value =
            json!({ "kind": kind, "apiVersion": version, "metadata": metadata, "rules": self.rules });
        let binding_value = json!({
            "kind": format!("{kind}Binding"),
            "apiVersion": version,
            "metadata": metadata,
            "subjects": [{ "kind": "ServiceAccount", "name": self.account, "namespace": plan.namespace }],
            "roleRef": { "apiGroup": GROUP, "kind": kind, "name": self.name },
        });
        [Object::typed(&role_value, role), Object::typed(&binding_value, binding)]
    }
}
