//! JSONPath as kubectl and printer columns use it: templates with paths in braces.
//!
//! Source of the behaviour: `kubernetes/client-go:util/jsonpath`. Missing keys are allowed everywhere, as kubectl and
//! printer columns allow them. Functions of filters and regular expressions do not exist there either.

mod evaluate;
mod parse;

use fbc_go::allowance::{Allowance, Exceeded, ExpansionLimits};
use serde_json::Value;

use self::evaluate::Walk;
use crate::text;

/// A compiled template. Make it once, use it for many objects.
#[derive(Debug, Clone, PartialEq)]
pub struct Template {
    source: String,
    parts: Vec<Part>,
}

#[derive(Debug, Clone, PartialEq)]
enum Part {
    Text(String),
    Path(Vec<Step>),
    Range(Vec<Step>, Vec<Part>),
}

#[derive(Debug, Clone, PartialEq)]
enum Step {
    /// Back to the root of the whole input.
    Root,
    /// The element of the innermost range or filter.
    Current,
    Field(String),
    Wildcard,
    Recursive,
    Slice {
        start: Option<i64>,
        end: Option<i64>,
        step: Option<i64>,
    },
    Union(Vec<Vec<Step>>),
    Filter {
        left: Operand,
        operator: Operator,
        right: Option<Operand>,
    },
    /// A literal inside of braces, such as `"\n"`.
    Literal(Value),
}

#[derive(Debug, Clone, PartialEq)]
enum Operand {
    Path(Vec<Step>),
    Literal(Value),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operator {
    Exists,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// A template that cannot be read, or that does not fit the value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct JsonPathError(String);

impl From<Exceeded> for JsonPathError {
    fn from(exceeded: Exceeded) -> Self {
        Self(format!("{exceeded} (limit {})", exceeded.name()))
    }
}

/// What one path of one object may go through: a cell of a table, a condition.
const MOST_OF_A_PATH: ExpansionLimits = ExpansionLimits { steps: 100_000, ..ExpansionLimits::USUAL };

impl Template {
    /// Reads a template: text with paths in braces, `{range …}` to `{end}`.
    ///
    /// # Errors
    /// [`JsonPathError`] with client-go's words where it has some.
    pub fn parse(template: &str) -> Result<Self, JsonPathError> {
        parse::template(template).map(|parts| Self { source: template.to_owned(), parts })
    }

    /// Reads one path without braces as CustomResourceDefinitions give it: `.status.phase`.
    ///
    /// # Errors
    /// As [`Template::parse`].
    pub fn path(path: &str) -> Result<Self, JsonPathError> {
        Self::parse(&format!("{{{path}}}"))
    }

    /// Reads one path in any of the forms `x.y`, `.x.y`, `{x.y}`, `{.x.y}`.
    ///
    /// # Errors
    /// A path in unbalanced braces, and as [`Template::parse`].
    pub fn relaxed(path: &str) -> Result<Self, JsonPathError> {
        let inner = match (path.strip_prefix('{'), path.ends_with('}')) {
            (Some(inner), true) => inner.get(..inner.len() - 1).unwrap_or_default(),
            (None, false) => path,
            _ => {
                let rule =
                    "expected a 'name1.name2' or '.name1.name2' or '{name1.name2}' or '{.name1.name2}'";
                return Err(JsonPathError(format!("unexpected path string, {rule}")));
            }
        };
        Self::path(&format!(".{}", inner.strip_prefix('.').unwrap_or(inner)))
    }

    /// The values of the first path in the template.
    ///
    /// # Errors
    /// An index outside of its list, or a path that goes through more values than it may.
    pub fn find<'v>(&'v self, value: &'v Value) -> Result<Vec<&'v Value>, JsonPathError> {
        let allowance = Allowance::new(MOST_OF_A_PATH);
        match self.parts.first() {
            Some(Part::Path(steps) | Part::Range(steps, _)) => {
                Walk { root: value, allowance: &allowance }.steps(steps, value)
            }
            _ => Ok(Vec::new()),
        }
    }

    /// The template as it was given.
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The text that the template makes of a value.
    ///
    /// # Errors
    /// An index outside of its list, a range over something that is not a list, or more text and values than there may be.
    pub fn render(&self, value: &Value) -> Result<String, JsonPathError> {
        self.render_within(value, &Allowance::default())
    }

    /// As [`Template::render`], within an allowance of one's own.
    ///
    /// # Errors
    /// As [`Template::render`].
    pub fn render_within(&self, value: &Value, allowance: &Allowance) -> Result<String, JsonPathError> {
        let mut out = String::new();
        Walk { root: value, allowance }.render(&mut out, &self.parts, value, &|out, results| {
            for (index, result) in results.iter().enumerate() {
                allowance.push(out, if index > 0 { " " } else { "" })?;
                allowance.push(out, &result_text(result))?;
            }
            Ok(())
        })?;
        Ok(out)
    }

    /// What the template finds, each path as an indented JSON list (`-o jsonpath-as-json`).
    ///
    /// # Errors
    /// As [`Template::render`].
    pub fn render_as_json(&self, value: &Value) -> Result<String, JsonPathError> {
        let mut out = String::new();
        let allowance = Allowance::default();
        Walk { root: value, allowance: &allowance }.render(
            &mut out,
            &self.parts,
            value,
            &|out, results| {
                let mut list = Vec::new();
                for result in results {
                    allowance.bytes(size(result))?;
                    list.push((*result).clone());
                }
                // What cannot be laid out would be larger than everything may be.
                let text = text::indented_json(&Value::Array(list), 4)
                    .or_else(|_| allowance.bytes(usize::MAX).map(|()| String::new()))?;
                allowance.push(out, &text)?;
                allowance.push(out, "\n")
            },
        )?;
        Ok(out)
    }
}

/// About how much a copy of a value takes.
fn size(value: &Value) -> usize {
    size_of::<Value>()
        + match value {
            Value::String(text) => text.len(),
            Value::Array(items) => items.iter().map(size).sum(),
            Value::Object(members) => members.iter().map(|(key, value)| key.len() + size(value)).sum(),
            _ => 0,
        }
}

/// How a template shows one value: texts raw, lists and objects as JSON.
pub(crate) fn result_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "<nil>".to_owned(),
        other => text::json(other),
    }
}

#[cfg(test)]
mod tests;
