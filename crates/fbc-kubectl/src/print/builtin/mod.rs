//! The tables of built-in kinds, as the API server makes them.
//!
//! Source: `kubernetes/kubernetes:pkg/printers/internalversion/printers.go`, version 1.36, and the recorded tables.

mod batch;
mod cluster;
mod config;
mod network;
mod pod;
mod policy;
mod rbac;
mod requests;
mod storage;
mod workloads;

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use serde_json::Value;

use crate::age::age;

pub(crate) use cluster::node_roles;
pub(crate) use network::endpoints_text;

/// The table of a kind.
#[derive(Debug)]
pub(super) struct Definition {
    group: &'static str,
    pub(super) kind: &'static str,
    pub(super) columns: &'static [Column],
    /// The cells of one object, one for each column.
    pub(super) cells: fn(&Value, Moment) -> Vec<String>,
}

/// A column of a built-in table.
#[derive(Debug)]
pub(super) struct Column {
    pub(super) name: &'static str,
    /// Shown with `-o wide` only.
    pub(super) wide: bool,
}

const fn always(name: &'static str) -> Column {
    Column { name, wide: false }
}

const fn wide(name: &'static str) -> Column {
    Column { name, wide: true }
}

const TABLES: [&[Definition]; 10] = [
    batch::TABLES,
    cluster::TABLES,
    config::TABLES,
    network::TABLES,
    pod::TABLES,
    policy::TABLES,
    rbac::TABLES,
    requests::TABLES,
    storage::TABLES,
    workloads::TABLES,
];

/// The table of a built-in kind; most others show name and age.
pub(super) fn definition(group: &str, kind: &str) -> Option<&'static Definition> {
    TABLES.iter().flat_map(|tables| tables.iter()).find(|table| table.kind == kind && table.group == group)
}

/// The age of an object.
fn object_age(object: &Value, now: Moment) -> String {
    age(object.text(&["metadata", "creationTimestamp"]), now)
}

fn name(object: &Value) -> String {
    object.name().to_owned()
}

fn count(object: &Value, path: &[&str]) -> String {
    object.number(path).unwrap_or_default().to_string()
}

fn text_or(object: &Value, path: &[&str], default: &str) -> String {
    let text = object.text(path);
    if text.is_empty() { default.to_owned() } else { text.to_owned() }
}

/// A number or text, such as `2` or `50%`.
fn scalar(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// Texts of a list behind a path in each element, joined by commas.
fn joined(items: &[Value], path: &[&str]) -> String {
    items.iter().map(|item| item.text(path)).collect::<Vec<_>>().join(",")
}
