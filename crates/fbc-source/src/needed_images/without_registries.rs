//! What is asked of registries, in a program that was built without the feature `registry`: all of it is refused.

use std::collections::BTreeSet;

use super::Found;
use crate::error::Error;
use crate::session::{Session, no_registries};

/// Asks registries for all of these images.
///
/// # Errors
/// Always.
pub fn find_all<'r>(
    _references: impl IntoIterator<Item = &'r str>,
    _session: &Session,
) -> Result<Found, Error> {
    Err(no_registries("cannot ask registries for images"))
}

/// Whether a registry says that it has no such image.
///
/// # Errors
/// Always.
pub fn is_known_absent(reference: &str, _session: &Session) -> Result<bool, Error> {
    Err(no_registries(&format!("cannot ask for {reference}")))
}

/// Those of some images that mirrors have, and the places that they are named by have not.
///
/// # Errors
/// Always.
pub fn only_in_mirrors<'r>(
    _references: impl IntoIterator<Item = &'r str>,
    _session: &Session,
) -> Result<BTreeSet<String>, Error> {
    Err(no_registries("cannot ask registries for images"))
}
