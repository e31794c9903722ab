//! What an operator may do once it is installed, which of it is dangerous, and what changes between versions.

use std::collections::{BTreeMap, BTreeSet};

use fbc_kubernetes::rbac::rule::{ALL, Request, Rule, compact, uncovered};
use fbc_kubernetes::rbac::{Access, Account, RBAC_GROUP};

use super::rbac_files;
use crate::manifests::Object;

/// The rights of the operator's accounts: by account and namespace (empty for the whole cluster).
pub type Rights = BTreeMap<(String, String), Vec<Rule>>;

/// A kind of dangerous right, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Danger {
    /// Everything.
    Everything,
    /// To give roles rights that one does not have.
    Escalate,
    /// To bind roles whose rights one does not have.
    Bind,
    /// To act as somebody else.
    Impersonate,
    /// To make tokens of service accounts.
    Tokens,
    /// To approve or sign certificates, which are identities.
    Certificates,
    /// To reach kubelets.
    NodeProxy,
    /// To run commands in pods.
    PodExec,
    /// To read secrets.
    ReadSecrets,
    /// To use any security context constraint.
    SecurityContexts,
    /// To write webhook configurations, which see and change all requests.
    Webhooks,
    /// To write roles and bindings within the rights that one has.
    Roles,
    /// To write custom resource definitions.
    Definitions,
    /// To make pods, and with them to use the accounts and secrets of their namespaces.
    MakePods,
    /// To change nodes.
    Nodes,
    /// A wildcard among the verbs, resources or groups.
    Wildcard,
}

/// A request that a dangerous rule allows: group, resource, subresource, verbs.
struct Sign {
    danger: Danger,
    group: &'static str,
    resources: &'static [(&'static str, &'static str)],
    verbs: &'static [&'static str],
}

const WRITE: &[&str] = &["create", "update", "patch"];

const SIGNS: &[Sign] = &[
    Sign {
        danger: Danger::Escalate,
        group: RBAC_GROUP,
        resources: &[("clusterroles", ""), ("roles", "")],
        verbs: &["escalate"],
    },
    Sign {
        danger: Danger::Bind,
        group: RBAC_GROUP,
        resources: &[("clusterroles", ""), ("roles", "")],
        verbs: &["bind"],
    },
    Sign {
        danger: Danger::Impersonate,
        group: "",
        resources: &[("users", ""), ("groups", ""), ("serviceaccounts", "")],
        verbs: &["impersonate"],
    },
    Sign {
        danger: Danger::Tokens,
        group: "",
        resources: &[("serviceaccounts", "token")],
        verbs: &["create"],
    },
    Sign {
        danger: Danger::Certificates,
        group: "certificates.k8s.io",
        resources: &[
            ("certificatesigningrequests", "approval"),
            ("certificatesigningrequests", "status"),
            ("signers", ""),
        ],
        verbs: &["update", "patch", "approve", "sign"],
    },
    Sign {
        danger: Danger::NodeProxy,
        group: "",
        resources: &[("nodes", "proxy")],
        verbs: &["get", "create", "update", "patch", "delete"],
    },
    Sign {
        danger: Danger::PodExec,
        group: "",
        resources: &[("pods", "exec"), ("pods", "attach"), ("pods", "ephemeralcontainers")],
        verbs: &["create", "get", "update", "patch"],
    },
    Sign {
        danger: Danger::ReadSecrets,
        group: "",
        resources: &[("secrets", "")],
        verbs: &["get", "list", "watch"],
    },
    Sign {
        danger: Danger::SecurityContexts,
        group: "security.openshift.io",
        resources: &[("securitycontextconstraints", "")],
        verbs: &["use", "create", "update", "patch"],
    },
    Sign {
        danger: Danger::Webhooks,
        group: "admissionregistration.k8s.io",
        resources: &[("mutatingwebhookconfigurations", ""), ("validatingwebhookconfigurations", "")],
        verbs: WRITE,
    },
    Sign {
        danger: Danger::Roles,
        group: RBAC_GROUP,
        resources: &[("clusterroles", ""), ("clusterrolebindings", ""), ("roles", ""), ("rolebindings", "")],
        verbs: WRITE,
    },
    Sign {
        danger: Danger::Definitions,
        group: "apiextensions.k8s.io",
        resources: &[("customresourcedefinitions", "")],
        verbs: &["create", "update", "patch", "delete"],
    },
    Sign { danger: Danger::MakePods, group: "", resources: &[("pods", "")], verbs: WRITE },
    Sign {
        danger: Danger::MakePods,
        group: "apps",
        resources: &[("deployments", ""), ("daemonsets", ""), ("statefulsets", ""), ("replicasets", "")],
        verbs: WRITE,
    },
    Sign {
        danger: Danger::MakePods,
        group: "batch",
        resources: &[("jobs", ""), ("cronjobs", "")],
        verbs: WRITE,
    },
    Sign {
        danger: Danger::Nodes,
        group: "",
        resources: &[("nodes", ""), ("nodes", "status")],
        verbs: &["update", "patch", "delete"],
    },
];

