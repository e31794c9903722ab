//! Roles for the users of an operator's APIs; OLM v1 makes none. Source: section 5.2 of the product document.

use std::collections::{BTreeMap, BTreeSet};

use fbc_kubernetes::rbac::{RBAC_GROUP, Rule};
use fbc_yaml::Node;
use serde_json::{Value, json};

use super::installer::metadata;
use crate::manifests::Bundle;

/// How much a user may do with custom resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// To read.
    View,
    /// To change.
    Edit,
    /// Everything.
    Admin,
}

impl Level {
    /// The name of the level, which the default roles of Kubernetes have too.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::View => "view",
            Self::Edit => "edit",
            Self::Admin => "admin",
        }
    }

    /// The verbs.
    #[must_use]
    pub fn verbs(self) -> &'static [&'static str] {
        match self {
            Self::View => &["get", "list", "watch"],
            Self::Edit => &["get", "list", "watch", "create", "update", "patch", "delete"],
            Self::Admin => &["*"],
        }
    }
}

/// Who gets a role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grantee {
    /// A user.
    User(String),
    /// A group.
    Group(String),
    /// A service account, its namespace first.
    ServiceAccount(String, String),
}

/// How users come to have the roles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Grant {
    /// The default roles of Kubernetes take them over.
    Aggregated,
    /// Bindings give them to those, in a namespace or in the whole cluster; without anybody there is no binding.
    Bound {
        /// Who gets them.
        to: Vec<Grantee>,
        /// The namespace; none for the whole cluster.
        namespace: Option<String>,
    },
}

/// The resources of the custom resource definitions in a bundle, by API group.
#[must_use]
pub fn resources(bundle: &Bundle) -> BTreeMap<String, BTreeSet<String>> {
    let mut resources: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for definition in &bundle.definitions {
        let spec = definition.object.root().get("spec");
        let plural = spec.and_then(|spec| spec.get("names")).and_then(|names| names.get_str("plural"));
        let group = spec.and_then(|spec: Node<'_>| spec.get_str("group"));
        if let (Some(group), Some(plural)) = (group, plural.filter(|plural| !plural.is_empty())) {
            resources.entry(group.to_owned()).or_default().insert(plural.to_owned());
        }
    }
    resources
}

/// The manifests of roles for a bundle, each before its binding. The name says what the roles are for.
#[must_use]
pub fn user_roles(bundle: &Bundle, name: &str, levels: &BTreeSet<Level>, grant: &Grant) -> Vec<Value> {
    let resources = resources(bundle);
    let version = format!("{RBAC_GROUP}/v1");
    let mut manifests = Vec::new();
    for level in levels {
        let rules: Vec<Value> = resources
            .iter()
            .map(|(group, resources)| {
                let resources: Vec<&str> = resources.iter().map(String::as_str).collect();
                Rule::new(&[group], &resources, level.verbs()).to_json()
            })
            .collect();
        let mut role_name = format!("{}-{name}", level.name());
        let mut role = json!({ "apiVersion": version, "kind": "ClusterRole", "rules": rules });
        if *grant == Grant::Aggregated {
            role_name.push_str("-aggregated");
        }
        role["metadata"] = metadata(&role_name, "");
        if *grant == Grant::Aggregated {
            let label = format!("rbac.authorization.k8s.io/aggregate-to-{}", level.name());
            role["metadata"]["labels"] = json!({ label: "true" });
        }
        manifests.push(role);
        if let Grant::Bound { to, namespace } = grant
            && !to.is_empty()
        {
            let kind = if namespace.is_some() { "RoleBinding" } else { "ClusterRoleBinding" };
            manifests.push(json!({
                "apiVersion": version,
                "kind": kind,
                "metadata": metadata(&format!("{role_name}-binding"), namespace.as_deref().unwrap_or_default()),
                "roleRef": { "apiGroup": RBAC_GROUP, "kind": "ClusterRole", "name": role_name },
                "subjects": to.iter().map(subject).collect::<Vec<_>>(),
            }));
        }
    }
    manifests
}

fn subject(grantee: &Grantee) -> Value {
    match grantee {
        Grantee::User(name) => json!({ "apiGroup": RBAC_GROUP, "kind": "User", "name": name }),
        Grantee::Group(name) => json!({ "apiGroup": RBAC_GROUP, "kind": "Group", "name": name }),
        Grantee::ServiceAccount(namespace, name) => {
            json!({ "kind": "ServiceAccount", "name": name, "namespace": namespace })
        }
    }
}
