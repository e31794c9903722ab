//! Sets of fields that are known with their texts, and what comes of joining and cutting them.
//!
//! Objects of one shape that are written by the same controllers have the same sets, so that nearly all that is asked of
//! sets was asked before.

use std::cell::{RefCell, RefMut};
use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;

use super::compare::{compare, fingerprint};
use super::field_set::FieldSet;
use super::managed::strip;
use super::shape::Shape;

/// So many answers are remembered; then all are forgotten.
const MOST_KNOWN: usize = 4096;

/// A set of fields with its text.
#[derive(Debug, Clone)]
pub(super) struct Fields {
    pub(super) set: Arc<FieldSet>,
    pub(super) text: Arc<str>,
}

/// The fields in which two states of an object differ, as far as somebody can own them.
#[derive(Debug, Clone)]
pub(super) struct Differences {
    /// Those that the new state has, and others have not or otherwise.
    pub(super) changed: Fields,
    /// Those that the new state does not have.
    pub(super) removed: Fields,
}

/// The sets of fields that were read or made lately.
#[derive(Debug, Default)]
pub struct FieldSets(RefCell<Known>);

#[derive(Debug, Default)]
struct Known {
    sets: HashMap<Arc<str>, Arc<FieldSet>>,
    /// By the fingerprint of two states, and what a write cannot change.
    differences: HashMap<([u64; 2], &'static [&'static [&'static str]]), Differences>,
    /// By the places in memory of two texts that are among `sets`: both sets, and the first without the second.
    cuts: HashMap<[usize; 2], [Fields; 3]>,
    /// In the same way: both sets, and what belongs to either.
    unions: HashMap<[usize; 2], [Fields; 3]>,
}

impl FieldSets {
    /// The set that a text of `fieldsV1` holds; what cannot be read holds none.
    pub(super) fn of_text(&self, text: &str) -> Fields {
        self.found(text).unwrap_or_else(|| {
            self.remember(FieldSet::from_json(serde_json::from_str(text).unwrap_or_default()), text)
        })
    }

    /// A set with its text.
    pub(super) fn of_set(&self, set: FieldSet) -> Fields {
        let text = set.text();
        self.found(&text).unwrap_or_else(|| self.remember(set, &text))
    }

    /// The fields in which two states differ.
    pub(super) fn differences(
        &self,
        old: Option<&Value>,
        new: &Value,
        ignored: &'static [&'static [&'static str]],
        shape: &Shape,
    ) -> Differences {
        let key = (fingerprint(old, Some(new), shape), ignored);
        if let Some(known) = self.0.borrow().differences.get(&key) {
            return known.clone();
        }
        let found = compare(old, Some(new), shape);
        let (mut changed, mut removed) = (found.modified, found.removed);
        changed.add(&found.added);
        strip(&mut changed, ignored);
        strip(&mut removed, ignored);
        let differences = Differences { changed: self.of_set(changed), removed: self.of_set(removed) };
        self.known().differences.insert(key, differences.clone());
        differences
    }

    /// A set without the places of another one.
    pub(super) fn without(&self, fields: &Fields, taken: &Fields) -> Fields {
        // Most writers have fields of their own: nothing is copied for them, and nothing remembered.
        if fields.set.is_apart_from(&taken.set) {
            return fields.clone();
        }
        let key = key(fields, taken);
        if let Some([.., left]) = self.0.borrow().cuts.get(&key) {
            return left.clone();
        }
        let mut left = FieldSet::clone(&fields.set);
        left.subtract(&taken.set);
        let left = self.of_set(left);
        self.known().cuts.insert(key, [fields.clone(), taken.clone(), left.clone()]);
        left
    }

    /// A set with the places of another one.
    pub(super) fn with(&self, fields: &Fields, added: &Fields) -> Fields {
        if fields.set.is_empty() {
            return added.clone();
        }
        let key = key(fields, added);
        if let Some([.., all]) = self.0.borrow().unions.get(&key) {
            return all.clone();
        }
        let mut all = FieldSet::clone(&fields.set);
        all.add(&added.set);
        let all = self.of_set(all);
        self.known().unions.insert(key, [fields.clone(), added.clone(), all.clone()]);
        all
    }

    fn found(&self, text: &str) -> Option<Fields> {
        let known = self.0.borrow();
        let (text, set) = known.sets.get_key_value(text)?;
        Some(Fields { set: Arc::clone(set), text: Arc::clone(text) })
    }

    fn remember(&self, set: FieldSet, text: &str) -> Fields {
        let fields = Fields { set: Arc::new(set), text: text.into() };
        self.known().sets.insert(Arc::clone(&fields.text), Arc::clone(&fields.set));
        fields
    }

    /// What is known, with room for one more answer.
    fn known(&self) -> RefMut<'_, Known> {
        let mut known = self.0.borrow_mut();
        let sizes = [known.sets.len(), known.differences.len(), known.cuts.len(), known.unions.len()];
        if sizes.iter().any(|size| *size >= MOST_KNOWN) {
            *known = Known::default();
        }
        known
    }
}

/// Where two texts are. What is kept under it holds both, so that nothing else can come to be there.
fn key(one: &Fields, other: &Fields) -> [usize; 2] {
    [one, other].map(|fields| fields.text.as_ptr() as usize)
}
