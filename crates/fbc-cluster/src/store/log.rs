//! The last changes, for watches that resume.

use std::collections::VecDeque;
use std::sync::Arc;

use super::ObjectKey;
use crate::object::Object;

/// What a watch reports.
#[derive(Debug, Clone)]
pub struct Change {
    /// The resource version that the write got.
    pub revision: u64,
    /// The object.
    pub key: ObjectKey,
    /// The object before, unless it is new.
    pub before: Option<Arc<Object>>,
    /// The object after, unless it is gone.
    pub after: Option<Arc<Object>>,
}

impl Change {
    /// The object as it is now, or as it was last.
    pub fn latest(&self) -> Option<&Arc<Object>> {
        self.after.as_ref().or(self.before.as_ref())
    }
}

/// How many changes are kept for watches that resume.
pub(super) const KEPT_CHANGES: usize = 10_000;
/// How much memory the objects of these changes may hold, as far as it can be told.
pub(super) const KEPT_BYTES: u64 = 64 << 20;

/// The last changes, oldest first.
#[derive(Debug, Clone, Default)]
pub(super) struct ChangeLog {
    /// Each with the memory of its object.
    changes: VecDeque<(Change, u64)>,
    /// The memory of all of them.
    bytes: u64,
}

impl ChangeLog {
    /// Adds a change whose object holds so much memory; the oldest ones go where there are too many.
    pub(super) fn push(&mut self, change: Change, memory: u64) {
        self.changes.push_back((change, memory));
        self.bytes += memory;
        while self.changes.len() > KEPT_CHANGES || (self.bytes > KEPT_BYTES && self.changes.len() > 1) {
            let Some((_, memory)) = self.changes.pop_front() else { break };
            self.bytes -= memory;
        }
    }

    /// The changes after a resource version, where the present one is `current`; `None` if they are forgotten.
    pub(super) fn since(&self, revision: u64, current: u64) -> Option<impl Iterator<Item = &Change>> {
        let oldest = self.changes.front().map_or(current + 1, |(change, _)| change.revision);
        if revision + 1 < oldest && revision < current {
            return None;
        }
        let start = self.changes.partition_point(|(change, _)| change.revision <= revision);
        Some(self.changes.range(start..).map(|(change, _)| change))
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.changes.len()
    }

    /// The memory that they hold.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }
}
