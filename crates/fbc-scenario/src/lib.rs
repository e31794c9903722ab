//! Scenarios: what happens to a cluster, step by step, and what is expected of it.
//!
//! [`Scenario::read`] reads a file, [`Prepared::new`] reads what the file names and checks everything that can be
//! checked before a run, and [`play`] runs it. Nothing here touches the disk: manifests come through a
//! [`fbc_model::tree::Tree`], catalogs and bundles are found by the caller and handed in as [`Contents`].
//!
//! Same scenario, same seed: same [`Run`], to the hash of its trace.

mod duration;
mod extension;
mod fault;
pub mod installed;
mod kinds;
mod model;
mod obstacles;
mod pattern;
mod play;
mod prepare;
mod read;
pub mod replay;
mod setting;
pub mod trial;
pub mod upgrade;

pub use duration::{DURATION_FORM, duration_text, parse_duration};
pub use fault::{Place, ScenarioFault};
pub use model::*;
pub use obstacles::{Obstacle, obstacles};
pub use pattern::{Pattern, prints_as_expected};
pub use play::{
    ExpectationResult, Happening, Options, Run, Session, StepResult, TimelineEntry, Verdict, play,
};
pub use prepare::{Contents, Prepared};
pub use read::is_statement_id;
pub use setting::{Printed, Servers};
