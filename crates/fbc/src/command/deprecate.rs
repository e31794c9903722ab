//! `fbc deprecate`: deprecation messages of a package, in the text of its files.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use fbc_app::catalog_edit::CatalogEdit;
use fbc_app::deprecation::{Deprecated, Subject, deprecate};

use crate::edit_outcome::{Outcome, complete, complete_unchanged};
use crate::failure::Failure;
use crate::package_argument::{PackageArgument, hint_if_swapped};
use crate::settings::Settings;
use crate::terminal;

/// Deprecate a package, channel or bundle, in place
///
/// The message goes to the deprecations of the package; if it has none, to a new file `deprecations.yaml` in
/// the directory of the package, or to the end of its file if the directory holds other packages too. Comments,
/// order and layout of everything else stay.
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    /// The catalog: a directory, a file, or a basic template
    #[arg(value_name = "CATALOG", value_hint = ValueHint::AnyPath)]
    catalog: PathBuf,
    #[command(flatten)]
    package: PackageArgument,
    /// Deprecate a channel of the package instead of the package itself
    #[arg(long, value_name = "NAME", conflicts_with = "bundle")]
    channel: Option<String>,
    /// Deprecate bundles of the package, by their names or versions, instead of the package itself; can be repeated
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    bundle: Vec<String>,
    /// The message for users: why, and what to do instead; can have several lines
    #[arg(long, value_name = "TEXT", required_unless_present = "remove", conflicts_with = "remove")]
    message: Option<String>,
    /// Remove the deprecation
    #[arg(long)]
    remove: bool,
    #[command(flatten)]
    outcome: Outcome,
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let (catalog, package) = (&arguments.catalog, arguments.package.name());
    let swapped = ["deprecate", package, &catalog.to_string_lossy()];
    let edit = CatalogEdit::open(catalog, &settings.session(), settings)
        .map_err(|error| hint_if_swapped(error.into(), catalog, package, &swapped))?;
    let subjects: Vec<Subject<'_>> = match (&arguments.channel, arguments.bundle.as_slice()) {
        (Some(name), _) => vec![Subject::Channel(name)],
        (None, []) => vec![Subject::Package],
        (None, bundles) => bundles.iter().map(|text| Subject::Bundle(text)).collect(),
    };
    match deprecate(&edit, catalog, package, &subjects, arguments.message.as_deref())? {
        Deprecated::Unchanged { notes, origin } => {
            notes.iter().for_each(|note| terminal::tell(format_args!("{note}")));
            complete_unchanged(&edit, origin, &arguments.outcome, settings)
        }
        Deprecated::Edited { done, edited } => {
            complete(edit, *edited, &arguments.outcome, &done, &[], settings)
        }
    }
}
