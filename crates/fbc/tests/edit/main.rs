//! `fbc add` and `fbc deprecate` on copies of catalogs: what is written, and what the statements of the
//! documentation ask for.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod additions;
mod files;
mod sample;
