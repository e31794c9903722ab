//! `-o custom-columns=HEADER:PATH,…`.

use fbc_go::allowance::Allowance;
use serde_json::Value;

use crate::jsonpath::{JsonPathError, Template};
use crate::layout::align_table;

/// Columns that the user names.
///
/// Source: `kubernetes/kubectl:pkg/cmd/get/customcolumn.go`.
#[derive(Debug, Clone, PartialEq)]
pub struct CustomColumns {
    columns: Vec<(String, Template)>,
}

/// Columns that cannot be read, in the words of kubectl.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ColumnsError {
    /// There are none.
    #[error("custom-columns format specified but no custom columns given")]
    None,
    /// A column is not a header with a path.
    #[error("unexpected custom-columns spec: {0}, expected <header>:<json-path-expr>")]
    Form(String),
    /// A path cannot be read.
    #[error(transparent)]
    Path(#[from] JsonPathError),
    /// A line is missing, by what it should hold.
    #[error(
        "invalid template, missing {0} line. Expected format is one line of space separated headers, one line of \
         space separated column specs."
    )]
    NoLine(&'static str),
    /// The lines do not fit.
    #[error("number of headers ({headers}) and field specifications ({paths}) don't match")]
    Counts {
        /// The number of headers.
        headers: usize,
        /// The number of paths.
        paths: usize,
    },
}

impl CustomColumns {
    /// Reads `HEADER:PATH,…`.
    ///
    /// # Errors
    /// [`ColumnsError`]
    pub fn parse(text: &str) -> Result<Self, ColumnsError> {
        if text.is_empty() {
            return Err(ColumnsError::None);
        }
        let column = |part: &str| {
            let (header, path) = part.split_once(':').ok_or_else(|| ColumnsError::Form(part.to_owned()))?;
            Ok((header.to_owned(), Template::relaxed(path)?))
        };
        let columns = text.split(',').map(column).collect::<Result<_, ColumnsError>>()?;
        Ok(Self { columns })
    }

    /// Reads a line of headers and a line of paths, each separated by blanks.
    ///
    /// # Errors
    /// [`ColumnsError`]
    pub fn parse_lines(text: &str) -> Result<Self, ColumnsError> {
        let mut lines = text.lines();
        let mut line = |name: &'static str| {
            let line = lines.next().ok_or(ColumnsError::NoLine(name))?;
            Ok::<Vec<&str>, ColumnsError>(line.split_whitespace().collect())
        };
        let (headers, paths) = (line("header")?, line("spec")?);
        if headers.len() != paths.len() {
            return Err(ColumnsError::Counts { headers: headers.len(), paths: paths.len() });
        }
        let column = |(header, path): (&str, &str)| Ok((header.to_owned(), Template::relaxed(path)?));
        let columns = headers.into_iter().zip(paths).map(column).collect::<Result<_, ColumnsError>>()?;
        Ok(Self { columns })
    }

    /// The table.
    ///
    /// # Errors
    /// A path that does not fit an object.
    pub fn print(&self, objects: &[&Value], no_headers: bool) -> Result<String, JsonPathError> {
        let allowance = Allowance::default();
        let mut out = String::new();
        if !no_headers {
            let headers: Vec<&str> = self.columns.iter().map(|(header, _)| header.as_str()).collect();
            out.push_str(&headers.join("\t"));
            out.push('\n');
        }
        for object in objects {
            let mut cells = Vec::new();
            for (_, template) in &self.columns {
                let values = template.find(object)?;
                let mut cell = String::new();
                for (index, value) in values.iter().enumerate() {
                    allowance.push(&mut cell, if index > 0 { "," } else { "" })?;
                    allowance.push(&mut cell, &go_text(value))?;
                }
                cells.push(super::none_if_empty(cell));
            }
            out.push_str(&cells.join("\t"));
            out.push('\n');
        }
        Ok(align_table(&out))
    }
}

/// A value as Go prints it with `%v`.
fn go_text(value: &Value) -> String {
    match value {
        Value::Null => "<nil>".to_owned(),
        Value::String(text) => text.clone(),
        Value::Array(items) => format!("[{}]", items.iter().map(go_text).collect::<Vec<_>>().join(" ")),
        Value::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(key, value)| format!("{key}:{}", go_text(value))).collect();
            format!("map[{}]", members.join(" "))
        }
        other => other.to_string(),
    }
}
