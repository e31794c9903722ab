//! Probes: whether an object is in a state in which what builds on it may follow.
//!
//! Source: `package-operator/boxcutter:probing`, and `buildProgressionProbes` in
//! `operator-framework/operator-controller:internal/operator-controller/controllers/clusterobjectset_controller.go`.

use fbc_cluster::kind::GroupVersionKind;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::selector::LabelSelector;
use fbc_go::json;
use serde_json::Value;

use super::error::RevisionError;

/// What a probe found out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Status {
    /// It is as it should be.
    Succeeded,
    /// It is not as it should be.
    Failed,
    /// That cannot be said yet.
    Unknown,
}

/// What a probe found out, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Probed {
    pub(super) status: Status,
    pub(super) messages: Vec<String>,
}

impl Probed {
    fn new(status: Status, message: impl Into<String>) -> Self {
        Self { status, messages: vec![message.into()] }
    }

    /// Several results as one: the worst, with its messages. What is unknown hides what failed.
    fn all(results: impl Iterator<Item = Self>) -> Self {
        let mut whole = Self { status: Status::Succeeded, messages: Vec::new() };
        for result in results {
            if result.status > whole.status {
                whole = result;
            } else if result.status == whole.status {
                whole.messages.extend(result.messages);
            }
        }
        whole
    }
}

/// `spec.progressionProbes` of a revision.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Probes(Vec<Probe>);

#[derive(Debug, Clone, PartialEq)]
struct Probe {
    selector: Selector,
    assertions: Vec<Assertion>,
}

#[derive(Debug, Clone, PartialEq)]
enum Selector {
    GroupKind { group: String, kind: String },
    Label(LabelSelector),
}

#[derive(Debug, Clone, PartialEq)]
enum Assertion {
    ConditionEqual { condition_type: String, status: String },
    FieldsEqual { one: String, other: String },
    FieldValue { path: String, value: String },
}

impl Probes {
    /// Reads the probes of a revision.
    pub(super) fn of(revision: &Object) -> Result<Self, RevisionError> {
        revision
            .list(&["spec", "progressionProbes"])
            .iter()
            .map(Probe::of)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Asks all probes about an object. Those that are for other objects succeed without a word.
    pub(super) fn ask(&self, object: &Object) -> Probed {
        Probed::all(self.0.iter().map(|probe| probe.ask(object)))
    }
}

impl Probe {
    fn of(probe: &Value) -> Result<Self, RevisionError> {
        let selector = match probe.text(&["selector", "type"]) {
            "GroupKind" => Selector::GroupKind {
                group: probe.text(&["selector", "groupKind", "group"]).to_owned(),
                kind: probe.text(&["selector", "groupKind", "kind"]).to_owned(),
            },
            "Label" => {
                let label = probe.at(&["selector", "label"]);
                Selector::Label(LabelSelector::of_object(label).map_err(|error| {
                    let selector = label.map(json::encode).unwrap_or_default();
                    RevisionError::Selector { selector, error }
                })?)
            }
            other => return Err(RevisionError::SelectorType(other.to_owned())),
        };
        let assertions = probe.list(&["assertions"]).iter().map(Assertion::of).collect::<Result<_, _>>()?;
        Ok(Self { selector, assertions })
    }

    fn ask(&self, object: &Object) -> Probed {
        // Even a probe that is for other objects looks at the generation first.
        if object.number(&["status", "observedGeneration"]).is_some_and(|seen| seen != object.generation()) {
            return Probed::new(Status::Unknown, ".status outdated");
        }
        let is_meant = match &self.selector {
            Selector::GroupKind { group, kind } => {
                let of = GroupVersionKind::of(object.api_version(), object.kind());
                (&of.group, &of.kind) == (group, kind)
            }
            Selector::Label(labels) => labels.matches_object(object),
        };
        let assertions = self.assertions.iter().filter(|_| is_meant);
        Probed::all(assertions.map(|assertion| assertion.ask(object)))
    }
}

impl Assertion {
    fn of(assertion: &Value) -> Result<Self, RevisionError> {
        let text = |path: &[&str]| assertion.text(path).to_owned();
        Ok(match assertion.text(&["type"]) {
            "ConditionEqual" => Self::ConditionEqual {
                condition_type: text(&["conditionEqual", "type"]),
                status: text(&["conditionEqual", "status"]),
            },
            "FieldsEqual" => Self::FieldsEqual {
                one: text(&["fieldsEqual", "fieldA"]),
                other: text(&["fieldsEqual", "fieldB"]),
            },
            "FieldValue" => Self::FieldValue {
                path: text(&["fieldValue", "fieldPath"]),
                value: text(&["fieldValue", "value"]),
            },
            other => return Err(RevisionError::AssertionType(other.to_owned())),
        })
    }

