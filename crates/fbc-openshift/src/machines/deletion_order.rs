//! Which machines of a set go first when it has too many.
//!
//! Source: `openshift/machine-api-operator:pkg/controller/machineset/delete_policy.go` (MA-13).

use std::sync::Arc;

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::{Moment, SECOND};

/// Annotations that put a machine first, if they have a value.
const MARKS: [&str; 2] =
    ["machine.openshift.io/delete-machine", "machine.openshift.io/cluster-api-delete-machine"];

/// How a set chooses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Machines without a node first, then any.
    Random,
    /// The newest first.
    Newest,
    /// The oldest first.
    Oldest,
}

/// A policy that does not exist.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unsupported delete policy {0}, must be one of 'Random', 'Newest', or 'Oldest'")]
pub struct UnknownPolicy(String);

impl Policy {
    /// Reads `spec.deletePolicy`; nothing means random.
    ///
    /// # Errors
    /// [`UnknownPolicy`]
    pub fn parse(text: &str) -> Result<Self, UnknownPolicy> {
        match text {
            "" | "Random" => Ok(Self::Random),
            "Newest" => Ok(Self::Newest),
            "Oldest" => Ok(Self::Oldest),
            other => Err(UnknownPolicy(other.to_owned())),
        }
    }

    /// How much a machine should go: 100 at most.
    pub fn priority(self, machine: &Object, now: Moment) -> f64 {
        let is_marked =
            MARKS.iter().any(|mark| machine.annotation(mark).is_some_and(|value| !value.is_empty()));
        let has_failed =
            ["errorReason", "errorMessage"].iter().any(|field| machine.at(&["status", field]).is_some());
        if machine.is_terminating() {
            return 100.0;
        }
        let goes_first = is_marked || has_failed;
        match self {
            Self::Random if goes_first => 50.0,
            Self::Random if machine.at(&["status", "nodeRef"]).is_none() => 40.0,
            Self::Random => 20.0,
            Self::Oldest | Self::Newest if goes_first => 100.0,
            Self::Oldest => weight_of_age(machine, now),
            Self::Newest => 100.0 - weight_of_age(machine, now),
        }
    }
}

/// From 0 for a new machine towards 50 for one that is years old.
fn weight_of_age(machine: &Object, now: Moment) -> f64 {
    const HUNDRED_DAYS: f64 = 8_640_000.0;
    let Some(created) = Moment::parse(machine.text(&["metadata", "creationTimestamp"])) else { return 0.0 };
    let seconds = u32::try_from(now.since(created) / SECOND).unwrap_or(u32::MAX);
    50.0 * (1.0 - (-f64::from(seconds) / HUNDRED_DAYS).exp())
}

/// The machines that go, of a list in the order of names. Machines that should go equally go by name.
pub fn choose(machines: &[Arc<Object>], count: usize, policy: Policy, now: Moment) -> Vec<Arc<Object>> {
    if count >= machines.len() {
        return machines.to_vec();
    }
    let mut order: Vec<&Arc<Object>> = machines.iter().collect();
    order.sort_by(|one, other| policy.priority(other, now).total_cmp(&policy.priority(one, now)));
    order.into_iter().take(count).cloned().collect()
}
