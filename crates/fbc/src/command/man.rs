//! `fbc man`: manual pages.

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::arguments::command_line;
use crate::failure::{CLEAN, Failure};
use crate::terminal;

/// Print the manual page, or write those of all commands to a directory
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// Write one page for each command to this directory
    #[arg(long, alias = "folder", value_name = "DIR", value_hint = ValueHint::DirPath)]
    output_folder: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    match &arguments.output_folder {
        Some(folder) => {
            std::fs::create_dir_all(folder).map_err(|error| Failure::io("create", folder, &error))?;
            clap_mangen::generate_to(command_line(), folder)
                .map_err(|error| Failure::io("write to", folder, &error))?;
        }
        None => {
            let mut out = terminal::stdout();
            clap_mangen::Man::new(command_line()).render(&mut out)?;
            out.flush()?;
        }
    }
    Ok(CLEAN)
}
