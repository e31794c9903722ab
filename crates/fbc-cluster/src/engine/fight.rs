//! Finds controllers that undo each other's work without end.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use serde_json::Value;

use crate::apply::managers;
use crate::object::ObjectFields;
use crate::store::{Change, ObjectKey};
use crate::time::{Milliseconds, Moment, SECOND};

/// The span in which writes are counted.
const WINDOW: Milliseconds = 10 * SECOND;
/// So many writes of one object in a span are looked at more closely: a count that rises with a thousand pods is work,
/// a state that comes back is not.
const SUSPICIOUS: u32 = 250;
/// So often a state may come back after that.
const TOO_MANY: u32 = 250;

/// An object that is written over and over.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Fight {
    /// The objects, as `Kind namespace/name`, with the managers of their last writes and how often they were written.
    pub objects: Vec<(String, Vec<String>, u32)>,
    /// When the span began.
    pub since: Moment,
}

impl fmt::Display for Fight {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "endless reconciliation: since {} controllers keep rewriting", self.since)?;
        for (index, (object, managers, writes)) in self.objects.iter().enumerate() {
            let separator = if index == 0 { " " } else { ", " };
            write!(formatter, "{separator}{object} ({writes} times, by {})", managers.join(" and "))?;
        }
        Ok(())
    }
}

#[derive(Debug)]
struct Count {
    writes: u32,
    /// What the object was like since it is looked at closely.
    states: HashSet<u64>,
    returns: u32,
    object: String,
    managers: Vec<String>,
}

/// Counts writes.
#[derive(Debug, Default)]
pub(super) struct Watcher {
    since: Option<Moment>,
    counts: HashMap<ObjectKey, Count>,
    is_fight: bool,
}

impl Watcher {
    /// Counts a write.
    pub(super) fn count(&mut self, change: &Change, now: Moment) {
        let since = *self.since.get_or_insert(now);
        if now.since(since) >= WINDOW {
            self.counts.clear();
            self.since = Some(now);
        }
        let (Some(object), Some(_)) = (&change.after, &change.before) else { return };
        let count = self.counts.entry(change.key.clone()).or_insert_with(|| Count {
            writes: 0,
            states: HashSet::new(),
            returns: 0,
            object: String::new(),
            managers: Vec::new(),
        });
        count.writes += 1;
        if count.writes <= SUSPICIOUS {
            return;
        }
        if count.object.is_empty() {
            count.object = format!("{} {}", object.kind(), change.key.name);
        }
        if !count.states.insert(state(object)) {
            count.returns += 1;
            self.is_fight |= count.returns > TOO_MANY;
        }
        for manager in managers(object) {
            if !count.managers.contains(&manager) {
                count.managers.push(manager);
            }
        }
    }

    /// Reports a fight, if there is one.
    pub(super) fn check(&mut self, now: Moment) -> Result<(), Fight> {
        if !self.is_fight {
            return Ok(());
        }
        let mut counts: Vec<_> =
            self.counts.iter().filter(|(_, count)| count.returns > TOO_MANY / 2).collect();
        counts.sort_by_key(|(key, _)| *key);
        let objects = counts
            .into_iter()
            .map(|(_, count)| (count.object.clone(), count.managers.clone(), count.writes))
            .collect();
        let fight = Fight { objects, since: self.since.unwrap_or(now) };
        self.is_fight = false;
        self.counts.clear();
        Err(fight)
    }
}

/// A number for what an object says, without what counts its writes.
fn state(object: &Value) -> u64 {
    fn add(value: &Value, hasher: &mut DefaultHasher) {
        match value {
            Value::Object(members) => {
                for (key, member) in members {
                    if !["resourceVersion", "generation", "observedGeneration", "managedFields"]
                        .contains(&key.as_str())
                    {
                        key.hash(hasher);
                        add(member, hasher);
                    }
                }
            }
            Value::Array(items) => {
                items.len().hash(hasher);
                items.iter().for_each(|item| add(item, hasher));
            }
            scalar => scalar.to_string().hash(hasher),
        }
    }
    let mut hasher = DefaultHasher::new();
    add(object, &mut hasher);
    hasher.finish()
}
