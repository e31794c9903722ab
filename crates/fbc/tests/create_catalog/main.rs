//! The ways to create a catalog that the documents walk, in a shell, with fbc in opm's place.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

mod generated;
mod walks;
mod workplace;
