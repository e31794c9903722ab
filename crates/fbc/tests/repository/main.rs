//! Commands that work at the root of a repository, in copies of the repositories in `testdata`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod comparison;
mod generate;
mod lifecycle;
#[cfg(unix)]
mod links;
mod pin;
mod release;
mod sample;
