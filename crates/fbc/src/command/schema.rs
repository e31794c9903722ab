//! `fbc schema`: the JSON Schemas of the format, for editors and other tools.

use std::io::Write as _;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use fbc_app::output::file::{replace_files, root_for};
use fbc_lint::schema::{all, by_name};

use crate::failure::{CLEAN, Failure, closest};
use crate::settings::Settings;
use crate::terminal;

/// Print a JSON Schema of the format, list them, or write all of them to a directory
///
/// An editor wants the file `catalog.json` and the others beside it: write them to a directory.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The name of a schema, such as `catalog` or `blob/olm.bundle`
    #[arg(value_name = "SCHEMA")]
    name: Option<String>,
    /// Write all schemas to this directory
    #[arg(long, aliases = ["output-folder", "folder"], value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "name")]
    output_dir: Option<PathBuf>,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    match (&arguments.name, &arguments.output_dir) {
        (_, Some(folder)) => {
            let root = root_for(folder, settings)?;
            let files = all().iter().map(|schema| (schema.path.as_ref(), Some(schema.text.as_bytes())));
            replace_files(&root, files)?;
        }
        (Some(name), None) => {
            let name = name.trim_end_matches(".json");
            let schema = by_name(name).ok_or_else(|| unknown(name))?;
            let mut out = terminal::stdout();
            out.write_all(schema.text.as_bytes())?;
            out.flush()?;
        }
        (None, None) => {
            let mut out = terminal::stdout();
            for schema in all() {
                let title = schema.value().get("title").and_then(|title| title.as_str()).unwrap_or_default();
                writeln!(out, "{:32}  {title}", schema.name)?;
            }
            out.flush()?;
        }
    }
    Ok(CLEAN)
}

fn unknown(name: &str) -> Failure {
    let failure = Failure::new(format!("there is no schema {name:?}"));
    match closest(name, all().iter().map(|schema| schema.name)) {
        Some(known) => failure.help(format!("did you mean {known}?")),
        None => failure.help("`fbc schema` lists all schemas"),
    }
}
