//! Comparing values, and what follows from it: finding elements, and joining lists whose elements can be told apart.

use std::cmp::Ordering;

use super::budget::{Evaluation, Fault};
use super::index::Index;
use super::value::{Entries, List, Val};

impl Val<'_> {
    /// Equality: numbers by value, lists with keys and sets in any order. Values that are shared are compared as often
    /// as they stand there, so that what a comparison takes is counted on the way.
    pub(crate) fn equals(&self, other: &Self, evaluation: &Evaluation) -> Result<bool, Fault> {
        evaluation.work(1)?;
        Ok(match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(left), Self::Bool(right)) => left == right,
            (Self::Text(left), Self::Text(right)) => {
                evaluation.work_on_bytes(left.len().min(right.len()))?;
                **left == **right
            }
            (Self::Bytes(left), Self::Bytes(right)) => {
                evaluation.work_on_bytes(left.len().min(right.len()))?;
                **left == **right
            }
            (Self::Duration(left), Self::Duration(right)) => left == right,
            (Self::Timestamp(left, rest), Self::Timestamp(right, other)) => (left, rest) == (right, other),
            (Self::Type(left), Self::Type(right)) => left == right,
            (Self::Optional(left), Self::Optional(right)) => match (left, right) {
                (Some(left), Some(right)) => left.equals(right, evaluation)?,
                (left, right) => left.is_none() && right.is_none(),
            },
            (Self::Url(left), Self::Url(right)) => left == right,
            (Self::Quantity(left), Self::Quantity(right)) => left.cmp(right).is_eq(),
            (Self::Ip(left), Self::Ip(right)) => left == right,
            (Self::Cidr(left, bits), Self::Cidr(right, other)) => (left, bits) == (right, other),
            (Self::Semver(left), Self::Semver(right)) => left == right,
            (Self::List(left), Self::List(right)) => left.equals(right, evaluation)?,
            (Self::Map(left), Self::Map(right)) => left.equals(right, evaluation)?,
            _ => self.is_number() && other.is_number() && self.compare(other) == Some(Ordering::Equal),
        })
    }
}

impl<'a> List<'a> {
    fn equals(&self, other: &Self, evaluation: &Evaluation) -> Result<bool, Fault> {
        if self.len() != other.len() {
            return Ok(false);
        }
        let mut in_order = true;
        for (left, right) in self.iter().zip(other.iter()) {
            if !left.equals(&right, evaluation)? {
                in_order = false;
                break;
            }
        }
        if in_order || self.unordered().is_none() {
            return Ok(in_order);
        }
        self.is_within(other, evaluation)
    }

    /// True if each element is one of the other list.
    pub(crate) fn is_within(&self, other: &Self, evaluation: &Evaluation) -> Result<bool, Fault> {
        let known = Index::new(other.iter(), &[], evaluation)?;
        for item in self.iter() {
            if !known.holds(&item, evaluation)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// True if an element is one of the other list.
    pub(crate) fn meets(&self, other: &Self, evaluation: &Evaluation) -> Result<bool, Fault> {
        let known = Index::new(other.iter(), &[], evaluation)?;
        for item in self.iter() {
            if known.holds(&item, evaluation)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Where an element is first.
    pub(crate) fn position(&self, item: &Val<'_>, evaluation: &Evaluation) -> Result<Option<usize>, Fault> {
        for (index, known) in self.iter().enumerate() {
            if known.equals(item, evaluation)? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// Two lists one after another. In sets and lists with keys, elements of the second replace the same of the first.
    pub(crate) fn concatenate(&self, other: &Self, evaluation: &Evaluation) -> Result<Val<'a>, Fault> {
        evaluation.work(self.len().saturating_add(other.len()))?;
        let Some(keys) = self.unordered() else {
            return Ok(Val::list(self.iter().chain(other.iter()).collect()));
        };
        let mut items = Index::new(self.iter(), keys, evaluation)?;
        for item in other.iter() {
            items.put(item, evaluation)?;
        }
        Ok(Val::list(items.into_items()))
    }
}

impl Entries<'_> {
    fn equals(&self, other: &Self, evaluation: &Evaluation) -> Result<bool, Fault> {
        if self.len() != other.len() {
            return Ok(false);
        }
        for (key, value) in self.iter() {
            match other.get(&key, evaluation)? {
                Some(other) if value.equals(&other, evaluation)? => {}
                _ => return Ok(false),
            }
        }
        Ok(true)
    }
}
