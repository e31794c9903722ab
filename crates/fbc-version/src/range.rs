//! One surface over both range grammars, for callers that are told which one to use.
//!
//! Nothing is decided here: every method hands on to [`crate::masterminds`] or [`crate::blang`].

use std::fmt;
use std::str::FromStr;

use crate::blang;
use crate::explain::Explanation;
use crate::masterminds::{Constraint, ConstraintError, MastermindsVersion};
use crate::version::Version;
use crate::version_set::VersionSet;

/// A range grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grammar {
    /// `spec.source.catalog.version` of a ClusterExtension.
    Masterminds,
    /// `skipRange`, and `versionRange` of `olm.package.required`.
    Blang,
}

/// Whose behaviour counts. Targets are in the order of their code, so that `target <= Target::Ocp421` asks for what held
/// up to OpenShift 4.21.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// OpenShift Container Platform 4.19.
    Ocp419,
    /// OpenShift Container Platform 4.20.
    Ocp420,
    /// OpenShift Container Platform 4.21.
    Ocp421,
    /// OpenShift Container Platform 5.0, as its code was in the middle of 2026.
    Ocp50,
    /// The code of OpenShift's main branches of July 2026, on plain Kubernetes, as recordings have it.
    #[default]
    Latest,
    /// The release that operator-controller publishes, v1.11.0 of July 2026, on plain Kubernetes.
    Upstream,
}

/// What a target is: one row of the table of all that differs between them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Facts {
    /// The target.
    pub target: Target,
    /// What it stands for.
    pub means: &'static str,
    /// It is a release of OpenShift.
    pub is_openshift: bool,
    /// The version of the Masterminds library that resolution uses.
    pub masterminds: MastermindsVersion,
    /// Extensions are installed with the rights of their service account, unless a scenario says otherwise.
    pub uses_service_accounts: bool,
    /// Pods of operators get the annotation `olm.operatorNamespace`.
    pub names_operator_namespace: bool,
    /// Where the row comes from.
    pub source: &'static str,
}

/// The table of targets, in the order of [`Target::NAMES`].
pub static FACTS: [Facts; 6] = [
    Facts {
        target: Target::Latest,
        means: "OpenShift's main branches of July 2026, on plain Kubernetes",
        is_openshift: false,
        masterminds: MastermindsVersion::V3_5_0,
        uses_service_accounts: true,
        names_operator_namespace: false,
        source: "openshift/operator-framework-operator-controller:main",
    },
    Facts {
        target: Target::Upstream,
        means: "operator-controller v1.11.0 of July 2026, on plain Kubernetes",
        is_openshift: false,
        masterminds: MastermindsVersion::V3_5_0,
        uses_service_accounts: false,
        names_operator_namespace: true,
        source: "operator-framework/operator-controller:v1.11.0 (#2770, #2803)",
    },
    Facts {
        target: Target::Ocp419,
        means: "OpenShift Container Platform 4.19",
        is_openshift: true,
        masterminds: MastermindsVersion::V3_3_1,
        uses_service_accounts: true,
        names_operator_namespace: false,
        source: "openshift/operator-framework-operator-controller:release-4.19",
    },
    Facts {
        target: Target::Ocp420,
        means: "OpenShift Container Platform 4.20",
        is_openshift: true,
        masterminds: MastermindsVersion::V3_5_0,
        uses_service_accounts: true,
        names_operator_namespace: false,
        source: "openshift/operator-framework-operator-controller:release-4.20",
    },
    Facts {
        target: Target::Ocp421,
        means: "OpenShift Container Platform 4.21",
        is_openshift: true,
        masterminds: MastermindsVersion::V3_5_0,
        uses_service_accounts: true,
        names_operator_namespace: false,
        source: "openshift/operator-framework-operator-controller:release-4.21",
    },
    Facts {
        target: Target::Ocp50,
        means: "OpenShift Container Platform 5.0, as its code was in the middle of 2026",
        is_openshift: true,
        masterminds: MastermindsVersion::V3_5_0,
        uses_service_accounts: true,
        names_operator_namespace: false,
        source: "openshift/operator-framework-operator-controller:main",
    },
];

/// A name that is none of those it should be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown {what} \"{name}\", expected {expected}")]
pub struct UnknownName {
    what: &'static str,
    name: String,
    expected: &'static str,
}

/// A range of either grammar.
#[derive(Clone, Debug)]
pub enum Range {
    /// A Masterminds constraint.
    Masterminds(Constraint),
    /// A blang range.
    Blang(blang::Range),
}

