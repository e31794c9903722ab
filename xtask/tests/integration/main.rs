//! Tasks as a developer runs them: one module per topic.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod dist;
