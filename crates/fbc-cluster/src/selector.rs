//! Label and field selectors.
//!
//! Source: `kubernetes/apimachinery:pkg/labels/selector.go`, `pkg/fields/selector.go`.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::object::{Object, ObjectFields};

/// Which objects are meant, by their labels. Without requirements: all.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LabelSelector {
    requirements: Vec<Requirement>,
    nothing: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Requirement {
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
}

/// A selector that cannot be read, in the words of the reference.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SelectorError {
    /// An operator is unknown.
    #[error("{0:?} is not a valid label selector operator")]
    Operator(String),
    /// A part is not a requirement.
    #[error("unable to parse requirement: found '{0}', expected: in, notin, =, ==, !=, gt, lt")]
    Requirement(String),
    /// What is compared with is not a whole number.
    #[error(
        "values[0][{key}]: Invalid value: {value:?}: for 'Gt', 'Lt' operators, the value must be an integer"
    )]
    Number {
        /// The key of the label.
        key: String,
        /// The value.
        value: String,
    },
    /// A part of a selector of fields is not a requirement.
    #[error("invalid selector: '{selector}'; can't understand '{part}'")]
    Field {
        /// The whole selector.
        selector: String,
        /// The part.
        part: String,
    },
}

impl LabelSelector {
    /// Every object.
    pub fn everything() -> Self {
        Self::default()
    }

    /// No object.
    pub fn nothing() -> Self {
        Self { requirements: Vec::new(), nothing: true }
    }

    /// Objects with this label.
    pub fn label(key: &str, value: &str) -> Self {
        let test = Test::In(vec![value.to_owned()]);
        Self { requirements: vec![Requirement { key: key.to_owned(), test }], nothing: false }
    }

    /// From a `metav1.LabelSelector`. An absent selector means nothing, an empty one everything.
    pub fn of_object(selector: Option<&Value>) -> Result<Self, SelectorError> {
        let Some(selector) = selector.filter(|value| !value.is_null()) else { return Ok(Self::nothing()) };
        let mut requirements: Vec<Requirement> = Self::of_map(selector.get("matchLabels")).requirements;
        for expression in selector.list(&["matchExpressions"]) {
            let values = || texts(expression.list(&["values"]));
            let test = match expression.text(&["operator"]) {
                "In" => Test::In(values()),
                "NotIn" => Test::NotIn(values()),
                "Exists" => Test::Exists,
                "DoesNotExist" => Test::DoesNotExist,
                other => return Err(SelectorError::Operator(other.to_owned())),
            };
            requirements.push(Requirement { key: expression.text(&["key"]).to_owned(), test });
        }
        Ok(Self { requirements, nothing: false })
    }

    /// From a map of labels, as Services select.
    pub fn of_map(labels: Option<&Value>) -> Self {
        let requirements = labels
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(key, value)| Requirement {
                key: key.clone(),
                test: Test::In(vec![value.as_str().unwrap_or_default().to_owned()]),
            })
            .collect();
        Self { requirements, nothing: false }
    }

    /// From text: `app=web,tier!=cache,env in (a,b),!old,new`.
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        let mut requirements = Vec::new();
        for part in split_outside_parentheses(text) {
            let part = part.trim();
            if part.is_empty() {
                continue;
            }
            requirements.push(parse_requirement(part)?);
        }
        Ok(Self { requirements, nothing: false })
    }

    /// True if an object with these labels is meant.
    pub fn matches(&self, labels: Option<&Value>) -> bool {
        !self.nothing
            && self.requirements.iter().all(|requirement| {
                let value = labels.and_then(|labels| labels.get(&requirement.key)).and_then(Value::as_str);
                requirement.test.accepts(value)
            })
    }

    /// True if an object with these labels is meant.
    pub fn matches_labels(&self, labels: &BTreeMap<String, String>) -> bool {
        let accepts = |one: &Requirement| one.test.accepts(labels.get(&one.key).map(String::as_str));
        !self.nothing && self.requirements.iter().all(accepts)
    }

    /// True if this object is meant.
    pub fn matches_object(&self, object: &Object) -> bool {
        self.matches(object.at(&["metadata", "labels"]))
    }

    /// True if every object is meant.
    pub fn is_everything(&self) -> bool {
        !self.nothing && self.requirements.is_empty()
    }

    /// A label that every object has which is meant, to look up in an index.
    pub fn required_label(&self) -> Option<(&str, &str)> {
        self.requirements.iter().find_map(|requirement| match &requirement.test {
            Test::In(values) if values.len() == 1 => {
                Some((requirement.key.as_str(), values.first()?.as_str()))
            }
            _ => None,
        })
    }
}

impl Test {
    fn accepts(&self, value: Option<&str>) -> bool {
        let number = || value.and_then(|value| value.parse::<i64>().ok());
        match self {
            Self::In(values) => value.is_some_and(|value| values.iter().any(|one| one == value)),
            Self::NotIn(values) => value.is_none_or(|value| values.iter().all(|one| one != value)),
            Self::Exists => value.is_some(),
            Self::DoesNotExist => value.is_none(),
            Self::GreaterThan(limit) => number().is_some_and(|number| number > *limit),
            Self::LessThan(limit) => number().is_some_and(|number| number < *limit),
        }
    }
}

