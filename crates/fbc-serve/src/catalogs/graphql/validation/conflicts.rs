//! Fields that would have one name in the answer and are not the same.
//!
//! graphql-go compares each pair of fields. Here, all fields of a name are compared with the first one, and the fields below them
//! together, so that the work grows with the query and not with its square.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::collect;
use super::super::document::{Field, SelectionSet, Value};
use super::super::limits::{MOST_NESTING, TooLarge};
use super::super::types::Type;
use super::Validator;

/// How many selections are compared before a query counts as one with too many fields.
const MOST_STEPS: usize = 1_000_000;

/// Two fields that cannot have one name.
struct Conflict {
    name: String,
    reason: String,
    /// The sets that the two are in, by their number.
    sets: [usize; 2],
    /// Where the two are, and what below them.
    places: [Vec<usize>; 2],
}

/// What was compared already.
#[derive(Default)]
struct Compared {
    steps: usize,
    /// Where the sets begin that were compared together.
    sets: HashSet<Vec<usize>>,
}

impl<'e> Validator<'e> {
    /// Refuses fields that would have one name in an answer and are not the same.
    ///
    /// # Errors
    /// There is too much to compare.
    pub(super) fn conflicts(&mut self) -> Result<(), TooLarge> {
        let Some(query) = self.schema.query() else { return Ok(()) };
        let document = self.document;
        let mut compared = Compared::default();
        for operation in &document.operations {
            self.compare(query, &[&operation.selections], 0, &mut compared)?;
        }
        Ok(())
    }

    /// Compares the fields of some sets of one object. Conflicts within a set are noted, those between two are returned.
    fn compare(
        &mut self,
        of: &'e Type,
        sets: &[&'e SelectionSet<'e>],
        depth: usize,
        compared: &mut Compared,
    ) -> Result<Vec<Conflict>, TooLarge> {
        if depth > MOST_NESTING {
            return Err(TooLarge::Nesting);
        }
        if sets.is_empty() || !compared.sets.insert(sets.iter().map(|set| set.at).collect()) {
            return Ok(Vec::new());
        }
        let admit = |_| {
            compared.steps += 1;
            if compared.steps > MOST_STEPS { Err(TooLarge::Fields) } else { Ok(true) }
        };
        let mut by_name: BTreeMap<&str, Vec<(usize, &Field<'_>)>> = BTreeMap::new();
        for (set, field) in collect::fields(self.document, &of.name, sets.iter().copied(), admit)? {
            by_name.entry(field.key()).or_default().push((set, field));
        }
        let mut between = Vec::new();
        for (name, fields) in by_name {
            let Some((first_set, first)) = fields.first().copied() else { continue };
            let conflicts: Vec<Conflict> = fields
                .iter()
                .filter_map(|(set, field)| {
                    let reason = difference(first, field)?;
                    let places = [vec![first.at], vec![field.at]];
                    Some(Conflict { name: name.to_owned(), reason, sets: [first_set, *set], places })
                })
                .collect();
            let below = match conflicts.is_empty() {
                true => self.compare_below(of, name, &fields, depth, compared)?,
                false => Vec::new(),
            };
            for conflict in conflicts.into_iter().chain(below) {
                match conflict.sets {
                    [left, right] if left != right => between.push(conflict),
                    _ => {
                        let Conflict { name, reason, places, .. } = conflict;
                        let message = format!(
                            "Fields \"{name}\" conflict because {reason}. Use different aliases on the fields to fetch both if \
                             this was intentional."
                        );
                        self.error(message, &places.concat());
                    }
                }
            }
        }
        Ok(between)
    }

    /// Compares what some fields of one name select.
    fn compare_below(
        &mut self,
        of: &'e Type,
        name: &str,
        fields: &[(usize, &'e Field<'e>)],
        depth: usize,
        compared: &mut Compared,
    ) -> Result<Vec<Conflict>, TooLarge> {
        let schema = self.schema;
        let definition = fields.first().and_then(|(_, field)| schema.field(of, field.name.text));
        let inner = definition.and_then(|definition| schema.types.get(definition.of.name()));
        let Some(inner) = inner.filter(|inner| inner.is_object()) else { return Ok(Vec::new()) };
        let with_sets =
            fields.iter().filter_map(|(set, field)| Some((*set, field.at, field.selections.as_ref()?)));
        let with_sets: Vec<(usize, usize, &SelectionSet<'_>)> = with_sets.collect();
        let sets: Vec<&SelectionSet<'_>> = with_sets.iter().map(|(_, _, set)| *set).collect();
        let found = self.compare(inner, &sets, depth + 1, compared)?;
        let around = found.into_iter().map(|conflict| {
            let reason = format!("subfields \"{}\" conflict because {}", conflict.name, conflict.reason);
            let [left, right] =
                conflict.sets.map(|number| with_sets.get(number).map_or((0, 0), |set| (set.0, set.1)));
            let [below_left, below_right] = conflict.places;
            let places = [[vec![left.1], below_left].concat(), [vec![right.1], below_right].concat()];
            Conflict { name: name.to_owned(), reason, sets: [left.0, right.0], places }
        });
        Ok(around.collect())
    }
}

/// Why two fields are not the same, if they are not.
fn difference(left: &Field<'_>, right: &Field<'_>) -> Option<String> {
    if left.name != right.name {
        return Some(format!("{} and {} are different fields", left.name.text, right.name.text));
    }
    let same = std::ptr::eq(left, right) || {
        let values: HashMap<&str, &Value<'_>> =
            left.arguments.iter().map(|argument| (argument.name.text, &argument.value)).collect();
        left.arguments.len() == right.arguments.len()
            && right.arguments.iter().all(|argument| values.get(argument.name.text) == Some(&&argument.value))
    };
    (!same).then(|| "they have differing arguments".to_owned())
}
