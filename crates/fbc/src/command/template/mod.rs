//! `fbc template`: catalogs from templates, and templates from catalogs.

mod composite;
mod convert;
mod render;

use std::io::{self, Read as _};
use std::path::Path;

use clap::{Args, Subcommand};
use fbc_model::tree::read_file;

use crate::failure::Failure;

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

pub(crate) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    match &arguments.command {
        Command::Render(arguments) => render::run(arguments),
        Command::Convert(arguments) => convert::run(arguments),
        Command::Composite(arguments) => composite::run(arguments),
    }
}

pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    if path.as_os_str() == "-" {
        let mut text = Vec::new();
        io::stdin().lock().read_to_end(&mut text)?;
        return Ok(text);
    }
    read_file(path).map_err(|error| Failure::io("read", path, &error))
}
