//! Profiles: which findings count as errors for whom.

use crate::finding::Severity;
use crate::rule::{Basis, Rule};

/// A choice of severities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Errors are what opm refuses; everything else that is known to hurt is a warning.
    #[default]
    Default,
    /// Only what opm refuses.
    Opm,
    /// As the default, and what the CUE of the product documents forbids, or OLM does not install, is an
    /// error too.
    Strict,
}

impl Profile {
    /// All profiles with their names and what they are for.
    pub const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Default, "default", "errors are what opm refuses; what hurts otherwise is a warning"),
        (Self::Opm, "opm", "only what opm refuses"),
        (
            Self::Strict,
            "strict",
            "as default, and what the documented schemas forbid or OLM does not install is an error",
        ),
    ];

    /// The profile of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, known, _)| *known == name).map(|(profile, ..)| profile)
    }

    /// How bad a finding of the rule is; nothing if the profile leaves the rule out.
    #[must_use]
    pub fn severity(self, rule: &Rule) -> Option<Severity> {
        match (self, rule.basis) {
            (Self::Opm, Basis::Documents | Basis::Olm | Basis::Advice) => None,
            (Self::Strict, Basis::Documents | Basis::Olm) => Some(Severity::Error),
            (_, basis) => Some(basis.severity()),
        }
    }
}
