//! The trace of a run: one JSON object for each change and each reconciliation, with a hash of the whole state.
//!
//! Two runs of the same scenario with the same seed give the same lines.

use std::collections::HashMap;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::Outcome;
use crate::api::ApiServer;
use crate::apply::Shown;
use crate::object::{Object, ObjectName};
use crate::store::{Change, ObjectKey};
use crate::time::Moment;

/// A line of a trace.
pub type TraceEntry = Value;

/// Receives the lines of a trace.
pub struct Tracer {
    sink: Box<dyn FnMut(&TraceEntry)>,
    start: Moment,
    state: u64,
    /// The hashes of the objects that are there.
    hashes: HashMap<ObjectKey, u64>,
}

impl Tracer {
    /// A trace that hands its lines to a function. Times count from `start`.
    pub fn new(start: Moment, sink: Box<dyn FnMut(&TraceEntry)>) -> Self {
        Self { sink, start, state: 0, hashes: HashMap::new() }
    }

    pub(super) fn reconciled(
        &mut self,
        now: Moment,
        controller: &str,
        request: &ObjectName,
        outcome: &Outcome,
    ) {
        let outcome = match outcome {
            Outcome::Done => json!("done"),
            Outcome::After(wait) => json!({"after_ms": wait}),
            Outcome::Routinely(wait) => json!({"routinely_ms": wait}),
            Outcome::Failed(error) | Outcome::FailedWithin(error, _) => json!({"failed": error}),
        };
        (self.sink)(&json!({
            "at_ms": now.since(self.start), "controller": controller, "request": request.to_string(), "outcome": outcome,
        }));
    }

    pub(super) fn changed(&mut self, now: Moment, change: &Change, api: &ApiServer) {
        // A sum of hashes does not depend on the order of objects, and is kept up without reading all of them again.
        let before = self.hashes.remove(&change.key);
        let before = before.or_else(|| change.before.as_ref().map(|object| hash(object)));
        self.state = self.state.wrapping_sub(before.unwrap_or_default());
        if let Some(object) = &change.after {
            let hash = hash(object);
            self.state = self.state.wrapping_add(hash);
            self.hashes.insert(change.key.clone(), hash);
        }
        let kind = api.registry().get(change.key.kind).map(|kind| kind.kind.as_str()).unwrap_or_default();
        let verb = match (&change.before, &change.after) {
            (None, _) => "added",
            (Some(_), Some(_)) => "modified",
            (Some(_), None) => "deleted",
        };
        (self.sink)(&json!({
            "at_ms": now.since(self.start), "change": verb, "kind": kind, "object": change.key.name.to_string(),
            "revision": change.revision, "state": format!("{:016x}", self.state),
        }));
    }
}

/// The hash of an object as the API shows it.
fn hash(object: &Object) -> u64 {
    // Writing to memory cannot fail.
    let text = serde_json::to_vec(&Shown(object)).unwrap_or_default();
    let digest = Sha256::digest(text);
    let first = digest.first_chunk::<8>().copied().unwrap_or_default();
    u64::from_be_bytes(first)
}