fn texts(values: &[Value]) -> Vec<String> {
    values.iter().filter_map(Value::as_str).map(str::to_owned).collect()
}

fn split_outside_parentheses(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_usize;
    text.split(move |character| {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == ',' && depth == 0
    })
}

fn parse_requirement(part: &str) -> Result<Requirement, SelectorError> {
    let requirement = |key: &str, test| Ok(Requirement { key: key.trim().to_owned(), test });
    if let Some(key) = part.strip_prefix('!') {
        return requirement(key, Test::DoesNotExist);
    }
    if let Some((key, value)) = part.split_once("!=") {
        return requirement(key, Test::NotIn(vec![value.trim().to_owned()]));
    }
    if let Some((key, value)) = part.split_once("==").or_else(|| part.split_once('=')) {
        return requirement(key, Test::In(vec![value.trim().to_owned()]));
    }
    if let Some((left, list)) = part.strip_suffix(')').and_then(|part| part.split_once('(')) {
        let values = || list.split(',').map(|value| value.trim().to_owned()).collect();
        return match left.trim().rsplit_once(char::is_whitespace) {
            Some((key, "in")) => requirement(key, Test::In(values())),
            Some((key, "notin")) => requirement(key, Test::NotIn(values())),
            _ => Err(SelectorError::Requirement(part.to_owned())),
        };
    }
    for (sign, test) in [('>', Test::GreaterThan as fn(i64) -> Test), ('<', Test::LessThan)] {
        if let Some((key, value)) = part.split_once(sign) {
            let number = value.trim().parse().map_err(|_| SelectorError::Number {
                key: key.trim().to_owned(),
                value: value.trim().to_owned(),
            })?;
            return requirement(key, test(number));
        }
    }
    if part.contains(char::is_whitespace) {
        return Err(SelectorError::Requirement(part.to_owned()));
    }
    requirement(part, Test::Exists)
}

/// Which objects are meant, by single fields: `status.phase=Running,metadata.name!=a`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FieldSelector {
    requirements: Vec<(Vec<String>, bool, String)>,
}

impl FieldSelector {
    /// From text.
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        let mut requirements = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let (path, equal, value) = if let Some((path, value)) = part.split_once("!=") {
                (path, false, value)
            } else if let Some((path, value)) = part.split_once("==").or_else(|| part.split_once('=')) {
                (path, true, value)
            } else {
                return Err(SelectorError::Field { selector: text.to_owned(), part: part.to_owned() });
            };
            requirements.push((path.split('.').map(str::to_owned).collect(), equal, value.to_owned()));
        }
        Ok(Self { requirements })
    }

    /// The same with another name for the first field of each path.
    #[must_use]
    pub fn renamed(mut self, name: impl Fn(&str) -> String) -> Self {
        for (path, ..) in &mut self.requirements {
            if let Some(first) = path.first_mut() {
                *first = name(first);
            }
        }
        self
    }

    /// True if this object is meant.
    pub fn matches(&self, object: &Object) -> bool {
        self.requirements.iter().all(|(path, equal, wanted)| {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            let found = match object.at(&path) {
                Some(Value::String(text)) => text.clone(),
                None | Some(Value::Null) => String::new(),
                Some(other) => other.to_string(),
            };
            (found == *wanted) == *equal
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn label_selectors() {
        let labels = json!({"app": "web", "size": "5", "new": ""});
        for (text, expected) in [
            ("", true),
            ("app=web", true),
            ("app==web,size!=6", true),
            ("app=other", false),
            ("app in (db, web)", true),
            ("app notin (db,web)", false),
            ("other notin (a)", true),
            ("new", true),
            ("!new", false),
            ("!old", true),
            ("size>4", true),
            ("size<5", false),
        ] {
            let selector = LabelSelector::parse(text).unwrap();
            assert_eq!(selector.matches(Some(&labels)), expected, "{text}");
        }
        for bad in ["a b", "app within (x)", "size>x"] {
            assert!(LabelSelector::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn selectors_of_objects() {
        let labels = json!({"app": "web"});
        let selector = |value: Value| LabelSelector::of_object(Some(&value));
        assert!(selector(json!({})).unwrap().matches(None));
        assert!(!LabelSelector::of_object(None).unwrap().matches(Some(&labels)));
        let expressions = json!({"matchExpressions": [{"key": "app", "operator": "In", "values": ["web"]}]});
        assert!(selector(expressions).unwrap().matches(Some(&labels)));
        assert!(selector(json!({"matchExpressions": [{"key": "app", "operator": "Near"}]})).is_err());
    }

    #[test]
    fn field_selectors() {
        let object = json!({"status": {"phase": "Running"}});
        for (text, expected) in
            [("status.phase=Running", true), ("status.phase!=Running", false), ("spec.nodeName=", true)]
        {
            assert_eq!(FieldSelector::parse(text).unwrap().matches(&object), expected, "{text}");
        }
        assert!(FieldSelector::parse("status.phase").is_err());
    }
}
