//! Registries to test against.

mod debian;
mod habits;
mod server;

pub use debian::{Running, skopeo, start};
pub use habits::{Counts, Habits};
pub use server::*;
