//! Roles, bindings and service accounts out of manifests.

use std::collections::BTreeMap;

use fbc_kubernetes::rbac::access::{
    Access, Account, Binding, Requirement, Role, RoleReference, Selector, Subject,
};
use fbc_kubernetes::rbac::{RBAC_GROUP, Rule};
use fbc_kubernetes::types::Named;
use fbc_kubernetes::types::named::{CLUSTER_ROLE, CLUSTER_ROLE_BINDING, ROLE, ROLE_BINDING, SERVICE_ACCOUNT};
use fbc_yaml::locate::{Locator, line_and_column};
use fbc_yaml::stream::{self, Fault};
use fbc_yaml::{Kind, Node};

use crate::kubernetes::{KeyOrder, convert};
use crate::manifests::Object;

/// What is wrong in a file of manifests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileError {
    /// The line, counted from one.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// What a file of manifests added.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Added {
    /// Roles, bindings and service accounts.
    pub taken: usize,
    /// Objects of other kinds, which say nothing about rights.
    pub passed_over: usize,
}

/// Adds the objects of a file, several documents of YAML or JSON, with lists among them. An object that is
/// there already is replaced. Namespaced objects without a namespace get the one given.
///
/// # Errors
/// Everything that is wrong in the file; then nothing of the documents concerned is added.
pub fn read(access: &mut Access, bytes: &[u8], namespace: &str) -> Result<Added, Vec<FileError>> {
    let mut added = Added::default();
    let mut errors = Vec::new();
    for decoded in stream::read(bytes, &|document| Ok::<_, ()>(document)) {
        let at = |byte: usize| line_and_column(bytes, byte).0;
        match &decoded.outcome {
            Err(Fault::Malformed { message, byte }) => {
                errors.push(FileError { line: at(*byte), message: message.clone() });
            }
            Err(Fault::Separator { rest, byte }) => {
                errors.push(FileError { line: at(*byte), message: format!("text behind the dashes: {rest}") })
            }
            Err(Fault::Rejected(())) => {}
            Ok(document) if document.root().is_null() => {}
            Ok(document) => {
                let mut faults = Vec::new();
                for (node, pointer) in objects(document.root(), &mut faults) {
                    match add(access, node, namespace) {
                        Ok(true) => added.taken += 1,
                        Ok(false) => added.passed_over += 1,
                        Err((message, below)) => faults.push((message, format!("{pointer}{below}"))),
                    }
                }
                if !faults.is_empty() {
                    let locator = Locator::new(bytes, decoded.range.clone(), decoded.syntax);
                    errors.extend(faults.into_iter().map(|(message, pointer)| FileError {
                        line: at(locator.find(&pointer).value.start),
                        message,
                    }));
                }
            }
        }
    }
    if errors.is_empty() { Ok(added) } else { Err(errors) }
}

/// The objects of a document with their JSON pointers: itself, or the items of a list and of lists in it.
fn objects<'d>(root: Node<'d>, faults: &mut Vec<(String, String)>) -> Vec<(Node<'d>, String)> {
    let mut open = vec![(root, String::new())];
    let mut found = Vec::new();
    while let Some((node, pointer)) = open.pop() {
        if node.kind() != Kind::Object {
            faults.push((format!("an object was expected, not {}", node.kind().go_name()), pointer));
        } else if node.get_str("kind").unwrap_or_default().is_empty() {
            faults.push(("the object has no kind".to_owned(), pointer));
        } else if let Some(items) = node.get("items").filter(|items| items.kind() == Kind::Array) {
            let items = items.items().enumerate().rev();
            open.extend(items.map(|(index, item)| (item, format!("{pointer}/items/{index}"))));
        } else {
            found.push((node, pointer));
        }
    }
    found
}

/// Adds one object after a check of its types; whether it is of a kind that counts.
fn add(access: &mut Access, node: Node<'_>, namespace: &str) -> Result<bool, (String, String)> {
    let (kind, version) =
        (node.get_str("kind").unwrap_or_default(), node.get_str("apiVersion").unwrap_or_default());
    let of: Named = match kind {
        "Role" => ROLE,
        "ClusterRole" => CLUSTER_ROLE,
        "RoleBinding" => ROLE_BINDING,
        "ClusterRoleBinding" => CLUSTER_ROLE_BINDING,
        "ServiceAccount" => SERVICE_ACCOUNT,
        _ => return Ok(false),
    };
    let group = version.split_once('/').map_or("", |(group, _)| group);
    let is_account = kind == "ServiceAccount";
    // OpenShift has roles of its own group, which its API turns into these.
    if !(is_account && version == "v1" || !is_account && group == RBAC_GROUP) {
        if version.is_empty() {
            return Err((format!("the {kind} has no apiVersion"), String::new()));
        }
        return Ok(false);
    }
    let of_rbac = ["v1", "v1beta1", "v1alpha1"].map(|version| format!("{RBAC_GROUP}/{version}"));
    if !is_account && !of_rbac.iter().any(|known| known == version) {
        return Err((format!("Kubernetes has no version {version:?} of {kind}"), "/apiVersion".to_owned()));
    }
    let typed = convert(node, of, KeyOrder::Sorted).map_err(|misfit| (misfit.message, misfit.pointer))?;
    let root = typed.root();
    let metadata = root.get("metadata");
    if metadata.and_then(|metadata| metadata.get_str("name")).unwrap_or_default().is_empty() {
        return Err((format!("the {kind} has no name"), String::new()));
    }
    let written = metadata.and_then(|metadata| metadata.get_str("namespace")).unwrap_or_default();
    let namespace = if written.is_empty() { namespace } else { written };
    if let Some(key) = ["rules", "subjects"]
        .iter()
        .find(|key| root.get(key).is_some_and(|list| list.items().any(|item| item.kind() != Kind::Object)))
    {
        return Err((format!("an item of {key} is not a mapping"), format!("/{key}")));
    }
    insert(access, root, namespace);
    Ok(true)
}

