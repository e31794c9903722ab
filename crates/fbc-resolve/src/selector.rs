//! Label selectors: which catalogs an extension chooses from.
//!
//! Source of the behaviour: `kubernetes/apimachinery:pkg/apis/meta/v1/helpers.go` and `pkg/labels/selector.go`.

use std::collections::BTreeMap;
use std::fmt;

use fbc_go::text::quote;
use fbc_version::Target;

use crate::label::{refuse_key, refuse_value};

/// `metav1.LabelSelector`: everything in it must hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LabelSelector {
    /// Labels that a catalog must have.
    pub match_labels: BTreeMap<String, String>,
    /// Further requirements.
    pub match_expressions: Vec<Requirement>,
}

/// An element of `matchExpressions`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Requirement {
    /// The key of the label.
    pub key: String,
    /// `In`, `NotIn`, `Exists` or `DoesNotExist`; any other text is refused when it is used, as on a cluster.
    pub operator: String,
    /// The values of `In` and `NotIn`.
    pub values: Vec<String>,
}

/// Why a selector is refused, in the words of Kubernetes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SelectorError {
    message: String,
}

/// The operators of expressions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    In,
    NotIn,
    Exists,
    DoesNotExist,
}

impl LabelSelector {
    /// Checks the selector as the reference does when it resolves; the API server checks nothing. The target
    /// decides how a list is shown.
    ///
    /// # Errors
    /// The first thing that is wrong: labels by key, then expressions in their order.
    pub fn check(&self, target: Target) -> Result<(), SelectorError> {
        for (key, value) in &self.match_labels {
            refuse(key, std::slice::from_ref(value), None)?;
        }
        for Requirement { key, operator, values } in &self.match_expressions {
            let fault = match Operator::from_name(operator) {
                None => {
                    let message = format!("{} is not a valid label selector operator", quote(operator));
                    return Err(SelectorError { message });
                }
                Some(Operator::In | Operator::NotIn) if values.is_empty() => {
                    Some("for 'in', 'notin' operators, values set can't be empty")
                }
                Some(Operator::Exists | Operator::DoesNotExist) if !values.is_empty() => {
                    Some("values set must be empty for exists and does not exist")
                }
                Some(_) => None,
            };
            let fault =
                fault.map(|fault| format!("values: Invalid value: {}: {fault}", shown(values, target)));
            refuse(key, values, fault)?;
        }
        Ok(())
    }

    /// Whether labels satisfy a selector that [`LabelSelector::check`] accepts.
    #[must_use]
    pub fn matches(&self, labels: &BTreeMap<String, String>) -> bool {
        self.first_unmet(labels).is_none()
    }

    /// The first requirement that labels do not meet, as kubectl would write it: `tier in (gold,silver)`.
    #[must_use]
    pub fn first_unmet(&self, labels: &BTreeMap<String, String>) -> Option<String> {
        let label = self.match_labels.iter().find(|(key, value)| labels.get(*key) != Some(*value));
        if let Some((key, value)) = label {
            return Some(format!("{key}={value}"));
        }
        self.match_expressions
            .iter()
            .find(|requirement| !requirement.is_met(labels))
            .map(Requirement::to_string)
    }
}

impl Requirement {
    fn is_met(&self, labels: &BTreeMap<String, String>) -> bool {
        let value = labels.get(&self.key);
        let is_listed = value.is_some_and(|value| self.values.contains(value));
        match Operator::from_name(&self.operator) {
            Some(Operator::In) => is_listed,
            Some(Operator::NotIn) => !is_listed,
            Some(Operator::Exists) => value.is_some(),
            Some(Operator::DoesNotExist) => value.is_none(),
            None => false,
        }
    }
}

/// The form that kubectl takes.
impl fmt::Display for Requirement {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, operator, values } = self;
        let values = values.join(",");
        match Operator::from_name(operator) {
            Some(Operator::In) => write!(formatter, "{key} in ({values})"),
            Some(Operator::NotIn) => write!(formatter, "{key} notin ({values})"),
            Some(Operator::Exists) => formatter.write_str(key),
            Some(Operator::DoesNotExist) => write!(formatter, "!{key}"),
            None => write!(formatter, "{key} {operator} ({values})"),
        }
    }
}

