//! Plays recordings of the real controllers: the same objects at the start, the same things that happen from outside,
//! and a comparison of the whole state whenever the recording rests.
//!
//! Requests take no time here and some milliseconds there, so times may be off by a second, and by as much more as there
//! were requests before. Nothing else is tolerated but the noise that the recordings name.

mod agents;
mod case;
mod comparison;
mod projection;
mod world;

use fbc_cluster::time::{Milliseconds, Moment};
use serde_json::Value;

use crate::Verdict;
use case::Case;

/// A moment of a recording, in milliseconds since its start.
pub(crate) type Time = i64;

/// Something that differs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    /// When, in milliseconds since the start.
    pub(crate) at: Time,
    /// Which object, or which event.
    pub(crate) subject: String,
    /// Our value and theirs, in words.
    pub(crate) text: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} ms, {}: {}", self.at, self.subject, self.text)
    }
}

/// Which controllers a recording is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Suite {
    /// Node controller and drain controller of the Machine Config Operator.
    MachineConfig,
    /// Machine, drain, set, health check and node link controllers.
    Machines,
    /// The controllers of [`Suite::Machines`] on a real API server, in real time.
    RealMachines,
    /// The control plane machine set.
    ControlPlane,
}

/// Plays a recorded case.
pub(crate) fn verdict(case: &Value) -> Verdict {
    let case = Case::read(case).ok_or("is not a case of the Machine API or the Machine Config Operator")?;
    crate::difference::several(play(&case).iter().map(ToString::to_string).collect())
}

/// Plays a case and answers with everything that differs.
fn play(case: &Case) -> Vec<Difference> {
    let mut world = world::World::new(case);
    world.settle();
    let mut differences = Vec::new();
    let mut inputs = case.inputs().peekable();
    for sample in case.samples() {
        while let Some((at, input)) = inputs.next_if(|(at, _)| *at <= sample) {
            // What happens from outside comes before what is due at the same moment, since that takes some requests.
            if world.now() < at {
                world.run_until(at - 1);
                world.advance_to(at);
            }
            if let Err(error) = world.apply(case, &input) {
                differences.push(Difference { at, subject: "input".to_owned(), text: error.to_string() });
            }
        }
        world.run_until(sample);
        differences.extend(world.compare(case, sample));
    }
    differences
}

/// The moment that a time of a recording stands for here.
pub(crate) fn moment(at: Time) -> Moment {
    let zero = Moment::START + ZERO;
    let span = at.unsigned_abs();
    if at < 0 { zero - span } else { zero + span }
}

/// How long before a recording the oldest object may have been made.
const ZERO: Milliseconds = 400 * 24 * fbc_cluster::time::HOUR;
