//! What is wrong with data that says how something behaves.

use fbc_version::VersionError;

/// Why data does not say how something behaves.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DataError {
    /// It is not an object.
    #[error("must be an object")]
    NoObject,
    /// A field has a value of another kind.
    #[error("{field} must be {wanted}")]
    Kind {
        /// The field, or what the data is.
        field: String,
        /// What it takes.
        wanted: &'static str,
    },
    /// A field has a value that it does not take.
    #[error("{field} must be {wanted}, not {found}")]
    Value {
        /// The field.
        field: &'static str,
        /// What it takes.
        wanted: &'static str,
        /// The value.
        found: String,
    },
    /// A field must not have this value, or be there at all.
    #[error("{field} must not be {found}{}", listed(known))]
    Forbidden {
        /// The field.
        field: String,
        /// The value.
        found: String,
        /// The fields that are known, if that is to be told.
        known: Vec<&'static str>,
    },
    /// A field is unknown.
    #[error("unknown field {field:?}{}", listed(known))]
    UnknownField {
        /// The field.
        field: String,
        /// The fields that are known, if that is to be told.
        known: Vec<&'static str>,
    },
    /// Fields do not go together, or one is missing.
    #[error("{0}")]
    Together(&'static str),
    /// A version is not one.
    #[error("version: {0}")]
    Version(#[from] VersionError),
    /// A part of the data is wrong.
    #[error("{place}: {error}")]
    Part {
        /// The part.
        place: String,
        /// What is wrong with it.
        error: Box<Self>,
    },
}

fn listed(known: &[&str]) -> String {
    if known.is_empty() { String::new() } else { format!("; known are {}", known.join(", ")) }
}

impl DataError {
    /// A field with a value of another kind.
    pub(crate) fn kind(field: &str, wanted: &'static str) -> Self {
        Self::Kind { field: field.to_owned(), wanted }
    }

    /// An unknown field, among those that are known.
    pub(crate) fn unknown(field: &str, known: &[&'static str]) -> Self {
        Self::UnknownField { field: field.to_owned(), known: known.to_vec() }
    }

    /// The same in a part of the data.
    pub(crate) fn within(self, place: impl Into<String>) -> Self {
        Self::Part { place: place.into(), error: Box::new(self) }
    }
}
