//! `fbc deprecate`: deprecation messages of a package, in the text of its files.

use std::collections::HashMap;
use std::path::PathBuf;

use clap::{Args, ValueHint};
use fbc_model::blob::schema;
use fbc_model::edit::{DEPRECATIONS_FILE, DeprecationsPlace};
use fbc_model::{Deprecation, DeprecationEntry, Origin};
use fbc_version::VersionRelease;

use crate::edit_outcome::{Outcome, complete, complete_unchanged};
use crate::failure::Failure;
use crate::package_argument::{PackageArgument, hint_if_swapped};
use crate::settings::Settings;
use fbc_app::catalog_edit::{CatalogEdit, EditedTemplate, meant_name, unknown};

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
    /// Deprecate a bundle of the package, by its name or version, instead of the package itself
    #[arg(long, value_name = "NAME")]
    bundle: Option<String>,
    /// The message for users: why, and what to do instead; can have several lines
    #[arg(long, value_name = "TEXT", required_unless_present = "remove", conflicts_with = "remove")]
    message: Option<String>,
    /// Remove the deprecation
    #[arg(long)]
    remove: bool,
    #[command(flatten)]
    outcome: Outcome,
}

/// What is deprecated.
struct Reference {
    schema: &'static str,
    /// Empty for the package itself.
    name: String,
}

impl Arguments {
    /// What is meant among the bundles of the package, with their versions.
    fn reference(&self, bundles: &HashMap<&str, VersionRelease>) -> Reference {
        match (&self.channel, &self.bundle) {
            (Some(name), _) => Reference { schema: schema::CHANNEL, name: name.clone() },
            (None, Some(text)) => {
                let known = bundles.iter().map(|(name, version)| (*name, Some(version)));
                Reference {
                    schema: schema::BUNDLE,
                    name: meant_name(text, known).unwrap_or_else(|| text.clone()),
                }
            }
            (None, None) => Reference { schema: schema::PACKAGE, name: String::new() },
        }
    }
}

impl Reference {
    /// In words.
    fn words(&self, package: &str) -> String {
        match self.schema {
            schema::CHANNEL => format!("channel {:?} of package {package:?}", self.name),
            schema::BUNDLE => format!("bundle {:?} of package {package:?}", self.name),
            _ => format!("package {package:?}"),
        }
    }
}

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let (catalog, package) = (&arguments.catalog, arguments.package.name());
    let swapped = ["deprecate", package, &catalog.to_string_lossy()];
    let edit = CatalogEdit::open(catalog, &settings.session(), settings)
        .map_err(|error| hint_if_swapped(error.into(), catalog, package, &swapped))?;
    if edit.template().is_some_and(EditedTemplate::is_semver) {
        let shown = arguments.catalog.display();
        return Err(Failure::refusal(format!("{shown} is a semver template, which cannot hold deprecations"))
            .help("deprecate in the catalog that it expands to: deprecations.yaml beside it stays when it is rendered again"));
    }
    edit.require_package(package)?;
    let bundles = edit.versions(package);
    let reference = arguments.reference(&bundles);
    let found = entries(&edit, package)
        .find(|(_, _, entry)| entry.schema == reference.schema && entry.name == reference.name);
    let words = reference.words(package);
    let mut draft = edit.draft();
    let done = match (&arguments.message, found) {
        (None, Some((blob, entry, _))) => {
            draft.remove_deprecation(blob, entry);
            format!("removed: the deprecation of {words}")
        }
        (None, None) => return Err(not_deprecated(&edit, package, &words)),
        (Some(message), found) => {
            require_message(message)?;
            require_known(&edit, package, &reference)?;
            let entry = || DeprecationEntry {
                schema: reference.schema.to_owned(),
                name: reference.name.clone(),
                message: message.clone(),
            };
            match found {
                Some((blob, _, old)) if old.message == *message => {
                    eprint_line(&format!("nothing to do: {words} has that message already"));
                    let origin = edit.catalog.deprecations.get(blob).map(|blob| blob.origin);
                    return complete_unchanged(
                        &edit,
                        origin.unwrap_or_default(),
                        &arguments.outcome,
                        settings,
                    );
                }
                Some((blob, number, old)) => {
                    draft.set_message(blob, number, message);
                    format!("replaced: the message of {words}, which was {:?}", old.message)
                }
                None => {
                    let blob = edit.catalog.deprecations.iter().position(|blob| blob.package == package);
                    match blob {
                        Some(blob) => draft.add_deprecation(blob, &entry()),
                        None => {
                            let tree = edit.source.tree.as_ref();
                            let is_one_file = edit.source.is_one_file();
                            let place = DeprecationsPlace::of(&edit.catalog, tree, package, is_one_file)
                                .ok_or_else(|| {
                                    Failure::refusal(format!("there is no place for a {DEPRECATIONS_FILE}"))
                                })?;
                            let blob = Deprecation {
                                origin: Origin::default(),
                                package: package.to_owned(),
                                entries: Some(vec![entry()]),
                            };
                            let added = draft.add_deprecations(&place, &blob);
                            added.map_err(|error| Failure::refusal(error.to_string()))?;
                        }
                    }
                    format!("deprecated: {words}")
                }
            }
        }
    };
    let edited = edit.finish(draft)?;
    complete(edit, edited, &arguments.outcome, &[done], &[], settings)
}

/// All entries of deprecations of a package, with the numbers of blob and entry.
fn entries<'c>(
    edit: &'c CatalogEdit,
    package: &'c str,
) -> impl Iterator<Item = (usize, usize, &'c DeprecationEntry)> {
    let blobs = edit.catalog.deprecations.iter().enumerate().filter(move |(_, blob)| blob.package == package);
    blobs.flat_map(|(number, blob)| {
        blob.entries().iter().enumerate().map(move |(index, entry)| (number, index, entry))
    })
}

fn require_message(message: &str) -> Result<(), Failure> {
    if message.trim().is_empty() {
        return Err(Failure::new("the message is empty")
            .help("say why it is deprecated and what to use instead; --remove takes a deprecation back"));
    }
    Ok(())
}

/// What is deprecated must exist.
fn require_known(edit: &CatalogEdit, package: &str, reference: &Reference) -> Result<(), Failure> {
    let place = format!("package {package:?}");
    let known: Vec<&str> = match reference.schema {
        schema::CHANNEL => edit.channel_names(package).collect(),
        schema::BUNDLE => {
            let bundles = edit.catalog.bundles.iter().filter(|bundle| bundle.package == package);
            bundles.map(|bundle| bundle.name.as_str()).collect()
        }
        _ => return Ok(()),
    };
    if known.contains(&reference.name.as_str()) {
        return Ok(());
    }
    let what = reference.schema.strip_prefix("olm.").unwrap_or(reference.schema);
    Err(unknown(what, &reference.name, &place, known).into())
}

fn not_deprecated(edit: &CatalogEdit, package: &str, words: &str) -> Failure {
    let deprecated: Vec<String> = entries(edit, package)
        .map(|(_, _, entry)| match entry.name.as_str() {
            "" => "the package itself".to_owned(),
            name => format!("{name:?}"),
        })
        .collect();
    let failure = Failure::refusal(format!("{words} is not deprecated"));
    match deprecated.as_slice() {
        [] => failure.help("nothing of the package is"),
        names => failure.help(format!("deprecated are: {}", names.join(", "))),
    }
}

fn eprint_line(line: &str) {
    use std::io::Write as _;
    // What is said here is not worth failing for.
    let _ = writeln!(crate::terminal::stderr(), "{line}");
}
