//! What clients are warned of whose requests are otherwise answered.

use std::cell::Cell;

/// So many warnings wait at most for somebody who takes them: nobody takes those of controllers before the next request
/// of a client.
const MOST: usize = 1000;

/// Warnings, each once.
#[derive(Default)]
pub(super) struct Warnings(Cell<Vec<String>>);

impl Warnings {
    /// Adds warnings.
    pub(super) fn add(&self, new: Vec<String>) {
        if new.is_empty() {
            return;
        }
        let mut all = self.0.take();
        for text in new {
            if all.len() < MOST && !all.contains(&text) {
                all.push(text);
            }
        }
        self.0.set(all);
    }

    /// All warnings; none are left.
    pub(super) fn take(&self) -> Vec<String> {
        self.0.take()
    }
}
