//! `-o custom-columns=HEADER:PATH,…`.

use serde_json::Value;

use crate::jsonpath::Template;
use crate::layout::align_table;

/// Columns that the user names.
///
/// Source: `kubernetes/kubectl:pkg/cmd/get/customcolumn.go`.
#[derive(Debug, Clone, PartialEq)]
pub struct CustomColumns {
    columns: Vec<(String, Template)>,
}

impl CustomColumns {
    /// Reads `HEADER:PATH,…`.
    ///
    /// # Errors
    /// kubectl's own text for an empty list, a column without a path, a path that cannot be read.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("custom-columns format specified but no custom columns given".to_owned());
        }
        let column = |part: &str| {
            let rule = "expected <header>:<json-path-expr>";
            let spec = part
                .split_once(':')
                .ok_or_else(|| format!("unexpected custom-columns spec: {part}, {rule}"))?;
            let template = Template::relaxed(spec.1).map_err(|error| error.to_string())?;
            Ok((spec.0.to_owned(), template))
        };
        text.split(',').map(column).collect::<Result<_, String>>().map(|columns| Self { columns })
    }

    /// Reads a line of headers and a line of paths, each separated by blanks.
    ///
    /// # Errors
    /// kubectl's own text.
    pub fn parse_lines(text: &str) -> Result<Self, String> {
        const FORM: &str = "Expected format is one line of space separated headers, one line of space separated column \
                            specs.";
        let mut lines = text.lines();
        let mut line = |name: &str| {
            let line =
                lines.next().ok_or_else(|| format!("invalid template, missing {name} line. {FORM}"))?;
            Ok::<Vec<&str>, String>(line.split_whitespace().collect())
        };
        let (headers, paths) = (line("header")?, line("spec")?);
        if headers.len() != paths.len() {
            let (headers, paths) = (headers.len(), paths.len());
            return Err(format!(
                "number of headers ({headers}) and field specifications ({paths}) don't match"
            ));
        }
        let column = |(header, path): (&str, &str)| {
            let template = Template::relaxed(path).map_err(|error| error.to_string())?;
            Ok((header.to_owned(), template))
        };
        headers
            .into_iter()
            .zip(paths)
            .map(column)
            .collect::<Result<_, String>>()
            .map(|columns| Self { columns })
    }

    /// The table.
    ///
    /// # Errors
    /// A path that does not fit an object.
    pub fn print(&self, objects: &[&Value], no_headers: bool) -> Result<String, String> {
        let mut out = String::new();
        if !no_headers {
            let headers: Vec<&str> = self.columns.iter().map(|(header, _)| header.as_str()).collect();
            out.push_str(&headers.join("\t"));
            out.push('\n');
        }
        for object in objects {
            let mut cells = Vec::new();
            for (_, template) in &self.columns {
                let values = template.find(object).map_err(|error| error.to_string())?;
                let texts: Vec<String> = values.iter().map(|value| go_text(value)).collect();
                cells.push(super::none_if_empty(texts.join(",")));
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
