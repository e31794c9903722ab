//! Reports that are one JSON object with a list: findings, and what simulations write.

use serde_json::Value;

use super::object::{How, Object};
use super::{MergeError, Merged, Part};

/// The field of a shard that says how many items the whole shows.
const LIMIT: &str = "maxFindings";

/// A kind of report: what it is known by, and what is wrong in it.
pub(super) struct Kind {
    /// How it is called in errors.
    pub(super) name: &'static str,
    /// The list that makes it up.
    list: &'static str,
    /// Another list that it may have.
    second: Option<&'static str>,
    /// The object with its counts.
    counts: Option<&'static str>,
    /// Whether an item of the list fails the command.
    fails: fn(&Value) -> bool,
}

/// All kinds, the more special ones first.
pub(super) static KINDS: [Kind; 6] = [
    Kind {
        name: "findings",
        list: "findings",
        second: Some("waived"),
        counts: Some("summary"),
        fails: |finding| finding["severity"] == "error",
    },
    Kind {
        name: "upgrades",
        list: "upgrades",
        second: None,
        counts: None,
        fails: |row| {
            let can_run = row["cannot_run"].as_array().is_none_or(Vec::is_empty);
            row["success"] != true || !row["kept_by"].is_null() || !can_run
        },
    },
    Kind {
        name: "clusters",
        list: "clusters",
        second: None,
        counts: None,
        fails: |row| row["success"] != true,
    },
    Kind {
        name: "installations",
        list: "trials",
        second: None,
        counts: None,
        fails: |row| row["verdict"] != "installs",
    },
    Kind {
        name: "searches for seeds",
        list: "searches",
        second: None,
        counts: None,
        fails: |row| !row["failed"].is_null(),
    },
    Kind {
        name: "runs of scenarios",
        list: "runs",
        second: None,
        counts: None,
        fails: |row| row["success"] != true,
    },
];

impl Kind {
    /// The kind of an object.
    pub(super) fn from_object(object: &Object) -> Option<&'static Self> {
        KINDS.iter().find(|kind| object.get(kind.list).is_some())
    }

    /// One report of several.
    pub(super) fn merge(&self, parts: &[Part<Object>]) -> Result<Merged, MergeError> {
        let objects: Vec<Object> = parts.iter().map(|part| part.content.clone()).collect();
        let limits = objects.iter().filter_map(|object| serde_json::from_str(object.get(LIMIT)?.get()).ok());
        let limit = limits.min().unwrap_or(usize::MAX);
        let merged = Object::merge(&objects, &|key| match key {
            "shard" | LIMIT => How::Leave,
            key if key == self.list => How::First(limit),
            key if Some(key) == self.second => How::Concatenate,
            key if Some(key) == self.counts => How::AddUp,
            _ => How::Agree,
        })?;
        let field = |key: &str| -> Result<Value, MergeError> {
            let text = merged.get(key).map_or("null", |value| value.get());
            Ok(serde_json::from_str(text)?)
        };
        let counts = self.counts.map_or(Ok(Value::Null), field)?;
        let has_errors = match counts["errors"].as_u64() {
            Some(errors) => errors > 0,
            None => field(self.list)?.as_array().is_some_and(|rows| rows.iter().any(self.fails)),
        };
        let mut text = serde_json::to_string_pretty(&merged)?;
        text.push('\n');
        Ok(Merged {
            text,
            has_errors,
            has_warnings: counts["warnings"].as_u64().is_some_and(|count| count > 0),
        })
    }
}
