//! Reading what is expected.

use fbc_cluster::object::ObjectName;
use fbc_kubectl::jsonpath::Template;

use super::action::command;
use super::field::Field;
use crate::model::{
    Check, ConditionTest, EventTest, Expectation, FieldTest, FieldValue, Limit, ObjectReference, Predicate,
    Test,
};
use crate::pattern::Pattern;

/// The tests of an object.
pub(crate) const TESTS: [&str; 5] = ["exists", "absent", "condition", "fields", "event"];
/// All fields of an expectation.
pub(crate) const EXPECTATION_FIELDS: [&str; 14] = [
    "object",
    "exists",
    "absent",
    "condition",
    "fields",
    "event",
    "order",
    "run",
    "prints",
    "matches",
    "exit",
    "within",
    "never",
    "for",
];
/// The fields of a condition.
pub(crate) const CONDITION_FIELDS: [&str; 6] =
    ["type", "status", "reason", "message", "messageMatches", "observedGeneration"];
/// The fields of an event.
pub(crate) const EVENT_FIELDS: [&str; 4] = ["type", "reason", "message", "messageMatches"];

/// Reads an expectation.
pub(super) fn expectation(field: &Field<'_>) -> Option<Expectation> {
    field.only(&EXPECTATION_FIELDS)?;
    let kinds: Vec<&str> =
        ["object", "order", "run", "never"].into_iter().filter(|key| field.has(key)).collect();
    match kinds.as_slice() {
        [_] => {}
        [] => {
            field.fault("expects nothing", Some("it needs object, order, run or never".to_owned()));
            return None;
        }
        [first, second, ..] => {
            field.fault(&format!("has both {first} and {second}"), Some("write two expectations".to_owned()));
            return None;
        }
    }
    let within = field.get("within").and_then(|field| field.duration());
    let limit = within.map_or(Limit::AtRest, Limit::Within);
    let only_with = |key: &str, wanted: &str| {
        if let Some(member) = field.get(key).filter(|_| !field.has(wanted)) {
            member.fault(&format!("goes with {wanted} only"), None);
        }
    };
    for key in ["prints", "matches", "exit"] {
        only_with(key, "run");
    }
    for key in TESTS {
        only_with(key, "object");
    }
    only_with("for", "never");
    let place = field.place();
    if let Some(never) = field.get("never") {
        if let Some(within) = field.get("within") {
            within.fault("does not go with never", Some("say how long with for".to_owned()));
        }
        let span = field.get("for").and_then(|field| field.duration());
        let check = Check::State(predicate(&never, &[])?);
        return Some(Expectation { place, check, limit: Limit::Never(span) });
    }
    let check = if let Some(order) = field.get("order") {
        let items = order.items();
        let states: Vec<Predicate> = items.iter().filter_map(|item| predicate(item, &[])).collect();
        if items.len() < 2 {
            order.fault("needs two states or more", None);
            return None;
        }
        (states.len() == items.len()).then_some(Check::Order(states))?
    } else if field.has("run") {
        Check::Output(command(field)?)
    } else {
        Check::State(object_test(field)?)
    };
    Some(Expectation { place, check, limit })
}

/// A state of an object, in an object of its own that may have some other fields.
pub(super) fn predicate(field: &Field<'_>, others: &[&str]) -> Option<Predicate> {
    let mut allowed = vec!["object"];
    allowed.extend(TESTS);
    allowed.extend(others);
    field.only(&allowed)?;
    object_test(field)
}

fn object_test(field: &Field<'_>) -> Option<Predicate> {
    let object = field.required("object").and_then(|field| object_reference(&field));
    let given: Vec<&str> = TESTS.into_iter().filter(|test| field.has(test)).collect();
    if let [first, second, ..] = given.as_slice() {
        field.fault(&format!("has both {first} and {second}"), Some("write two expectations".to_owned()));
        return None;
    }
    let test = match given.first() {
        None => Test::Exists,
        Some(&test @ ("exists" | "absent")) => {
            let wanted = field.get(test)?.boolean()?;
            if wanted == (test == "exists") { Test::Exists } else { Test::Absent }
        }
        Some(&"condition") => Test::Condition(condition(&field.get("condition")?)?),
        Some(&"event") => Test::Event(event(&field.get("event")?)?),
        Some(_) => Test::Fields(fields(&field.get("fields")?)?),
    };
    Some(Predicate { object: object?, test })
}

