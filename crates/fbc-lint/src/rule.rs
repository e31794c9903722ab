//! A rule: its code, its documentation and its check, side by side in one file each.

use crate::context::Context;
use crate::finding::{Finding, Severity};

/// A rule. A code is never used again for another rule.
#[derive(Debug)]
pub struct Rule {
    /// The code, such as `FBC001`.
    pub code: &'static str,
    /// The name, such as `unreadable-file`.
    pub name: &'static str,
    /// One line that says what is wrong when the rule reports something.
    pub summary: &'static str,
    /// Why it matters and how to mend it, in Markdown.
    pub explanation: &'static str,
    /// On whose authority it is wrong.
    pub basis: Basis,
    /// Looks for it.
    pub check: fn(&Context<'_>, &mut Vec<Finding>),
    /// Small catalogs with what the rule finds in them.
    pub cases: &'static [Case],
}

impl PartialEq for Rule {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code
    }
}

/// On whose authority something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// opm refuses the catalog: an error.
    Opm,
    /// The CUE of the product documents is stricter than opm: a warning, an error in the strict
    /// profile.
    Documents,
    /// opm accepts it, and it hurts somebody: a warning.
    Advice,
    /// Those who publish catalogs in some place, or a kind of cluster, refuse it: off unless a profile or
    /// the configuration asks for it, then an error.
    Policy,
    /// The configuration of fbc itself is wrong.
    Configuration(Severity),
}

impl Basis {
    /// The severity outside of any profile.
    #[must_use]
    pub fn severity(self) -> Severity {
        match self {
            Self::Opm | Self::Policy => Severity::Error,
            Self::Documents | Self::Advice => Severity::Warning,
            Self::Configuration(severity) => severity,
        }
    }
}

/// A small catalog, and what the rule finds in it. Cases are tests, and examples in the
/// documentation of the rule.
#[derive(Debug)]
pub struct Case {
    /// What is special about it.
    pub title: &'static str,
    /// The text of the one file `catalog.yaml`.
    pub catalog: &'static str,
    /// The findings of this rule: `line:column message` each; none if the catalog is fine.
    pub findings: &'static [&'static str],
}
