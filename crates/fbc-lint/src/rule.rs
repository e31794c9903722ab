//! A rule: its code, its documentation and its check, side by side in one file each.

use crate::bundle::BundleContext;
use crate::context::Context;
use crate::finding::{Findings, Severity};

mod source;

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
    /// Small catalogs or bundles with what the rule finds in them.
    pub cases: &'static [Case],
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

/// A small catalog or bundle, and what the rule finds in it. Cases are tests, and examples in the
/// documentation of the rule.
#[derive(Debug)]
pub struct Case {
    /// What is special about it.
    pub title: &'static str,
    /// The text of its files. It begins with the text of [`Check::first_file`]; a line `-- path --` begins
    /// another file.
    pub files: &'static str,
    /// The findings of this rule: `line:column message` each, with the path and a colon before it where it
    /// is not the first file; none if all is fine. A finding about a whole file, or all of them, has `-` for line and column.
    pub findings: &'static [&'static str],
}

impl Case {
    /// The files with their texts.
    #[must_use]
    pub fn files(&self, check: &Check) -> Vec<(&'static str, &'static str)> {
        files(check.first_file(), self.files)
    }
}

/// Cuts the text of files apart: it begins with that of the first one, and a line `-- path --` begins another.
pub(crate) fn files(first: &'static str, text: &'static str) -> Vec<(&'static str, &'static str)> {
    let mut files = Vec::new();
    let (mut path, mut rest) = (first, text);
    loop {
        let mut at = 0;
        let next = rest.split_inclusive('\n').find_map(|line| {
            let start = at;
            at += line.len();
            let name = line.trim_end().strip_prefix("-- ")?.strip_suffix(" --")?;
            Some((name, start, at))
        });
        let text = rest.get(..next.map_or(rest.len(), |(_, start, _)| start)).unwrap_or_default();
        if !text.is_empty() || !files.is_empty() {
            files.push((path, text));
        }
        let Some((name, _, end)) = next else { return files };
        (path, rest) = (name, rest.get(end..).unwrap_or_default());
    }
}
