//! Where the cursor is in a text that is incomplete while somebody types, and what is typed there already.

mod json;
mod toml;
mod yaml;

use crate::host::FileKind;

/// Where the cursor is.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::features) struct Context<'t> {
    /// The keys that lead here, `-` for an item of a list.
    pub(in crate::features) path: Vec<&'t str>,
    /// What is typed already.
    pub(in crate::features) prefix: &'t str,
    /// Whether a key is typed, not a value.
    pub(in crate::features) is_key: bool,
    /// The type of the property that the cursor is in.
    pub(in crate::features) property_type: Option<&'t str>,
    /// What is around the text, in JSON and for values of TOML.
    pub(in crate::features) quotes: Option<Quotes>,
}

/// The quotes of a string of JSON or TOML.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::features) enum Quotes {
    /// Not typed yet.
    Missing,
    /// The first is typed.
    Open,
}

/// The place of a byte of a document.
pub(in crate::features) fn context_at(kind: FileKind, text: &str, byte: usize) -> Option<Context<'_>> {
    let before = text.get(..byte)?;
    match kind {
        FileKind::Configuration => toml::context_at(before),
        _ if text.trim_start().starts_with('{') => json::context_at(before),
        _ => yaml::context_at(before),
    }
}
