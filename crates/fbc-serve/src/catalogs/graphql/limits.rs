//! How large a question may be.
//!
//! Source: `operator-framework/operator-controller:internal/catalogd/graphql/validation.go`.

use std::collections::HashSet;

use async_graphql::parser::types::{ExecutableDocument, Selection, SelectionSet};

const MOST_DEPTH: usize = 10;
const MOST_ALIASES: usize = 50;
const MOST_FIELDS: usize = 500;

/// What was counted so far, over all operations.
struct Count<'q> {
    document: &'q ExecutableDocument,
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
}

/// Refuses a question that is too deep or too broad.
pub(super) fn check(document: &ExecutableDocument) -> Result<(), TooLarge> {
    let mut count = Count { document, aliases: 0, fields: 0, visited: HashSet::new() };
    for (_, operation) in document.operations.iter() {
        count.visited.clear();
        count.walk(&operation.node.selection_set.node, 1)?;
    }
    Ok(())
}

impl<'q> Count<'q> {
    fn walk(&mut self, set: &'q SelectionSet, depth: usize) -> Result<(), TooLarge> {
        if set.items.is_empty() {
            return Ok(());
        }
        if depth > MOST_DEPTH {
            return Err(TooLarge::Depth);
        }
        for selection in &set.items {
            match &selection.node {
                Selection::Field(field) => {
                    self.fields += 1;
                    if self.fields > MOST_FIELDS {
                        return Err(TooLarge::Fields);
                    }
                    self.aliases += usize::from(field.node.alias.is_some());
                    if self.aliases > MOST_ALIASES {
                        return Err(TooLarge::Aliases);
                    }
                    self.walk(&field.node.selection_set.node, depth + 1)?;
                }
                Selection::InlineFragment(fragment) => {
                    self.walk(&fragment.node.selection_set.node, depth + 1)?;
                }
                Selection::FragmentSpread(spread) => {
                    let name = &spread.node.fragment_name.node;
                    if self.visited.insert(name.as_str())
                        && let Some(fragment) = self.document.fragments.get(name)
                    {
                        self.walk(&fragment.node.selection_set.node, depth + 1)?;
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
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
            let document = async_graphql::parser::parse_query(&query).unwrap();
            let found = check(&document).err().map(|error| error.to_string());
            assert_eq!(found.as_deref(), refusal, "{query}");
        }
    }
}
