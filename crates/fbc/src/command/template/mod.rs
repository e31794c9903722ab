//! `fbc template`: catalogs from templates, and templates from catalogs.

mod composite;
mod convert;
mod render;

use std::io::{self, Read as _};
use std::path::Path;

use clap::{Args, Subcommand};
use fbc_lint::Profile;
use fbc_model::Catalog;
use fbc_model::tree::{MemoryTree, read_file};
use fbc_template::TemplateError;
use fbc_yaml::locate::line_and_column;

use crate::failure::{Failure, closest};

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

/// What opm objects to in a catalog.
pub(crate) fn opm_error(catalog: &Catalog) -> Result<(), String> {
    fbc_lint::lint(catalog, &MemoryTree::default(), Profile::Opm).opm_error.map_or(Ok(()), Err)
}

/// A template that is refused: where, and why.
pub(crate) fn refusal(path: &Path, text: &[u8], error: &TemplateError) -> Failure {
    let shown =
        if path.as_os_str() == "-" { "standard input".to_owned() } else { path.display().to_string() };
    let place = match &error.place {
        Some(place) => {
            let (line, column) = line_and_column(text, place.bytes.start);
            format!("{shown}:{line}:{column}")
        }
        None => shown,
    };
    let mut failure = Failure::of_lines(&format!("{place}: {error}")).refused();
    if let Some((field, known)) = error.unknown_field() {
        if let Some(meant) = closest(field, known.iter().copied()) {
            failure = failure.help(format!("did you mean {meant}?"));
        }
        failure = failure.help(format!("the fields here are {}", known.join(", ")));
    }
    match error.help() {
        Some(help) => failure.help(help),
        None => failure,
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