/// A dangerous right.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DangerousRight {
    /// What makes it dangerous.
    pub danger: Danger,
    /// Whether it is for the whole cluster; such come first.
    pub is_namespaced: bool,
    /// The account.
    pub account: String,
    /// The namespace; empty for the whole cluster.
    pub namespace: String,
    /// The rule that holds it, as it is written.
    pub rule: Rule,
}

/// The rights that objects give to the service accounts of an installation in a namespace.
#[must_use]
pub fn rights(objects: &[Object], namespace: &str) -> Rights {
    let mut installed = Access::default();
    for object in objects {
        rbac_files::insert(&mut installed, object.value.root(), &object.namespace);
    }
    rbac_files::add_default_roles(&mut installed);
    let mut rights: Rights = BTreeMap::new();
    for ((of, _), binding) in &installed.bindings {
        let Ok(role) = installed.role(&binding.role, of) else { continue };
        for subject in &binding.subjects {
            let account = Account { namespace: namespace.to_owned(), name: subject.name.clone() };
            if subject.is(&account, of) {
                let list = rights.entry((account.name, of.clone())).or_default();
                for rule in installed.rules_of(role) {
                    if !list.contains(rule) {
                        list.push(rule.clone());
                    }
                }
            }
        }
    }
    rights
}

/// What makes a rule dangerous, the worst first.
#[must_use]
pub fn dangers(rule: &Rule) -> BTreeSet<Danger> {
    let is_all = |list: &[String]| list.iter().any(|text| text == ALL);
    let (groups, resources, verbs) = (is_all(&rule.api_groups), is_all(&rule.resources), is_all(&rule.verbs));
    if groups && resources && verbs && rule.resource_names.is_empty() {
        return BTreeSet::from([Danger::Everything]);
    }
    let mut dangers: BTreeSet<Danger> =
        SIGNS.iter().filter(|sign| sign.is_in(rule)).map(|sign| sign.danger).collect();
    if groups || resources || verbs {
        dangers.insert(Danger::Wildcard);
    }
    dangers
}

impl Sign {
    fn is_in(&self, rule: &Rule) -> bool {
        // A request for a name that the rule allows, if it names some.
        let name = rule.resource_names.first().map(String::as_str).unwrap_or_default();
        self.resources.iter().any(|(resource, subresource)| {
            self.verbs.iter().any(|verb| {
                rule.allows(Request::Resource { verb, group: self.group, resource, subresource, name })
            })
        })
    }
}

/// The dangerous rights, the worst first.
#[must_use]
pub fn dangerous(rights: &Rights) -> Vec<DangerousRight> {
    let mut found = BTreeSet::new();
    for ((account, namespace), rules) in rights {
        for rule in rules {
            found.extend(dangers(rule).into_iter().map(|danger| DangerousRight {
                danger,
                is_namespaced: !namespace.is_empty(),
                account: account.clone(),
                namespace: namespace.clone(),
                rule: rule.clone(),
            }));
        }
    }
    found.into_iter().collect()
}

/// How a right differs between two versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// Nothing was allowed on these resources before.
    Added,
    /// More is allowed on resources on which something was allowed before.
    Widened,
    /// Less is allowed on these resources than before.
    Narrowed,
    /// Nothing is allowed on these resources any more.
    Removed,
}

/// A right that differs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// How it differs.
    pub change: Change,
    /// The account.
    pub account: String,
    /// The namespace; empty for the whole cluster.
    pub namespace: String,
    /// What exactly came or went; what rules of the other version cover is left out.
    pub rule: Rule,
}

/// What the rights of a new version have more and less than those of an old one.
#[must_use]
pub fn differences(old: &Rights, new: &Rights) -> Vec<Difference> {
    let mut found = one_way(old, new, Change::Added, Change::Widened);
    found.extend(one_way(new, old, Change::Removed, Change::Narrowed));
    found.sort_unstable();
    found
}

fn one_way(from: &Rights, to: &Rights, none_before: Change, some_before: Change) -> Vec<Difference> {
    let mut found = Vec::new();
    for ((account, namespace), rules) in to {
        // What holds in the whole cluster holds in every namespace.
        let scopes = [Some(""), (!namespace.is_empty()).then_some(namespace.as_str())];
        let owned: Vec<&Rule> = scopes
            .into_iter()
            .flatten()
            .filter_map(|scope| from.get(&(account.clone(), scope.to_owned())))
            .flatten()
            .collect();
        let anywhere: Vec<&Rule> =
            from.iter().filter(|((other, _), _)| other == account).flat_map(|(_, rules)| rules).collect();
        for rule in compact(uncovered(&owned, rules)) {
            let is_known = anywhere.iter().any(|owned| share_resources(owned, &rule));
            let change = if is_known { some_before } else { none_before };
            found.push(Difference { change, account: account.clone(), namespace: namespace.clone(), rule });
        }
    }
    found
}

/// Whether two rules say something about the same resources or paths.
fn share_resources(one: &Rule, other: &Rule) -> bool {
    let share = |one: &[String], other: &[String]| {
        one.iter().any(|text| text == ALL || other.iter().any(|same| same == text || same == ALL))
    };
    share(&one.api_groups, &other.api_groups) && share(&one.resources, &other.resources)
        || share(&one.non_resource_urls, &other.non_resource_urls)
}
