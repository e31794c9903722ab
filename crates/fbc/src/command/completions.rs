//! `fbc completions`: scripts that complete words in a shell.

use std::io::Write as _;

use clap::Args;
use clap_complete::Shell;

use crate::completion;
use crate::failure::{CLEAN, Failure};
use crate::settings::Settings;
use crate::terminal;

/// Print a completion script for a shell
///
/// The script asks fbc for packages, channels and bundles of the catalog that the line names, and for codes of rules.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments, _settings: &Settings) -> Result<u8, Failure> {
    let script = completion::script(arguments.shell)?;
    let mut out = terminal::stdout();
    out.write_all(&script)?;
    out.flush()?;
    Ok(CLEAN)
}
