//! `fbc repository`: the catalogs of a repository, and what says so.

mod release;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use fbc_app::layout::{find, repository_tree};
use fbc_app::repository_notes::{nothing, tell_notes, words};
use fbc_go::text::padded;
use fbc_repository::{CatalogPlace, Repository};
use serde_json::{Value, json};

use crate::failure::{CLEAN, Failure};
use crate::settings::Settings;
use crate::terminal;

/// Show the catalogs of a repository
///
/// What is a catalog, for which OpenShift releases, made from which template, and built by which Dockerfile: as
/// `[[catalogs]]` of fbc.toml say, or else Dockerfiles, ci.yaml files and the names of directories. `fbc init
/// --repository` writes what is found to fbc.toml.
#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
    /// The root of the repository
    #[arg(value_name = "DIR", default_value = ".", value_hint = ValueHint::DirPath)]
    directory: PathBuf,
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
}

#[derive(Subcommand, Debug)]
enum Command {
    Release(Box<release::Arguments>),
}

/// The formats of what is found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// A table
    #[default]
    Text,
    /// One JSON document
    Json,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    if let Some(Command::Release(arguments)) = &arguments.command {
        return release::run(arguments, settings);
    }
    let tree = repository_tree(&arguments.directory, settings)?;
    let found = find(tree.as_ref())?;
    tell_notes(&found, settings);
    if found.catalogs.is_empty() {
        return Err(nothing(&arguments.directory).into());
    }
    let mut out = terminal::stdout();
    match arguments.output {
        Format::Json => fbc_app::output::json_document::write(&mut out, &document(&found))?,
        Format::Text => {
            let mut out = terminal::text_to(&mut out, None);
            lines(&found).iter().try_for_each(|line| writeln!(out, "{line}"))?;
        }
    }
    out.flush()?;
    Ok(CLEAN)
}

/// The table, with its headings.
fn lines(found: &Repository) -> Vec<String> {
    let mut rows = vec![["RELEASES", "CATALOG", "TEMPLATE", "DOCKERFILE", "FOUND BY"].map(str::to_owned)];
    rows.extend(found.catalogs.iter().map(row));
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..5).map(width).collect();
    let line = |row: &[String; 5]| {
        let cells = row.iter().zip(&widths).map(|(cell, width)| padded(cell, *width));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

fn row(catalog: &CatalogPlace) -> [String; 5] {
    let releases: Vec<String> = catalog.releases.iter().map(ToString::to_string).collect();
    let by: Vec<&str> = catalog.found_by.iter().map(fbc_repository::FoundBy::name).collect();
    [
        or_dash(releases.join(",")),
        format!("{}{}", catalog.path.display(), if catalog.is_absent { " (not there yet)" } else { "" }),
        or_dash(several(catalog.templates.iter().map(|template| template.path.as_path()))),
        or_dash(several(catalog.images.iter().map(|image| image.path.as_path()))),
        by.join(", "),
    ]
}

/// The only path, or the first with the number of the others.
fn several<'p>(paths: impl Iterator<Item = &'p Path>) -> String {
    let mut paths: Vec<&Path> = paths.collect();
    paths.dedup();
    match paths.as_slice() {
        [] => String::new(),
        [only] => only.display().to_string(),
        [first, others @ ..] => format!("{} and {} more", first.display(), others.len()),
    }
}

fn or_dash(text: String) -> String {
    if text.is_empty() { "-".to_owned() } else { text }
}

fn document(found: &Repository) -> Value {
    let catalog = |catalog: &CatalogPlace| {
        let images = catalog.images.iter().map(|image| {
            let arguments = image.arguments.iter().map(|(name, value)| (name.clone(), json!(value)));
            json!({
                "dockerfile": image.path.display().to_string(),
                "release": image.release.map(|release| release.to_string()),
                "base": image.base,
                "target": image.target.display().to_string(),
                "arguments": arguments.collect::<serde_json::Map<_, _>>(),
            })
        });
        let templates = catalog.templates.iter().map(|template| {
            json!({
                "path": template.path.display().to_string(),
                "output": template.output.as_ref().map(|path| path.display().to_string()),
            })
        });
        json!({
            "path": catalog.path.display().to_string(),
            "isAbsent": catalog.is_absent,
            "releases": catalog.releases.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "images": images.collect::<Vec<_>>(),
            "templates": templates.collect::<Vec<_>>(),
            "foundBy": catalog.found_by.iter().map(fbc_repository::FoundBy::name).collect::<Vec<_>>(),
        })
    };
    json!({
        "catalogs": found.catalogs.iter().map(catalog).collect::<Vec<_>>(),
        "notes": found.notes.iter().map(words).collect::<Vec<_>>(),
    })
}
