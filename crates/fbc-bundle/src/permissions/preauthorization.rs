//! Whether operator-controller would let an installation begin: its check of the installer's permissions.
//!
//! Source: `operator-framework/operator-controller:internal/operator-controller/authorization/rbac.go` and
//! `formatPreAuthorizerOutput` in `…/applier/helm.go`; oddities are kept. The objects of roles are checked in
//! the order in which they are installed; the reference's order is random, which shows in errors only.

use std::collections::{BTreeMap, BTreeSet};

use fbc_go::text::quote;
use fbc_kubernetes::rbac::RBAC_GROUP;
use fbc_kubernetes::rbac::access::{Access, Account, OwnedRules, ReferenceError, Role, RoleReference};
use fbc_kubernetes::rbac::rule::{Request, Rule, compact, uncovered};

use super::needs::{Applier, needs};
use super::rbac_files;
use crate::manifests::Object;

/// The answer of the check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The rules that are missing, by namespace; the empty namespace stands for the whole cluster.
    pub missing: BTreeMap<String, Vec<Rule>>,
    /// What kept the check from a complete answer, in the reference's words.
    pub errors: Vec<String>,
    /// Roles that bindings of the objects refer to and that are nowhere: the reference passes over them, and
    /// nobody gets the rights that were meant.
    pub missing_roles: Vec<MissingRole>,
}

/// A reference to a role that is nowhere.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct MissingRole {
    /// Kind and name of the binding.
    pub binding: (String, String),
    /// The namespace of the binding; empty for those of the cluster.
    pub namespace: String,
    /// The role.
    pub role: RoleReference,
}

impl Answer {
    /// Whether the installation may begin.
    #[must_use]
    pub fn is_authorized(&self) -> bool {
        self.missing.is_empty() && self.errors.is_empty()
    }

    /// The error that the extension would report; none if the installation may begin.
    #[must_use]
    pub fn report(&self) -> Option<String> {
        let mut parts = Vec::new();
        if !self.missing.is_empty() {
            let mut lines: Vec<String> = self
                .missing
                .iter()
                .flat_map(|(namespace, rules)| rules.iter().map(move |rule| line(namespace, rule)))
                .collect();
            lines.sort_unstable();
            parts.push(format!(
                "service account requires the following permissions to manage cluster extension:\n  {}",
                lines.join("\n  ")
            ));
        }
        if !self.errors.is_empty() {
            parts.push(format!("authorization evaluation error: {}", self.errors.join("\n")));
        }
        (!parts.is_empty()).then(|| format!("pre-authorization failed: {}", parts.join("\n")))
    }
}

/// A missing rule as the report shows it.
#[must_use]
pub fn line(namespace: &str, rule: &Rule) -> String {
    let mut line = format!("Namespace:{}", quote(namespace));
    for (name, list) in [
        ("APIGroups", &rule.api_groups),
        ("Resources", &rule.resources),
        ("ResourceNames", &rule.resource_names),
        ("Verbs", &rule.verbs),
        ("NonResourceURLs", &rule.non_resource_urls),
    ] {
        if !list.is_empty() {
            let mut list = list.clone();
            list.sort_unstable();
            line.push_str(&format!(" {name}:[{}]", list.join(",")));
        }
    }
    line
}

/// Checks an installation of objects by an account, as an extension of that name.
#[must_use]
pub fn preauthorize(
    objects: &[Object],
    access: &Access,
    account: &Account,
    extension: &str,
    engine: Applier,
) -> Answer {
    let unmapped = unmapped(objects);
    if !unmapped.is_empty() {
        return Answer { errors: unmapped, ..Answer::default() };
    }
    let mut checker = Checker::new(objects, access, account);
    let mut missing: BTreeMap<String, Vec<Rule>> = BTreeMap::new();
    for need in needs(objects, extension, engine) {
        if !checker.rules_in(&need.namespace).allow(need.request()) {
            let mut rule = Rule::new(&[&need.group], &[&need.resource], &[need.verb]);
            rule.resource_names.extend((!need.name.is_empty()).then_some(need.name));
            missing.entry(need.namespace).or_default().push(rule);
        }
    }
    let (mut unparsed, mut unresolved) = (Vec::new(), Vec::new());
    for object in objects.iter().filter(|object| object.group() == RBAC_GROUP) {
        match checker.escalation(object) {
            Ok(()) => {}
            Err(Escalation::Missing { rules, errors }) => {
                unresolved.extend(errors);
                missing.entry(object.namespace.clone()).or_default().extend(rules);
            }
            Err(Escalation::Other(text)) => {
                unparsed.push(format!("unexpected format of escalation check error string: {}", quote(&text)))
            }
        }
    }
    let mut errors = Vec::new();
    if !unparsed.is_empty() {
        errors.push(format!("failed to parse escalation check error strings: {}", unparsed.join("\n")));
    }
    if !unresolved.is_empty() {
        errors.push(format!("failed to resolve or evaluate permissions: {}", unresolved.join("\n")));
    }
    if !errors.is_empty() {
        errors = vec![format!("missing rules may be incomplete: {}", errors.join("\n"))];
    }
    let missing = missing.into_iter().map(|(namespace, rules)| (namespace, compact(rules))).collect();
    Answer { missing, errors, missing_roles: checker.missing_roles.into_iter().collect() }
}

/// Objects whose kind no API serves, because their manifest names no version.
fn unmapped(objects: &[Object]) -> Vec<String> {
    let unmapped = objects.iter().enumerate().filter(|(_, object)| object.version().is_empty());
    unmapped
        .map(|(index, object)| {
            let Object { kind, name, .. } = object;
            let name = if name.is_empty() { String::new() } else { format!(" (name: {name})") };
            let group = object.group();
            format!(
                "could not get REST mapping for object {index} in manifest with GVK {group}/, Kind={kind}{name}: no \
                 matches for kind {} in version \"\"",
                quote(kind)
            )
        })
        .collect()
}

