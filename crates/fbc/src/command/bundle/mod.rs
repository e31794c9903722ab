//! `fbc bundle`: what can be done with registry+v1 bundles.

mod manifest_diff;
pub(crate) mod manifests;

use clap::{Args, Subcommand};

use crate::failure::Failure;

/// Work with registry+v1 bundles
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Manifests(manifests::Arguments),
}

pub(crate) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    match &arguments.command {
        Command::Manifests(arguments) => manifests::run(arguments),
    }
}
