//! What is asked of an object, answered; and what was seen instead.

use std::borrow::Cow;

use fbc_cluster::apply::unpack;
use fbc_cluster::object::{Object, ObjectFields};
use serde_json::Value;

use crate::model::{ConditionTest, EventTest, FieldTest, FieldValue, Test};

/// True if an object, or its absence, is what a test asks for. Events are asked with [`event_fits`].
pub(super) fn holds(test: &Test, object: Option<&Object>) -> bool {
    match (test, object) {
        (Test::Absent, object) => object.is_none(),
        (_, None) | (Test::Event(_), _) => false,
        (Test::Exists, Some(_)) => true,
        (Test::Condition(wanted), Some(object)) => {
            object.condition(&wanted.condition_type).is_some_and(|found| condition_fits(wanted, found))
        }
        (Test::Fields(fields), Some(object)) => fields.iter().all(|field| field_fits(field, object)),
    }
}

fn condition_fits(wanted: &ConditionTest, found: &Value) -> bool {
    let same = |wanted: &Option<String>, field: &str| {
        wanted.as_ref().is_none_or(|wanted| found.text(&[field]) == wanted)
    };
    same(&wanted.status, "status")
        && same(&wanted.reason, "reason")
        && wanted.message.as_ref().is_none_or(|message| message.accepts(found.text(&["message"])))
        && wanted
            .observed_generation
            .is_none_or(|generation| found.number(&["observedGeneration"]) == Some(generation))
}

/// An object as a test of a field sees it. Hardly any test is about who owns fields.
fn seen<'o>(field: &FieldTest, object: &'o Object) -> Cow<'o, Object> {
    if !field.path.contains("managedFields") {
        return Cow::Borrowed(object);
    }
    let mut shown = object.clone();
    unpack(&mut shown);
    Cow::Owned(shown)
}

fn field_fits(wanted: &FieldTest, object: &Object) -> bool {
    let object = seen(wanted, object);
    let found = wanted.template.find(&object).unwrap_or_default();
    let found: Vec<&Value> = found.into_iter().filter(|value| !value.is_null()).collect();
    match (&wanted.value, found.as_slice()) {
        (FieldValue::Nothing, found) => found.is_empty(),
        (FieldValue::Equal(wanted), [one]) => wanted == *one || is_list_of(wanted, &[one]),
        (FieldValue::Equal(wanted), found) => is_list_of(wanted, found),
        (FieldValue::Text(pattern), found) => {
            !found.is_empty() && found.iter().all(|value| pattern.accepts(&plain(value)))
        }
    }
}

