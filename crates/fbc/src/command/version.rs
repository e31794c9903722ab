//! `fbc version`.

use std::io::Write as _;

use clap::{Args, ValueEnum};
use serde_json::json;

use crate::failure::{CLEAN, Failure};
use crate::settings::Settings;
use crate::terminal;

/// Print the version
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: VersionFormat,
}

/// The formats of the version.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum VersionFormat {
    /// One line
    #[default]
    Text,
    /// A JSON object
    Json,
}

pub(crate) fn run(arguments: &Arguments, _settings: &Settings) -> Result<u8, Failure> {
    let version = env!("CARGO_PKG_VERSION");
    let (system, architecture) = (std::env::consts::OS, std::env::consts::ARCH);
    let mut out = terminal::stdout();
    match arguments.output {
        VersionFormat::Text => writeln!(out, "fbc {version} ({system}/{architecture})")?,
        VersionFormat::Json => {
            fbc_app::output::json_document::write(
                &mut out,
                &json!({ "version": version, "os": system, "architecture": architecture }),
            )?;
        }
    }
    out.flush()?;
    Ok(CLEAN)
}
