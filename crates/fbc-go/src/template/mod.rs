//! Templates in the language of Go's text/template: `quay.io/me/{{.Package}}:v{{.Version}}`.
//!
//! Values are those of JSON, structs and numbers ([`Value`]); there are no methods, pointers, channels or complex numbers,
//! and no functions but the built-in ones and those of kubectl. All else is as in Go, errors included.

mod call;
mod control;
mod error;
mod escape;
mod execution;
mod format;
mod functions;
mod lexer;
mod literal;
mod look_ahead;
mod number_format;
mod parser;
mod token;
mod tree;
mod value;

use crate::allowance::Allowance;

pub use error::ParseError;
pub use functions::Functions;
pub use value::{Struct, Value};

/// A template that has been read.
#[derive(Clone, Debug, PartialEq)]
pub struct Template {
    name: String,
    text: String,
    functions: Functions,
    templates: parser::Templates,
}

/// What is left of a template that cannot be filled in to its end.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ExecutionError {
    /// What was made before.
    pub output: Vec<u8>,
    /// Go's text.
    pub message: String,
}

impl Template {
    /// Reads a template; errors begin with its name.
    ///
    /// # Errors
    /// [`ParseError`]
    ///
    /// ```
    /// use fbc_go::allowance::Allowance;
    /// use fbc_go::template::{Functions, Template, Value};
    ///
    /// let template = Template::parse("output", "{{range .}}<{{.}}>{{end}}", Functions::Go)?;
    /// let filled = template.execute(&Value::from(&serde_json::json!([1, "b"])), &Allowance::default());
    /// assert_eq!(filled, Ok(b"<1><b>".to_vec()));
    /// # Ok::<(), fbc_go::template::ParseError>(())
    /// ```
    pub fn parse(name: &str, text: &str, functions: Functions) -> Result<Self, ParseError> {
        let templates = parser::parse(name, text, functions)?;
        Ok(Self { name: name.to_owned(), text: text.to_owned(), functions, templates })
    }

    /// The text that it was read from.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Fills the template in. Every part, round of a loop and call is a step; what is printed counts, and what functions make.
    ///
    /// # Errors
    /// [`ExecutionError`]: what it asks of a value cannot be done, or it takes more than is allowed.
    pub fn execute(&self, data: &Value, allowance: &Allowance) -> Result<Vec<u8>, ExecutionError> {
        execution::execute(self, data, allowance)
    }
}

#[cfg(test)]
mod tests;
