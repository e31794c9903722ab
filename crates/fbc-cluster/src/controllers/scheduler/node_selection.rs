//! Which nodes a pod asks for by their labels and names.
//!
//! Source: `kubernetes/component-helpers:scheduling/corev1/nodeaffinity/nodeaffinity.go`.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::object::{Object, ObjectFields};

/// Labels of an object.
pub(super) type Labels = BTreeMap<String, String>;

/// The labels of an object.
pub(super) fn labels(object: &Object) -> Labels {
    let labels = object.at(&["metadata", "labels"]).and_then(Value::as_object);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    labels.into_iter().flatten().map(|(key, value)| (key.clone(), text(value))).collect()
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Expression {
    key: String,
    test: Test,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Test {
    In(Vec<String>),
    NotIn(Vec<String>),
    Exists,
    DoesNotExist,
    GreaterThan(i64),
    LessThan(i64),
    /// What cannot be understood matches nothing.
    Never,
}

impl Expression {
    fn read(value: &Value) -> Self {
        let values = || -> Vec<String> {
            value.list(&["values"]).iter().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let limit = || value["values"][0].as_str().and_then(|text| text.parse::<i64>().ok());
        let test = match value.text(&["operator"]) {
            "In" => Test::In(values()),
            "NotIn" => Test::NotIn(values()),
            "Exists" => Test::Exists,
            "DoesNotExist" => Test::DoesNotExist,
            "Gt" => limit().map_or(Test::Never, Test::GreaterThan),
            "Lt" => limit().map_or(Test::Never, Test::LessThan),
            _ => Test::Never,
        };
        Self { key: value.text(&["key"]).to_owned(), test }
    }

    fn accepts(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        match &self.test {
            Test::In(values) => value.is_some_and(|value| values.iter().any(|one| one == value)),
            Test::NotIn(values) => value.is_none_or(|value| values.iter().all(|one| one != value)),
            Test::Exists => value.is_some(),
            Test::DoesNotExist => value.is_none(),
            Test::GreaterThan(limit) => number().is_some_and(|number| number > *limit),
            Test::LessThan(limit) => number().is_some_and(|number| number < *limit),
            Test::Never => false,
        }
    }
}

/// Expressions that must all be true of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Term {
    labels: Vec<Expression>,
    names: Vec<Expression>,
}

impl Term {
    fn read(term: &Value) -> Self {
        let expressions = |field: &str| term.list(&[field]).iter().map(Expression::read).collect();
        Self { labels: expressions("matchExpressions"), names: expressions("matchFields") }
    }

    pub(super) fn accepts(&self, name: &str, labels: &Labels) -> bool {
        // A term without any expression means no node.
        !(self.labels.is_empty() && self.names.is_empty())
            && self.labels.iter().all(|one| one.accepts(labels.get(&one.key).map(String::as_str)))
            && self.names.iter().all(|one| one.key == "metadata.name" && one.accepts(Some(name)))
    }

    /// The names that it limits nodes to, if it does.
    fn named(&self) -> Option<&[String]> {
        self.names.iter().find_map(|one| match &one.test {
            Test::In(names) if one.key == "metadata.name" => Some(names.as_slice()),
            _ => None,
        })
    }
}

/// The nodes that a pod must and would like to be on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct NodeSelection {
    selector: Vec<(String, String)>,
    /// One of these must be true; absent if nothing is required.
    required: Option<Vec<Term>>,
    /// Weights of terms that are preferred.
    pub(super) preferred: Vec<(i64, Term)>,
}

impl NodeSelection {
    pub(super) fn of(pod: &Object) -> Self {
        let selector = pod.at(&["spec", "nodeSelector"]).and_then(Value::as_object).into_iter().flatten();
        let affinity = ["spec", "affinity", "nodeAffinity"];
        let at = |field: &'static str| pod.at(&[&affinity[..], &[field]].concat());
        let required = at("requiredDuringSchedulingIgnoredDuringExecution").filter(|value| !value.is_null());
        let preferred = at("preferredDuringSchedulingIgnoredDuringExecution").and_then(Value::as_array);
        Self {
            selector: selector
                .map(|(key, value)| (key.clone(), value.as_str().unwrap_or_default().to_owned()))
                .collect(),
            required: required
                .map(|required| required.list(&["nodeSelectorTerms"]).iter().map(Term::read).collect()),
            preferred: preferred
                .into_iter()
                .flatten()
                .map(|one| (one.number(&["weight"]).unwrap_or_default(), Term::read(&one["preference"])))
                .collect(),
        }
    }

    /// True if the pod may be on the node.
    pub(super) fn accepts(&self, name: &str, labels: &Labels) -> bool {
        self.selector.iter().all(|(key, value)| labels.get(key) == Some(value))
            && self.required.as_ref().is_none_or(|terms| terms.iter().any(|term| term.accepts(name, labels)))
    }

    /// True if any node will do.
    pub(super) fn accepts_all(&self) -> bool {
        self.selector.is_empty() && self.required.is_none()
    }

    /// The only nodes that come into question, if the pod names them.
    pub(super) fn named(&self) -> Option<Vec<&str>> {
        let terms = self.required.as_ref().filter(|terms| !terms.is_empty())?;
        let named: Option<Vec<&[String]>> = terms.iter().map(Term::named).collect();
        Some(named?.into_iter().flatten().map(String::as_str).collect())
    }
}
