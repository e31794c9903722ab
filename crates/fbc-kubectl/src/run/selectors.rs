//! `-l` and `--field-selector`.

use fbc_cluster::object::ObjectFields;
use serde_json::Value;

use super::Failure;
use crate::command_line::Selection;

/// The selectors of a command, compiled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Selectors {
    labels: Vec<Requirement>,
    fields: Vec<(Vec<String>, bool, String)>,
}

/// What a label must be.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Requirement {
    key: String,
    rule: Rule,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Rule {
    Exists,
    Absent,
    In(Vec<String>),
    NotIn(Vec<String>),
}

impl Selectors {
    /// Reads both selectors of a command.
    pub(super) fn parse(selection: &Selection) -> Result<Self, Failure> {
        let labels = selection.selector.as_deref().unwrap_or_default();
        let labels = split_outside_brackets(labels).into_iter().map(requirement).collect::<Result<_, _>>()?;
        let fields = selection.field_selector.as_deref().unwrap_or_default();
        let fields =
            fields.split(',').filter(|part| !part.is_empty()).map(field).collect::<Result<_, _>>()?;
        Ok(Self { labels, fields })
    }

    /// True if an object fits both.
    pub(super) fn match_object(&self, object: &Value) -> bool {
        let labels = self.labels.iter().all(|requirement| {
            let value = object.label(&requirement.key);
            match &requirement.rule {
                Rule::Exists => value.is_some(),
                Rule::Absent => value.is_none(),
                Rule::In(values) => value.is_some_and(|value| values.iter().any(|wanted| wanted == value)),
                Rule::NotIn(values) => value.is_none_or(|value| values.iter().all(|wanted| wanted != value)),
            }
        });
        labels
            && self.fields.iter().all(|(path, equal, wanted)| {
                let path: Vec<&str> = path.iter().map(String::as_str).collect();
                let value = match object.at(&path) {
                    Some(Value::String(text)) => text.clone(),
                    Some(Value::Null) | None => String::new(),
                    Some(other) => other.to_string(),
                };
                (value == *wanted) == *equal
            })
    }
}

fn split_outside_brackets(text: &str) -> Vec<&str> {
    let mut depth = 0;
    text.split(|c| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == ',' && depth == 0
    })
    .map(str::trim)
    .filter(|part| !part.is_empty())
    .collect()
}

/// Reads one requirement of a label selector.
///
/// Source: `kubernetes/apimachinery:pkg/labels/selector.go`.
fn requirement(text: &str) -> Result<Requirement, Failure> {
    let new = |key: &str, rule| Ok(Requirement { key: key.trim().to_owned(), rule });
    let one = |value: &str| vec![value.trim().to_owned()];
    if let Some((key, value)) = text.split_once("!=") {
        return new(key, Rule::NotIn(one(value)));
    }
    if let Some((key, value)) = text.split_once("==").or_else(|| text.split_once('=')) {
        return new(key, Rule::In(one(value)));
    }
    if let Some((head, values)) = text.split_once('(') {
        let values = values.trim_end_matches(')').split(',').map(|value| value.trim().to_owned()).collect();
        return match head.split_whitespace().collect::<Vec<_>>().as_slice() {
            [key, "in"] => new(key, Rule::In(values)),
            [key, "notin"] => new(key, Rule::NotIn(values)),
            _ => Err(unreadable(text)),
        };
    }
    if text.contains(char::is_whitespace) {
        return Err(unreadable(text));
    }
    match text.strip_prefix('!') {
        Some(key) => new(key, Rule::Absent),
        None => new(text, Rule::Exists),
    }
}

fn unreadable(text: &str) -> Failure {
    let forms = "key, !key, key=value, key!=value, key in (a,b), key notin (a,b)";
    Failure::Text(format!("unable to parse requirement: {text:?}; the forms are {forms}"))
}

fn field(text: &str) -> Result<(Vec<String>, bool, String), Failure> {
    let split = |separator| text.split_once(separator);
    let (path, equal, value) = match (split("!="), split("==").or_else(|| split("="))) {
        (Some((path, value)), _) => (path, false, value),
        (None, Some((path, value))) => (path, true, value),
        (None, None) => {
            return Err(Failure::Text(format!("invalid selector: {text:?}; can't understand {text:?}")));
        }
    };
    Ok((path.trim().split('.').map(str::to_owned).collect(), equal, value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn labels_and_fields_select() {
        let object =
            json!({"metadata": {"name": "a", "labels": {"app": "x", "tier": "y"}}, "spec": {"n": 1}});
        for (labels, fields, expected) in [
            ("", "", true),
            ("app", "", true),
            ("!app", "", false),
            ("app=x,tier!=z", "", true),
            ("app==z", "", false),
            ("app in (x, z),tier notin (z)", "", true),
            ("other notin (z),other!=q", "", true),
            ("", "metadata.name=a,spec.n=1", true),
            ("", "metadata.name!=a", false),
            ("", "spec.none=", true),
        ] {
            let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
            let selection =
                Selection { selector: text(labels), field_selector: text(fields), ..Selection::default() };
            assert_eq!(
                Selectors::parse(&selection).unwrap().match_object(&object),
                expected,
                "{labels} {fields}"
            );
        }
        let selection = Selection { selector: Some("a b".into()), ..Selection::default() };
        assert!(Selectors::parse(&selection).is_err());
    }
}