/// Why a text is not a range, in the words of the grammar's library.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RangeError {
    /// Not a Masterminds constraint.
    #[error(transparent)]
    Masterminds(#[from] ConstraintError),
    /// Not a blang range.
    #[error(transparent)]
    Blang(#[from] blang::RangeError),
}

impl Target {
    /// The names of all targets, as command lines and scenarios write them.
    pub const NAMES: [&'static str; 6] =
        ["latest", "upstream", "ocp-4.19", "ocp-4.20", "ocp-4.21", "ocp-5.0"];

    /// All targets, in the order of [`Target::NAMES`].
    pub const ALL: [Self; 6] =
        [Self::Latest, Self::Upstream, Self::Ocp419, Self::Ocp420, Self::Ocp421, Self::Ocp50];

    /// What the target is.
    #[must_use]
    pub fn facts(self) -> &'static Facts {
        match self {
            Self::Ocp419 => &FACTS[2],
            Self::Ocp420 => &FACTS[3],
            Self::Ocp421 => &FACTS[4],
            Self::Ocp50 => &FACTS[5],
            Self::Latest => &FACTS[0],
            Self::Upstream => &FACTS[1],
        }
    }

    /// True for releases of OpenShift.
    #[must_use]
    pub fn is_openshift(self) -> bool {
        self.facts().is_openshift
    }

    /// The version of the Masterminds library that the target uses.
    #[must_use]
    pub fn masterminds(self) -> MastermindsVersion {
        self.facts().masterminds
    }
}

impl Range {
    /// Parses a range. The target only matters for Masterminds; all use the same version of blang.
    ///
    /// # Errors
    ///
    /// The refusal of the grammar's library.
    pub fn parse(grammar: Grammar, target: Target, text: &str) -> Result<Self, RangeError> {
        Ok(match grammar {
            Grammar::Masterminds => Self::Masterminds(Constraint::parse(target.masterminds(), text)?),
            Grammar::Blang => Self::Blang(blang::Range::parse(text)?),
        })
    }

    /// The grammar of the range.
    #[must_use]
    pub fn grammar(&self) -> Grammar {
        match self {
            Self::Masterminds(_) => Grammar::Masterminds,
            Self::Blang(_) => Grammar::Blang,
        }
    }

    /// The range as written.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Self::Masterminds(constraint) => constraint.text(),
            Self::Blang(range) => range.text(),
        }
    }

    /// Whether a version is in the range. Build metadata does not count.
    #[must_use]
    pub fn matches(&self, version: &Version) -> bool {
        match self {
            Self::Masterminds(constraint) => constraint.matches(version),
            Self::Blang(range) => range.matches(version),
        }
    }

    /// The versions in the range.
    #[must_use]
    pub fn intervals(&self) -> VersionSet {
        match self {
            Self::Masterminds(constraint) => constraint.intervals(),
            Self::Blang(range) => range.intervals(),
        }
    }

    /// The range in words, with notes on its traps.
    #[must_use]
    pub fn explain(&self) -> Explanation {
        match self {
            Self::Masterminds(constraint) => constraint.explain(),
            Self::Blang(range) => range.explain(),
        }
    }
}

/// The range as written.
impl fmt::Display for Range {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.text())
    }
}

impl FromStr for Grammar {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "masterminds" => Ok(Self::Masterminds),
            "blang" => Ok(Self::Blang),
            _ => {
                Err(UnknownName { what: "grammar", name: name.to_owned(), expected: "masterminds or blang" })
            }
        }
    }
}

impl fmt::Display for Grammar {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Masterminds => "masterminds",
            Self::Blang => "blang",
        })
    }
}

impl FromStr for Target {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let found = Self::ALL.into_iter().find(|target| target.to_string() == name);
        found.ok_or_else(|| UnknownName {
            what: "target",
            name: name.to_owned(),
            expected: "latest, upstream, ocp-4.19, ocp-4.20, ocp-4.21 or ocp-5.0",
        })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Latest => "latest",
            Self::Upstream => "upstream",
            Self::Ocp419 => "ocp-4.19",
            Self::Ocp420 => "ocp-4.20",
            Self::Ocp421 => "ocp-4.21",
            Self::Ocp50 => "ocp-5.0",
        })
    }
}

#[cfg(test)]
#[path = "range_tests.rs"]
mod tests;
