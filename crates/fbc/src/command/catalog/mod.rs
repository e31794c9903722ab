//! `fbc catalog`: catalogs made of something else.

use clap::{Args, Subcommand};

use crate::arguments::Global;
use crate::failure::Failure;

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

pub(crate) fn run(arguments: &Arguments, global: Global) -> Result<u8, Failure> {
    match &arguments.command {
        Command::FromBundles(arguments) => from_bundles::run(arguments, global),
    }
}
