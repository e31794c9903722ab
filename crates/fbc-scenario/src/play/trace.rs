//! The trace of a run, and its hash.

use serde_json::Value;
use sha2::{Digest, Sha256};

/// The hash of a trace, and its lines if they are kept.
#[derive(Default)]
pub(super) struct Trace {
    digest: Sha256,
    lines: Vec<String>,
    keep: bool,
}

impl Trace {
    /// A trace without lines yet; `keep` says whether they are kept.
    pub(super) fn new(keep: bool) -> Self {
        Self { keep, ..Self::default() }
    }

    /// The hash in hexadecimal, and the lines.
    pub(super) fn finish(self) -> (String, Vec<String>) {
        let hash = self.digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        (hash, self.lines)
    }

    pub(super) fn add(&mut self, entry: &Value) {
        let line = entry.to_string();
        self.digest.update(line.as_bytes());
        self.digest.update(b"\n");
        if self.keep {
            self.lines.push(line);
        }
    }
}
