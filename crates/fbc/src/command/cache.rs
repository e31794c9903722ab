//! `fbc cache`: what is kept of images between commands.

use std::io::Write as _;

use clap::{Args, Subcommand, ValueEnum};
use fbc_app::count::size;
use serde_json::json;

use crate::cache_folder::CacheArguments;
use crate::failure::{CLEAN, Failure};
use crate::settings::Settings;
use crate::terminal;

/// Show or empty the cache of images
///
/// Blobs of images are kept by their digests, and checked whenever they are read.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Where the cache is, and how much it holds
    Info {
        #[command(flatten)]
        cache: CacheArguments,
        /// The format to write
        #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
        output: InfoFormat,
    },
    /// Remove all blobs, and what interrupted commands have left
    Clean {
        #[command(flatten)]
        cache: CacheArguments,
    },
}

/// The formats of what the cache holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum InfoFormat {
    /// Lines
    #[default]
    Text,
    /// A JSON object
    Json,
}

pub(crate) fn run(arguments: &Arguments, _settings: &Settings) -> Result<u8, Failure> {
    let mut out = terminal::stdout();
    match &arguments.what {
        What::Info { cache, output } => {
            let images = cache.images()?;
            let contents = images.blobs().contents()?;
            let folder = images.blobs().root().display().to_string();
            match output {
                InfoFormat::Text => {
                    writeln!(out, "directory:  {folder}")?;
                    writeln!(out, "blobs:      {} ({})", contents.blobs, size(contents.bytes))?;
                    writeln!(
                        out,
                        "unfinished: {} ({})",
                        contents.unfinished,
                        size(contents.unfinished_bytes)
                    )?;
                }
                InfoFormat::Json => {
                    let info = json!({
                        "directory": folder,
                        "blobs": contents.blobs,
                        "bytes": contents.bytes,
                        "unfinished": contents.unfinished,
                        "unfinishedBytes": contents.unfinished_bytes,
                    });
                    fbc_app::output::json_document::write(&mut out, &info)?;
                }
            }
        }
        What::Clean { cache } => {
            let removed = cache.images()?.clean(&|| {
                crate::terminal::tell(format_args!("note: waiting for other commands that use the cache"));
            })?;
            let bytes = removed.bytes + removed.unfinished_bytes;
            writeln!(out, "removed {} blobs ({})", removed.blobs + removed.unfinished, size(bytes))?;
        }
    }
    out.flush()?;
    Ok(CLEAN)
}
