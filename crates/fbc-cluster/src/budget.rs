//! What a cluster may take: a few lines can ask for a million pods, or for a century.
//!
//! Everything is counted, nothing is timed, so that a run that is given up ends at the same point on any machine. Of clusters
//! that share work only their sum is the same everywhere: whether it is too much, but not where each of them ends.
//!
//! A run ends with its budget. A cluster that is served lives on ([`crate::api::ApiServer::outlive_budget`]): what is beyond
//! [`Budget::objects`] or [`Budget::bytes`] is refused, request by request, and [`Budget::writes`] and [`Budget::work`] are for
//! what is done until it comes to rest, which whoever serves it counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::Value;

use crate::error::{ApiError, Reason};

/// The JSON that a request for one object may have, as etcd takes it.
///
/// Source: `etcd-io/etcd:server/embed/config.go` (`DefaultMaxRequestBytes`).
pub const MOST_OBJECT_BYTES: u64 = 3 << 19;

/// An object has more JSON than [`MOST_OBJECT_BYTES`], in etcd's words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("etcdserver: request is too large")]
pub struct TooLarge;

impl From<TooLarge> for ApiError {
    fn from(error: TooLarge) -> Self {
        Self::other(Reason::InternalError, error.to_string())
    }
}

/// What a cluster may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Objects that there are at a time.
    pub objects: u64,
    /// The memory that these objects hold, in bytes, as far as it can be told from their values.
    pub bytes: u64,
    /// Writes of objects.
    pub writes: u64,
    /// Work: objects that are looked at, [`WORK_OF_A_STEP`] for each thing that a controller does, and
    /// [`WORK_OF_A_WRITE`] for each write.
    pub work: u64,
}

/// What one reconciliation counts for besides the objects that it looks at.
pub const WORK_OF_A_STEP: u64 = 50;

/// What one write counts for.
pub const WORK_OF_A_WRITE: u64 = 50;

impl Budget {
    /// Enough for thousands of pods and days of trouble, and done in seconds.
    pub const USUAL: Self = Self { objects: 20_000, bytes: 192 << 20, writes: 200_000, work: 8_000_000 };

    /// No budget at all, for tests and for callers that choose themselves what a cluster is asked for.
    pub const UNLIMITED: Self = Self { objects: u64::MAX, bytes: u64::MAX, writes: u64::MAX, work: u64::MAX };
}

impl Default for Budget {
    fn default() -> Self {
        Self::USUAL
    }
}

/// Work that several clusters do, counted together: [`Budget::work`] of each holds for the sum.
#[derive(Debug, Clone, Default)]
pub struct SharedWork(Arc<AtomicU64>);

impl SharedWork {
    /// All work that was counted.
    pub fn total(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Adds work; answers with all that there is.
    pub(crate) fn add(&self, units: u64) -> u64 {
        self.0.fetch_add(units, Ordering::Relaxed).saturating_add(units)
    }
}

/// A budget that is used up, and what it allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Exhausted {
    /// [`Budget::objects`]
    #[error("the cluster has more than {0} objects")]
    Objects(u64),
    /// [`Budget::bytes`]
    #[error("the objects of the cluster hold more than {0} bytes")]
    Bytes(u64),
    /// [`Budget::writes`]
    #[error("the cluster takes more than {0} writes")]
    Writes(u64),
    /// [`Budget::work`]
    #[error("the controllers of the cluster do more than {0} units of work")]
    Work(u64),
}

impl Exhausted {
    /// The name of the budget, as users know it.
    pub fn limit(self) -> &'static str {
        match self {
            Self::Objects(_) => "cluster-objects",
            Self::Bytes(_) => "cluster-bytes",
            Self::Writes(_) => "cluster-writes",
            Self::Work(_) => "cluster-work",
        }
    }

    /// What is said to a client: deleting something makes room for objects, and waiting makes none.
    pub fn refusal(self) -> ApiError {
        let (reason, remedy) = match self {
            Self::Objects(_) | Self::Bytes(_) => (Reason::InsufficientStorage, "delete some"),
            Self::Writes(_) | Self::Work(_) => (Reason::TooManyRequests, "try again later"),
        };
        let limit = self.limit();
        let text = format!("{self}: {remedy}, or start it with `--limit {limit}=N` to allow more");
        let mut error = ApiError::other(reason, text);
        error.details.retry_after = (reason == Reason::TooManyRequests).then_some(1);
        error
    }
}

