//! Columns of a kind's table: built-in ones, those of a definition, or name and age.

use fbc_cluster::kind::Kind;
use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use serde_json::Value;

use super::builtin::{self, Definition};
use crate::age::age;
use crate::jsonpath::{Template, result_text};

/// The columns of a kind, ready to be applied to many objects.
#[derive(Debug, Clone)]
pub struct Columns {
    source: Source,
}

#[derive(Debug, Clone)]
enum Source {
    Builtin(&'static Definition),
    Columns(Vec<Column>),
}

/// A column behind the name of the object.
#[derive(Debug, Clone)]
struct Column {
    name: String,
    wide: bool,
    content: Content,
}

/// What stands in a column.
#[derive(Debug, Clone)]
enum Content {
    /// What is at a path, as a type of `additionalPrinterColumns`. Without a path that can be read it stays empty.
    Path { column_type: String, path: Option<Template> },
    /// What is wrong with a cluster operator, or what it is at: the API server of OpenShift adds this column.
    OperatorMessage,
}

impl Columns {
    /// The columns of a kind; `printer_columns` are the `additionalPrinterColumns` of its definition.
    ///
    /// Source: `kubernetes/apiextensions-apiserver:pkg/registry/customresource/tableconvertor/tableconvertor.go`.
    pub fn new(kind: &Kind, printer_columns: &[Value]) -> Self {
        if let Some(definition) =
            builtin::definition(&kind.group, &kind.kind).filter(|_| printer_columns.is_empty())
        {
            return Self { source: Source::Builtin(definition) };
        }
        let content = |column_type: &str, path: &str| Content::Path {
            column_type: column_type.to_owned(),
            path: Template::path(path).ok(),
        };
        let column = |column: &Value| Column {
            name: column.text(&["name"]).to_uppercase(),
            wide: column.number(&["priority"]).unwrap_or_default() != 0,
            content: content(column.text(&["type"]), column.text(&["jsonPath"])),
        };
        let mut columns: Vec<Column> = printer_columns.iter().map(column).collect();
        if kind.group == "config.openshift.io" && kind.kind == "ClusterOperator" && !columns.is_empty() {
            columns.push(Column { name: "MESSAGE".into(), wide: false, content: Content::OperatorMessage });
        }
        if columns.is_empty() {
            let content = content("date", ".metadata.creationTimestamp");
            columns.push(Column { name: "AGE".into(), wide: false, content });
        }
        Self { source: Source::Columns(columns) }
    }

    /// The headers.
    pub fn names(&self, wide: bool) -> Vec<String> {
        match &self.source {
            Source::Builtin(definition) => definition
                .columns
                .iter()
                .filter(|column| wide || !column.wide)
                .map(|column| column.name.to_owned())
                .collect(),
            Source::Columns(columns) => std::iter::once("NAME".to_owned())
                .chain(columns.iter().filter(|column| wide || !column.wide).map(|column| column.name.clone()))
                .collect(),
        }
    }

    /// Where the name of the object stands; beyond the last column if it is not shown.
    pub fn name_index(&self) -> usize {
        match &self.source {
            Source::Builtin(definition) if definition.kind == "Event" => usize::MAX,
            _ => 0,
        }
    }

    /// The cells of an object.
    pub fn cells(&self, object: &Value, wide: bool, now: Moment) -> Vec<String> {
        match &self.source {
            Source::Builtin(definition) => {
                let cells = (definition.cells)(object, now);
                let shown = definition.columns.iter().map(|column| wide || !column.wide);
                cells.into_iter().zip(shown).filter_map(|(cell, shown)| shown.then_some(cell)).collect()
            }
            Source::Columns(columns) => std::iter::once(object.name().to_owned())
                .chain(
                    columns
                        .iter()
                        .filter(|column| wide || !column.wide)
                        .map(|column| column.cell(object, now)),
                )
                .collect(),
        }
    }
}

/// What is wrong with a cluster operator, or what it is at.
fn operator_message(operator: &Value) -> String {
    let conditions = [("Available", "False"), ("Degraded", "True"), ("Progressing", "True")];
    let found = conditions.into_iter().find_map(|(kind, status)| {
        operator.condition(kind).filter(|condition| condition["status"] == status)
    });
    let Some(condition) = found else { return String::new() };
    match condition.text(&["message"]) {
        "" => condition.text(&["reason"]).to_owned(),
        message => message.to_owned(),
    }
}

impl Column {
    fn cell(&self, object: &Value, now: Moment) -> String {
        match &self.content {
            Content::OperatorMessage => operator_message(object),
            Content::Path { column_type, path } => {
                let found = path.as_ref().and_then(|path| path.find(object).ok()).unwrap_or_default();
                found.first().map(|value| typed(value, column_type, now)).unwrap_or_default()
            }
        }
    }
}

/// A value if it fits the type of its column, else nothing.
fn typed(value: &Value, column_type: &str, now: Moment) -> String {
    match (column_type, value) {
        ("string", value) => result_text(value),
        ("date", Value::String(text)) => age(text, now),
        ("integer", Value::Number(number)) => {
            let whole = number.as_i64().map(|number| number.to_string());
            whole.or_else(|| number.as_f64().map(|number| format!("{}", number.trunc()))).unwrap_or_default()
        }
        ("number", Value::Number(number)) => number.to_string(),
        ("boolean", Value::Bool(flag)) => flag.to_string(),
        _ => String::new(),
    }
}
