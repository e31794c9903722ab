//! Policy rules, what they allow, and which rules cover which.
//!
//! Sources: `kubernetes/kubernetes:pkg/apis/rbac/v1/evaluation_helpers.go` (requests),
//! `kubernetes/component-helpers:auth/rbac/validation/policy_comparator.go` (covering),
//! `kubernetes/kubernetes:pkg/registry/rbac/validation/policy_compact.go` (compacting).

use std::collections::BTreeMap;
use std::fmt;

use fbc_go::text::quote;
use serde_json::{Map, Value};

/// How many pieces a rule may have to be taken apart. Real rules have some hundred.
const MOST_PIECES: usize = 100_000;

/// Everything.
pub const ALL: &str = "*";

/// A policy rule of a role. Lists are as they are written; empty `resource_names` mean all names.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rule {
    /// API groups; the core group is the empty text.
    pub api_groups: Vec<String>,
    /// Resources, or subresources as `pods/log`.
    pub resources: Vec<String>,
    /// Names of objects. `*` is a name like any other here.
    pub resource_names: Vec<String>,
    /// Verbs.
    pub verbs: Vec<String>,
    /// Paths that are not resources, such as `/metrics`.
    pub non_resource_urls: Vec<String>,
}

/// What somebody wants to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Request<'r> {
    /// To do something with a resource.
    Resource {
        /// The verb.
        verb: &'r str,
        /// The API group.
        group: &'r str,
        /// The resource.
        resource: &'r str,
        /// The subresource; empty for none.
        subresource: &'r str,
        /// The name of the object; empty for requests that name none.
        name: &'r str,
    },
    /// To do something with a path.
    Url {
        /// The verb.
        verb: &'r str,
        /// The path.
        path: &'r str,
    },
}

impl Rule {
    /// A rule for resources.
    #[must_use]
    pub fn new(groups: &[&str], resources: &[&str], verbs: &[&str]) -> Self {
        let texts = |list: &[&str]| list.iter().map(|text| (*text).to_owned()).collect();
        Self {
            api_groups: texts(groups),
            resources: texts(resources),
            verbs: texts(verbs),
            ..Self::default()
        }
    }

    /// The same for objects of those names only.
    #[must_use]
    pub fn named<N: Into<String>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.resource_names = names.into_iter().map(Into::into).collect();
        self
    }

    /// The rule as manifests write it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut members = Map::new();
        for (key, list) in [
            ("apiGroups", &self.api_groups),
            ("resources", &self.resources),
            ("resourceNames", &self.resource_names),
            ("nonResourceURLs", &self.non_resource_urls),
            ("verbs", &self.verbs),
        ] {
            if !list.is_empty() {
                members.insert(key.to_owned(), list.iter().cloned().collect());
            }
        }
        Value::Object(members)
    }

    /// Whether the rule allows a request.
    #[must_use]
    pub fn allows(&self, request: Request<'_>) -> bool {
        match request {
            Request::Resource { verb, group, resource, subresource, name } => {
                has_or_all(&self.verbs, verb)
                    && has_or_all(&self.api_groups, group)
                    && self.names_resource(resource, subresource)
                    && (self.resource_names.is_empty() || has(&self.resource_names, name))
            }
            Request::Url { verb, path } => {
                has_or_all(&self.verbs, verb)
                    && self.non_resource_urls.iter().any(|owned| url_covers(owned, path))
            }
        }
    }

    fn names_resource(&self, resource: &str, subresource: &str) -> bool {
        self.resources.iter().any(|owned| {
            owned == ALL
                || match subresource {
                    "" => owned == resource,
                    _ => {
                        let (owner, part) = owned.split_once('/').unwrap_or((owned, ""));
                        (owner == ALL || owner == resource) && part == subresource
                    }
                }
        })
    }

    /// Rules of one verb, one resource and one name each that together say the same.
    pub fn broken_down(&self) -> impl Iterator<Item = Rule> + '_ {
        let names: Vec<Option<&String>> = match self.resource_names.as_slice() {
            [] => vec![None],
            names => names.iter().map(Some).collect(),
        };
        let of_resources = self.api_groups.iter().flat_map(move |group| {
            let names = names.clone();
            self.resources.iter().flat_map(move |resource| {
                let names = names.clone();
                self.verbs.iter().flat_map(move |verb| {
                    let names = names.clone();
                    names.into_iter().map(move |name| Rule {
                        api_groups: vec![group.clone()],
                        resources: vec![resource.clone()],
                        resource_names: name.into_iter().cloned().collect(),
                        verbs: vec![verb.clone()],
                        non_resource_urls: Vec::new(),
                    })
                })
            })
        });
        let of_urls = self.non_resource_urls.iter().flat_map(move |url| {
            self.verbs.iter().map(move |verb| Rule {
                non_resource_urls: vec![url.clone()],
                verbs: vec![verb.clone()],
                ..Rule::default()
            })
        });
        of_resources.chain(of_urls)
    }

    /// How many rules [`Self::broken_down`] gives.
    fn pieces(&self) -> usize {
        let of_names = self.resource_names.len().max(1);
        let lists = [self.api_groups.len(), self.resources.len(), of_names];
        let of_resources = lists.into_iter().fold(1, usize::saturating_mul);
        of_resources.saturating_add(self.non_resource_urls.len()).saturating_mul(self.verbs.len())
    }

    /// Whether the rule covers another, which may have several verbs and resources.
    fn covers(&self, other: &Rule) -> bool {
        let all_of = |owned: &[String], wanted: &[String]| {
            has(owned, ALL) || wanted.iter().all(|text| has(owned, text))
        };
        let of_names = self.resource_names.is_empty()
            || (!other.resource_names.is_empty()
                && other.resource_names.iter().all(|name| has(&self.resource_names, name)));
        all_of(&self.verbs, &other.verbs)
            && all_of(&self.api_groups, &other.api_groups)
            && other.resources.iter().all(|resource| self.covers_resource(resource))
            && of_names
            && other
                .non_resource_urls
                .iter()
                .all(|path| self.non_resource_urls.iter().any(|owned| url_covers(owned, path)))
    }

    fn covers_resource(&self, resource: &str) -> bool {
        has_or_all(&self.resources, resource)
            || resource.split_once('/').is_some_and(|(_, part)| has(&self.resources, &format!("*/{part}")))
    }
}

