//! `fbc generate`: files that are made from something shorter.

mod catalog;
mod catalogs;
mod dockerfile;
mod files;
mod new_release;

use clap::{Args, Subcommand};

use crate::failure::Failure;
use crate::settings::Settings;

/// Generate catalogs from templates or a configuration, and Dockerfiles
///
/// Without a command: for every OpenShift release that `fbc repository` shows, or that `[[catalogs]]` of fbc.toml
/// name, the template is expanded, at the level that the release wants (olm.csv.metadata from 4.17 on), with the
/// exceptions that fbc.toml makes. A file that says the same already is left as it is.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    catalogs: catalogs::Arguments,
}

#[derive(Subcommand, Debug)]
enum Command {
    Dockerfile(dockerfile::Arguments),
    Catalog(Box<catalog::Arguments>),
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    match &arguments.command {
        None => catalogs::run(&arguments.catalogs, settings),
        Some(Command::Dockerfile(arguments)) => dockerfile::run(arguments, settings),
        Some(Command::Catalog(arguments)) => catalog::run(arguments, settings),
    }
}
