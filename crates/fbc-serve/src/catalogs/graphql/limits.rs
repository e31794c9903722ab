//! How large a question may be.
//!
//! Source: `operator-framework/operator-controller:internal/catalogd/graphql/validation.go`.

use std::collections::HashSet;

use super::document::{Document, Selection, SelectionSet};

const MOST_DEPTH: usize = 10;
const MOST_ALIASES: usize = 50;
const MOST_FIELDS: usize = 500;

/// How deep sets of fields, values and types may be nested, and the objects of an answer. Questions are less deep, unless they lead from one
/// fragment to the next. With its lists, an answer is twice as deep, which readers of JSON allow.
pub(super) const MOST_NESTING: usize = 50;

/// What was counted so far, over all operations.
struct Count<'q> {
    document: &'q Document<'q>,
    aliases: usize,
    fields: usize,
    /// The fragments that this operation has used.
    visited: HashSet<&'q str>,
}

/// Why a question is too large, in catalogd's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum TooLarge {
    #[error("query exceeds maximum depth of {MOST_DEPTH}")]
    Depth,
    #[error("query exceeds maximum field count of {MOST_FIELDS}")]
    Fields,
    #[error("query exceeds maximum alias count of {MOST_ALIASES}")]
    Aliases,
    /// catalogd has no such limit.
    #[error("query exceeds maximum nesting of {MOST_NESTING}")]
    Nesting,
}

/// Refuses a question that is too deep or too broad.
pub(super) fn check(document: &Document<'_>) -> Result<(), TooLarge> {
    let mut count = Count { document, aliases: 0, fields: 0, visited: HashSet::new() };
    for operation in &document.operations {
        count.visited.clear();
        count.walk(&operation.selections, 1)?;
    }
    Ok(())
}

impl<'q> Count<'q> {
    fn walk(&mut self, set: &'q SelectionSet<'q>, depth: usize) -> Result<(), TooLarge> {
        if depth > MOST_DEPTH {
            return Err(TooLarge::Depth);
        }
        for selection in &set.items {
            match selection {
                Selection::Field(field) => {
                    self.fields += 1;
                    if self.fields > MOST_FIELDS {
                        return Err(TooLarge::Fields);
                    }
                    self.aliases += usize::from(field.alias.is_some());
                    if self.aliases > MOST_ALIASES {
                        return Err(TooLarge::Aliases);
                    }
                    if let Some(selections) = &field.selections {
                        self.walk(selections, depth + 1)?;
                    }
                }
                Selection::Inline(fragment) => self.walk(&fragment.selections, depth + 1)?,
                Selection::Spread(spread) => {
                    if self.visited.insert(spread.name.text)
                        && let Some(fragment) = self.document.fragment(spread.name.text)
                    {
                        self.walk(&fragment.selections, depth + 1)?;
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::parser;
    use super::*;

    #[test]
    fn large_questions_are_refused() {
        let nested = |depth: usize| format!("{}{}", "{ a ".repeat(depth), "}".repeat(depth));
        let many = |count: usize, what: &str| {
            let fields: Vec<String> =
                (0..count).map(|number| what.replace('#', &number.to_string())).collect();
            format!("{{ {} }}", fields.join(" "))
        };
        let twice = "fragment F on Query { a b } query one { ...F ...F } query two { ...F }".to_owned();
        for (query, refusal) in [
            (nested(10), None),
            (nested(11), Some("query exceeds maximum depth of 10")),
            (many(500, "a#"), None),
            (many(501, "a#"), Some("query exceeds maximum field count of 500")),
            (many(50, "a#: a"), None),
            (many(51, "a#: a"), Some("query exceeds maximum alias count of 50")),
            (twice, None),
            ("fragment F on Query { ...F } { ...F }".to_owned(), None),
        ] {
            let document = parser::parse(&query).unwrap();
            let found = check(&document).err().map(|error| error.to_string());
            assert_eq!(found.as_deref(), refusal, "{query}");
        }
    }
}
