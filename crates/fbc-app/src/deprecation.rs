//! Deprecations of packages, channels and bundles, in the text of their files.

use std::collections::HashMap;
use std::path::Path;

use fbc_model::blob::schema;
use fbc_model::edit::{DEPRECATIONS_FILE, DeprecationsPlace, Edited};
use fbc_model::{Deprecation, DeprecationEntry, Origin};
use fbc_source::Error;
use fbc_version::VersionRelease;

use crate::catalog_edit::{CatalogEdit, EditedTemplate, meant_name, unknown};

/// What of a package is deprecated.
#[derive(Clone, Copy, Debug)]
pub enum Subject<'s> {
    /// The package itself.
    Package,
    /// A channel, by its name.
    Channel(&'s str),
    /// A bundle, by its name or version.
    Bundle(&'s str),
}

/// What became of a deprecation.
pub enum Deprecated {
    /// It has that message already.
    Unchanged {
        /// In words.
        note: String,
        /// Where it is.
        origin: Origin,
    },
    /// The catalog is edited.
    Edited {
        /// What was done, in words.
        done: String,
        /// The edited files.
        edited: Box<Edited>,
    },
}

/// Deprecates something of a package with a message for users, or, without a message, takes the deprecation back; `catalog`
/// is how the catalog was named.
///
/// # Errors
/// If the catalog cannot hold it, or what is meant does not exist.
pub fn deprecate(
    edit: &CatalogEdit,
    catalog: &Path,
    package: &str,
    subject: Subject<'_>,
    message: Option<&str>,
) -> Result<Deprecated, Error> {
    if edit.template().is_some_and(EditedTemplate::is_semver) {
        let shown = catalog.display();
        return Err(Error::refusal(format!("{shown} is a semver template, which cannot hold deprecations"))
            .help("deprecate in the catalog that it expands to: deprecations.yaml beside it stays when it is rendered again"));
    }
    edit.require_package(package)?;
    let bundles = edit.versions(package);
    let reference = subject.reference(&bundles);
    let found = entries(edit, package)
        .find(|(_, _, entry)| entry.schema == reference.schema && entry.name == reference.name);
    let words = reference.words(package);
    let mut draft = edit.draft();
    let done = match (message, found) {
        (None, Some((blob, entry, _))) => {
            draft.remove_deprecation(blob, entry);
            format!("removed: the deprecation of {words}")
        }
        (None, None) => return Err(not_deprecated(edit, package, &words)),
        (Some(message), found) => {
            require_message(message)?;
            require_known(edit, package, &reference)?;
            let entry = || DeprecationEntry {
                schema: reference.schema.to_owned(),
                name: reference.name.clone(),
                message: message.to_owned(),
            };
            match found {
                Some((blob, _, old)) if old.message == message => {
                    let note = format!("nothing to do: {words} has that message already");
                    let origin = edit.catalog.deprecations.get(blob).map(|blob| blob.origin);
                    return Ok(Deprecated::Unchanged { note, origin: origin.unwrap_or_default() });
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
                                    Error::refusal(format!("there is no place for a {DEPRECATIONS_FILE}"))
                                })?;
                            let blob = Deprecation {
                                origin: Origin::default(),
                                package: package.to_owned(),
                                entries: Some(vec![entry()]),
                            };
                            let added = draft.add_deprecations(&place, &blob);
                            added.map_err(|error| Error::refusal(error.to_string()))?;
                        }
                    }
                    format!("deprecated: {words}")
                }
            }
        }
    };
    let edited = edit.finish(draft)?;
    Ok(Deprecated::Edited { done, edited: Box::new(edited) })
}

/// What is deprecated.
struct Reference {
    schema: &'static str,
    /// Empty for the package itself.
    name: String,
}

impl Subject<'_> {
    /// What is meant among the bundles of the package, with their versions.
    fn reference(&self, bundles: &HashMap<&str, VersionRelease>) -> Reference {
        match *self {
            Self::Channel(name) => Reference { schema: schema::CHANNEL, name: name.to_owned() },
            Self::Bundle(text) => {
                let known = bundles.iter().map(|(name, version)| (*name, Some(version)));
                Reference {
                    schema: schema::BUNDLE,
                    name: meant_name(text, known).unwrap_or_else(|| text.to_owned()),
                }
            }
            Self::Package => Reference { schema: schema::PACKAGE, name: String::new() },
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

fn require_message(message: &str) -> Result<(), Error> {
    if message.trim().is_empty() {
        return Err(Error::new("the message is empty")
            .help("say why it is deprecated and what to use instead; --remove takes a deprecation back"));
    }
    Ok(())
}

/// What is deprecated must exist.
fn require_known(edit: &CatalogEdit, package: &str, reference: &Reference) -> Result<(), Error> {
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
    Err(unknown(what, &reference.name, &place, known))
}

fn not_deprecated(edit: &CatalogEdit, package: &str, words: &str) -> Error {
    let deprecated: Vec<String> = entries(edit, package)
        .map(|(_, _, entry)| match entry.name.as_str() {
            "" => "the package itself".to_owned(),
            name => format!("{name:?}"),
        })
        .collect();
    let error = Error::refusal(format!("{words} is not deprecated"));
    match deprecated.as_slice() {
        [] => error.help("nothing of the package is"),
        names => error.help(format!("deprecated are: {}", names.join(", "))),
    }
}
