//! Rules of definitions (`x-kubernetes-validations`): compiled once, run on every write.
//!
//! Source: `kubernetes/apiextensions-apiserver:pkg/apiserver/schema/cel`.

use std::rc::Rc;

use fbc_cel::{Budget, CompileError, Fault, OUT_OF_BUDGET, Program, Shape, TOO_EXPENSIVE, Type, Val, Wanted};
use fbc_go::regexp::Pattern;
use serde_json::Value;

use super::earlier::EarlierItems;
use super::go_value::go_value;
use super::path::Path;
use super::structural::{Schema, ValueType};
use super::work::Work;
use crate::error::{FieldError, FieldReason};
use crate::object::ObjectFields;

/// How long a message that an expression makes may be.
const LONGEST_MESSAGE: usize = 5 * 1024;

/// A rule.
#[derive(Debug, Clone)]
pub(crate) struct Rule {
    /// As it is written, for messages.
    pub(crate) source: String,
    pub(crate) program: Result<Program, CompileError>,
    message: String,
    message_program: Option<Result<Program, CompileError>>,
    /// The expression for messages as it is written.
    message_source: String,
    reason: FieldReason,
    /// Where below the value the error is reported.
    field_path: String,
    optional_old: bool,
}

impl Rule {
    /// Compiles a rule at a place of a schema.
    pub(crate) fn compile(json: &Value, schema: &Schema) -> Self {
        let source = json.text(&["rule"]);
        let optional_old = json.get("optionalOldSelf") == Some(&Value::Bool(true));
        let own_type = schema.value_type().unwrap_or(Type::Dyn);
        let compile =
            |source: &str, wanted| Program::compile(source, (&own_type, schema), optional_old, wanted);
        let message_source = json.text(&["messageExpression"]);
        Self {
            program: compile(source, Wanted::Bool),
            message: json.text(&["message"]).trim().to_owned(),
            message_program: (!message_source.is_empty()).then(|| compile(message_source, Wanted::Text)),
            message_source: message_source.to_owned(),
            reason: match json.text(&["reason"]) {
                "FieldValueForbidden" => FieldReason::Forbidden,
                "FieldValueRequired" => FieldReason::Required,
                "FieldValueDuplicate" => FieldReason::Duplicate,
                _ => FieldReason::Invalid,
            },
            field_path: field_path(json.text(&["fieldPath"])),
            optional_old,
            source: source.trim().to_owned(),
        }
    }

    /// The error of the expression for messages, if it has one and that does not compile.
    pub(crate) fn message_error(&self) -> Option<&CompileError> {
        self.message_program.as_ref()?.as_ref().err()
    }

    /// Adds the regular expressions of its expressions.
    pub(crate) fn collect_patterns<'s>(&'s self, all: &mut Vec<&'s Pattern>) {
        let programs = [Some(&self.program), self.message_program.as_ref()];
        programs.into_iter().flatten().flatten().for_each(|program| program.collect_patterns(all));
    }

    /// What the rule and its expression for messages cost at most.
    pub(crate) fn most_costs(&self) -> (u64, u64) {
        let cost = |program: Option<&Result<Program, CompileError>>| match program {
            Some(Ok(program)) => program.most_cost,
            _ => 0,
        };
        (cost(Some(&self.program)), cost(self.message_program.as_ref()))
    }

    fn words(&self) -> &str {
        if self.message.is_empty() { &self.source } else { &self.message }
    }
}

/// `.spec['a']` as it stands in the path of an error: `spec.a`.
fn field_path(written: &str) -> String {
    let dotted = written.trim().replace("['", ".").replace("']", "");
    dotted.trim_start_matches('.').to_owned()
}

/// Runs all rules at a place and below it. `old` is what stood there before, if that can be told. Errors take of the work.
pub(crate) fn run_all(
    value: &Value,
    old: Option<&Value>,
    schema: &Schema,
    path: &Path<'_>,
    work: &Work,
) -> Vec<FieldError> {
    let mut run = Run { errors: Vec::new(), budget: Budget::of_request(), work, is_over: false };
    run.all(Place { value, old, unchanged: old, schema }, path);
    run.errors
}

/// An expression for messages costs too much.
#[derive(Debug, thiserror::Error)]
enum MessageCost {
    #[error(
        "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run"
    )]
    Budget,
    #[error(
        "no further validation rules will be run due to call cost exceeds limit for messageExpression: {0:?}"
    )]
    Call(String),
}

/// A value, its schema, and what stood there before.
#[derive(Clone, Copy)]
struct Place<'v> {
    value: &'v Value,
    /// What rules about changes see.
    old: Option<&'v Value>,
    /// A failure is forgiven if this is the same as the value. Elements of most lists cannot be told apart, so that
    /// rules see no old element, but they are unchanged if their list is.
    unchanged: Option<&'v Value>,
    schema: &'v Schema,
}

struct Run<'w> {
    errors: Vec<FieldError>,
    budget: Budget,
    work: &'w Work,
    is_over: bool,
}

