//! What a resolution comes to, in words: for `fbc resolve` and for the pages of `fbc serve`.

use fbc_model::DeprecationEntry;
use fbc_model::blob::schema;
use fbc_resolve::{Request, Resolution};

pub mod advice;
pub mod answer;
mod fields;
pub mod manifests;
pub mod question;
pub mod tree;
pub mod v0;

/// The deprecations that concern what is resolved: of the package, of the channels that were asked for (of all
/// channels if none was), and of the bundle.
pub fn deprecations<'r>(
    resolution: &'r Resolution<'_>,
    request: &'r Request,
) -> impl Iterator<Item = &'r DeprecationEntry> {
    let entries = resolution.deprecations.iter().flat_map(|served| served.blob.entries());
    entries.filter(|entry| match entry.schema.as_str() {
        schema::PACKAGE => true,
        schema::CHANNEL => request.channels.is_empty() || request.channels.contains(&entry.name),
        schema::BUNDLE => entry.name == resolution.bundle.blob.name,
        _ => false,
    })
}
