//! The rights of an installer: complete, so that the check of operator-controller passes, and minimal, so that
//! nothing is allowed that the check does not ask for.
//!
//! The categories are those of section 5.1.3.4 of the product document, their order that of its example in
//! section 5.1.3.6. Where the example is wrong it is not followed: `*` is no wildcard in `resourceNames`, and
//! `list`, `watch` and `create` cannot be limited by names.

use std::collections::{BTreeMap, BTreeSet};

use fbc_kubernetes::rbac::rule::{Rule, uncovered};
use fbc_kubernetes::rbac::{Access, Account, RBAC_GROUP};
use serde_json::{Value, json};

use super::needs::{Applier, EXTENSION_GROUP, Need, needs};
use super::rbac_files;
use crate::manifests::{Object, is_namespaced};

/// What rights are asked for.
#[derive(Clone, Debug)]
pub struct Plan<'p> {
    /// The service account of the installer.
    pub account: &'p Account,
    /// The name of the `ClusterExtension`.
    pub extension: &'p str,
    /// How objects are applied.
    pub engine: Applier,
    /// Whether rights in namespaces go to roles of these namespaces; else all go to one cluster role.
    pub by_namespace: bool,
    /// Whether the installer may hand out rights that it does not have (`escalate` and `bind`), instead of
    /// having those of the operator.
    pub escalates: bool,
}

/// Why an installer needs a rule.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// The admission plugin `OwnerReferencesPermissionEnforcement`.
    Finalizers,
    /// To make objects of a kind, and to watch them.
    Collection(Category),
    /// To manage those objects that the bundle brings.
    Objects(Category),
    /// A right of the operator: nobody may hand out what they do not have.
    Operator {
        /// Kind and name of the role that holds it.
        role: (String, String),
    },
    /// To make roles with rights that the installer does not have.
    Escalate,
    /// To bind roles whose rights the installer does not have.
    Bind,
}

/// A category of objects, in the order of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Category {
    /// Roles and bindings of the operator.
    Permissions,
    /// Custom resource definitions.
    Definitions,
    /// Deployments of the operator.
    Deployments,
    /// Service accounts of the operator.
    ServiceAccounts,
    /// Other objects, with a namespace or without.
    Others,
}

/// A rule and why it is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReasonedRule {
    /// Why it is needed.
    pub reason: Reason,
    /// The rule.
    pub rule: Rule,
}

/// A role with its binding to the installer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundRole {
    /// The namespace; empty for a cluster role.
    pub namespace: String,
    /// The name of the role.
    pub name: String,
    /// The name of the binding.
    pub binding: String,
    /// The rules.
    pub rules: Vec<ReasonedRule>,
}

/// What an installer needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installer {
    /// Its service account.
    pub account: Account,
    /// Its roles: that of the cluster, then those of namespaces.
    pub roles: Vec<BoundRole>,
}

/// Works out the rights for an installation of objects.
#[must_use]
pub fn installer(objects: &[Object], plan: &Plan<'_>) -> Installer {
    let mut rules: BTreeMap<String, Vec<ReasonedRule>> = BTreeMap::new();
    let role_of = |namespace: &str| if plan.by_namespace { namespace.to_owned() } else { String::new() };
    for ((namespace, group, resource, is_named), needs) in grouped(objects, plan) {
        let verbs: BTreeSet<&str> = needs.iter().map(|need| need.verb).collect();
        let verbs: Vec<&str> = verbs.into_iter().collect();
        let names: BTreeSet<&str> =
            needs.iter().map(|need| need.name.as_str()).filter(|_| is_named).collect();
        let category = category(&group, &resource);
        let reason = match (group.as_str(), is_named) {
            (EXTENSION_GROUP, true) if resource.ends_with("/finalizers") => Reason::Finalizers,
            (_, true) => Reason::Objects(category),
            (_, false) => Reason::Collection(category),
        };
        let rule = Rule::new(&[&group], &[&resource], &verbs).named(names);
        rules.entry(namespace).or_default().push(ReasonedRule { reason, rule });
    }
    for (namespace, reasoned) in handed_out(objects, plan) {
        let of_role = rules.entry(role_of(&namespace)).or_default();
        let owned: Vec<&Rule> = of_role
            .iter()
            .filter(|owned| matches!(owned.reason, Reason::Operator { .. } | Reason::Bind | Reason::Escalate))
            .map(|owned| &owned.rule)
            .collect();
        if !uncovered(&owned, [&reasoned.rule]).is_empty() {
            of_role.push(reasoned);
        }
    }
    let name = &plan.account.name;
    let roles = rules
        .into_iter()
        .map(|(namespace, mut rules)| {
            // The sort is stable: the operator's rules stay in their order.
            rules.sort_by_cached_key(place);
            let kind = if namespace.is_empty() { "clusterrole" } else { "role" };
            let binding =
                if namespace.is_empty() { format!("{name}-binding") } else { format!("{name}-role-binding") };
            BoundRole { namespace, name: format!("{name}-{kind}"), binding, rules }
        })
        .collect();
    Installer { account: plan.account.clone(), roles }
}

