//! Words for what `jsonschema` finds: in the terms of the catalog, for people who maintain one.
//!
//! What the schema itself says about a keyword goes first: a schema with `errorMessage`, which
//! editors show as well, is described by it.

use fbc_yaml::{Kind, Node};
use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{JsonType, ValidationError};
use serde_json::Value;

use super::files::Schema;
use super::paths::{self, Path};
use super::{SchemaRule, SchemaViolation, validators};

/// How alike two names must be for one to be offered in place of the other.
const ALIKE: f64 = 0.8;

/// What an error is about.
pub(super) struct Context<'c> {
    /// The blob.
    pub(super) blob: Node<'c>,
    /// The pointer to the value that was checked.
    pub(super) prefix: &'c str,
    /// The type of the property whose value was checked.
    pub(super) property: Option<&'c str>,
}

/// Adds the violations that an error stands for: one, or one for each field that is unknown.
pub(super) fn describe(
    checked: &'static Schema,
    error: &ValidationError<'_>,
    context: &Context<'_>,
    found: &mut Vec<SchemaViolation>,
) {
    let pointer = format!("{}{}", context.prefix, error.instance_path().as_str());
    let location = error.absolute_keyword_location().map(|location| location.as_str());
    let (schema, keyword) = location.and_then(validators::origin).unwrap_or((checked, ""));
    let holder =
        keyword.rsplit_once('/').and_then(|(holder, _)| schema.part(holder)).unwrap_or(schema.value());
    let place =
        Place { path: paths::read(context.blob, &pointer), pointer, property: context.property, schema };
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            found.push(place.missing(property.as_str().unwrap_or_default()));
        }
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            found.extend(unexpected.iter().map(|field| place.unknown(field, holder)));
        }
        ValidationErrorKind::Type { kind } => found.push(place.wrong_type(kind)),
        ValidationErrorKind::MinLength { limit: 1 } => {
            found.push(place.violation(SchemaRule::Empty, "must not be empty", "text"));
        }
        ValidationErrorKind::MaxLength { limit } => {
            let expected = format!("at most {limit} characters");
            found.push(place.violation(SchemaRule::TooLong, &format!("must have {expected}"), &expected));
        }
        ValidationErrorKind::MinItems { limit } => {
            let items = if *limit == 1 { "item" } else { "items" };
            let expected = format!("at least {limit} {items}");
            found.push(place.violation(SchemaRule::TooFew, &format!("must have {expected}"), &expected));
        }
        ValidationErrorKind::Constant { expected_value } => {
            found.push(place.wrong_value(&[(**expected_value).clone()]))
        }
        ValidationErrorKind::Enum { options } => {
            found.push(place.wrong_value(options.as_array().map(Vec::as_slice).unwrap_or_default()));
        }
        ValidationErrorKind::AnyOf { context } => found.push(place.none_of(context)),
        kind => {
            let rule = match kind {
                ValidationErrorKind::Not { schema }
                    if schema.as_object().is_some_and(|not| not.is_empty()) =>
                {
                    SchemaRule::NotAllowed
                }
                _ => SchemaRule::WrongForm,
            };
            let message = holder.get("errorMessage").and_then(Value::as_str);
            found.push(place.violation(rule, message.unwrap_or("does not have the right form"), ""));
        }
    }
}

/// Puts violations in the order of their pointers, and drops what is said twice.
pub(super) fn sort(found: &mut Vec<SchemaViolation>) {
    found.sort_by(|a, b| {
        let pointers = paths::compare(&a.pointer, &b.pointer);
        pointers.then_with(|| a.rule.cmp(&b.rule)).then_with(|| a.message.cmp(&b.message))
    });
    found.dedup_by(|a, b| (&a.pointer, a.rule, &a.message) == (&b.pointer, b.rule, &b.message));
}

/// A value that does not fit.
struct Place<'c> {
    path: Path<'c>,
    pointer: String,
    property: Option<&'c str>,
    /// The schema that it does not fit.
    schema: &'static Schema,
}

