//! `fbc graph`: the upgrade graph as a drawing.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::failure::Failure;

/// Draw the upgrade graph
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Catalogs: folders, single files, or `-` for standard input
    #[arg(value_name = "REF", required = true, value_hint = ValueHint::AnyPath)]
    references: Vec<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    let _ = &arguments.references;
    Err(Failure::new("not yet"))
}
