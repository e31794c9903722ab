//! The rules of everybody, kept up to date with every write of a role or a binding.
//!
//! Sources: `kubernetes/kubernetes:plugin/pkg/auth/authorizer/rbac/rbac.go`,
//! `…/pkg/registry/rbac/validation/rule.go`, `…/pkg/controller/clusterroleaggregation`.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use fbc_kubernetes::rbac::access::ReferenceError;
use fbc_kubernetes::rbac::{Request, Rule};
use serde_json::Value;

use super::user::{Attributes, User};
use crate::error::ApiError;
use crate::object::{Object, ObjectFields, ObjectName};
use crate::selector::LabelSelector;

/// A role of a namespace or of the cluster.
#[derive(Debug, Clone, Default)]
pub struct Role {
    /// Its rules; for a role that takes its rules from others those of them all.
    pub rules: Vec<Rule>,
    labels: BTreeMap<String, String>,
    /// What selects the roles whose rules it takes; empty for a role with rules of its own.
    aggregates: Vec<LabelSelector>,
}

#[derive(Debug, Clone)]
struct Binding {
    role_kind: String,
    role_name: String,
    subjects: Vec<SubjectKey>,
}

/// Whom a binding names. Service accounts are users.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum SubjectKey {
    User(String),
    Group(String),
}

/// Whether a request is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// True if it is.
    pub allowed: bool,
    /// What went wrong while rules were looked up: `RBAC: role.rbac.authorization.k8s.io "x" not found`; often empty.
    pub reason: String,
}

/// Roles and bindings, and the questions to them. See the [module](super).
#[derive(Debug, Clone, Default)]
pub struct Authorizer {
    /// Those of the cluster have no namespace.
    roles: BTreeMap<ObjectName, Role>,
    bindings: BTreeMap<ObjectName, Binding>,
    of_subject: HashMap<SubjectKey, BTreeSet<ObjectName>>,
}

impl Authorizer {
    /// Learns of an object that was created or changed; kinds other than roles and bindings mean nothing.
    pub fn observe(&mut self, object: &Object) {
        let name = object.object_name();
        match object.kind() {
            "Role" | "ClusterRole" => {
                let role = Role::of(object);
                let is_cluster = object.kind() == "ClusterRole";
                let concerned = is_cluster && self.concerns_others(&role);
                let before = self.roles.insert(name, role);
                if concerned || is_cluster && before.is_some_and(|before| self.concerns_others(&before)) {
                    self.aggregate();
                }
            }
            "RoleBinding" | "ClusterRoleBinding" => {
                self.forget_binding(&name);
                let binding = Binding::of(object);
                for subject in &binding.subjects {
                    self.of_subject.entry(subject.clone()).or_default().insert(name.clone());
                }
                self.bindings.insert(name, binding);
            }
            _ => {}
        }
    }

    /// Learns that an object is gone.
    pub fn forget(&mut self, kind: &str, name: &ObjectName) {
        match kind {
            "Role" => drop(self.roles.remove(name)),
            "ClusterRole" => {
                self.roles.remove(name);
                self.aggregate();
            }
            "RoleBinding" | "ClusterRoleBinding" => self.forget_binding(name),
            _ => {}
        }
    }

    fn forget_binding(&mut self, name: &ObjectName) {
        for subject in self.bindings.remove(name).into_iter().flat_map(|binding| binding.subjects) {
            if let Some(bindings) = self.of_subject.get_mut(&subject) {
                bindings.remove(name);
            }
        }
    }

    /// Whether a role of the cluster takes rules from others, or others take its rules.
    fn concerns_others(&self, role: &Role) -> bool {
        let mut in_cluster = self.roles.iter().take_while(|(name, _)| name.namespace.is_empty());
        !role.aggregates.is_empty()
            || in_cluster.any(|(_, other)| {
                other.aggregates.iter().any(|selector| selector.matches_labels(&role.labels))
            })
    }