impl Place<'_> {
    fn violation(&self, rule: SchemaRule, what: &str, expected: &str) -> SchemaViolation {
        let path =
            if self.path.words.is_empty() { "the document".to_owned() } else { quoted(&self.path.words) };
        self.about(&path, rule, what, expected)
    }

    fn about(&self, subject: &str, rule: SchemaRule, what: &str, expected: &str) -> SchemaViolation {
        let message = match self.property {
            Some(property) => format!("property {}: {subject} {what}", quoted(property)),
            None => format!("{subject} {what}"),
        };
        SchemaViolation {
            missing: String::new(),
            pointer: self.pointer.clone(),
            rule,
            message,
            expected: expected.to_owned(),
            help: String::new(),
            schema: self.schema.name,
        }
    }

    fn missing(&self, field: &str) -> SchemaViolation {
        let subject = quoted(&self.path.join(field));
        let mut violation = self.about(&subject, SchemaRule::Missing, "is missing", "");
        violation.missing = field.to_owned();
        let mut written = self.path.node.into_iter().flat_map(Node::members).map(|(key, _)| key);
        if let Some(written) = written.find(|key| key.eq_ignore_ascii_case(field)) {
            violation.help = format!("write {} instead of {}", quoted(field), quoted(written));
        }
        violation
    }

    fn unknown(&self, field: &str, holder: &Value) -> SchemaViolation {
        let known = holder.get("properties").and_then(Value::as_object);
        let known: Vec<&str> = known.into_iter().flat_map(|known| known.keys()).map(String::as_str).collect();
        let subject = quoted(&self.path.join(field));
        let expected = any_of(known.iter().map(|name| quoted(name)));
        let mut violation = self.about(&subject, SchemaRule::UnknownField, "is not a known field", &expected);
        violation.pointer = paths::child(&self.pointer, field);
        // By likeness, not by mistakes as `closest`: fields are long, and often lack a part or have one too many.
        let lower = field.to_lowercase();
        let nearest = known
            .into_iter()
            .map(|name| (strsim::jaro_winkler(&lower, &name.to_lowercase()), name))
            .filter(|(likeness, _)| *likeness >= ALIKE)
            .max_by(|(a, _), (b, _)| a.total_cmp(b));
        if let Some((_, name)) = nearest {
            violation.help = format!("did you mean {}?", quoted(name));
        }
        violation
    }

    fn wrong_type(&self, expected: &TypeKind) -> SchemaViolation {
        let (several, expected) = match expected {
            TypeKind::Single(expected) => (false, type_words(*expected).to_owned()),
            TypeKind::Multiple(expected) => {
                (true, any_of(expected.iter().map(|one| type_words(one).to_owned())))
            }
        };
        let actual = self.path.node.map_or(Kind::Null, Node::kind);
        if actual == Kind::Null && several {
            return self.violation(SchemaRule::Null, "must not be null", &expected);
        }
        let rule = if actual == Kind::Null { SchemaRule::Null } else { SchemaRule::WrongType };
        self.violation(rule, &format!("must be {expected}, not {}", kind_words(actual)), &expected)
    }

    fn wrong_value(&self, options: &[Value]) -> SchemaViolation {
        let expected = any_of(options.iter().map(|option| match option.as_str() {
            Some(text) => quoted(text),
            None => quoted(&option.to_string()),
        }));
        let actual = match self.path.node {
            Some(node) => match node.as_str() {
                Some("") => "empty".to_owned(),
                Some(text) => quoted(text),
                None => kind_words(node.kind()).to_owned(),
            },
            None => kind_words(Kind::Null).to_owned(),
        };
        self.violation(SchemaRule::WrongValue, &format!("must be {expected}, not {actual}"), &expected)
    }

    /// None of the alternatives: each asks for a field, as far as our schemas use `anyOf`.
    fn none_of(&self, alternatives: &[Vec<ValidationError<'static>>]) -> SchemaViolation {
        let fields = alternatives.iter().flatten().filter_map(|error| match error.kind() {
            ValidationErrorKind::Required { property } => property.as_str().map(quoted),
            _ => None,
        });
        let expected = any_of(fields);
        self.violation(SchemaRule::Missing, &format!("must have {expected}"), &expected)
    }
}

fn quoted(text: &str) -> String {
    format!("`{text}`")
}

/// `a, b or c`
fn any_of(words: impl Iterator<Item = String>) -> String {
    let mut words: Vec<String> = words.collect();
    match words.pop() {
        Some(last) if words.is_empty() => last,
        Some(last) => format!("{} or {last}", words.join(", ")),
        None => String::new(),
    }
}

fn type_words(json_type: JsonType) -> &'static str {
    match json_type {
        JsonType::Array => kind_words(Kind::Array),
        JsonType::Boolean => kind_words(Kind::Bool),
        JsonType::Integer => "a whole number",
        JsonType::Null => kind_words(Kind::Null),
        JsonType::Number => kind_words(Kind::Number),
        JsonType::Object => kind_words(Kind::Object),
        JsonType::String => kind_words(Kind::String),
    }
}

fn kind_words(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a string",
        Kind::Array => "a list",
        Kind::Object => "an object",
    }
}
