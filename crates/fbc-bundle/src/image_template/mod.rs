//! Image reference templates: `quay.io/me/{{.Package}}:v{{.Version}}`, in the language of Go's text/template.

use std::sync::Arc;

use fbc_go::allowance::{Allowance, ExpansionLimits};
use fbc_go::template::{ExecutionError, Functions, ParseError, Struct, Template, Value};

/// The name that errors give to the template.
const NAME: &str = "image-ref-template";

/// A reference is far shorter; a template that does more has no end. Catalogs name many.
const MOST: ExpansionLimits = ExpansionLimits { steps: 10_000, bytes: 1 << 16 };

/// A template that has been read.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageTemplate(Template);

/// A template that cannot be read or filled in, in the words of Go.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(transparent)]
pub enum ImageTemplateError {
    /// It cannot be read.
    Read(#[from] ParseError),
    /// It cannot be filled in.
    Fill(#[from] ExecutionError),
}

impl ImageTemplate {
    /// Reads a template.
    ///
    /// # Errors
    /// [`ImageTemplateError`]
    pub fn parse(text: &str) -> Result<Self, ImageTemplateError> {
        Ok(Self(Template::parse(NAME, text, Functions::Go)?))
    }

    /// Fills the template in.
    ///
    /// # Errors
    /// [`ImageTemplateError`]: what it asks of a value cannot be done.
    pub fn fill(&self, package: &str, name: &str, version: &str) -> Result<String, ImageTemplateError> {
        let bundle = Struct {
            type_name: "action.imageReferenceTemplateData",
            fields: vec![("Package", package.into()), ("Name", name.into()), ("Version", version.into())],
        };
        let filled = self.0.execute(&Value::Struct(Arc::new(bundle)), &Allowance::new(MOST))?;
        Ok(String::from_utf8_lossy(&filled).into_owned())
    }
}

#[cfg(test)]
mod tests;
