//! Profiles: which findings count as errors for whom. A profile is data: levels of rules, and what these
//! rules need to know.

use crate::finding::Severity;
use crate::policy::{Level, Parameters};
use crate::rule::{Basis, Rule};

mod table;

/// A choice of levels and parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Profile {
    /// Errors are what opm refuses; what opm accepts although it can break users is a warning.
    #[default]
    Default,
    /// Only what opm refuses.
    Opm,
    /// As the default, and what the CUE of the product documents forbids, or OLM does not install, is an
    /// error too.
    Strict,
    /// As the default, and whether bundles install on OLM v1.
    OlmV1,
    /// As the default, and what the pipelines of Konflux ask of a catalog fragment.
    Konflux,
    /// As the default, and what the certification pipeline of Red Hat asks of catalogs.
    RedHatCertified,
    /// As the default, and what the community pipeline asks of catalogs.
    Community,
}

/// What a profile consists of.
struct Definition {
    name: &'static str,
    purpose: &'static str,
    /// The levels that differ from those of the default profile, by code, with the check of the pipeline or
    /// the product that is behind it.
    levels: &'static [(&'static str, Severity, &'static str)],
    allowed_registries: &'static [&'static str],
    allowed_related_registries: &'static [&'static str],
    required_features: &'static [&'static str],
    allowed_kinds: &'static [&'static str],
    allowed_base_images: &'static [&'static str],
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 7] = [
        Self::Default,
        Self::Opm,
        Self::Strict,
        Self::OlmV1,
        Self::Konflux,
        Self::RedHatCertified,
        Self::Community,
    ];

    fn definition(self) -> &'static Definition {
        match self {
            Self::Default => &table::DEFAULT,
            Self::Opm => &table::OPM,
            Self::Strict => &table::STRICT,
            Self::OlmV1 => &table::OLM_V1,
            Self::Konflux => &table::KONFLUX,
            Self::RedHatCertified => &table::RED_HAT_CERTIFIED,
            Self::Community => &table::COMMUNITY,
        }
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.definition().name
    }

    /// What it is for, in a line.
    #[must_use]
    pub fn purpose(self) -> &'static str {
        self.definition().purpose
    }

    /// The profile of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// How bad a finding of the rule is; nothing if the profile leaves the rule out.
    #[must_use]
    pub fn level(self, rule: &Rule) -> Level {
        if let Some((_, severity, _)) = self.levels().find(|(code, ..)| *code == rule.code) {
            return Some(severity);
        }
        match (self, rule.basis) {
            (_, Basis::Policy) | (Self::Opm, Basis::Documents | Basis::Olm | Basis::Advice) => None,
            (Self::Strict, Basis::Documents | Basis::Olm) => Some(Severity::Error),
            (_, basis) => Some(basis.severity()),
        }
    }

    /// What its rules need to know; it never names targets.
    #[must_use]
    pub fn parameters(self) -> Parameters {
        let definition = self.definition();
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Parameters {
            targets: Vec::new(),
            allowed_registries: owned(definition.allowed_registries),
            allowed_related_registries: owned(definition.allowed_related_registries),
            required_features: owned(definition.required_features),
            allowed_kinds: owned(definition.allowed_kinds),
            allowed_base_images: owned(definition.allowed_base_images),
        }
    }

    /// The levels that differ from those of the default profile: the code of the rule, its severity, and
    /// the check that is behind it.
    pub fn levels(self) -> impl Iterator<Item = (&'static str, Severity, &'static str)> {
        self.definition().levels.iter().copied()
    }
}
