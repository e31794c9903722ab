//! The APIs that operators provide, and groups whose namespaces overlap.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/controller/operators/olm/{groups,labeler}.go`,
//! `pkg/controller/registry/resolver/cache/operators.go`.

use std::collections::BTreeSet;

use fbc_cluster::object::{Object, ObjectFields};

use crate::names::PROVIDED_APIS;

/// APIs, each as `Kind.version.group`.
pub type Apis = BTreeSet<String>;

/// The APIs that a ClusterServiceVersion provides; none can be told if the name of a definition has no dot.
pub fn provided(version: &Object) -> Option<Apis> {
    let definitions = |which| version.list(&["spec", "customresourcedefinitions", which]);
    let is_whole = |one: &&serde_json::Value| one.text(&["name"]).contains('.');
    if !definitions("required").iter().all(|one| is_whole(&one)) {
        return None;
    }
    let mut apis = Apis::new();
    for owned in definitions("owned") {
        let (_, group) = owned.text(&["name"]).split_once('.')?;
        apis.insert(api(owned.text(&["kind"]), owned.text(&["version"]), group));
    }
    for owned in version.list(&["spec", "apiservicedefinitions", "owned"]) {
        apis.insert(api(owned.text(&["kind"]), owned.text(&["version"]), owned.text(&["group"])));
    }
    Some(apis)
}

/// An API as annotations have it.
pub fn api(kind: &str, version: &str, group: &str) -> String {
    format!("{kind}.{version}.{group}")
}

/// The APIs in the annotation of a group.
pub fn of_group(group: &Object) -> Apis {
    let text = group.annotation(PROVIDED_APIS).unwrap_or_default().replace(' ', "");
    text.split(',').filter(|api| api.matches('.').count() >= 2).map(str::to_owned).collect()
}

/// APIs as the annotation has them.
pub fn text(apis: &Apis) -> String {
    apis.iter().map(String::as_str).collect::<Vec<_>>().join(",")
}

/// Namespaces; the one that is empty alone stands for all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Namespaces(BTreeSet<String>);

impl Namespaces {
    /// These namespaces.
    pub fn of<'n>(namespaces: impl IntoIterator<Item = &'n str>) -> Self {
        Self(namespaces.into_iter().map(str::to_owned).collect())
    }

    /// Those in the status of a group.
    pub fn of_group(group: &Object) -> Self {
        Self::of(group.list(&["status", "namespaces"]).iter().filter_map(serde_json::Value::as_str))
    }

    /// Those that count when groups are held against each other: a group that is not for all has its own besides.
    fn surface(group: &Object) -> Self {
        let mut namespaces = Self::of_group(group);
        if !namespaces.0.is_empty() && !namespaces.are_all() {
            namespaces.0.insert(group.namespace().to_owned());
        }
        namespaces
    }

    /// Whether they stand for all.
    pub fn are_all(&self) -> bool {
        self.0.len() == 1 && self.0.contains("")
    }

    /// Whether a namespace is among them.
    pub fn contain(&self, namespace: &str) -> bool {
        self.are_all() || self.0.contains(namespace)
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    fn intersect(&self, other: &Self) -> bool {
        match (self.are_all(), other.are_all()) {
            (true, _) => !other.0.is_empty(),
            (_, true) => !self.0.is_empty(),
            _ => self.0.intersection(&other.0).next().is_some(),
        }
    }
}

/// What is to be done with the APIs of an operator in the annotation of its group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reconciliation {
    /// They are there, and nobody else has them.
    Nothing,
    /// They are missing.
    Add,
    /// They are there, but another group has them, too.
    Remove,
    /// They are missing, and another group has them.
    Conflict,
}

/// Holds the APIs of an operator against its group and the others.
pub fn reconcile<'g>(
    apis: &Apis,
    group: &Object,
    others: impl Iterator<Item = &'g Object>,
) -> Reconciliation {
    let surface = Namespaces::surface(group);
    let mut rivals = others.filter(|other| surface.intersect(&Namespaces::surface(other)));
    let is_contested = rivals.any(|other| of_group(other).intersection(apis).next().is_some());
    match (is_contested, apis.is_subset(&of_group(group))) {
        (false, true) => Reconciliation::Nothing,
        (false, false) => Reconciliation::Add,
        (true, false) => Reconciliation::Conflict,
        (true, true) => Reconciliation::Remove,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn group(namespace: &str, targets: &[&str], apis: &str) -> Object {
        json!({
            "metadata": {"namespace": namespace, "name": "group", "annotations": {PROVIDED_APIS: apis}},
            "status": {"namespaces": targets},
        })
    }

    /// Shows V0-084.
    #[test]
    fn apis_are_held_against_groups_that_overlap() {
        let apis: Apis = ["Lantern.v1.lantern.example.com".to_owned()].into();
        let own = |text: &str| group("port", &["port"], text);
        let lantern = "Lantern.v1.lantern.example.com";
        for (group, other, expected) in [
            (own(""), group("quay", &["quay"], lantern), Reconciliation::Add),
            (own(lantern), group("quay", &["quay"], lantern), Reconciliation::Nothing),
            (own(""), group("quay", &[""], lantern), Reconciliation::Conflict),
            (own(lantern), group("quay", &[""], lantern), Reconciliation::Remove),
            (own(""), group("quay", &["port"], "Other.v1.lantern.example.com"), Reconciliation::Add),
            (own(""), group("port", &["dock"], lantern), Reconciliation::Conflict),
            (own(""), group("quay", &[], lantern), Reconciliation::Add),
        ] {
            assert_eq!(reconcile(&apis, &group, [&other].into_iter()), expected, "{group} {other}");
        }
    }

    #[test]
    fn definitions_need_a_dot_in_their_names() {
        let version = |name: &str| {
            let owned = json!([{"name": name, "kind": "Lantern", "version": "v1"}]);
            provided(&json!({"spec": {"customresourcedefinitions": {"owned": owned}}}))
        };
        assert_eq!(version("lanterns"), None);
        assert_eq!(version("lanterns.example.com"), Some(["Lantern.v1.example.com".to_owned()].into()));
    }
}
