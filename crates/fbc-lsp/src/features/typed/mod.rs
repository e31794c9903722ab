//! Where the cursor is in a text that is incomplete while somebody types, and what is typed there already.

mod json;
mod yaml;

/// Where the cursor is.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Typed<'t> {
    /// The keys that lead here, `-` for an item of a list.
    pub(super) path: Vec<&'t str>,
    /// What is typed already.
    pub(super) prefix: &'t str,
    /// Whether a key is typed, not a value.
    pub(super) is_key: bool,
    /// The type of the property that the cursor is in.
    pub(super) property: Option<&'t str>,
    /// What is around the text, in JSON.
    pub(super) quotes: Option<Quotes>,
}

/// The quotes of a string of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quotes {
    /// Not typed yet.
    Missing,
    /// The first is typed.
    Open,
}

/// The place of a byte of a document.
pub(super) fn typed(text: &str, byte: usize) -> Option<Typed<'_>> {
    let before = text.get(..byte)?;
    if text.trim_start().starts_with('{') { json::typed(before) } else { yaml::typed(before) }
}
