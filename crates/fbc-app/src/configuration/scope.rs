//! What a run has looked at, for the question whether a waiver or an entry of a baseline is of use.

use std::collections::BTreeSet;
use std::path::Path;

use fbc_lint::Policy;
use fbc_lint::policy::pattern::Pattern;
use fbc_lint::policy::waiver;
use fbc_rules::RULES;

/// What a run has looked at.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// The catalogs, as paths from the directory of the configuration file; empty for that directory itself.
    pub(super) roots: BTreeSet<String>,
    /// The names of packages.
    pub(super) packages: BTreeSet<String>,
    /// The files, as paths from the directory of the configuration file.
    pub(super) files: BTreeSet<String>,
    /// The codes of the rules that were off.
    pub(super) off: BTreeSet<&'static str>,
    /// Whether only what changed was looked at: what was not found may still be there.
    pub(super) is_partial: bool,
}

impl Scope {
    /// Nothing yet, of a run under a policy.
    pub(super) fn from_policy(policy: &Policy) -> Self {
        let off = RULES.iter().filter(|rule| policy.level(rule).is_none()).map(|rule| rule.code);
        Self { off: off.collect(), ..Self::default() }
    }
}

impl waiver::Scope for Scope {
    fn is_whole(&self) -> bool {
        // A root above the directory is one from the root of the file system.
        self.roots.contains("")
    }

    fn has_package(&self, pattern: &Pattern) -> bool {
        self.packages.iter().any(|package| pattern.matches(package))
    }

    fn has_rule(&self, code: &str) -> bool {
        !self.is_partial && !self.off.contains(code)
    }

    fn has_path(&self, pattern: &Pattern) -> bool {
        self.files.iter().any(|path| pattern.matches(path))
    }
}

/// Whether a path is one of some directories or files, or lies below one.
pub(super) fn is_below(path: &str, roots: &BTreeSet<String>) -> bool {
    roots.iter().any(|root| root.is_empty() || Path::new(path).starts_with(root))
}
