//! The definitions of two bundles, paired by their names.

use std::collections::BTreeMap;

use fbc_version::Target;
use fbc_yaml::Node;

use super::change::{Cause, Change, Class};
use super::definition::{Definition, DefinitionError};
use super::{Enforcement, Upgrade, compare};

/// Objects that cannot be paired.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PairError {
    /// An object that cannot be read.
    #[error("{error}")]
    Definition {
        /// Whether it is one of the new objects.
        is_new: bool,
        /// Which of them.
        index: usize,
        /// What is wrong.
        error: DefinitionError,
    },
    /// Two definitions of one name.
    #[error("definition {name:?} is there twice")]
    Repeated {
        /// Whether it is among the new objects.
        is_new: bool,
        /// The second of them.
        index: usize,
        /// The name.
        name: String,
    },
}

/// What becomes of every definition, in the order of their names. Objects are `CustomResourceDefinition`s.
///
/// A definition that only the new objects have is created; one that they lack is removed by the upgrade together
/// with all its objects, which no check looks at.
///
/// # Errors
/// An object that is not a definition, or a name that comes twice: [`PairError`].
pub fn compare_sets(
    old: &[Node<'_>],
    new: &[Node<'_>],
    target: Target,
    enforcement: Enforcement,
) -> Result<Vec<Upgrade>, PairError> {
    let old = by_name(old, false)?;
    let mut new = by_name(new, true)?;
    let mut upgrades: Vec<Upgrade> = old
        .iter()
        .map(|(name, old)| match new.remove(name) {
            Some(new) => compare(old, &new, target, enforcement),
            None => {
                alone(name, Change::new(Class::Risky, Cause::DefinitionGone, "definition").values(*name, ""))
            }
        })
        .collect();
    upgrades.extend(new.keys().map(|name| {
        alone(name, Change::new(Class::Harmless, Cause::DefinitionAdded, "definition").values("", *name))
    }));
    upgrades.sort_by(|left, right| left.name.cmp(&right.name));
    Ok(upgrades)
}

/// As [`compare_sets`] for all objects of two bundles: what is not a definition is left out, and definitions that did
/// not change are skipped without being read, so that walking the edges of a catalog costs little.
///
/// # Errors
/// As [`compare_sets`]; indexes count the objects that were given.
pub fn compare_bundles(
    old: &[Node<'_>],
    new: &[Node<'_>],
    target: Target,
    enforcement: Enforcement,
) -> Result<Vec<Upgrade>, PairError> {
    let old_changed = changed(old, &named(new));
    let new_changed = changed(new, &named(old));
    let (old, new): (Vec<Node<'_>>, Vec<Node<'_>>) = (
        old_changed.iter().map(|(_, node)| *node).collect(),
        new_changed.iter().map(|(_, node)| *node).collect(),
    );
    compare_sets(&old, &new, target, enforcement).map_err(|error| {
        let place = |is_new: bool, index: usize| {
            let list = if is_new { &new_changed } else { &old_changed };
            list.get(index).map_or(index, |(index, _)| *index)
        };
        match error {
            PairError::Definition { is_new, index, error } => {
                PairError::Definition { is_new, index: place(is_new, index), error }
            }
            PairError::Repeated { is_new, index, name } => {
                PairError::Repeated { is_new, index: place(is_new, index), name }
            }
        }
    })
}

/// Definitions by their names; without a name they have the empty one.
fn named<'d>(objects: &[Node<'d>]) -> BTreeMap<&'d str, Node<'d>> {
    objects
        .iter()
        .filter(|object| Definition::is_one(**object))
        .map(|object| (name_of(*object), *object))
        .collect()
}

/// The definitions with another content than those of the same name on the other side, with their indexes.
fn changed<'d>(objects: &[Node<'d>], others: &BTreeMap<&str, Node<'_>>) -> Vec<(usize, Node<'d>)> {
    let is_changed = |object: Node<'_>| {
        Definition::is_one(object)
            && others.get(name_of(object)).is_none_or(|other| !Definition::is_same(*other, object))
    };
    objects.iter().copied().enumerate().filter(|(_, object)| is_changed(*object)).collect()
}

fn name_of<'d>(object: Node<'d>) -> &'d str {
    object.get("metadata").and_then(|metadata| metadata.get_str("name")).unwrap_or_default()
}

fn by_name<'d>(objects: &[Node<'d>], is_new: bool) -> Result<BTreeMap<&'d str, Definition<'d>>, PairError> {
    let mut definitions = BTreeMap::new();
    for (index, object) in objects.iter().enumerate() {
        let definition =
            Definition::read(*object).map_err(|error| PairError::Definition { is_new, index, error })?;
        let name = definition.name;
        if definitions.insert(name, definition).is_some() {
            return Err(PairError::Repeated { is_new, index, name: name.to_owned() });
        }
    }
    Ok(definitions)
}

fn alone(name: &str, change: Change) -> Upgrade {
    Upgrade {
        name: name.to_owned(),
        is_safe: true,
        messages: Vec::new(),
        error: String::new(),
        changes: vec![change],
    }
}
