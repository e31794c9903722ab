//! A rule: its code, its documentation and its check, side by side in one file each, with a file of cases beside it.

use crate::bundle::BundleContext;
use crate::context::Context;
use crate::finding::{Findings, Severity};

mod case;
mod source;

pub use case::{Case, ChangeCase};
pub use source::Source;

/// A rule. A code is never used again for another rule.
#[derive(Debug)]
pub struct Rule {
    /// The code, such as `FBC001`.
    pub code: &'static str,
    /// The name, such as `unreadable-file`.
    pub name: &'static str,
    /// The version of fbc that has it first.
    pub since: &'static str,
    /// One line that says what is wrong when the rule reports something.
    pub summary: &'static str,
    /// Why it matters and how to fix it, in Markdown.
    pub explanation: &'static str,
    /// Where the behavior comes from; never empty.
    pub sources: &'static [Source],
    /// On whose authority it is wrong.
    pub basis: Basis,
    /// Looks for it.
    pub check: Check,
    /// Small catalogs, bundles or changes with what the rule finds in them, as a text; see [`Rule::cases`] and
    /// [`Rule::change_cases`].
    pub cases: &'static str,
}

impl Rule {
    /// The line `Source: …`, with every source as `shown` writes it, such as [`Source::markdown`].
    #[must_use]
    pub fn source_line(&self, shown: impl Fn(&Source) -> String) -> String {
        let sources: Vec<String> = self.sources.iter().map(shown).collect();
        format!("Source: {}", sources.join("; "))
    }
}

/// What a rule looks at, and how.
#[derive(Debug)]
pub enum Check {
    /// A catalog.
    Catalog(fn(&Context<'_>, &mut Findings)),
    /// A bundle directory.
    Bundle(fn(&BundleContext<'_>, &mut Findings)),
    /// Neither: whoever finds it says so, such as the reader of the configuration.
    Elsewhere,
}

impl Check {
    /// The file that the text of a [`Case`] begins with.
    #[must_use]
    pub fn first_file(&self) -> &'static str {
        match self {
            Self::Catalog(_) | Self::Elsewhere => "catalog.yaml",
            Self::Bundle(_) => "manifests/csv.yaml",
        }
    }

    /// Whether an example says that a file of it has this path: unless it is the one that is meant anyway.
    #[must_use]
    pub fn says_path(&self, path: &str) -> bool {
        matches!(self, Self::Bundle(_)) || path != self.first_file()
    }
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
    /// opm's `alpha bundle validate` or the default checks of `operator-sdk bundle validate` refuse the
    /// bundle: an error.
    Validators,
    /// The validators accept the bundle, and OLM does not install it: a warning, an error in the strict
    /// profile.
    Olm,
    /// opm and the validators accept it, but it can break users: a warning.
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
            Self::Opm | Self::Validators | Self::Policy => Severity::Error,
            Self::Documents | Self::Olm | Self::Advice => Severity::Warning,
            Self::Configuration(severity) => severity,
        }
    }
}
