//! Who may do what in a cluster: roles, bindings, and the rules that follow from them for a service account.
//!
//! Sources: `kubernetes/kubernetes:pkg/registry/rbac/validation/rule.go` and
//! `pkg/controller/clusterroleaggregation`.

use std::collections::{BTreeMap, BTreeSet};

use super::rule::{Request, Rule};

/// A service account.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Account {
    /// Its namespace.
    pub namespace: String,
    /// Its name.
    pub name: String,
}

impl Account {
    /// The name of the user that requests of the account come from.
    #[must_use]
    pub fn user(&self) -> String {
        format!("system:serviceaccount:{}:{}", self.namespace, self.name)
    }
}

/// A role of a namespace or of the cluster.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Role {
    /// The rules as they are written.
    pub rules: Vec<Rule>,
    /// The labels, by which other roles take its rules over.
    pub labels: BTreeMap<String, String>,
    /// Which roles it takes its rules from; empty for a role with rules of its own.
    pub aggregates: Vec<Selector>,
}

/// A label selector; all of its requirements must be met.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selector(pub Vec<Requirement>);

/// What a label selector requires of a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Requirement {
    /// The label.
    pub key: String,
    /// The operator of Kubernetes: `In`, `NotIn`, `Exists`, `DoesNotExist`.
    pub operator: String,
    /// The values of `In` and `NotIn`.
    pub values: Vec<String>,
}

impl Selector {
    fn selects(&self, labels: &BTreeMap<String, String>) -> bool {
        self.0.iter().all(|requirement| {
            let value = labels.get(&requirement.key);
            match requirement.operator.as_str() {
                "In" => value.is_some_and(|value| requirement.values.contains(value)),
                "NotIn" => value.is_none_or(|value| !requirement.values.contains(value)),
                "Exists" => value.is_some(),
                "DoesNotExist" => value.is_none(),
                _ => false,
            }
        })
    }
}

/// A reference to a role.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct RoleReference {
    /// The API group as it is written.
    pub group: String,
    /// `Role` or `ClusterRole`.
    pub kind: String,
    /// The name.
    pub name: String,
}

/// A subject of a binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    /// `User`, `Group` or `ServiceAccount`.
    pub kind: String,
    /// The name.
    pub name: String,
    /// The namespace of a service account; empty where none is written.
    pub namespace: String,
}

/// A binding of a role, in a namespace or in the cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The role.
    pub role: RoleReference,
    /// Who has it.
    pub subjects: Vec<Subject>,
}

/// Roles, bindings and service accounts of a cluster, each by namespace and name; those of the cluster have no
/// namespace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// Roles.
    pub roles: BTreeMap<(String, String), Role>,
    /// Bindings.
    pub bindings: BTreeMap<(String, String), Binding>,
    /// Service accounts.
    pub accounts: BTreeSet<Account>,
}

/// Why the rules of a role cannot be found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    /// There is no such role. The text is that of a client with a cache.
    #[error("{kind}.rbac.authorization.k8s.io {} not found", fbc_go::text::quote(.name))]
    NotFound {
        /// The kind of the role.
        kind: String,
        /// Its name.
        name: String,
    },
    /// The reference names no kind of role.
    #[error("unsupported role reference kind: {}", fbc_go::text::quote(.0))]
    UnknownKind(String),
}

/// The rules of an account in a namespace, and what could not be found on the way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnedRules<'a> {
    /// The rules.
    pub rules: Vec<&'a Rule>,
    /// What could not be found; the rules are valid all the same.
    pub errors: Vec<ReferenceError>,
}

impl OwnedRules<'_> {
    /// Whether some rule allows a request.
    #[must_use]
    pub fn allow(&self, request: Request<'_>) -> bool {
        self.rules.iter().any(|rule| rule.allows(request))
    }
}

impl Access {
    /// The role that a binding in a namespace refers to; the namespace is empty for bindings of the cluster.
    ///
    /// # Errors
    /// The role is not there, or the reference names no kind of role.
    pub fn role(&self, reference: &RoleReference, namespace: &str) -> Result<&Role, ReferenceError> {
        let namespace = match reference.kind.as_str() {
            "ClusterRole" => "",
            // A role is never looked up without a namespace.
            "Role" => namespace,
            other => return Err(ReferenceError::UnknownKind(other.to_owned())),
        };
        let is_possible = reference.kind == "ClusterRole" || !namespace.is_empty();
        let role = self.roles.get(&(namespace.to_owned(), reference.name.clone()));
        role.filter(|_| is_possible).ok_or_else(|| ReferenceError::NotFound {
            kind: reference.kind.clone(),
            name: reference.name.clone(),
        })
    }

    /// The rules of a role, those that it aggregates included.
    #[must_use]
    pub fn rules_of<'a>(&'a self, role: &'a Role) -> Vec<&'a Rule> {
        if role.aggregates.is_empty() {
            return role.rules.iter().collect();
        }
        // The controller runs until nothing changes, so it ends with everything that can be reached.
        let mut seen = BTreeSet::new();
        let mut open = vec![role];
        let mut rules = BTreeMap::new();
        while let Some(role) = open.pop() {
            let in_cluster = self.roles.iter().take_while(|((namespace, _), _)| namespace.is_empty());
            for ((_, name), other) in in_cluster {
                let is_selected = role.aggregates.iter().any(|selector| selector.selects(&other.labels));
                if !is_selected || !seen.insert(name) {
                    continue;
                }
                if other.aggregates.is_empty() {
                    rules.insert(name, &other.rules);
                } else {
                    open.push(other);
                }
            }
        }
        rules.into_values().flatten().collect()
    }

    /// The rules of an account in a namespace; the empty namespace stands for the whole cluster. Rules that
    /// only groups have do not count: operator-controller asks in the name of the account alone.
    #[must_use]
    pub fn rules_for(&self, account: &Account, namespace: &str) -> OwnedRules<'_> {
        let mut owned = OwnedRules::default();
        let in_cluster = self.bindings.iter().take_while(|((of, _), _)| of.is_empty());
        let in_namespace = self
            .bindings
            .range((namespace.to_owned(), String::new())..)
            .take_while(|((of, _), _)| of == namespace && !namespace.is_empty());
        for ((of, _), binding) in in_cluster.chain(in_namespace) {
            if !binding.subjects.iter().any(|subject| subject.is(account, of)) {
                continue;
            }
            match self.role(&binding.role, of) {
                Ok(role) => owned.rules.extend(self.rules_of(role)),
                Err(error) => owned.errors.push(error),
            }
        }
        owned
    }
}

impl Subject {
    /// Whether the subject of a binding in a namespace is an account.
    #[must_use]
    pub fn is(&self, account: &Account, binding_namespace: &str) -> bool {
        match self.kind.as_str() {
            "User" => self.name == account.user(),
            "ServiceAccount" => {
                let namespace =
                    if self.namespace.is_empty() { binding_namespace } else { self.namespace.as_str() };
                !namespace.is_empty() && namespace == account.namespace && self.name == account.name
            }
            _ => false,
        }
    }
}
