//! JSONPath as kubectl and printer columns use it: templates with paths in braces.
//!
//! Source of the behaviour: `kubernetes/client-go:util/jsonpath`. Missing keys are allowed everywhere, as kubectl and
//! printer columns allow them. Functions of filters and regular expressions do not exist there either.

mod evaluate;
mod parse;

use serde_json::Value;

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
    /// An index outside of its list.
    pub fn find<'v>(&'v self, value: &'v Value) -> Result<Vec<&'v Value>, JsonPathError> {
        match self.parts.first() {
            Some(Part::Path(steps) | Part::Range(steps, _)) => evaluate::steps(steps, value, value),
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
    /// An index outside of its list, or a range over something that is not a list.
    pub fn render(&self, value: &Value) -> Result<String, JsonPathError> {
        let mut out = String::new();
        evaluate::render(&mut out, &self.parts, value, value, &|out, results| {
            let texts: Vec<String> = results.iter().map(|result| result_text(result)).collect();
            out.push_str(&texts.join(" "));
        })?;
        Ok(out)
    }

    /// What the template finds, each path as an indented JSON list (`-o jsonpath-as-json`).
    ///
    /// # Errors
    /// As [`Template::render`].
    pub fn render_as_json(&self, value: &Value) -> Result<String, JsonPathError> {
        let mut out = String::new();
        evaluate::render(&mut out, &self.parts, value, value, &|out, results| {
            let list = Value::Array(results.iter().map(|result| (*result).clone()).collect());
            out.push_str(&text::json(&list, Some(4)));
            out.push('\n');
        })?;
        Ok(out)
    }
}

/// How a template shows one value: texts raw, lists and objects as JSON.
pub(crate) fn result_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "<nil>".to_owned(),
        other => text::json(other, None),
    }
}

#[cfg(test)]
mod tests;
