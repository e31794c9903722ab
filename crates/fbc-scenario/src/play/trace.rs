//! The trace of a run, and its hash.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// What the lines of a trace add up to.
#[derive(Default)]
pub(super) struct Trace {
    pub(super) digest: Sha256,
    pub(super) lines: Vec<String>,
    pub(super) keep: bool,
}

impl Trace {
    pub(super) fn add(&mut self, entry: &Value) {
        let line = entry.to_string();
        self.digest.update(line.as_bytes());
        self.digest.update(b"\n");
        if self.keep {
            self.lines.push(line);
        }
    }
}
