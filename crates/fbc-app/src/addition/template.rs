//! `fbc add` to a template: what differs from a catalog.

use std::path::PathBuf;

use fbc_model::edit::Edited;
use fbc_repository::release_config::{NewBundle, ReleaseTemplate, amend};
use fbc_source::Error;

use super::bundle::Found;
use super::{Added, Addition};
use crate::catalog_edit::{CatalogEdit, EditedTemplate};

/// The lists of a semver template, in the order in which bundles go through them.
const LISTS: [&str; 3] = ["candidate", "fast", "stable"];

/// Refuses a template that has no place for a bundle beside others.
pub(super) fn require_place(template: &EditedTemplate, addition: &Addition) -> Result<(), Error> {
    match template.is_substitutes() {
        true => Err(Error::refusal(format!(
            "{} is a substitutes template: a bundle takes the place of another in it, and none is added",
            addition.catalog.display()
        ))
        .help("add an entry with `name` (the image) and `base` (the bundle) to `substitutions`")),
        false => Ok(()),
    }
}

/// Adds the image of a bundle to lists of a semver template.
pub(super) fn add_to_lists(addition: &Addition, edit: CatalogEdit, found: &Found) -> Result<Added, Error> {
    let shown = addition.catalog.display();
    if addition.edges.given().is_some() || !addition.skipped_by.is_empty() {
        return Err(Error::new(format!("{shown} is a semver template: its edges follow from versions"))
            .help("leave --replaces, --skips, --skip-range, --skipped-by and --no-edges out"));
    }
    if addition.create_channel {
        return Err(Error::new(format!("{shown} is a semver template: its channels follow from its lists"))
            .help("leave --create-channel out"));
    }
    if let Some(name) = addition.channels.iter().find(|name| !LISTS.contains(&name.as_str())) {
        return Err(Error::new(format!("{shown} is a semver template, and has no list {name:?}"))
            .help(format!("give --channel {}; channels are made from these lists", LISTS.join(", "))));
    }
    let Some(template) = edit.template() else { return Err(Error::new("there is no template")) };
    let bundle = &found.bundle;
    let config = ReleaseTemplate { channels: addition.channels.clone(), ..ReleaseTemplate::default() };
    let new = NewBundle { package: &bundle.package, name: &bundle.name, image: &bundle.image };
    let text = template.text();
    let edited = amend(text, "olm.semver", &config, new).map_err(|error| {
        Error::refusal(format!("{shown}: {error}"))
            .help("write the lists in plain block style, or add the image in an editor; nothing was written")
    })?;
    if edited == text {
        return Err(Error::refusal(format!("{shown} has {:?} in these lists already", bundle.image)));
    }
    let meant = template.catalog_of(&edited)?;
    let name: PathBuf = template.name();
    let edited = Edited {
        files: [(name.clone(), Some(edited))].into(),
        before: [(name, text.to_vec())].into(),
        meant,
    };
    let done: Vec<String> =
        addition.channels.iter().map(|list| format!("added: bundle {:?} to {list:?}", bundle.name)).collect();
    Ok(Added { edit, edited, done: done.to_vec(), advice: Vec::new() })
}
