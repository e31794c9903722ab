//! The fields that some selections come to, with those of fragments.

use std::collections::HashSet;

use super::document::{Directive, Document, Field, Selection, SelectionSet};

/// The fields of an object that some sets select, in order, each with the number of its set. A fragment counts once. `admit` says
/// whether a selection with these directives counts, and may end it all.
pub(super) fn fields<'d, E>(
    document: &'d Document<'d>,
    of: &str,
    sets: impl IntoIterator<Item = &'d SelectionSet<'d>>,
    mut admit: impl FnMut(&'d [Directive<'d>]) -> Result<bool, E>,
) -> Result<Vec<(usize, &'d Field<'d>)>, E> {
    let mut found = Vec::new();
    let mut used = HashSet::new();
    for (number, set) in sets.into_iter().enumerate() {
        // Fragments may follow each other for long, so they wait here and not on the stack of the thread.
        let mut open = vec![set.items.iter()];
        while let Some(items) = open.last_mut() {
            match items.next() {
                None => drop(open.pop()),
                Some(Selection::Field(field)) => {
                    if admit(&field.directives)? {
                        found.push((number, field));
                    }
                }
                Some(Selection::Inline(fragment)) => {
                    let fits = fragment.condition.is_none_or(|name| name.text == of);
                    if admit(&fragment.directives)? && fits {
                        open.push(fragment.selections.items.iter());
                    }
                }
                Some(Selection::Spread(spread)) => {
                    if admit(&spread.directives)?
                        && let Some(fragment) = document.fragment(spread.name.text)
                        && used.insert(spread.name.text)
                        && fragment.condition.text == of
                    {
                        open.push(fragment.selections.items.iter());
                    }
                }
            }
        }
    }
    Ok(found)
}