    /// Gives the roles that take rules from others their rules, until nothing changes.
    fn aggregate(&mut self) {
        let aggregating: Vec<ObjectName> = self
            .roles
            .iter()
            .filter(|(name, role)| name.namespace.is_empty() && !role.aggregates.is_empty())
            .map(|(name, _)| name.clone())
            .collect();
        // A chain of roles is no longer than there are roles.
        for _ in 0..=aggregating.len() {
            let mut changed = false;
            for name in &aggregating {
                let rules = self.aggregated_rules(name);
                if let Some(role) = self.roles.get_mut(name)
                    && role.rules != rules
                {
                    role.rules = rules;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// The rules that a role takes from others: per selector the roles by name, each rule once.
    fn aggregated_rules(&self, name: &ObjectName) -> Vec<Rule> {
        let Some(role) = self.roles.get(name) else { return Vec::new() };
        let mut rules: Vec<Rule> = Vec::new();
        for selector in &role.aggregates {
            let in_cluster = self.roles.iter().take_while(|(other, _)| other.namespace.is_empty());
            for (other, from) in in_cluster {
                if !selector.matches_labels(&from.labels) || other == name {
                    continue;
                }
                for rule in &from.rules {
                    if !rules.contains(rule) {
                        rules.push(rule.clone());
                    }
                }
            }
        }
        rules
    }

    /// A role, or with an empty namespace a role of the cluster. The aggregation controller writes its rules.
    pub fn role(&self, name: &ObjectName) -> Option<&Role> {
        self.roles.get(name)
    }

    /// True if a user may do something.
    pub fn allows(&self, user: &User, attributes: Attributes<'_>) -> bool {
        user.is_master() || self.rules(user, attributes.namespace(), |rule| allows(rule, attributes)).is_ok()
    }

    /// Whether a user may do something, and what went wrong while rules were looked up.
    pub fn decide(&self, user: &User, attributes: Attributes<'_>) -> Decision {
        if user.is_master() {
            return Decision { allowed: true, reason: String::new() };
        }
        match self.rules(user, attributes.namespace(), |rule| allows(rule, attributes)) {
            Ok(()) => Decision { allowed: true, reason: String::new() },
            Err(missing) => {
                let reason = match missing.as_slice() {
                    [] => String::new(),
                    [only] => format!("RBAC: {only}"),
                    several => format!("RBAC: [{}]", several.join(", ")),
                };
                Decision { allowed: false, reason }
            }
        }
    }

    /// Refuses what a user may not do.
    ///
    /// # Errors
    /// The API server's refusal.
    pub fn check(&self, user: &User, attributes: Attributes<'_>) -> Result<(), ApiError> {
        let decision = self.decide(user, attributes);
        if decision.allowed { Ok(()) } else { Err(attributes.refusal(user, &decision.reason)) }
    }

    /// Refuses what a user may not do in the name of another.
    ///
    /// Who may impersonate the other (`impersonate` on `users`) may; everybody else needs the right to do so on this
    /// very request, which is what the refusal names.
    ///
    /// # Errors
    /// The API server's refusal.
    pub fn check_impersonation(
        &self,
        user: &User,
        other: &User,
        attributes: Attributes<'_>,
    ) -> Result<(), ApiError> {
        let target = |verb| Attributes::Resource {
            verb,
            group: "",
            resource: "users",
            subresource: "",
            namespace: "",
            name: &other.name,
        };
        if self.allows(user, target("impersonate")) {
            return Ok(());
        }
        let verb = match attributes {
            Attributes::Resource { verb, .. } | Attributes::Path { verb, .. } => {
                format!("impersonate-on:user-info:{verb}")
            }
        };
        let on_request = match attributes {
            Attributes::Resource { group, resource, subresource, namespace, name, .. } => {
                Attributes::Resource { verb: &verb, group, resource, subresource, namespace, name }
            }
            Attributes::Path { path, .. } => Attributes::Path { verb: &verb, path },
        };
        self.check(user, on_request)?;
        self.check(user, target("impersonate:user-info"))
    }

    /// All rules of a user in a namespace (empty for the whole cluster), and the texts of what could not be found.
    pub fn rules_for(&self, user: &User, namespace: &str) -> (Vec<Rule>, Vec<String>) {
        let mut rules = Vec::new();
        let missing = self.rules(user, namespace, |rule| {
            rules.push(rule.clone());
            false
        });
        (rules, missing.err().unwrap_or_default())
    }

    /// Visits the rules of a user until the visitor is satisfied; the texts of what could not be found if it never is.
    fn rules(
        &self,
        user: &User,
        namespace: &str,
        mut visit: impl FnMut(&Rule) -> bool,
    ) -> Result<(), Vec<String>> {
        let mut missing = Vec::new();
        let keys = std::iter::once(SubjectKey::User(user.name.clone()))
            .chain(user.groups.iter().map(|group| SubjectKey::Group(group.clone())));
        let mut names: BTreeSet<&ObjectName> = BTreeSet::new();
        for key in keys {
            let bindings = self.of_subject.get(&key).into_iter().flatten();
            names.extend(bindings.filter(|name| name.namespace.is_empty() || name.namespace == namespace));
        }
        for name in names {
            let Some(binding) = self.bindings.get(name) else { continue };
            match self.bound_role(&binding.role_kind, &binding.role_name, &name.namespace) {
                Ok(role) => {
                    if role.rules.iter().any(&mut visit) {
                        return Ok(());
                    }
                }
                Err(error) => missing.push(error.to_string()),
            }
        }
        Err(missing)
    }

    /// The role that a binding in a namespace refers to.
    pub(super) fn bound_role(
        &self,
        kind: &str,
        name: &str,
        namespace: &str,
    ) -> Result<&Role, ReferenceError> {
        let key = match kind {
            "ClusterRole" => ObjectName::cluster(name),
            "Role" => ObjectName::namespaced(namespace, name),
            other => return Err(ReferenceError::UnknownKind(other.to_owned())),
        };
        let missing = || ReferenceError::NotFound { kind: kind.to_lowercase(), name: name.to_owned() };
        self.roles.get(&key).ok_or_else(missing)
    }
}

fn allows(rule: &Rule, attributes: Attributes<'_>) -> bool {
    rule.allows(match attributes {
        Attributes::Resource { verb, group, resource, subresource, name, .. } => {
            Request::Resource { verb, group, resource, subresource, name }
        }
        Attributes::Path { verb, path } => Request::Url { verb, path },
    })
}

/// The rule that an object holds.
pub(super) fn rule_of(rule: &Value) -> Rule {
    let texts = |name: &str| {
        rule.list(&[name]).iter().filter_map(Value::as_str).map(str::to_owned).collect::<Vec<String>>()
    };
    Rule {
        api_groups: texts("apiGroups"),
        resources: texts("resources"),
        resource_names: texts("resourceNames"),
        verbs: texts("verbs"),
        non_resource_urls: texts("nonResourceURLs"),
    }
}

fn texts_of(labels: Option<&Value>) -> BTreeMap<String, String> {
    let members = labels.and_then(Value::as_object).into_iter().flatten();
    members.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
}

impl Role {
    fn of(object: &Object) -> Self {
        let selectors = object.list(&["aggregationRule", "clusterRoleSelectors"]);
        Self {
            rules: object.list(&["rules"]).iter().map(rule_of).collect(),
            labels: texts_of(object.at(&["metadata", "labels"])),
            // A selector that cannot be read selects nothing.
            aggregates: selectors
                .iter()
                .map(|selector| LabelSelector::of_object(Some(selector)).unwrap_or(LabelSelector::nothing()))
                .collect(),
        }
    }
}

impl Binding {
    fn of(object: &Object) -> Self {
        let subject = |subject: &Value| {
            let name = subject.text(&["name"]).to_owned();
            match subject.text(&["kind"]) {
                "User" => Some(SubjectKey::User(name)),
                "Group" => Some(SubjectKey::Group(name)),
                "ServiceAccount" => {
                    let namespace = match subject.text(&["namespace"]) {
                        "" => object.namespace(),
                        namespace => namespace,
                    };
                    Some(SubjectKey::User(format!("system:serviceaccount:{namespace}:{name}")))
                }
                _ => None,
            }
        };
        Self {
            role_kind: object.text(&["roleRef", "kind"]).to_owned(),
            role_name: object.text(&["roleRef", "name"]).to_owned(),
            subjects: object.list(&["subjects"]).iter().filter_map(subject).collect(),
        }
    }
}
