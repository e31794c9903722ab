//! The program as its users meet it: one module per topic.

#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test that cannot go on has failed"
)]

use fbc_testing::Fbc;

mod advice;
mod budgets;
mod cluster;
mod commands;
#[cfg(unix)]
mod completions;
#[cfg(unix)]
mod confinement;
mod create_catalog;
#[cfg(unix)]
mod doctor;
#[cfg(unix)]
mod documentation;
mod edit;
#[cfg(target_os = "linux")]
mod faults;
mod filter;
mod fix;
#[cfg(unix)]
mod git;
mod graph_output;
#[cfg(unix)]
mod hostile_names;
mod images;
mod lsp;
mod merge_driver;
mod migrate_to_v1;
mod output_schemas;
#[cfg(unix)]
mod permissions;
#[cfg(unix)]
mod pipelines;
mod policy;
mod query;
mod registry;
mod repository;
mod rule_cases;
mod sarif;
mod serve;
mod shards;
mod simulate;
mod statements;
mod streams;
mod templates;

/// The binary that is tested.
const FBC: &str = env!("CARGO_BIN_EXE_fbc");

/// A run of it.
fn fbc() -> Fbc {
    Fbc::at(FBC)
}