fn is_list_of(wanted: &Value, found: &[&Value]) -> bool {
    wanted.as_array().is_some_and(|wanted| wanted.iter().eq(found.iter().copied()))
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// True if an Event is the one that is expected.
pub(super) fn event_fits(wanted: &EventTest, event: &Object) -> bool {
    let same = |wanted: &Option<String>, field: &str| {
        wanted.as_ref().is_none_or(|wanted| event.text(&[field]) == wanted)
    };
    same(&wanted.reason, "reason")
        && same(&wanted.event_type, "type")
        && wanted.message.as_ref().is_none_or(|message| message.accepts(event.text(&["message"])))
}

/// What a test asks for, in words.
pub(super) fn wanted_words(test: &Test) -> String {
    match test {
        Test::Exists => "exists".to_owned(),
        Test::Absent => "does not exist".to_owned(),
        Test::Condition(wanted) => {
            let mut text = format!("has condition {}", wanted.condition_type);
            if let Some(status) = &wanted.status {
                text.push_str(&format!("={status}"));
            }
            if let Some(reason) = &wanted.reason {
                text.push_str(&format!(" ({reason})"));
            }
            if let Some(message) = &wanted.message {
                text.push_str(&format!(" {message}"));
            }
            if let Some(generation) = wanted.observed_generation {
                text.push_str(&format!(" for generation {generation}"));
            }
            text
        }
        Test::Fields(fields) => {
            let parts: Vec<String> = fields
                .iter()
                .map(|field| match &field.value {
                    FieldValue::Nothing => format!("{} is absent", field.path),
                    FieldValue::Equal(value) => format!("{} is {value}", field.path),
                    FieldValue::Text(pattern) => format!("{} is {pattern}", field.path),
                })
                .collect();
            format!("has fields where {}", parts.join(" and "))
        }
        Test::Event(wanted) => {
            let reason = wanted.reason.as_deref().unwrap_or("any reason");
            let message = wanted.message.as_ref().map(|message| format!(" {message}")).unwrap_or_default();
            format!("has an event {reason}{message}")
        }
    }
}

/// What an object shows in the place of what a test asks for.
pub(super) fn seen_words(test: &Test, object: Option<&Object>) -> String {
    let Some(object) = object else { return "it does not exist".to_owned() };
    match test {
        Test::Exists => "it exists".to_owned(),
        Test::Absent if object.is_terminating() => {
            let finalizers: Vec<&str> = object.finalizers().collect();
            format!("it is being deleted, held by finalizers [{}]", finalizers.join(", "))
        }
        Test::Absent => "it exists".to_owned(),
        Test::Condition(wanted) => match object.condition(&wanted.condition_type) {
            Some(found) => condition_words(found),
            None => {
                let others: Vec<String> =
                    object.list(&["status", "conditions"]).iter().map(condition_words).collect();
                if others.is_empty() {
                    format!("no condition {}, nor any other", wanted.condition_type)
                } else {
                    format!("no condition {}, but {}", wanted.condition_type, others.join("; "))
                }
            }
        },
        Test::Fields(fields) => {
            let shown = |field: &FieldTest| {
                let object = seen(field, object);
                let found = field.template.find(&object).unwrap_or_default();
                let values: Vec<String> = found.iter().map(ToString::to_string).collect();
                let values = if values.is_empty() { "absent".to_owned() } else { values.join(", ") };
                format!("{} is {values}", field.path)
            };
            let wrong: Vec<String> =
                fields.iter().filter(|field| !field_fits(field, object)).map(shown).collect();
            wrong.join(" and ")
        }
        Test::Event(_) => "no such event".to_owned(),
    }
}

/// `Installed=False (Failed): message`, with the generation.
pub(super) fn condition_words(condition: &Value) -> String {
    let text = |field: &str| condition.text(&[field]);
    let mut words = format!("{}={} ({})", text("type"), text("status"), text("reason"));
    if !text("message").is_empty() {
        words.push_str(&format!(": {}", text("message")));
    }
    if let Some(generation) = condition.number(&["observedGeneration"]) {
        words.push_str(&format!(" [generation {generation}]"));
    }
    words
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::pattern::Pattern;
    use fbc_kubectl::jsonpath::Template;

    #[test]
    fn conditions_and_fields_are_compared() {
        let object = json!({"spec": {"list": [1, 2], "name": "a"}, "status": {"conditions": [
            {"type": "Ready", "status": "True", "reason": "Up", "message": "all up", "observedGeneration": 2}]}});
        let condition = |status: &str, message: &str, generation| {
            Test::Condition(ConditionTest {
                condition_type: "Ready".into(),
                status: Some(status.into()),
                reason: None,
                message: Some(Pattern::Matching(fbc_go::regexp::Pattern::new(message))),
                observed_generation: generation,
            })
        };
        assert!(holds(&condition("True", "^all", None), Some(&object)));
        assert!(holds(&condition("True", "up$", Some(2)), Some(&object)));
        assert!(!holds(&condition("True", "up$", Some(3)), Some(&object)));
        assert!(!holds(&condition("False", "", None), Some(&object)));
        assert!(!holds(&condition("True", "", None), None));
        let field = |path: &str, value: FieldValue| {
            let template = Template::relaxed(path).unwrap();
            Test::Fields(vec![FieldTest { path: path.into(), template, value }])
        };
        for (path, value, fits) in [
            (".spec.name", FieldValue::Equal(json!("a")), true),
            (".spec.name", FieldValue::Equal(json!("b")), false),
            (".spec.list[*]", FieldValue::Equal(json!([1, 2])), true),
            (".spec.list", FieldValue::Equal(json!([1, 2])), true),
            (".spec.none", FieldValue::Nothing, true),
            (".spec.none", FieldValue::Equal(json!("a")), false),
            (".spec.name", FieldValue::Nothing, false),
        ] {
            assert_eq!(holds(&field(path, value), Some(&object)), fits, "{path}");
        }
        assert_eq!(
            seen_words(&condition("False", "", None), Some(&object)),
            "Ready=True (Up): all up [generation 2]"
        );
        let other = Test::Condition(ConditionTest { condition_type: "Gone".into(), ..Default::default() });
        assert_eq!(
            seen_words(&other, Some(&object)),
            "no condition Gone, but Ready=True (Up): all up [generation 2]"
        );
    }
}