type Group = (String, String, String, bool);

/// Needs by namespace of the role, group, resource, and whether they name objects.
fn grouped(objects: &[Object], plan: &Plan<'_>) -> BTreeMap<Group, Vec<Need>> {
    let of_cluster: BTreeSet<String> = objects
        .iter()
        .filter(|object| is_of_cluster(&object.kind))
        .map(|object| super::resource_of_kind(&object.kind))
        .collect();
    let mut groups: BTreeMap<Group, Vec<Need>> = BTreeMap::new();
    for need in needs(objects, plan.extension, plan.engine) {
        // What belongs to the cluster does so whatever namespace its manifest names.
        let is_in_role = plan.by_namespace && !of_cluster.contains(&need.resource);
        let namespace = if is_in_role { need.namespace.clone() } else { String::new() };
        let key = (namespace, need.group.clone(), need.resource.clone(), !need.name.is_empty());
        groups.entry(key).or_default().push(need);
    }
    groups
}

/// Whether objects of a kind have no namespace. The generated kinds that have one are not among those of bundles.
fn is_of_cluster(kind: &str) -> bool {
    let is_generated = matches!(kind, "Deployment" | "Certificate" | "Issuer" | "VerticalPodAutoscaler");
    !is_namespaced(kind) && !is_generated
}

fn category(group: &str, resource: &str) -> Category {
    match (group, resource) {
        (RBAC_GROUP, _) => Category::Permissions,
        ("apiextensions.k8s.io", "customresourcedefinitions") => Category::Definitions,
        ("apps", "deployments") => Category::Deployments,
        ("", "serviceaccounts") => Category::ServiceAccounts,
        _ => Category::Others,
    }
}

/// Where a rule stands among the others.
fn place(rule: &ReasonedRule) -> (u8, String, String, bool) {
    let text = |list: &[String]| list.first().cloned().unwrap_or_default();
    let (group, resource) = (text(&rule.rule.api_groups), text(&rule.rule.resources));
    let (rank, is_named) = match &rule.reason {
        Reason::Finalizers => (0, false),
        Reason::Escalate | Reason::Bind => (2, false),
        Reason::Operator { .. } => return (4, String::new(), String::new(), false),
        Reason::Collection(category) => (rank(*category), false),
        Reason::Objects(category) => (rank(*category), true),
    };
    // Core objects come in the order of the document's example: services, then config maps, then others.
    let resource = match resource.as_str() {
        "services" => "0".to_owned(),
        "configmaps" => "1".to_owned(),
        _ => resource,
    };
    (rank, group, resource, is_named)
}

fn rank(category: Category) -> u8 {
    match category {
        Category::Permissions => 1,
        Category::Definitions => 3,
        Category::Deployments => 5,
        Category::ServiceAccounts => 6,
        Category::Others => 7,
    }
}

