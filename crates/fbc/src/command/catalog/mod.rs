//! `fbc catalog`: catalogs made of something else.

use clap::{Args, Subcommand};

use crate::failure::Failure;
use crate::settings::Settings;

mod from_bundles;

/// Make catalogs straight from bundles
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    FromBundles(Box<from_bundles::Arguments>),
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    match &arguments.command {
        Command::FromBundles(arguments) => from_bundles::run(arguments, settings),
    }
}
