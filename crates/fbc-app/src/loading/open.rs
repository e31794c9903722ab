//! Opening what a reference names.

use std::path::Path;

use fbc_source::{CatalogSource, Error, Session};

use crate::layout;
use crate::settings::Settings;

/// Opens what a reference names, for commands that look at one catalog: a directory of several is taken as one, of which
/// the user is warned.
pub fn open_as_one(reference: &Path, session: &Session, settings: &Settings) -> Result<CatalogSource, Error> {
    let source = CatalogSource::open(reference, session)?;
    // The root of a repository is refused by whoever loads it.
    if !source.has_repository()
        && let Some(places) = layout::catalogs_of_source(&source)?
    {
        let names = layout::described(&places);
        settings.warn(
            Error::new(format!("{} holds the catalogs {names}; they are taken as one", reference.display()))
                .help("name one of them"),
        );
    }
    Ok(source)
}
