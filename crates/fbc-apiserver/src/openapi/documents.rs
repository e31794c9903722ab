//! Documents that were made, as data.

use std::collections::BTreeMap;

use bytes::Bytes;

/// Documents that were made, by their paths, with their tags.
#[derive(Debug, Default)]
pub(crate) struct Documents {
    /// What the definitions were when they were made.
    pub(super) seen: String,
    pub(super) made: BTreeMap<String, (String, Bytes)>,
}
