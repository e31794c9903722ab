//! The linter as other crates call it: one module per topic.

#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

mod budgets;
mod cases;
mod files;
mod fixes;
mod graph_texts;
mod opm_texts;
mod profiles;
mod schema;
mod sources;
mod statements;
