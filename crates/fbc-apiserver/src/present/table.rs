//! Tables: the columns of a kind, and a row for each object.

use fbc_cluster::apply::unpack;
use fbc_cluster::kind::Kind;
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::schema::PrinterColumn;
use fbc_cluster::served_twice;
use fbc_cluster::time::Moment;
use fbc_kubectl::print::Columns;
use serde_json::{Value, json};

/// What of an object goes with its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Included {
    /// Nothing.
    None,
    /// Its metadata.
    Metadata,
    /// All of it.
    Object,
}

/// How a table of a kind looks.
#[derive(Debug)]
pub struct TableShape {
    version: &'static str,
    included: Included,
    columns: Columns,
    definitions: Vec<Value>,
    now: Moment,
}

/// Columns whose cells are whole numbers.
const NUMBERS: [&str; 10] = [
    "Available",
    "Current",
    "Data",
    "Desired",
    "Minpods",
    "Maxpods",
    "Ready",
    "Secrets",
    "Up-to-date",
    "Allowed disruptions",
];

impl TableShape {
    /// The table of a kind; `printer_columns` are those of its definition.
    pub(crate) fn new(
        kind: &Kind,
        printer_columns: &[PrinterColumn],
        version: &'static str,
        include: &str,
        now: Moment,
    ) -> Self {
        let of_definition: Vec<Value> = printer_columns.iter().map(column_of_definition).collect();
        let columns = Columns::new(kind, &of_definition);
        let narrow = columns.names(false);
        let definitions = columns
            .names(true)
            .iter()
            .enumerate()
            .map(|(index, name)| {
                let own = index.checked_sub(1).and_then(|index| printer_columns.get(index));
                match own {
                    Some(column) => json!({
                        "name": column.name, "type": column.column_type, "format": column.format,
                        "description": column.description, "priority": column.priority,
                    }),
                    None => {
                        let is_name = name == "NAME";
                        let name = title(name);
                        let column_type = if is_number(&kind.kind, &name) { "integer" } else { "string" };
                        let is_wide = !narrow.iter().any(|narrow| title(narrow) == name);
                        json!({
                            "name": name, "type": column_type, "format": if is_name { "name" } else { "" },
                            "description": "", "priority": i32::from(is_wide),
                        })
                    }
                }
            })
            .collect();
        let included = match include {
            "None" => Included::None,
            "Object" => Included::Object,
            _ => Included::Metadata,
        };
        Self { version, included, columns, definitions, now }
    }

    /// A table with these objects.
    pub(crate) fn table(&self, objects: &[&Object], metadata: Value, with_columns: bool) -> Value {
        let rows: Vec<Value> = objects.iter().map(|object| self.row(object)).collect();
        let definitions = if with_columns { Value::from(self.definitions.clone()) } else { Value::Null };
        json!({
            "kind": "Table", "apiVersion": format!("meta.k8s.io/{}", self.version), "metadata": metadata,
            "columnDefinitions": definitions, "rows": rows,
        })
    }

    fn row(&self, object: &Object) -> Value {
        let stored = served_twice::is_twin(object).then(|| served_twice::stored(object.clone()));
        let cells = self.columns.cells(stored.as_ref().unwrap_or(object), true, self.now);
        let cells: Vec<Value> = cells.into_iter().zip(&self.definitions).map(cell).collect();
        match self.included {
            Included::None => json!({"cells": cells, "object": null}),
            Included::Metadata => json!({"cells": cells, "object": partial(object, self.version)}),
            Included::Object => {
                let mut object = object.clone();
                unpack(&mut object);
                json!({"cells": cells, "object": object})
            }
        }
    }
}

/// The metadata of an object alone.
pub(crate) fn partial(object: &Object, version: &str) -> Value {
    let mut partial = json!({
        "kind": "PartialObjectMetadata", "apiVersion": format!("meta.k8s.io/{version}"), "metadata": object["metadata"],
    });
    unpack(&mut partial);
    partial
}

fn column_of_definition(column: &PrinterColumn) -> Value {
    json!({
        "name": column.name, "type": column.column_type, "format": column.format, "priority": column.priority,
        "description": column.description, "jsonPath": column.json_path,
    })
}

fn cell((text, definition): (String, &Value)) -> Value {
    let is_number = ["integer", "number"].contains(&definition.text(&["type"]));
    match text.parse::<i64>() {
        Ok(number) if is_number => number.into(),
        _ if is_number && text.is_empty() => Value::Null,
        _ => text.into(),
    }
}

fn is_number(kind: &str, column: &str) -> bool {
    // `1/2` and `2 (5m ago)` are texts.
    let counts = !(column == "Ready" && ["Deployment", "StatefulSet", "Pod"].contains(&kind));
    counts && NUMBERS.contains(&column)
}

/// `NOMINATED NODE` as `Nominated Node`, as the API server writes it; short words in capitals stay.
fn title(name: &str) -> String {
    const CAPITALS: [&str; 10] =
        ["IP", "UID", "CIDR", "API", "TTL", "TLS", "CPU", "OS-IMAGE", "CLUSTER-IP", "EXTERNAL-IP"];
    if name == "ALLOWED DISRUPTIONS" {
        return "Allowed disruptions".to_owned();
    }
    let word = |word: &str| {
        if CAPITALS.contains(&word) {
            return word.to_owned();
        }
        let (first, rest) = word.split_at(word.chars().next().map_or(0, char::len_utf8));
        format!("{first}{}", rest.to_lowercase())
    };
    name.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::title;

    #[test]
    fn names_of_columns() {
        for (name, expected) in [
            ("NAME", "Name"),
            ("NOMINATED NODE", "Nominated Node"),
            ("IP", "IP"),
            ("UP-TO-DATE", "Up-to-date"),
        ] {
            assert_eq!(title(name), expected);
        }
    }
}
