//! Two catalogs compared: which ones, what changes, and what that means.

use fbc_lint::Located;
use fbc_lint::comparison::{Class, Comparison};
use fbc_model::Catalog;
use fbc_source::CatalogSource;

use crate::count::counted;
use crate::shell::quoted;

pub mod document;
pub mod grouping;
pub mod pairs;
pub mod released;
pub mod validity;

/// A comparison with what its writers need besides.
pub struct Compared<'c> {
    /// What changes.
    pub comparison: &'c Comparison,
    /// How the catalogs were named on the command line.
    pub old_name: String,
    /// The new one.
    pub new_name: String,
    /// The old catalog.
    pub old: &'c Catalog,
    /// The new catalog.
    pub new: &'c Catalog,
    /// The files of the new catalog.
    pub source: &'c CatalogSource,
    /// What makes the new catalog invalid and is not in the old one.
    pub faults: &'c [Located],
}

impl Compared<'_> {
    /// The worst that the change does: a catalog that is no longer valid takes all of its operators from everybody.
    #[must_use]
    pub fn worst(&self) -> Option<Class> {
        let fault = self.faults.first().map(|_| Class::Breaking);
        self.comparison.worst().into_iter().chain(fault).min()
    }

    /// `1 breaking, 2 risky, 3 harmless changes in 1 of 12 packages`
    #[must_use]
    pub fn summary(&self) -> String {
        let counts: Vec<String> = Class::ALL
            .into_iter()
            .map(|class| (self.comparison.count(class), class.name()))
            .filter(|(count, _)| *count > 0)
            .map(|(count, name)| format!("{count} {name}"))
            .collect();
        let all = counted(self.comparison.packages, "package");
        let invalid = if self.faults.is_empty() { "" } else { ", and the new catalog is not valid" };
        if counts.is_empty() {
            return format!("no changes in {all}{invalid}");
        }
        let word = if self.comparison.changes.len() == 1 { "change" } else { "changes" };
        let changed = self.comparison.changed_packages.len();
        format!("{} {word} in {changed} of {all}{invalid}", counts.join(", "))
    }

    /// That the new catalog is not valid, if so, and the command that shows where.
    #[must_use]
    pub fn invalid(&self) -> Option<(String, String)> {
        Some((validity::sentence(self.faults)?, format!("fbc validate {}", quoted(&self.new_name))))
    }
}