/// The rules that are needed to hand out rights, with the namespaces in which they are.
fn handed_out(objects: &[Object], plan: &Plan<'_>) -> Vec<(String, ReasonedRule)> {
    let mut installed = Access::default();
    for object in objects {
        rbac_files::insert(&mut installed, object.value.root(), &object.namespace);
    }
    let mut rules = Vec::new();
    for object in objects.iter().filter(|object| object.group() == RBAC_GROUP) {
        let key = rbac_files::key(object);
        let mut push = |namespace: &str, reason: Reason, rule: Rule| {
            rules.push((namespace.to_owned(), ReasonedRule { reason, rule }));
        };
        if object.kind.ends_with("Binding") {
            let Some(binding) = installed.bindings.get(&key) else { continue };
            let reference = &binding.role;
            // The rules of a role that is not in the bundle are not known.
            let own = installed.role(reference, &object.namespace).ok();
            if plan.escalates || own.is_none_or(|role| !role.aggregates.is_empty()) {
                let resource = if reference.kind == "Role" { "roles" } else { "clusterroles" };
                let rule = Rule::new(&[&reference.group], &[resource], &["bind"]).named([&reference.name]);
                push(&object.namespace, Reason::Bind, rule);
            }
            continue;
        }
        let Some(role) = installed.roles.get(&key) else { continue };
        if plan.escalates || !role.aggregates.is_empty() {
            let resource = super::resource_of_kind(&object.kind);
            // The check names neither role nor namespace.
            push("", Reason::Escalate, Rule::new(&[RBAC_GROUP], &[&resource], &["escalate"]));
            continue;
        }
        for rule in &role.rules {
            let reason = Reason::Operator { role: (object.kind.clone(), object.name.clone()) };
            push(&object.namespace, reason, rule.clone());
        }
    }
    rules
}

impl Installer {
    /// Everything as manifests: the account, then each role with its binding.
    #[must_use]
    pub fn manifests(&self) -> Vec<Value> {
        let mut manifests = vec![self.account_manifest()];
        for role in &self.roles {
            manifests.extend([role.manifest(), role.binding_manifest(&self.account)]);
        }
        manifests
    }

    /// The service account as a manifest.
    #[must_use]
    pub fn account_manifest(&self) -> Value {
        json!({
            "apiVersion": "v1",
            "kind": "ServiceAccount",
            "metadata": metadata(&self.account.name, &self.account.namespace),
        })
    }

    /// What the account may do, and nothing else.
    #[must_use]
    pub fn access(&self) -> Access {
        let mut access = Access::default();
        for manifest in self.manifests() {
            let document = fbc_yaml::Document::from_json(&manifest);
            rbac_files::insert(&mut access, document.root(), document_namespace(&manifest));
        }
        access
    }
}

fn document_namespace(manifest: &Value) -> &str {
    manifest.pointer("/metadata/namespace").and_then(Value::as_str).unwrap_or_default()
}

impl BoundRole {
    /// The kind of the role.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        if self.namespace.is_empty() { "ClusterRole" } else { "Role" }
    }

    /// The role as a manifest.
    #[must_use]
    pub fn manifest(&self) -> Value {
        json!({
            "apiVersion": format!("{RBAC_GROUP}/v1"),
            "kind": self.kind(),
            "metadata": metadata(&self.name, &self.namespace),
            "rules": self.rules.iter().map(|rule| rule.rule.to_json()).collect::<Vec<_>>(),
        })
    }

    /// The binding as a manifest.
    #[must_use]
    pub fn binding_manifest(&self, account: &Account) -> Value {
        json!({
            "apiVersion": format!("{RBAC_GROUP}/v1"),
            "kind": format!("{}Binding", self.kind()),
            "metadata": metadata(&self.binding, &self.namespace),
            "roleRef": { "apiGroup": RBAC_GROUP, "kind": self.kind(), "name": self.name },
            "subjects": [
                { "kind": "ServiceAccount", "name": account.name, "namespace": account.namespace }
            ],
        })
    }
}

pub(super) fn metadata(name: &str, namespace: &str) -> Value {
    let mut metadata = json!({ "name": name });
    if !namespace.is_empty() {
        metadata["namespace"] = Value::from(namespace);
    }
    metadata
}
