//! Columns of a kind's table: built-in ones, those of a definition, or name and age.

use serde_json::Value;

use super::builtin::{self, Definition};
use crate::age::age;
use crate::jsonpath::{Template, result_text};
use fbc_cluster::kind::Kind;
use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;

/// The columns of a kind, ready to be applied to many objects.
#[derive(Debug, Clone)]
pub struct Columns {
    source: Source,
}

#[derive(Debug, Clone)]
enum Source {
    Builtin(&'static Definition),
    Paths(Vec<PathColumn>),
}

/// A column of a definition. Without a path that can be read it stays empty.
#[derive(Debug, Clone)]
struct PathColumn {
    name: String,
    wide: bool,
    column_type: String,
    path: Option<Template>,
}

impl Columns {
    /// The columns of a kind; `printer_columns` are the `additionalPrinterColumns` of its definition.
    ///
    /// Source: `kubernetes/apiextensions-apiserver:pkg/registry/customresource/tableconvertor/tableconvertor.go`.
    pub fn of(kind: &Kind, printer_columns: &[Value]) -> Self {
        if let Some(definition) =
            builtin::definition(&kind.group, &kind.kind).filter(|_| printer_columns.is_empty())
        {
            return Self { source: Source::Builtin(definition) };
        }
        let column = |column: &Value| PathColumn {
            name: column.text(&["name"]).to_uppercase(),
            wide: column.number(&["priority"]).unwrap_or_default() != 0,
            column_type: column.text(&["type"]).to_owned(),
            path: Template::path(column.text(&["jsonPath"])).ok(),
        };
        let mut columns: Vec<PathColumn> = printer_columns.iter().map(column).collect();
        if kind.group == "config.openshift.io" && kind.kind == "ClusterOperator" && !columns.is_empty() {
            let column_type = OPERATOR_MESSAGE.to_owned();
            columns.push(PathColumn { name: "MESSAGE".into(), wide: false, column_type, path: None });
        }
        if columns.is_empty() {
            let path = Template::path(".metadata.creationTimestamp").ok();
            columns.push(PathColumn { name: "AGE".into(), wide: false, column_type: "date".into(), path });
        }
        Self { source: Source::Paths(columns) }
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
            Source::Paths(columns) => std::iter::once("NAME".to_owned())
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
            Source::Paths(columns) => std::iter::once(object.name().to_owned())
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

/// The column that the API server of OpenShift adds to those of ClusterOperators.
const OPERATOR_MESSAGE: &str = "message of an operator";

/// What is wrong with a cluster operator, or what it is at.
fn operator_message(operator: &Value) -> String {
    let told = [("Available", "False"), ("Degraded", "True"), ("Progressing", "True")];
    let found = told.into_iter().find_map(|(kind, status)| {
        operator.condition(kind).filter(|condition| condition["status"] == status)
    });
    let Some(condition) = found else { return String::new() };
    match condition.text(&["message"]) {
        "" => condition.text(&["reason"]).to_owned(),
        message => message.to_owned(),
    }
}

impl PathColumn {
    /// The first value at the path if it fits the type of the column, else nothing.
    fn cell(&self, object: &Value, now: Moment) -> String {
        if self.column_type == OPERATOR_MESSAGE {
            return operator_message(object);
        }
        let found = self.path.as_ref().and_then(|path| path.find(object).ok()).unwrap_or_default();
        let Some(value) = found.first() else { return String::new() };
        match (self.column_type.as_str(), value) {
            ("string", value) => result_text(value),
            ("date", Value::String(text)) => age(text, now),
            ("integer", Value::Number(number)) => {
                let whole = number.as_i64().map(|number| number.to_string());
                whole
                    .or_else(|| number.as_f64().map(|number| format!("{}", number.trunc())))
                    .unwrap_or_default()
            }
            ("number", Value::Number(number)) => number.to_string(),
            ("boolean", Value::Bool(flag)) => flag.to_string(),
            _ => String::new(),
        }
    }
}
