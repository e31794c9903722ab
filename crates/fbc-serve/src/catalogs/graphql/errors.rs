//! Errors as an answer has them.
//!
//! Source: `graphql-go/graphql:gqlerrors/formatted.go`.

use serde::Serialize;

use super::source::Location;

/// An error in an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct QueryError {
    pub(super) message: String,
    /// Where in the query; empty if it is not about a place.
    pub(super) locations: Vec<Location>,
    /// The field of the answer without a value; empty if no field was asked for yet.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) path: Vec<Segment>,
}

/// A step from the answer to one of its values.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum Segment {
    Key(String),
    Index(usize),
}

impl QueryError {
    /// An error that is not about a place.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self::at(message, Vec::new())
    }

    pub(super) fn at(message: impl Into<String>, locations: Vec<Location>) -> Self {
        Self { message: message.into(), locations, path: Vec::new() }
    }
}
