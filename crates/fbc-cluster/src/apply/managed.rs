//! `metadata.managedFields`: who wrote which field last.
//!
//! Sources: `kubernetes/apimachinery:pkg/util/managedfields/internal/{managedfields,managedfieldsupdater,stripmeta,
//! skipnonapplied,capmanagers}.go`, `kubernetes-sigs/structured-merge-diff:merge/update.go`.

use std::fmt;

use serde_json::{Map, Value};

use super::compare::{Differences, differences};
use super::field_set::FieldSet;
use super::fields::{Cut, Fields};
use super::shape::Shape;
use crate::object::{Object, ObjectFields};
use crate::time::Moment;

/// How many entries of operation `Update` an object keeps; the oldest are joined.
const MOST_UPDATERS: usize = 10;

/// The manager of entries that were joined because there were too many.
const ANCIENT: &str = "ancient-changes";

/// Fields whose owner is of no interest.
pub(super) const WITHOUT_OWNER: [&[&str]; 10] = [
    &["f:apiVersion"],
    &["f:kind"],
    &["f:metadata", "f:name"],
    &["f:metadata", "f:namespace"],
    &["f:metadata", "f:creationTimestamp"],
    &["f:metadata", "f:selfLink"],
    &["f:metadata", "f:uid"],
    &["f:metadata", "f:generation"],
    &["f:metadata", "f:managedFields"],
    &["f:metadata", "f:resourceVersion"],
];

/// A write to an object.
#[derive(Debug, Clone, Copy)]
pub struct Write<'w> {
    /// Who writes (`fieldManager`).
    pub manager: &'w str,
    /// Empty, or what is written to, such as `status`.
    pub subresource: &'w str,
    /// When.
    pub time: Moment,
    /// Fields that such a write cannot change, from [`ignored_fields`].
    pub ignored: &'static [&'static [&'static str]],
}

/// The fields that a write cannot change: `status` unless it goes to `status`, and everything else if it does.
pub fn ignored_fields(has_status: bool, subresource: &str) -> &'static [&'static [&'static str]] {
    match subresource {
        "" if has_status => &[&["f:status"]],
        "status" => &[&["f:metadata"], &["f:spec"]],
        _ => &[],
    }
}

/// Whose entry of `managedFields` it is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Manager {
    /// The name.
    pub name: String,
    /// `Apply` or `Update`.
    pub operation: Operation,
    /// The version through which it wrote. All configurations of an applier are one entry, whatever their version.
    pub api_version: String,
    /// Empty, or what was written to, such as `status`.
    pub subresource: String,
}

/// How a manager writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operation {
    /// Server-side apply.
    Apply,
    /// Everything else.
    Update,
}

impl Operation {
    pub(super) fn of(name: &str) -> Self {
        if name == "Apply" { Self::Apply } else { Self::Update }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Apply => "Apply",
            Self::Update => "Update",
        }
    }
}

/// `"edit" with subresource "status" using apps/v1`, as conflicts name a manager.
impl fmt::Display for Manager {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}", self.name)?;
        if !self.subresource.is_empty() {
            write!(formatter, " with subresource {:?}", self.subresource)?;
        }
        if self.operation == Operation::Update {
            write!(formatter, " using {}", self.api_version)?;
        }
        Ok(())
    }
}

/// An entry of `managedFields`.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) manager: Manager,
    pub(super) fields: Fields,
    /// As it is written; `None` before the entry changed anything.
    pub(super) time: Option<String>,
}

/// All entries of an object.
#[derive(Debug, Clone, Default)]
pub(super) struct Managed(pub(super) Vec<Entry>);

impl Managed {
    pub(super) fn find(&self, manager: &Manager) -> Option<&Entry> {
        self.0.iter().find(|entry| entry.is_of(manager))
    }

    /// The entry of a manager, made if it is not there.
    pub(super) fn entry(&mut self, manager: Manager) -> &mut Entry {
        let index = self.0.iter().position(|entry| entry.is_of(&manager)).unwrap_or_else(|| {
            self.0.push(Entry { manager, fields: Fields::default(), time: None });
            self.0.len() - 1
        });
        &mut self.0[index]
    }

    /// Forgets entries without fields.
    pub(super) fn drop_empty(&mut self) {
        self.0.retain(|entry| !entry.fields.is_empty());
    }