/// Adds a role, binding or service account that has the right types. Others are passed over.
pub(super) fn insert(access: &mut Access, root: Node<'_>, namespace: &str) {
    let kind = root.get_str("kind").unwrap_or_default();
    let text = |node: Option<Node<'_>>, key: &str| {
        node.and_then(|node| node.get_str(key)).unwrap_or_default().to_owned()
    };
    let metadata = root.get("metadata");
    let name = text(metadata, "name");
    let namespace = if kind.starts_with("Cluster") { String::new() } else { namespace.to_owned() };
    match kind {
        "Role" | "ClusterRole" => {
            let role = Role {
                rules: rules(root),
                labels: labels(metadata.and_then(|metadata| metadata.get("labels"))),
                aggregates: root
                    .get("aggregationRule")
                    .and_then(|rule| rule.get("clusterRoleSelectors"))
                    .into_iter()
                    .flat_map(Node::items)
                    .map(selector)
                    .collect(),
            };
            access.roles.insert((namespace, name), role);
        }
        "RoleBinding" | "ClusterRoleBinding" => {
            let reference = root.get("roleRef");
            let binding = Binding {
                role: RoleReference {
                    group: text(reference, "apiGroup"),
                    kind: text(reference, "kind"),
                    name: text(reference, "name"),
                },
                subjects: root
                    .get("subjects")
                    .into_iter()
                    .flat_map(Node::items)
                    .map(|subject| Subject {
                        kind: text(Some(subject), "kind"),
                        name: text(Some(subject), "name"),
                        namespace: text(Some(subject), "namespace"),
                    })
                    .collect(),
            };
            access.bindings.insert((namespace, name), binding);
        }
        "ServiceAccount" => {
            access.accounts.insert(Account { namespace, name });
        }
        _ => {}
    }
}

/// The rules of a role, of a manifest or a permission of a cluster service version. What is not a string is left out.
#[must_use]
pub fn rules(role: Node<'_>) -> Vec<Rule> {
    role.get("rules").into_iter().flat_map(Node::items).map(rule).collect()
}

fn rule(node: Node<'_>) -> Rule {
    Rule {
        api_groups: texts(node, "apiGroups"),
        resources: texts(node, "resources"),
        resource_names: texts(node, "resourceNames"),
        verbs: texts(node, "verbs"),
        non_resource_urls: texts(node, "nonResourceURLs"),
    }
}

fn texts(node: Node<'_>, key: &str) -> Vec<String> {
    let items = node.get(key).into_iter().flat_map(Node::items);
    items.filter_map(Node::as_str).map(str::to_owned).collect()
}

/// Where [`insert`] puts the role or binding of an object: those of the cluster have no namespace, whatever their
/// manifest says.
pub(super) fn key(object: &Object) -> (String, String) {
    let namespace = if object.kind.starts_with("Cluster") { "" } else { object.namespace.as_str() };
    (namespace.to_owned(), object.name.clone())
}

fn labels(node: Option<Node<'_>>) -> BTreeMap<String, String> {
    let members = node.into_iter().flat_map(Node::members);
    members.map(|(key, value)| (key.to_owned(), value.as_str().unwrap_or_default().to_owned())).collect()
}

fn selector(node: Node<'_>) -> Selector {
    let mut requirements: Vec<Requirement> = labels(node.get("matchLabels"))
        .into_iter()
        .map(|(key, value)| Requirement { key, operator: "In".to_owned(), values: vec![value] })
        .collect();
    let expressions = node.get("matchExpressions").into_iter().flat_map(Node::items);
    requirements.extend(expressions.map(|expression| Requirement {
        key: expression.get_str("key").unwrap_or_default().to_owned(),
        operator: expression.get_str("operator").unwrap_or_default().to_owned(),
        values: texts(expression, "values"),
    }));
    Selector(requirements)
}

/// Adds the roles that Kubernetes itself brings along and that bundles and installers refer to, where they are
/// not there yet. Source: `kubernetes/kubernetes:plugin/pkg/auth/authorizer/rbac/bootstrappolicy/policy.go`.
pub fn add_default_roles(access: &mut Access) {
    let everything = vec![
        Rule::new(&["*"], &["*"], &["*"]),
        Rule { non_resource_urls: vec!["*".to_owned()], ..Rule::new(&[], &[], &["*"]) },
    ];
    let reviews = vec![
        Rule::new(&["authentication.k8s.io"], &["tokenreviews"], &["create"]),
        Rule::new(&["authorization.k8s.io"], &["subjectaccessreviews"], &["create"]),
    ];
    for (name, rules) in [("cluster-admin", everything), ("system:auth-delegator", reviews)] {
        let key = (String::new(), name.to_owned());
        access.roles.entry(key).or_insert_with(|| Role { rules, ..Role::default() });
    }
}
