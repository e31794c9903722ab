//! Finds controllers that undo each other's work without end.

use std::collections::BTreeMap;
use std::fmt;

use crate::object::ObjectFields;
use crate::store::{Change, ObjectKey};
use crate::time::{Milliseconds, Moment, SECOND};

/// The span in which writes are counted.
const WINDOW: Milliseconds = 10 * SECOND;
/// So many writes of one object in a span are no work any more.
const TOO_MANY: u32 = 500;

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
    object: String,
    managers: Vec<String>,
}

/// Counts writes.
#[derive(Debug, Default)]
pub(super) struct Watcher {
    since: Option<Moment>,
    counts: BTreeMap<ObjectKey, Count>,
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
            object: format!("{} {}", object.kind(), change.key.name),
            managers: Vec::new(),
        });
        count.writes += 1;
        if count.writes > TOO_MANY / 2 {
            self.is_fight |= count.writes > TOO_MANY;
            for entry in object.list(&["metadata", "managedFields"]) {
                let manager = entry.text(&["manager"]);
                if !count.managers.iter().any(|one| one == manager) {
                    count.managers.push(manager.to_owned());
                }
            }
        }
    }

    /// Reports a fight, if there is one.
    pub(super) fn check(&mut self, now: Moment) -> Result<(), Fight> {
        if !self.is_fight {
            return Ok(());
        }
        let objects = self
            .counts
            .values()
            .filter(|count| count.writes > TOO_MANY / 2)
            .map(|count| (count.object.clone(), count.managers.clone(), count.writes))
            .collect();
        let fight = Fight { objects, since: self.since.unwrap_or(now) };
        self.is_fight = false;
        self.counts.clear();
        Err(fight)
    }
}
