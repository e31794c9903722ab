//! Image reference templates: `quay.io/me/{{.Package}}:v{{.Version}}`, in the language of Go's text/template.
//!
//! A template sees three texts and has no functions but the built-in ones, so its values are few
//! (`value::Value`): no lists, maps, methods or complex numbers. All else is as in Go, errors included.

mod call;
mod control;
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

use value::BundleNames;

/// The name that errors give to the template.
const NAME: &str = "image-ref-template";

/// A template that has been read.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageTemplate {
    text: String,
    templates: parser::Templates,
}

/// A template that cannot be read or filled in, in the words of Go.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ImageTemplateError(String);

impl ImageTemplate {
    /// Reads a template.
    ///
    /// # Errors
    /// [`ImageTemplateError`]
    pub fn parse(text: &str) -> Result<Self, ImageTemplateError> {
        let templates = parser::parse(NAME, text).map_err(ImageTemplateError)?;
        Ok(Self { text: text.to_owned(), templates })
    }

    /// Fills the template in.
    ///
    /// # Errors
    /// [`ImageTemplateError`]: what it asks of a value cannot be done.
    pub fn fill(&self, package: &str, name: &str, version: &str) -> Result<String, ImageTemplateError> {
        let bundle = BundleNames { package, name, version };
        let filled =
            execution::execute(&self.templates, NAME, &self.text, &bundle).map_err(ImageTemplateError)?;
        Ok(String::from_utf8_lossy(&filled).into_owned())
    }
}

#[cfg(test)]
mod tests;