impl Run<'_> {
    fn all(&mut self, place: Place<'_>, path: &Path<'_>) {
        let Place { value, old, unchanged, schema } = place;
        if value.is_null() || self.is_over || !schema.below.rules {
            return;
        }
        self.own(place, path);
        match value {
            Value::Object(fields) => {
                let part = |name: &str, value, schema| Place {
                    value,
                    old: old.and_then(|old| old.get(name)),
                    unchanged: unchanged.and_then(|old| old.get(name)),
                    schema,
                };
                if let Some(additional) = &schema.additional {
                    for (key, value) in fields {
                        self.all(part(key, value, additional), &Path::Key(path, key));
                    }
                }
                for (name, property) in schema.properties.iter().filter(|(_, property)| property.below.rules)
                {
                    if let Some(value) = fields.get(name) {
                        self.all(part(name, value, property), &Path::Field(path, name));
                    }
                }
            }
            Value::Array(items) => {
                let Some(part) = schema.items.as_deref().filter(|part| part.below.rules) else { return };
                let is_unchanged = unchanged == Some(value);
                let earlier = EarlierItems::of(schema, old);
                for (index, item) in items.iter().enumerate() {
                    let old = earlier.same_as(item);
                    // What is unchanged further up is so here.
                    let unchanged = if is_unchanged { Some(item) } else { old };
                    let place = Place { value: item, old, unchanged, schema: part };
                    self.all(place, &Path::Index(path, index));
                }
            }
            _ => {}
        }
    }

    fn own(&mut self, place: Place<'_>, path: &Path<'_>) {
        let Place { value, old, unchanged, schema } = place;
        let type_name = || format!("\"{}\"", schema.value_type.map_or("", ValueType::name));
        for rule in &schema.rules {
            if self.is_over {
                return;
            }
            let program = match &rule.program {
                Ok(program) => program,
                Err(error) => {
                    let detail = format!("rule compile error: {}", error.text(Wanted::Bool));
                    self.report(path, FieldReason::Invalid, type_name(), detail);
                    continue;
                }
            };
            if program.uses_old && old.is_none() && !rule.optional_old {
                continue;
            }
            if let Some(fault) = self.budget.end() {
                self.failed(&fault, rule, path, type_name());
                return;
            }
            let old_value = || {
                let lifted = old.map(|old| Val::lift(old, Some(schema)));
                if rule.optional_old { Some(Val::Optional(lifted.map(Rc::new))) } else { lifted }
            };
            let seen = if program.uses_old { old_value() } else { None };
            match program.run(Val::lift(value, Some(schema)), seen, &mut self.budget) {
                Ok(Val::Bool(true)) => continue,
                Ok(_) => {}
                Err(fault) => {
                    self.failed(&fault, rule, path, type_name());
                    continue;
                }
            }
            if !program.uses_old && unchanged == Some(value) {
                continue;
            }
            let detail = match self.message(rule, Val::lift(value, Some(schema)), old_value()) {
                Ok(detail) => detail,
                Err(cost) => {
                    self.is_over = true;
                    self.report(path, FieldReason::Invalid, type_name(), cost.to_string());
                    return;
                }
            };
            let shown = match schema.value_type {
                Some(ValueType::Object | ValueType::Array) => String::new(),
                _ => go_value(value),
            };
            let at = Path::Field(path, &rule.field_path);
            let place = if rule.field_path.is_empty() { path } else { &at };
            let detail = if rule.reason == FieldReason::Duplicate { String::new() } else { detail };
            self.report(place, rule.reason, shown, detail);
        }
    }

    fn failed(&mut self, fault: &Fault, rule: &Rule, path: &Path<'_>, type_name: String) {
        let words = rule.words();
        let text = &fault.0;
        let detail = if text.starts_with("no such overload") {
            format!(
                "'{text}': call arguments did not match a supported operator, function or macro signature for rule: {words}"
            )
        } else if *fault == OUT_OF_BUDGET {
            self.is_over = true;
            text.clone().into_owned()
        } else if fault.is_own_limit() {
            self.is_over = true;
            format!("rule {words}: {text}")
        } else if *fault == TOO_EXPENSIVE {
            self.is_over = true;
            format!(
                "'{text}': no further validation rules will be run due to call cost exceeds limit for rule: {words}"
            )
        } else {
            format!("{text} evaluating rule: {words}")
        };
        self.report(path, FieldReason::Invalid, type_name, detail);
    }

    /// What the expression for messages makes, if that is one line of text; otherwise the message, or the rule.
    ///
    /// # Errors
    /// What is said instead if it costs too much; no further rule is run then.
    fn message<'v>(
        &mut self,
        rule: &'v Rule,
        own: Val<'v>,
        old: Option<Val<'v>>,
    ) -> Result<String, MessageCost> {
        let made = rule.message_program.as_ref().and_then(|program| program.as_ref().ok());
        match made.map(|program| program.run(own, old.filter(|_| program.uses_old), &mut self.budget)) {
            Some(Ok(Val::Text(text))) => {
                let text = text.trim();
                if !text.is_empty() && text.len() <= LONGEST_MESSAGE && !text.contains('\n') {
                    return Ok(text.to_owned());
                }
            }
            Some(Err(fault)) if fault == OUT_OF_BUDGET => return Err(MessageCost::Budget),
            Some(Err(fault)) if fault == TOO_EXPENSIVE => {
                return Err(MessageCost::Call(rule.message_source.clone()));
            }
            _ => {}
        }
        let failed = || format!("failed rule: {}", rule.source);
        Ok(if rule.message.is_empty() { failed() } else { rule.message.clone() })
    }

    fn report(&mut self, path: &Path<'_>, reason: FieldReason, value: String, detail: String) {
        self.work.report(&mut self.errors, FieldError::new(path.field(), reason, value, detail));
        self.is_over |= self.work.is_used_up();
    }
}