impl Operator {
    fn from_name(name: &str) -> Option<Self> {
        match name {
            "In" => Some(Self::In),
            "NotIn" => Some(Self::NotIn),
            "Exists" => Some(Self::Exists),
            "DoesNotExist" => Some(Self::DoesNotExist),
            _ => None,
        }
    }
}

/// Puts all that is wrong with a requirement into one error.
fn refuse(key: &str, values: &[String], fault: Option<String>) -> Result<(), SelectorError> {
    let mut faults = Vec::new();
    if let Some(text) = refuse_key(key) {
        faults.push(format!("key: Invalid value: {}: {text}", quote(key)));
    }
    faults.extend(fault);
    for (index, value) in values.iter().enumerate() {
        if let Some(text) = refuse_value(value) {
            faults.push(format!("values[{index}][{key}]: Invalid value: {}: {text}", quote(value)));
        }
    }
    match faults.as_slice() {
        [] => Ok(()),
        [message] => Err(SelectorError { message: message.clone() }),
        _ => Err(SelectorError { message: format!("[{}]", faults.join(", ")) }),
    }
}

/// A list as errors show it: as Go source in the libraries of 4.19, as JSON since.
fn shown(values: &[String], target: Target) -> String {
    let quoted: Vec<String> = values.iter().map(|value| quote(value)).collect();
    match (target, values) {
        (Target::Ocp419, []) => "[]string(nil)".to_owned(),
        (Target::Ocp419, _) => format!("[]string{{{}}}", quoted.join(", ")),
        (_, []) => "null".to_owned(),
        (_, _) => format!("[{}]", quoted.join(",")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selector(operator: &str, values: &[&str]) -> LabelSelector {
        let values = values.iter().map(|value| (*value).to_owned()).collect();
        let requirement = Requirement { key: "tier".to_owned(), operator: operator.to_owned(), values };
        LabelSelector { match_expressions: vec![requirement], ..LabelSelector::default() }
    }

    #[test]
    fn operators() {
        let gold: BTreeMap<String, String> = [("tier".to_owned(), "gold".to_owned())].into();
        let none = BTreeMap::new();
        for (operator, values, with_gold, with_none) in [
            ("In", &["gold", "silver"][..], true, false),
            ("In", &["silver"], false, false),
            ("NotIn", &["gold"], false, true),
            ("NotIn", &["silver"], true, true),
            ("Exists", &[], true, false),
            ("DoesNotExist", &[], false, true),
        ] {
            let selector = selector(operator, values);
            assert_eq!(selector.check(Target::Latest), Ok(()));
            assert_eq!(selector.matches(&gold), with_gold, "{operator} {values:?}");
            assert_eq!(selector.matches(&none), with_none, "{operator} {values:?}");
        }
        assert!(LabelSelector::default().matches(&none));
    }

    #[test]
    fn refusals_have_the_known_texts() {
        for (operator, values, latest, older) in [
            ("Near", &["a"][..], "\"Near\" is not a valid label selector operator", None),
            (
                "In",
                &[],
                "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
                Some(
                    "values: Invalid value: []string(nil): for 'in', 'notin' operators, values set can't be empty",
                ),
            ),
            (
                "Exists",
                &["a", "b"],
                "values: Invalid value: [\"a\",\"b\"]: values set must be empty for exists and does not exist",
                Some(
                    "values: Invalid value: []string{\"a\", \"b\"}: values set must be empty for exists and does \
                     not exist",
                ),
            ),
        ] {
            let text = |target| selector(operator, values).check(target).unwrap_err().to_string();
            assert_eq!(text(Target::Latest), latest);
            assert_eq!(text(Target::Ocp419), older.unwrap_or(latest));
        }
        let bad_value = selector("In", &["a b"]).check(Target::Latest).unwrap_err().to_string();
        assert!(bad_value.starts_with("values[0][tier]: Invalid value: \"a b\": a valid label must"));
    }
}
