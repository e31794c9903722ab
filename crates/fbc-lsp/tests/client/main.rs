//! A client in memory: what an editor sees, message by message.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs,
    reason = "a test that cannot go on has failed"
)]

mod bursts;
mod catalogs;
mod completion;
mod harness;
mod other_files;
mod protocol;