/// Why a role or binding must not be made.
enum Escalation {
    /// Rights that the account does not have itself, and what could not be found when its own were looked up.
    Missing { rules: Vec<Rule>, errors: Option<String> },
    /// Another error, which the reference cannot take apart.
    Other(String),
}

struct Checker<'a> {
    access: &'a Access,
    /// The roles among the objects.
    installed: Access,
    account: &'a Account,
    rules: BTreeMap<String, OwnedRules<'a>>,
    missing_roles: BTreeSet<MissingRole>,
}

impl<'a> Checker<'a> {
    fn new(objects: &[Object], access: &'a Access, account: &'a Account) -> Self {
        let mut installed = Access::default();
        for object in objects {
            rbac_files::insert(&mut installed, object.value.root(), &object.namespace);
        }
        Self { access, installed, account, rules: BTreeMap::new(), missing_roles: BTreeSet::new() }
    }

    fn rules_in(&mut self, namespace: &str) -> &OwnedRules<'a> {
        let (access, account) = (self.access, self.account);
        self.rules.entry(namespace.to_owned()).or_insert_with(|| access.rules_for(account, namespace))
    }

    /// Whether the account may make a role or a binding without getting more rights than it has.
    fn escalation(&mut self, object: &Object) -> Result<(), Escalation> {
        let key = rbac_files::key(object);
        if object.kind.ends_with("Binding") {
            let Some(binding) = self.installed.bindings.get(&key) else { return Ok(()) };
            let reference = binding.role.clone();
            let rules = self.bound_rules(object, &reference)?;
            return match self.may("bind", &object.namespace, &reference) {
                true => Ok(()),
                false => self.own(&object.namespace, rules.iter()),
            };
        }
        let Some(role) = self.installed.roles.get(&key).cloned() else { return Ok(()) };
        // The reference leaves name and namespace of the role out of this question.
        let any =
            RoleReference { group: RBAC_GROUP.to_owned(), kind: object.kind.clone(), name: String::new() };
        if self.may("escalate", "", &any) {
            return Ok(());
        }
        if !role.aggregates.is_empty() {
            let everything = [
                Rule::new(&["*"], &["*"], &["*"]),
                Rule { non_resource_urls: vec!["*".to_owned()], ..Rule::new(&[], &[], &["*"]) },
            ];
            self.own(&object.namespace, everything.iter()).map_err(|escalation| match escalation {
                Escalation::Missing { rules, errors } => {
                    Escalation::Other(self.aggregation_text(rules, errors))
                }
                other => other,
            })?;
        }
        self.own(&object.namespace, role.rules.iter())
    }

    /// The rules of the role that a binding among the objects refers to.
    fn bound_rules(&mut self, binding: &Object, reference: &RoleReference) -> Result<Vec<Rule>, Escalation> {
        let namespace = &binding.namespace;
        let mut rules: Vec<Rule> = Vec::new();
        let in_cluster = match self.access.role(reference, namespace) {
            Ok(role) => Some(role),
            Err(ReferenceError::NotFound { .. }) => None,
            // Whoever may bind is not asked for the rules, but no request of such a kind is allowed.
            Err(error) => return Err(Escalation::Other(error.to_string())),
        };
        let among_objects: Option<&Role> = self.installed.role(reference, namespace).ok();
        if in_cluster.is_none() && among_objects.is_none() {
            self.missing_roles.insert(MissingRole {
                binding: (binding.kind.clone(), binding.name.clone()),
                namespace: namespace.clone(),
                role: reference.clone(),
            });
        }
        if let Some(role) = in_cluster {
            rules.extend(self.access.rules_of(role).into_iter().cloned());
        }
        rules.extend(among_objects.into_iter().flat_map(|role| role.rules.iter().cloned()));
        Ok(rules)
    }

    fn may(&mut self, verb: &str, namespace: &str, role: &RoleReference) -> bool {
        let resource = if role.kind == "Role" { "roles" } else { "clusterroles" };
        let request =
            Request::Resource { verb, group: &role.group, resource, subresource: "", name: &role.name };
        self.rules_in(namespace).allow(request)
    }

    /// Whether the account has rules itself.
    fn own<'r>(&mut self, namespace: &str, rules: impl Iterator<Item = &'r Rule>) -> Result<(), Escalation> {
        let owned = self.rules_in(namespace);
        let missing = uncovered(&owned.rules, rules);
        if missing.is_empty() {
            return Ok(());
        }
        let mut texts: Vec<String> = owned.errors.iter().map(ToString::to_string).collect();
        let mut seen = BTreeSet::new();
        texts.retain(|text| seen.insert(text.clone()));
        let errors = match texts.as_slice() {
            [] => None,
            [one] => Some(format!("[{one}]")),
            several => Some(format!("[[{}]]", several.join(", "))),
        };
        let mut missing = compact(missing);
        missing.dedup();
        Err(Escalation::Missing { rules: missing, errors })
    }

    fn aggregation_text(&self, rules: Vec<Rule>, errors: Option<String>) -> String {
        let rules: Vec<String> = rules.iter().map(ToString::to_string).collect();
        let errors = errors.map(|errors| format!("; resolution errors: {errors}")).unwrap_or_default();
        format!(
            "must have cluster-admin privileges to use an aggregationRule: user {} (groups=[]) is attempting to grant \
             RBAC permissions not currently held:\n{}{errors}",
            quote(&self.account.user()),
            rules.join("\n")
        )
    }
}
