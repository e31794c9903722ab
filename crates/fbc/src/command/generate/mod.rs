//! `fbc generate`: files that are made from something shorter.

mod catalog;
mod configuration;
mod dockerfile;

use clap::{Args, Subcommand};

use crate::failure::Failure;

/// Generate a catalog from its configuration, or the Dockerfile of a catalog
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Dockerfile(dockerfile::Arguments),
    Catalog(Box<catalog::Arguments>),
}

pub(crate) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    match &arguments.command {
        Command::Dockerfile(arguments) => dockerfile::run(arguments),
        Command::Catalog(arguments) => catalog::run(arguments),
    }
}