/// What a value takes as JSON, and in memory.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Size {
    /// Bytes of compact JSON, but for escapes.
    pub(crate) json: u64,
    /// Bytes of memory: a map has room for eleven members at a time.
    pub(crate) memory: u64,
}

/// The memory of a node of a map, and how many members it holds on the average.
const NODE: (u64, u64) = (640, 8);

impl Size {
    pub(crate) fn of(value: &Value) -> Self {
        let mut size = Self::default();
        size.add(value);
        size
    }

    fn add(&mut self, value: &Value) {
        match value {
            Value::Null | Value::Bool(_) | Value::Number(_) => self.json += 4,
            Value::String(text) => {
                self.json += text.len() as u64 + 2;
                self.memory += text.len() as u64;
            }
            Value::Array(items) => {
                self.json += items.len() as u64 + 2;
                self.memory += items.len() as u64 * size_of::<Value>() as u64;
                items.iter().for_each(|item| self.add(item));
            }
            Value::Object(members) => {
                self.json += 2;
                self.memory += (members.len() as u64).div_ceil(NODE.1) * NODE.0;
                for (key, member) in members {
                    self.json += key.len() as u64 + 4;
                    self.memory += key.len() as u64;
                    self.add(member);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::api::{ApiServer, Caller, WriteOptions};
    use crate::control_plane;
    use crate::time::Moment;

    fn server() -> ApiServer {
        control_plane::api_server(&[], 1, Moment::START)
    }

    fn map(number: u64, text: &str) -> Value {
        json!({
            "apiVersion": "v1", "kind": "ConfigMap", "data": {"a": text},
            "metadata": {"name": format!("map-{number}"), "namespace": "default"},
        })
    }

    /// Creates objects until the server refuses one; how many there were, and why it refused.
    fn fill(budget: Budget, text: &str) -> (u64, Option<Exhausted>) {
        let mut api = server();
        api.set_budget(budget);
        for number in 0..1_000 {
            let created =
                api.create(&Caller::administrator("test"), map(number, text), WriteOptions::default());
            if let Err(error) = created {
                let expected = api.exhausted().map(Exhausted::refusal);
                assert_eq!(Some(error), expected);
                return (number, api.exhausted());
            }
        }
        (1_000, api.exhausted())
    }

    #[test]
    fn each_budget_ends_writing() {
        let unlimited = Budget::UNLIMITED;
        let (all, exhausted) = fill(unlimited, "");
        assert_eq!((all, exhausted), (1_000, None));
        let present = server().store().len() as u64;
        let budget = Budget { objects: present + 10, ..unlimited };
        assert_eq!(fill(budget, ""), (10, Some(Exhausted::Objects(present + 10))));
        let revision = server().store().revision();
        let budget = Budget { writes: revision + 7, ..unlimited };
        assert_eq!(fill(budget, ""), (7, Some(Exhausted::Writes(revision + 7))));
        let budget = Budget { bytes: 8 << 20, ..unlimited };
        let (count, exhausted) = fill(budget, &"x".repeat(1 << 20));
        assert_eq!((count, exhausted), (7, Some(Exhausted::Bytes(8 << 20))));
    }

    #[test]
    fn one_object_may_be_as_large_as_etcd_takes() {
        let mut api = server();
        let mut object = map(0, "");
        object["apiVersion"] = "apps/v1".into();
        object["kind"] = "ControllerRevision".into();
        object["revision"] = 1.into();
        object["data"] = json!({"a": "x".repeat(2 << 20)});
        let refused = api.create(&Caller::administrator("test"), object, WriteOptions::default());
        let error = refused.expect_err("too large");
        assert_eq!(error.message, "etcdserver: request is too large");
        // That is a fault of the request, not the end of the cluster.
        assert_eq!(api.exhausted(), None);
    }

    #[test]
    fn sizes_follow_the_values() {
        let small = Size::of(&json!({"a": [1, "b"]}));
        assert_eq!(small.json, 2 + 5 + 4 + 4 + 3);
        assert!(small.memory > NODE.0 && small.memory < 2 * NODE.0);
    }
}
