//! `fbc template`: catalogs from templates, and templates from catalogs.

mod composite;
mod convert;
mod render;

use clap::{Args, Subcommand};

use crate::failure::Failure;
use crate::settings::Settings;

/// Make catalogs from templates
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Render(render::Arguments),
    Convert(convert::Arguments),
    Composite(composite::Arguments),
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    match &arguments.command {
        Command::Render(arguments) => render::run(arguments, settings),
        Command::Convert(arguments) => convert::run(arguments, settings),
        Command::Composite(arguments) => composite::run(arguments, settings),
    }
}
