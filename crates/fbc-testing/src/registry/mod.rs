//! Registries to test against.

mod debian;
mod server;

pub use debian::{Running, skopeo, start};
pub use server::*;
