//! Finding elements of lists by a hash, as the API server does where the order of a list does not count.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use super::budget::{Evaluation, Fault};
use super::value::Val;

/// Elements that are found by a hash of what tells them apart.
pub(super) struct Index<'a, 'k> {
    items: Vec<Val<'a>>,
    places: BTreeMap<u64, Vec<usize>>,
    /// The fields that tell objects apart; if there are none, everything does.
    keys: &'k [String],
}

impl<'a, 'k> Index<'a, 'k> {
    pub(super) fn new(
        items: impl Iterator<Item = Val<'a>>,
        keys: &'k [String],
        evaluation: &Evaluation,
    ) -> Result<Self, Fault> {
        let mut index = Self { items: Vec::new(), places: BTreeMap::new(), keys };
        for item in items {
            let hash = index.hash(&item, evaluation)?;
            index.push(item, hash);
        }
        Ok(index)
    }

    /// True if an element is the same as this.
    pub(super) fn holds(&self, item: &Val<'_>, evaluation: &Evaluation) -> Result<bool, Fault> {
        let hash = self.hash(item, evaluation)?;
        Ok(self.place(item, hash, evaluation)?.is_some())
    }

    /// Puts an element in the place of the first that is the same, or behind all others.
    pub(super) fn put(&mut self, item: Val<'a>, evaluation: &Evaluation) -> Result<(), Fault> {
        let hash = self.hash(&item, evaluation)?;
        let place = self.place(&item, hash, evaluation)?;
        match place.and_then(|place| self.items.get_mut(place)) {
            Some(same) => *same = item,
            None => self.push(item, hash),
        }
        Ok(())
    }

    pub(super) fn into_items(self) -> Vec<Val<'a>> {
        self.items
    }

    fn push(&mut self, item: Val<'a>, hash: u64) {
        self.places.entry(hash).or_default().push(self.items.len());
        self.items.push(item);
    }

    fn place(&self, item: &Val<'_>, hash: u64, evaluation: &Evaluation) -> Result<Option<usize>, Fault> {
        for &place in self.places.get(&hash).into_iter().flatten() {
            if let Some(known) = self.items.get(place)
                && self.is_same(known, item, evaluation)?
            {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    fn is_same(&self, left: &Val<'_>, right: &Val<'_>, evaluation: &Evaluation) -> Result<bool, Fault> {
        let (Val::Map(left), Val::Map(right), false) = (left, right, self.keys.is_empty()) else {
            return left.equals(right, evaluation);
        };
        for key in self.keys {
            let same = match (left.field(key), right.field(key)) {
                (Some(left), Some(right)) => left.equals(&right, evaluation)?,
                (left, right) => left.is_none() && right.is_none(),
            };
            if !same {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn hash(&self, item: &Val<'_>, evaluation: &Evaluation) -> Result<u64, Fault> {
        let Val::Map(fields) = item else { return hash(item, evaluation) };
        if self.keys.is_empty() {
            return hash(item, evaluation);
        }
        let mut hasher = DefaultHasher::new();
        for key in self.keys {
            evaluation.work(fields.search_length())?;
            let value = fields.field(key).map(|value| hash(&value, evaluation)).transpose()?;
            value.hash(&mut hasher);
        }
        Ok(hasher.finish())
    }
}

/// The same number for all values that are equal: for numbers of all types, and for lists and maps in any order.
fn hash(value: &Val<'_>, evaluation: &Evaluation) -> Result<u64, Fault> {
    evaluation.work(1)?;
    let mut hasher = DefaultHasher::new();
    match value {
        Val::Text(text) => {
            evaluation.work_on_bytes(text.len())?;
            text.hash(&mut hasher);
        }
        Val::Bytes(bytes) => {
            evaluation.work_on_bytes(bytes.len())?;
            bytes.hash(&mut hasher);
        }
        Val::Bool(flag) => flag.hash(&mut hasher),
        Val::Duration(nanoseconds) => nanoseconds.hash(&mut hasher),
        Val::Timestamp(seconds, rest) => (seconds, rest).hash(&mut hasher),
        Val::List(list) => {
            let mut sum: u64 = 0;
            for item in list.iter() {
                sum = sum.wrapping_add(hash(&item, evaluation)?);
            }
            (list.len(), sum).hash(&mut hasher);
        }
        Val::Map(entries) => {
            let mut sum: u64 = 0;
            for (key, value) in entries.iter() {
                let mut entry = DefaultHasher::new();
                (hash(&key, evaluation)?, hash(&value, evaluation)?).hash(&mut entry);
                sum = sum.wrapping_add(entry.finish());
            }
            (entries.len(), sum).hash(&mut hasher);
        }
        other => match other.as_double() {
            // Zero has two forms.
            Some(number) => (number + 0.0).to_bits().hash(&mut hasher),
            None => other.type_name().hash(&mut hasher),
        },
    }
    Ok(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::super::budget::Budget;
    use super::super::value::{Entries, Shared};
    use super::*;

    #[test]
    fn values_that_are_equal_have_the_same_hash() {
        let entries = |reversed: bool| {
            let mut entries = vec![(Val::text("a"), Val::Int(1)), (Val::Int(2), Val::Double(0.0))];
            if reversed {
                entries.reverse();
            }
            Val::Map(Entries::Built(entries.into()))
        };
        let pairs = [
            (Val::Int(3), Val::Double(3.0)),
            (Val::Uint(3), Val::Int(3)),
            (Val::Double(0.0), Val::Double(-0.0)),
            (Val::text("é"), Val::Text(Shared::Held("é"))),
            (entries(false), entries(true)),
            (Val::list(vec![Val::Null, Val::Bool(true)]), Val::list(vec![Val::Null, Val::Bool(true)])),
            (Val::some(Val::Int(1)), Val::some(Val::Uint(1))),
        ];
        Budget::of_request()
            .evaluate(|evaluation| {
                for (left, right) in &pairs {
                    assert!(left.equals(right, evaluation)?, "{left:?}");
                    assert_eq!(hash(left, evaluation)?, hash(right, evaluation)?, "{left:?}");
                }
                Ok(())
            })
            .unwrap();
    }
}
