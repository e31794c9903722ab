//! Roles and accounts that nothing uses.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_yaml::Node;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND215",
    name: "unused-object",
    since: "0.1.0",
    summary: "Nothing in the bundle refers to a role or service account",
    explanation: "\
A Role without a RoleBinding gives nobody a right, and a ServiceAccount that no deployment runs as and no binding
names does nothing. Usually the binding was forgotten, or names another role. Cluster roles, and roles that are named
as a viewer, editor, reader, writer or admin, are there for people to bind, and are not reported.",
    sources: &[Source::Advice(
        "a role grants its rights through bindings alone, and a service account serves only who runs as it",
    )],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("unused_object.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let used = used(context);
    for object in &context.objects {
        let (message, help) = match object.kind {
            "Role" if !is_for_users(object.name) => (
                format!("nothing in the bundle binds role {}", quote(object.name)),
                "add a binding with a `roleRef` to it, or remove it",
            ),
            "ServiceAccount" => (
                format!("nothing in the bundle uses service account {}", quote(object.name)),
                "name it in a deployment or in a binding, or remove it",
            ),
            _ => continue,
        };
        if !object.name.is_empty() && !used.contains(&(object.kind, object.name)) {
            findings.push(context.finding(&RULE, object.origin, "/metadata/name", message).help(help));
        }
    }
}

/// Kind and name of everything that a binding, a deployment, a permission or a token refers to.
fn used<'b>(context: &BundleContext<'b>) -> BTreeSet<(&'b str, &'b str)> {
    let mut used = BTreeSet::new();
    let reference = |node: Node<'b>| Some((node.get_str("kind")?, node.get_str("name")?));
    for object in &context.objects {
        match object.kind {
            "RoleBinding" | "ClusterRoleBinding" => {
                used.extend(object.node.get("roleRef").and_then(reference));
                let subjects = object.node.get("subjects").into_iter().flat_map(Node::items);
                used.extend(subjects.filter_map(reference));
            }
            "Secret" => {
                let annotations = object.node.get("metadata").and_then(|meta| meta.get("annotations"));
                let account = annotations.and_then(|all| all.get_str("kubernetes.io/service-account.name"));
                used.extend(account.map(|name| ("ServiceAccount", name)));
            }
            _ => {}
        }
    }
    if let Some(csv) = context.csv {
        let of_pods =
            csv.deployments().filter_map(|deployment| deployment.pod()?.get_str("serviceAccountName"));
        used.extend(of_pods.map(|name| ("ServiceAccount", name)));
        for list in ["permissions", "clusterPermissions"] {
            let names = csv.permissions(list).filter_map(|(_, item)| item.get_str("serviceAccountName"));
            used.extend(names.map(|name| ("ServiceAccount", name)));
        }
    }
    used
}

/// Whether a role is named as those are that people bind themselves.
fn is_for_users(name: &str) -> bool {
    let words = ["viewer", "view", "editor", "edit", "admin", "reader", "writer"];
    name.split(['-', '.', ':']).any(|part| words.contains(&part))
}
