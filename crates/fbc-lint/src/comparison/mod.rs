//! What a change of a catalog means: two catalogs compared, every difference as data.
//!
//! The comparison is one of sets: the order of files, documents, entries and properties does not count.
//! Packages are compared one by one, and only those that differ are looked at closely. Each [`Change`]
//! has a class: [`Class::Breaking`] takes something from people who already run the operator,
//! [`Class::Risky`] may, [`Class::Harmless`] does not. What a change does to users is worked out from the
//! updates that they have before and after it ([`updates`]), not from the edges that changed.
//!
//! Of blobs with one name the first counts, as everywhere; refusing the others is the business of rules.

mod bundle;
mod change;
mod channel;
mod content;
mod impact;
mod new_findings;
mod package;
pub mod scope;
mod sides;
pub mod updates;

use fbc_model::Catalog;
use rayon::prelude::*;

pub use change::{Affected, Change, ChangeKind, Class, Effect};
pub use channel::is_unstable;
pub use new_findings::only_new;
pub use updates::Meaning;

use sides::Side;

/// The difference between two catalogs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// The changes: sorted by package, which [`Self::of_package`] relies on, the worst first.
    pub changes: Vec<Change>,
    /// How many packages either catalog has, each counted once.
    pub packages: usize,
    /// The packages that differ, sorted.
    pub changed_packages: Vec<String>,
}

impl Comparison {
    /// The number of changes of a class.
    #[must_use]
    pub fn count(&self, class: Class) -> usize {
        self.changes.iter().filter(|change| change.class == class).count()
    }

    /// The class of the worst change; nothing if there is none.
    #[must_use]
    pub fn worst(&self) -> Option<Class> {
        self.changes.iter().map(|change| change.class).min()
    }

    /// The changes of a package, found without looking at all others.
    #[must_use]
    pub fn of_package(&self, package: &str) -> &[Change] {
        let name = |change: &Change| change.subject.package.as_str().cmp(package);
        let start = self.changes.partition_point(|change| name(change).is_lt());
        let rest = self.changes.get(start..).unwrap_or_default();
        rest.get(..rest.partition_point(|change| name(change).is_eq())).unwrap_or_default()
    }
}

/// Compares two catalogs.
#[must_use]
pub fn compare(old: &Catalog, new: &Catalog) -> Comparison {
    compare_packages(old, new, &|_| true)
}

/// Compares two catalogs in the packages that a caller wants.
///
/// Blobs that name no package count to the package with the empty name.
#[must_use]
pub fn compare_packages(old: &Catalog, new: &Catalog, wants: &(dyn Fn(&str) -> bool + Sync)) -> Comparison {
    let pairs: Vec<_> = sides::pairs(old, new).into_iter().filter(|(package, _)| wants(package)).collect();
    let differing: Vec<(&str, Vec<Change>)> = pairs
        .par_iter()
        .with_max_len(1)
        .filter(|(_, (old, new))| old != new)
        .map(|(package, (old, new))| {
            let mut changes = package_changes(package, old, new);
            changes.sort_by(|a, b| a.order().cmp(&b.order()));
            (*package, changes)
        })
        .filter(|(_, changes)| !changes.is_empty())
        .collect();
    Comparison {
        packages: pairs.iter().filter(|(package, _)| !package.is_empty()).count(),
        changed_packages: differing.iter().map(|(package, _)| (*package).to_owned()).collect(),
        changes: differing.into_iter().flat_map(|(_, changes)| changes).collect(),
    }
}

fn package_changes(package: &str, old: &Side<'_>, new: &Side<'_>) -> Vec<Change> {
    let mut changes = Vec::new();
    if !package::presence(package, old, new, &mut changes) {
        return changes;
    }
    package::metadata(package, old, new, &mut changes);
    channel::compare(package, old, new, &mut changes);
    impact::default_channel(package, old, new, &mut changes);
    bundle::compare(package, old, new, &mut changes);
    package::deprecations(package, old, new, &mut changes);
    package::others(package, old, new, &mut changes);
    changes
}

#[cfg(test)]
mod tests;