fn condition(field: &Field<'_>) -> Option<ConditionTest> {
    field.only(&CONDITION_FIELDS)?;
    let text = |key: &str| field.get(key).and_then(|field| field.text()).map(str::to_owned);
    let status = field.get("status").and_then(|field| field.one_of(&["True", "False", "Unknown"]));
    let message = message(field);
    Some(ConditionTest {
        condition_type: field.required("type")?.text()?.to_owned(),
        status: status.map(str::to_owned),
        reason: text("reason"),
        message,
        observed_generation: field.get("observedGeneration").and_then(|field| field.integer()),
    })
}

fn event(field: &Field<'_>) -> Option<EventTest> {
    field.only(&EVENT_FIELDS)?;
    let event_type = field.get("type").and_then(|field| field.one_of(&["Normal", "Warning"]));
    Some(EventTest {
        reason: field.get("reason").and_then(|field| field.text()).map(str::to_owned),
        event_type: event_type.map(str::to_owned),
        message: message(field),
    })
}

fn message(field: &Field<'_>) -> Option<Pattern> {
    let exact = field.get("message").and_then(|field| field.any_text());
    let expression = field.get("messageMatches").and_then(|field| field.expression());
    if exact.is_some() && field.has("messageMatches") {
        field.fault("has both message and messageMatches", None);
    }
    exact.map(|text| Pattern::Exact(text.to_owned())).or(expression.map(Pattern::Matching))
}

fn fields(field: &Field<'_>) -> Option<Vec<FieldTest>> {
    if !field.is_object() || field.keys().is_empty() {
        field.fault(
            "must be an object with a value for each path",
            Some("such as {.status.install.bundle.version}: 1.2.3".to_owned()),
        );
        return None;
    }
    let tests: Vec<FieldTest> = field.keys().iter().filter_map(|path| field_test(field, path)).collect();
    (tests.len() == field.keys().len()).then_some(tests)
}

fn field_test(field: &Field<'_>, path: &str) -> Option<FieldTest> {
    let value = field.member(path)?;
    let template = Template::relaxed(path)
        .map_err(|error| value.fault(&format!("is not a path: {error}"), Some(PATH_FORM.to_owned())))
        .ok()?;
    let value = match value.get("matches").filter(|_| value.is_object() && value.keys() == ["matches"]) {
        Some(expression) => FieldValue::Text(Pattern::Matching(expression.expression()?)),
        None if value.value().is_null() => FieldValue::Nothing,
        None => FieldValue::Equal(value.value()),
    };
    Some(FieldTest { path: path.to_owned(), template, value })
}

/// What paths look like, for messages.
const PATH_FORM: &str = "paths are JSONPath, such as .status.replicas or {.spec.phases[0].name}";

/// Reads `Kind/name`, `Kind/namespace/name`, or the parts of it one by one.
pub(super) fn object_reference(field: &Field<'_>) -> Option<ObjectReference> {
    let place = field.place();
    if field.is_object() {
        field.only(&["kind", "group", "namespace", "name"])?;
        let text = |key: &str| field.get(key).and_then(|field| field.text()).unwrap_or_default().to_owned();
        let kind = field.required("kind").and_then(|field| field.text());
        let name = field.required("name").and_then(|field| field.text());
        return Some(ObjectReference {
            kind: kind?.to_owned(),
            group: field.get("group").and_then(|field| field.any_text()).map(str::to_owned),
            name: ObjectName::namespaced(text("namespace"), name?),
            place,
        });
    }
    let text = field.text()?;
    let parts: Vec<&str> = text.split('/').collect();
    let (kind, name) = match parts.as_slice() {
        [kind, name] => (*kind, ObjectName::cluster(*name)),
        [kind, namespace, name] => (*kind, ObjectName::namespaced(*namespace, *name)),
        _ => ("", ObjectName::default()),
    };
    if kind.is_empty() || name.name.is_empty() {
        let help = "write Kind/name, or Kind/namespace/name".to_owned();
        field.fault(&format!("names no object: {text:?}"), Some(help));
        return None;
    }
    let (kind, group) = match kind.split_once('.') {
        Some((kind, group)) => (kind, Some(group.to_owned())),
        None => (kind, None),
    };
    Some(ObjectReference { kind: kind.to_owned(), group, name, place })
}