    /// Joins the oldest entries of operation `Update` until there are few enough.
    fn cap(&mut self) {
        let is_update = |entry: &Entry| entry.manager.operation == Operation::Update;
        let mut surplus =
            self.0.iter().filter(|entry| is_update(entry)).count().saturating_sub(MOST_UPDATERS);
        if surplus == 0 {
            return;
        }
        let mut oldest: Vec<Entry> = self.0.iter().filter(|entry| is_update(entry)).cloned().collect();
        oldest.sort_by(|one, other| (&one.time, &one.manager).cmp(&(&other.time, &other.manager)));
        let mut first_of_version: Vec<Entry> = Vec::new();
        for entry in oldest {
            if surplus == 0 {
                break;
            }
            let version = entry.manager.api_version.clone();
            let first = first_of_version.iter().position(|first| first.manager.api_version == version);
            let Some(first) = first else {
                first_of_version.push(entry);
                continue;
            };
            let first = &first_of_version[first];
            let bucket =
                Manager { name: ANCIENT.to_owned(), subresource: String::new(), ..entry.manager.clone() };
            let (fields, time) = (first.fields.clone(), entry.time.clone());
            let joined = [first.manager.clone(), entry.manager.clone()];
            self.0.retain(|other| other.manager == bucket || !joined.contains(&other.manager));
            let into = self.entry(bucket);
            into.fields.add(&fields);
            into.fields.add(&entry.fields);
            into.time = time;
            surplus -= 1;
        }
    }
}

impl Entry {
    pub(super) fn of(mut entry: Value) -> Self {
        Self {
            manager: Manager {
                name: entry.text(&["manager"]).to_owned(),
                operation: Operation::of(entry.text(&["operation"])),
                api_version: entry.text(&["apiVersion"]).to_owned(),
                subresource: entry.text(&["subresource"]).to_owned(),
            },
            time: entry.get("time").and_then(Value::as_str).map(str::to_owned),
            fields: FieldSet::from_json(entry.remove(&["fieldsV1"]).unwrap_or_default()).into(),
        }
    }

    /// Whether the entry is that of a manager; appliers have one entry for all versions.
    fn is_of(&self, manager: &Manager) -> bool {
        let own = &self.manager;
        own.name == manager.name
            && own.operation == manager.operation
            && own.subresource == manager.subresource
            && (own.operation == Operation::Apply || own.api_version == manager.api_version)
    }

    pub(super) fn order(&self) -> (Operation, &Option<String>, &str, &str, &str) {
        let manager = &self.manager;
        (manager.operation, &self.time, &manager.name, &manager.api_version, &manager.subresource)
    }
}

/// Takes away fields whose owner is of no interest, and those that the write cannot change.
pub(super) fn strip(fields: &mut FieldSet, ignored: &[&[&str]]) {
    for path in WITHOUT_OWNER.iter().chain(ignored) {
        fields.subtract_below(path);
    }
    // `metadata` itself is always there.
    fields.subtract(&FieldSet::from_json(serde_json::json!({"f:metadata": {}})));
}

/// Writes down who owns the fields that a write other than server-side apply changes.
///
/// `old` is the stored object, absent for one that is created; `new` is what will be stored. Entries that `new` brings
/// along count (a client may edit them; `[{}]` drops all), unless the write goes to a subresource; else those of `old`
/// do. An object that was written without any owners stays without until somebody applies to it.
///
/// True if the write was found to change fields; false does not say that it changes none.
pub fn record_update(old: Option<&Object>, new: &mut Object, write: &Write<'_>, shape: &Shape) -> bool {
    let from_client = new.remove(&["metadata", "managedFields"]).unwrap_or_default();
    if let [only] = from_client.as_array().map(Vec::as_slice).unwrap_or_default()
        && only.as_object().is_some_and(Map::is_empty)
    {
        return false;
    }
    let sent = if old.is_none() || write.subresource.is_empty() {
        Managed::read(&from_client)
    } else {
        Managed::default()
    };
    let mut managed = match old {
        Some(old) if sent.0.is_empty() => Managed::of(old),
        _ => sent,
    };
    if old.is_some() && managed.0.is_empty() {
        return false;
    }
    let Differences { changed, removed } = differences(old.or(shape.empty()), new, write.ignored, shape);
    for cut in [Cut::of(&changed), Cut::of(&removed)] {
        managed.0.iter_mut().for_each(|entry| cut.apply(&mut entry.fields));
    }
    if !changed.is_empty() {
        let manager = Manager {
            name: write.manager.to_owned(),
            operation: Operation::Update,
            api_version: new.api_version().to_owned(),
            subresource: write.subresource.to_owned(),
        };
        let entry = managed.entry(manager);
        entry.fields.add(&changed);
        entry.time = Some(write.time.to_string());
    }
    managed.drop_empty();
    managed.cap();
    managed.write_to(new);
    !changed.is_empty() || !removed.is_empty()
}
