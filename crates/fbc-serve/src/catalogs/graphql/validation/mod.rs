//! Whether a query fits a schema.
//!
//! | module | what it holds |
//! |---|---|
//! | `selections` | fields, fragments and directives where they are written |
//! | `fragments` | fragments that lead to themselves or are not used |
//! | `variables` | variables and their places |
//! | `conflicts` | fields that would have one name in the answer and are not the same |
//! | `suggestions` | names that were meant instead |
//!
//! Source: the GraphQL specification of October 2021, section 5; the words of errors are those of `graphql-go/graphql:rules.go`.

mod conflicts;
mod fragments;
mod selections;
mod suggestions;
#[cfg(test)]
mod tests;
mod variables;

use super::document::{Document, Name};
use super::errors::QueryError;
use super::limits::TooLarge;
use super::source::Source;
use super::types::{Schema, TypeReference};

/// How many errors an answer has; a query that is wrong in more places is wrong enough.
const MOST_ERRORS: usize = 50;

/// What is wrong with a query; nothing if it can be answered.
///
/// # Errors
/// It cannot be checked in a time that is fair to others.
pub(super) fn validate(
    schema: &Schema,
    document: &Document<'_>,
    source: &Source<'_>,
) -> Result<Vec<QueryError>, TooLarge> {
    let mut validator = Validator { schema, document, source, errors: Vec::new() };
    let uses = validator.selections();
    validator.cycles(&uses.fragments);
    validator.variables(&uses);
    validator.unused_fragments(&uses);
    // All types and fragments are known by now.
    if validator.errors.is_empty() {
        validator.conflicts()?;
    }
    Ok(validator.errors)
}

struct Validator<'e> {
    schema: &'e Schema,
    document: &'e Document<'e>,
    source: &'e Source<'e>,
    errors: Vec<QueryError>,
}

/// What operations and fragments use, in their order.
#[derive(Debug, Default)]
struct AllUses<'e> {
    operations: Vec<Uses<'e>>,
    fragments: Vec<Uses<'e>>,
}

/// What an operation or a fragment uses.
#[derive(Debug, Default)]
struct Uses<'e> {
    spreads: Vec<(Name<'e>, usize)>,
    variables: Vec<VariableUse<'e>>,
}

/// A place that a variable fills.
#[derive(Debug, Clone, Copy)]
struct VariableUse<'e> {
    name: Name<'e>,
    /// What is expected there, if that is known.
    of: Option<&'e TypeReference>,
}

impl Validator<'_> {
    fn is_full(&self) -> bool {
        self.errors.len() >= MOST_ERRORS
    }

    /// Notes an error about some bytes of the query.
    fn error(&mut self, message: impl Into<String>, places: &[usize]) {
        if !self.is_full() {
            let locations = places.iter().map(|at| self.source.location(*at)).collect();
            self.errors.push(QueryError::at(message, locations));
        }
    }
}