    fn ask(&self, object: &Object) -> Probed {
        match self {
            Self::ConditionEqual { condition_type, status } => {
                condition_equal(object, condition_type, status)
            }
            Self::FieldsEqual { one, other } => fields_equal(object, one, other),
            Self::FieldValue { path, value } => field_value(object, path, value),
        }
    }
}

fn condition_equal(object: &Object, condition_type: &str, wanted: &str) -> Probed {
    let malformed = || Probed::new(Status::Unknown, "malformed .status.conditions");
    let status = object.given(&["status"]);
    let Some(conditions) = status.and_then(|status| status.get("conditions")) else {
        return Probed::new(Status::Unknown, "missing .status.conditions");
    };
    let Some(conditions) = conditions.as_array() else { return malformed() };
    for condition in conditions {
        if !condition.is_object() {
            return malformed();
        }
        if condition["type"] != condition_type {
            continue;
        }
        let says = |text: &str| format!(".status.condition[\"{condition_type}\"] {text}");
        if condition.number(&["observedGeneration"]).is_some_and(|seen| seen != object.generation()) {
            return Probed::new(Status::Unknown, says("outdated"));
        }
        let status = condition.text(&["status"]);
        let outcome = if status == wanted { Status::Succeeded } else { Status::Failed };
        return Probed::new(outcome, says(&format!("is {status}")));
    }
    Probed::new(Status::Unknown, format!("missing .status.condition[\"{condition_type}\"]"))
}

fn fields_equal(object: &Object, one: &str, other: &str) -> Probed {
    let value = |path: &str| {
        field(object, path).ok_or_else(|| Probed::new(Status::Failed, format!("\"{path}\" missing")))
    };
    let (first, second) = match (value(one), value(other)) {
        (Ok(first), Ok(second)) => (first, second),
        (Err(missing), _) | (_, Err(missing)) => return missing,
    };
    if first == second {
        return Probed::new(Status::Succeeded, format!("\"{one}\" == \"{other}\""));
    }
    let (first, second) = (json::encode(first), json::encode(second));
    Probed::new(Status::Failed, format!("\"{one}\" != \"{other}\" expected: {first} got: {second}"))
}

fn field_value(object: &Object, path: &str, wanted: &str) -> Probed {
    let Some(found) = field(object, path) else {
        return Probed::new(Status::Failed, format!("missing key: {path:?}"));
    };
    if found == wanted {
        return Probed::new(Status::Succeeded, format!("value at key {path:?} == {wanted:?}"));
    }
    let (expected, got) = (json::encode(&wanted.into()), json::encode(found));
    Probed::new(
        Status::Failed,
        format!("value at key {path:?} != {wanted:?}; expected: {expected} got: {got}"),
    )
}

/// The value behind a path of fields with points between them.
fn field<'o>(object: &'o Object, path: &str) -> Option<&'o Value> {
    path.trim_matches('.').split('.').try_fold(object, |value, name| value.as_object()?.get(name))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ask(assertion: Value, object: &Object) -> (Status, String) {
        let probe = json!({"selector": {"type": "GroupKind", "groupKind": {"group": "", "kind": "Thing"}}, "assertions": [assertion]});
        let revision = json!({"spec": {"progressionProbes": [probe]}});
        let probed = Probes::of(&revision).expect("probes").ask(object);
        (probed.status, probed.messages.join(" and "))
    }

    fn thing(generation: i64, status: Value) -> Object {
        json!({"apiVersion": "v1", "kind": "Thing", "metadata": {"generation": generation}, "status": status})
    }

    #[test]
    fn conditions() {
        let ready = |extra: Value| {
            let mut condition = json!({"type": "Ready"});
            for (key, value) in extra.as_object().into_iter().flatten() {
                condition[key] = value.clone();
            }
            json!({"conditions": [{"type": "Other", "status": "True"}, condition]})
        };
        for (status, outcome, message) in [
            (json!(null), Status::Unknown, "missing .status.conditions"),
            (json!({}), Status::Unknown, "missing .status.conditions"),
            (json!({"conditions": null}), Status::Unknown, "malformed .status.conditions"),
            (json!({"conditions": ["x"]}), Status::Unknown, "malformed .status.conditions"),
            (json!({"conditions": []}), Status::Unknown, "missing .status.condition[\"Ready\"]"),
            (ready(json!({"status": "True"})), Status::Succeeded, ".status.condition[\"Ready\"] is True"),
            (ready(json!({"status": "False"})), Status::Failed, ".status.condition[\"Ready\"] is False"),
            (
                ready(json!({"status": "True", "observedGeneration": 1})),
                Status::Unknown,
                ".status.condition[\"Ready\"] outdated",
            ),
        ] {
            let assertion =
                json!({"type": "ConditionEqual", "conditionEqual": {"type": "Ready", "status": "True"}});
            assert_eq!(ask(assertion, &thing(2, status)), (outcome, message.to_owned()));
        }
    }

    #[test]
    fn fields() {
        let equal =
            || json!({"type": "FieldsEqual", "fieldsEqual": {"fieldA": "status.a", "fieldB": ".status.b"}});
        let value = || json!({"type": "FieldValue", "fieldValue": {"fieldPath": "status.a", "value": "x"}});
        for (assertion, status, outcome, message) in [
            (equal(), json!({"b": 1}), Status::Failed, "\"status.a\" missing"),
            (equal(), json!({"a": 1}), Status::Failed, "\".status.b\" missing"),
            (equal(), json!({"a": 1, "b": 1}), Status::Succeeded, "\"status.a\" == \".status.b\""),
            (
                equal(),
                json!({"a": 1, "b": {"c": 2}}),
                Status::Failed,
                "\"status.a\" != \".status.b\" expected: 1 got: {\"c\":2}",
            ),
            (value(), json!({}), Status::Failed, "missing key: \"status.a\""),
            (value(), json!({"a": "x"}), Status::Succeeded, "value at key \"status.a\" == \"x\""),
            (
                value(),
                json!({"a": 1}),
                Status::Failed,
                "value at key \"status.a\" != \"x\"; expected: \"x\" got: 1",
            ),
        ] {
            assert_eq!(ask(assertion, &thing(1, status)), (outcome, message.to_owned()));
        }
    }

    #[test]
    fn every_probe_looks_at_the_generation_and_the_unknown_hides_failures() {
        let probes = crate::operator_controller::boxcutter::default_probes();
        let probes = Probes::of(&json!({"spec": {"progressionProbes": probes}})).expect("probes");
        let deployment = |status: Value| json!({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"generation": 2}, "status": status});
        let outdated = probes.ask(&deployment(json!({"observedGeneration": 1})));
        assert_eq!(
            (outdated.status, outdated.messages.join(" ")),
            (Status::Unknown, [".status outdated"; 7].join(" "))
        );
        let fresh = probes.ask(&deployment(json!({"replicas": 1})));
        assert_eq!(
            (fresh.status, fresh.messages),
            (Status::Unknown, vec!["missing .status.conditions".to_owned()])
        );
        let other = probes.ask(&json!({"apiVersion": "v1", "kind": "ConfigMap"}));
        assert_eq!(other, Probed { status: Status::Succeeded, messages: Vec::new() });
    }

    #[test]
    fn selectors_by_label() {
        let probe = json!({"selector": {"type": "Label", "label": {"matchLabels": {"app": "a"}}}, "assertions": [
            {"type": "FieldValue", "fieldValue": {"fieldPath": "status.a", "value": "x"}}]});
        let probes = Probes::of(&json!({"spec": {"progressionProbes": [probe]}})).expect("probes");
        assert_eq!(probes.ask(&json!({"metadata": {"labels": {"app": "a"}}})).status, Status::Failed);
        assert_eq!(probes.ask(&json!({"metadata": {"labels": {"app": "b"}}})).status, Status::Succeeded);
    }
}
