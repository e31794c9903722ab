//! The crate as others use it: one module per topic.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod candidates;
mod changes;
mod conflicts;
mod dependencies;
mod errors;
mod explanations;
mod harbor;
mod model;
mod recorded;
mod speed;
