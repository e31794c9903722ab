//! The crate as others use it: one module per topic.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

mod client;
mod edits;