/// The form of Kubernetes' error texts.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        for (name, list) in [
            ("APIGroups", &self.api_groups),
            ("Resources", &self.resources),
            ("NonResourceURLs", &self.non_resource_urls),
            ("ResourceNames", &self.resource_names),
            ("Verbs", &self.verbs),
        ] {
            if !list.is_empty() {
                let list: Vec<String> = list.iter().map(|text| quote(text)).collect();
                parts.push(format!("{name}:[{}]", list.join(" ")));
            }
        }
        write!(f, "{{{}}}", parts.join(", "))
    }
}

fn has(list: &[String], text: &str) -> bool {
    list.iter().any(|item| item == text)
}

fn has_or_all(list: &[String], text: &str) -> bool {
    list.iter().any(|item| item == ALL || item == text)
}

fn url_covers(owned: &str, path: &str) -> bool {
    owned == path || (owned.ends_with('*') && path.starts_with(owned.trim_end_matches('*')))
}

/// What of some rules an owner of other rules does not have, broken down. As in Kubernetes each piece must be
/// covered by one rule alone. A rule of more than a hundred thousand pieces stays whole, where Kubernetes would take
/// it apart all the same.
#[must_use]
pub fn uncovered<'r>(owned: &[&Rule], rules: impl IntoIterator<Item = &'r Rule>) -> Vec<Rule> {
    let covers = |rule: &Rule| owned.iter().any(|owner| owner.covers(rule));
    let mut missing = Vec::new();
    for rule in rules {
        // Most rules are owned whole, and need not be taken apart. Of paths only the pieces decide.
        if rule.non_resource_urls.is_empty() && covers(rule) {
            continue;
        }
        if rule.pieces() > MOST_PIECES {
            missing.push(rule.clone());
        } else {
            missing.extend(rule.broken_down().filter(|piece| !covers(piece)));
        }
    }
    missing
}

/// Puts rules of one group, one resource and at most one name together that differ in their verbs; others stay.
/// Verbs keep their order.
///
/// Source: `kubernetes/kubernetes:pkg/registry/rbac/validation/policy_compact.go`.
#[must_use]
pub fn joined(rules: Vec<Rule>) -> Vec<Rule> {
    let mut simple: BTreeMap<(String, String, Option<String>), Vec<String>> = BTreeMap::new();
    let mut joined = Vec::new();
    for rule in rules {
        match (rule.api_groups.as_slice(), rule.resources.as_slice(), rule.resource_names.as_slice()) {
            ([group], [resource], [] | [_]) if rule.non_resource_urls.is_empty() => {
                let key = (group.clone(), resource.clone(), rule.resource_names.first().cloned());
                simple.entry(key).or_default().extend(rule.verbs);
            }
            _ => joined.push(rule),
        }
    }
    joined.extend(simple.into_iter().map(|((group, resource, name), verbs)| Rule {
        api_groups: vec![group],
        resources: vec![resource],
        resource_names: name.into_iter().collect(),
        verbs,
        non_resource_urls: Vec::new(),
    }));
    joined
}

/// As [`joined`], with verbs sorted, none twice, and `*` in the place of all of them. The rules are sorted.
#[must_use]
pub fn compact(rules: Vec<Rule>) -> Vec<Rule> {
    let mut compacted = joined(rules);
    for rule in &mut compacted {
        if has(&rule.verbs, ALL) {
            rule.verbs = vec![ALL.to_owned()];
        } else {
            rule.verbs.sort_unstable();
            rule.verbs.dedup();
        }
    }
    compacted.sort_by_cached_key(ToString::to_string);
    compacted
}
