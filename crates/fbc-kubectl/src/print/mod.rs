//! What `get` prints: tables, YAML, JSON, names, JSONPath and custom columns.
//!
//! [`tables`] takes [`Group`]s of objects, each of one kind; [`Output`] reads `-o` and prints everything else.

mod builtin;
mod columns;
mod custom_columns;
mod go_template;
mod output;
mod selector;

use fbc_cluster::kind::Kind;
use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use serde_json::Value;

use crate::layout::align_table;

pub(crate) use builtin::{endpoints_text, node_roles};
pub use columns::Columns;
pub use custom_columns::{ColumnsError, CustomColumns};
pub use go_template::GoTemplate;
pub(crate) use output::full_name;
pub use output::{Output, OutputError, PrintError, list_of, sort_by, without_managed_fields};
pub use selector::selector_text;

/// What stands for an empty list, label or name.
pub(crate) const NONE: &str = "<none>";

/// Objects of one kind, in the order of the table.
#[derive(Debug, Clone)]
pub struct Group<'a> {
    /// Their kind.
    pub kind: &'a Kind,
    /// `additionalPrinterColumns` of the version of their definition; empty for built-in kinds and for definitions
    /// without them.
    pub printer_columns: &'a [Value],
    /// The objects.
    pub objects: Vec<&'a Value>,
}

/// How tables look.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableOptions {
    /// `-o wide`: also columns of priority 1.
    pub wide: bool,
    /// `--no-headers`
    pub no_headers: bool,
    /// `--show-labels`: a last column `LABELS`.
    pub show_labels: bool,
    /// `-L`: keys of labels that get a column.
    pub label_columns: Vec<String>,
    /// `-A`: a first column `NAMESPACE` for kinds that live in namespaces.
    pub with_namespace: bool,
    /// Names as `kind/name`, as `get` writes them when several kinds are asked for.
    pub with_kind: bool,
}

/// The tables of all groups that are not empty, with an empty line in between. The result is empty if all groups are.
///
/// Source: `kubernetes/cli-runtime:pkg/printers/tableprinter.go`, `kubernetes/kubectl:pkg/cmd/get/get.go`.
pub fn tables(groups: &[Group<'_>], options: &TableOptions, now: Moment) -> String {
    let mut out = String::new();
    for group in groups.iter().filter(|group| !group.objects.is_empty()) {
        if !out.is_empty() && !options.no_headers {
            out.push('\n');
        }
        out.push_str(&align_table(&table(group, options, now)));
    }
    out
}

/// One table with tabs between its cells.
fn table(group: &Group<'_>, options: &TableOptions, now: Moment) -> String {
    let columns = Columns::new(group.kind, group.printer_columns);
    let with_namespace = options.with_namespace && group.kind.namespaced;
    let mut out = String::new();
    if !options.no_headers {
        let mut header: Vec<String> = Vec::new();
        header.extend(with_namespace.then(|| "NAMESPACE".to_owned()));
        header.extend(columns.names(options.wide));
        header.extend(options.label_columns.iter().map(|key| label_header(key)));
        header.extend(options.show_labels.then(|| "LABELS".to_owned()));
        push_row(&mut out, &header);
    }
    for object in &group.objects {
        let mut cells = columns.cells(object, options.wide, now);
        if let Some(cell) = cells.get_mut(columns.name_index()).filter(|_| options.with_kind) {
            *cell = format!("{}/{cell}", qualified_kind(&group.kind.group, &group.kind.kind));
        }
        if with_namespace {
            cells.insert(0, object.namespace().to_owned());
        }
        let label = |key: &String| object.label(key).unwrap_or_default().to_owned();
        cells.extend(options.label_columns.iter().map(label).map(none_if_empty));
        cells.extend(options.show_labels.then(|| labels_text(object)));
        push_row(&mut out, &cells);
    }
    out
}

/// A row; cells are cut at their first line break, as a table has one line for each object.
fn push_row(out: &mut String, cells: &[String]) {
    for (index, cell) in cells.iter().enumerate() {
        if index > 0 {
            out.push('\t');
        }
        match cell.find(['\n', '\r', '\x0c']) {
            Some(at) => {
                out.push_str(&cell[..at]);
                out.push_str("...");
            }
            None => out.push_str(cell),
        }
    }
    out.push('\n');
}

/// The header of a label's column: what follows the last `/`.
fn label_header(key: &str) -> String {
    key.rsplit('/').next().unwrap_or(key).to_uppercase()
}

/// Kind and group in small letters, as they stand in front of names: `deployment.apps`.
pub fn qualified_kind(group: &str, kind: &str) -> String {
    let kind = kind.to_lowercase();
    if group.is_empty() { kind } else { format!("{kind}.{group}") }
}

/// Labels as `a=b,c=d`.
fn labels_text(object: &Value) -> String {
    none_if_empty(pairs_text(object.at(&["metadata", "labels"])))
}

/// A map of texts as `a=b,c=d`.
pub(crate) fn pairs_text(map: Option<&Value>) -> String {
    let pairs = map.and_then(Value::as_object).into_iter().flatten();
    let pairs: Vec<String> =
        pairs.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or_default())).collect();
    pairs.join(",")
}

pub(crate) fn none_if_empty(text: impl Into<String>) -> String {
    let text = text.into();
    if text.is_empty() { NONE.to_owned() } else { text }
}

/// What `get` says when there is nothing to show.
pub fn nothing_found(namespace: Option<&str>) -> String {
    match namespace {
        Some(namespace) => format!("No resources found in {namespace} namespace.\n"),
        None => "No resources found\n".to_owned(),
    }
}

#[cfg(test)]
mod tests;
