//! `fbc completions`: scripts that complete words in a shell.

use std::io::Write as _;

use clap::Args;
use clap_complete::Shell;

use crate::arguments::command_line;
use crate::failure::{CLEAN, Failure};
use crate::terminal;

/// Print a completion script for a shell
///
/// For bash: `fbc completions bash > /etc/bash_completion.d/fbc`.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The shell
    #[arg(value_enum, value_name = "SHELL")]
    shell: Shell,
}

pub(crate) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    // Into memory first: the generator panics if its output fails.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command_line(), "fbc", &mut script);
    let mut out = terminal::stdout();
    out.write_all(&script)?;
    out.flush()?;
    Ok(CLEAN)
}
