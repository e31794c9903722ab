//! Reading steps: when they happen, and what must follow.

use fbc_cluster::time::Milliseconds;

use super::action;
use super::expectation;
use super::field::Field;
use crate::model::{Action, Catalog, DEFAULT_PATIENCE, Start, Step};
use crate::pattern::Pattern;

/// The fields that say what happens; a step has one of them, or none.
pub(crate) const ACTIONS: [&str; 15] = [
    "apply",
    "create",
    "delete",
    "patch",
    "edit",
    "scale",
    "publish",
    "updateService",
    "facts",
    "break",
    "fix",
    "restart",
    "jump",
    "run",
    "wait",
];
/// The fields of any step.
pub(crate) const STEP_FIELDS: [&str; 11] = [
    "name",
    "at",
    "after",
    "when",
    "refused",
    "refusedMatches",
    "expect",
    "prints",
    "matches",
    "exit",
    "shows",
];

/// Reads all steps; times of steps must not go back.
pub(super) fn steps(items: &[Field<'_>], catalogs: &[Catalog]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut latest: Option<Milliseconds> = None;
    for (index, item) in items.iter().enumerate() {
        let Some(step) = step(index + 1, item, catalogs) else { continue };
        if let Start::At(at) = step.start {
            if latest.is_some_and(|latest| at < latest)
                && let Some(field) = item.get("at")
            {
                field.fault("is earlier than the step before it", Some("put steps in order".to_owned()));
            }
            latest = Some(at);
        }
        steps.push(step);
    }
    steps
}

fn step(number: usize, field: &Field<'_>, catalogs: &[Catalog]) -> Option<Step> {
    let allowed: Vec<&str> = STEP_FIELDS.iter().chain(&ACTIONS).copied().collect();
    field.only(&allowed)?;
    let given: Vec<&str> = ACTIONS.iter().copied().filter(|action| field.has(action)).collect();
    if let [first, second, ..] = given.as_slice() {
        field.fault(
            &format!("has both {first} and {second}"),
            Some("a step does one thing; write two steps".to_owned()),
        );
    }
    let expectations: Vec<_> = field
        .get("expect")
        .map(|field| field.one_or_more())
        .unwrap_or_default()
        .iter()
        .filter_map(expectation::expectation)
        .collect();
    if given.is_empty() && !field.has("expect") {
        field.fault(
            "does nothing and expects nothing",
            Some(format!("a step has one of {}", ACTIONS.join(", "))),
        );
    }
    if given.first() != Some(&"run") {
        for key in ["prints", "matches", "exit"] {
            if let Some(member) = field.get(key) {
                member.fault("goes with run only", None);
            }
        }
    }
    let refused = refusal(field);
    if refused.is_some() && !given.first().is_some_and(|action| can_be_refused(action)) {
        field.fault("expects a refusal of something that is not a request", None);
    }
    let action = given.first().and_then(|name| action::action(name, field, catalogs));
    let name = field.get("name").and_then(|field| field.text()).map(str::to_owned);
    Some(Step {
        number,
        name: name.unwrap_or_else(|| action.as_ref().map_or_else(|| "expect".to_owned(), Action::words)),
        place: field.place(),
        start: start(field).unwrap_or(Start::Still),
        action,
        refused,
        shows: field.get("shows").map(|field| super::statements(&field)).unwrap_or_default(),
        expectations,
    })
}

fn can_be_refused(action: &str) -> bool {
    ["apply", "create", "delete", "patch", "edit", "scale"].contains(&action)
}

fn refusal(field: &Field<'_>) -> Option<Pattern> {
    let exact = field.get("refused").and_then(|field| field.text());
    let pattern = field.get("refusedMatches").and_then(|field| field.expression());
    match (exact, pattern) {
        (Some(text), None) => Some(Pattern::Exact(text.to_owned())),
        (None, pattern) => pattern.map(Pattern::Matching),
        (Some(_), Some(_)) => {
            field.fault("has both refused and refusedMatches", None);
            None
        }
    }
}

fn start(field: &Field<'_>) -> Option<Start> {
    let given: Vec<&str> = ["at", "after", "when"].into_iter().filter(|key| field.has(key)).collect();
    if let [first, second, ..] = given.as_slice() {
        field.fault(&format!("has both {first} and {second}"), None);
    }
    let key = *given.first()?;
    let value = field.get(key)?;
    match key {
        "at" => value.duration().map(Start::At),
        "after" => value.duration().map(Start::After),
        _ => {
            let limit = value.get("within").and_then(|field| field.duration()).unwrap_or(DEFAULT_PATIENCE);
            let predicate = expectation::predicate(&value, &["within"])?;
            Some(Start::When(Box::new(predicate), limit))
        }
    }
}
