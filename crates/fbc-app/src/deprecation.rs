//! Deprecations of packages, channels and bundles, in the text of their files.

use std::collections::{BTreeMap, BTreeSet, HashMap};
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

/// What became of deprecations.
pub enum Deprecated {
    /// All have that message already.
    Unchanged {
        /// In words.
        notes: Vec<String>,
        /// Where the first is.
        origin: Origin,
    },
    /// The catalog is edited.
    Edited {
        /// What was done, in words.
        done: Vec<String>,
        /// The edited files.
        edited: Box<Edited>,
    },
}

/// Deprecates parts of a package with a message for users, or, without a message, takes their deprecations back; `catalog` is
/// how the catalog was named.
///
/// # Errors
/// If the catalog cannot hold it, or what is meant does not exist; then nothing is done.
pub fn deprecate(
    edit: &CatalogEdit,
    catalog: &Path,
    package: &str,
    subjects: &[Subject<'_>],
    message: Option<&str>,
) -> Result<Deprecated, Error> {
    if edit.template().is_some_and(EditedTemplate::is_semver) {
        let shown = catalog.display();
        return Err(Error::refusal(format!("{shown} is a semver template, which cannot hold deprecations"))
            .help("deprecate in the catalog that it expands to: deprecations.yaml beside it stays when it is rendered again"));
    }
    edit.require_package(package)?;
    let bundles = edit.versions(package);
    let mut references: Vec<Reference> = Vec::new();
    for reference in subjects.iter().map(|subject| subject.reference(&bundles)) {
        if !references.contains(&reference) {
            references.push(reference);
        }
    }
    match message {
        Some(message) => set(edit, package, &references, message),
        None => remove(edit, package, &references),
    }
}

/// The numbers of blob and entry of a deprecation, and the entry.
type Found<'c> = (usize, usize, &'c DeprecationEntry);

fn found<'c>(edit: &'c CatalogEdit, package: &'c str, reference: &Reference) -> Option<Found<'c>> {
    entries(edit, package)
        .find(|(_, _, entry)| entry.schema == reference.schema && entry.name == reference.name)
}

/// Gives what is meant a message.
fn set(
    edit: &CatalogEdit,
    package: &str,
    references: &[Reference],
    message: &str,
) -> Result<Deprecated, Error> {
    require_message(message)?;
    references.iter().try_for_each(|reference| require_known(edit, package, reference))?;
    let mut draft = edit.draft();
    let (mut done, mut notes, mut new, mut known) = (Vec::new(), Vec::new(), Vec::new(), None);
    for reference in references {
        let words = reference.words(package);
        match found(edit, package, reference) {
            Some((blob, _, old)) if old.message == message => {
                notes.push(format!("nothing to do: {words} has that message already"));
                known = known.or(edit.catalog.deprecations.get(blob).map(|blob| blob.origin));
            }
            Some((blob, number, old)) => {
                draft.set_message(blob, number, message);
                done.push(format!("replaced: the message of {words}, which was {:?}", old.message));
            }
            None => {
                new.push(DeprecationEntry {
                    schema: reference.schema.to_owned(),
                    name: reference.name.clone(),
                    message: message.to_owned(),
                });
                done.push(format!("deprecated: {words}"));
            }
        }
    }
    if done.is_empty() {
        return Ok(Deprecated::Unchanged { notes, origin: known.unwrap_or_default() });
    }
    let blob = edit.catalog.deprecations.iter().position(|blob| blob.package == package);
    match blob {
        Some(blob) => new.iter().for_each(|entry| draft.add_deprecation(blob, entry)),
        None if new.is_empty() => {}
        None => {
            let (tree, is_one_file) = (edit.source.tree.as_ref(), edit.source.is_one_file());
            let place = DeprecationsPlace::of(&edit.catalog, tree, package, is_one_file)
                .ok_or_else(|| Error::refusal(format!("there is no place for a {DEPRECATIONS_FILE}")))?;
            let blob =
                Deprecation { origin: Origin::default(), package: package.to_owned(), entries: Some(new) };
            let added = draft.add_deprecations(&place, &blob);
            added.map_err(|error| Error::refusal(error.to_string()))?;
        }
    }
    done.extend(notes);
    Ok(Deprecated::Edited { done, edited: Box::new(edit.finish(draft)?) })
}

/// Takes deprecations back.
fn remove(edit: &CatalogEdit, package: &str, references: &[Reference]) -> Result<Deprecated, Error> {
    let mut numbers: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    let mut done = Vec::new();
    for reference in references {
        let words = reference.words(package);
        let Some((blob, entry, _)) = found(edit, package, reference) else {
            return Err(not_deprecated(edit, package, &words));
        };
        numbers.entry(blob).or_default().insert(entry);
        done.push(format!("removed: the deprecation of {words}"));
    }
    let mut draft = edit.draft();
    // From the end on, so that numbers stay what they are.
    for (blob, entries) in numbers.into_iter().rev() {
        draft.remove_deprecations(blob, &entries);
    }
    Ok(Deprecated::Edited { done, edited: Box::new(edit.finish(draft)?) })
}

/// What is deprecated.
#[derive(PartialEq, Eq)]
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
