//! The fbc command: arguments, wiring and words. Nothing below this crate prints.
//!
//! | where | what |
//! |---|---|
//! | `arguments`, `command`, `command_groups`, `examples`, `completion` | the command line and its commands, which do not use each other |
//! | `opm` | what opm's command line does, under its name |
//! | `settings`, `limits`, `variables`, `host` | what holds for a whole run: flags, budgets, the environment, and what use cases find around them |
//! | `input`, `registry`, `policy_arguments`, `build_arguments` and the like | flags that several commands have |
//! | `report`, `fixing`, `filter_words`, `image_words` | findings and changes, and how they are said |
//! | `output`, `rendering`, `edit_outcome`, `simulation_text` | what is written, and its words |
//! | `serve`, `language_server` | what goes on running |
//!
//! What a command finds out is a use case of `fbc-app` or `fbc-simulation`.

// What only commands use that are left out is not worth a condition each; the build with all features watches for dead code.
#![cfg_attr(
    not(all(
        feature = "cluster",
        feature = "graphql",
        feature = "lsp",
        feature = "query",
        feature = "sign"
    )),
    allow(dead_code, unused_imports)
)]

mod arguments;
#[cfg(feature = "registry")]
mod build_arguments;
#[cfg(feature = "registry")]
mod cache_folder;
#[cfg(feature = "sign")]
mod certificate_arguments;
mod clock;
mod command;
mod command_groups;
mod completion;
mod edit_outcome;
mod examples;
mod failure;
mod filter_words;
mod fixing;
mod graph_arguments;
mod host;
mod image_evidence;
mod image_map;
#[cfg(feature = "registry")]
mod image_words;
mod input;
#[cfg(feature = "lsp")]
mod language_server;
pub mod limits;
mod opm;
mod output;
mod package_argument;
mod policy_arguments;
mod progress;
#[cfg(feature = "query")]
mod query_guard;
mod registry;
mod rendering;
mod report;
mod runtime;
mod scratch;
#[cfg(feature = "serve")]
mod serve;
#[cfg(feature = "registry")]
mod server_arguments;
mod settings;
mod shard;
#[cfg(feature = "cluster")]
mod simulation_text;
mod terminal;
mod usage_advice;
pub mod variables;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

pub use arguments::command_line;
pub use command_groups::{COMMAND_GROUPS, CommandGroup};

/// Why a command line of opm, without the name of the program, is not understood; nothing if it is.
#[must_use]
pub fn objection_to_opm(words: &[String]) -> Option<String> {
    opm::objection(words)
}

/// Runs a command line, the name of the program first. Under the name `opm` it is opm's.
#[must_use]
pub fn run(arguments: Vec<OsString>) -> ExitCode {
    if let Err(error) = fbc_staging::exit_on_signals() {
        return failure::Failure::new(format!("the system does not take handlers of signals: {error}"))
            .report();
    }
    let exit = runtime::on_large_stack(move |workers| {
        if is_opm(arguments.first()) {
            return opm::run(arguments.get(1..).unwrap_or_default(), workers);
        }
        arguments::run(&arguments, workers)
    });
    fbc_staging::wait_if_exiting();
    exit
}

fn is_opm(program: Option<&OsString>) -> bool {
    program.and_then(|program| Path::new(program).file_stem()).is_some_and(|name| name == "opm")
}
