//! What a project wants of its catalogs: which rules count, for which clusters, and which findings are
//! known already.
//!
//! Nothing here reads files or asks for the time: the configuration comes in resolved, with today's date.

use std::collections::BTreeMap;

use crate::finding::{MOST_FINDINGS, Severity};
use crate::profile::Profile;
use crate::registry::Registry;
use crate::rule::Rule;

mod date;
mod parameters;

pub mod baseline;
pub mod pattern;
pub mod selector;
pub mod set_aside;
pub mod waiver;

pub use date::Date;
pub use parameters::{NEEDS, Need, Parameters, is_allowed};

/// What becomes of the findings of a rule: a severity, or nothing where they are not wanted.
pub type Level = Option<Severity>;

/// The rules that count, and what they need to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// The levels of all rules that are not named in `levels`.
    pub profile: Profile,
    /// The levels of single rules, by code.
    pub levels: BTreeMap<&'static str, Level>,
    /// What rules need to know.
    pub parameters: Parameters,
    /// So many findings of each rule are kept; those beyond are counted only.
    pub most_findings: usize,
    /// Whether findings come with their fixes worked out in the text.
    pub with_fixes: bool,
}

impl Default for Policy {
    fn default() -> Self {
        Self::from(Profile::Default)
    }
}

/// The levels and parameters of the profile, and no others.
impl From<Profile> for Policy {
    fn from(profile: Profile) -> Self {
        Self {
            profile,
            levels: BTreeMap::new(),
            parameters: profile.parameters(),
            most_findings: MOST_FINDINGS,
            with_fixes: false,
        }
    }
}

impl Policy {
    /// How bad a finding of the rule is; nothing where the rule is off.
    #[must_use]
    pub fn level(&self, rule: &Rule) -> Level {
        self.levels.get(rule.code).copied().unwrap_or_else(|| self.profile.level(rule))
    }

    /// The rules that are wanted and cannot look, by what they need to know. Without targets that is always
    /// worth a word; a list that is empty elsewhere only where the rule was asked for by itself.
    #[must_use]
    pub fn missing(&self, registry: &Registry) -> BTreeMap<Need, Vec<&'static str>> {
        let mut missing: BTreeMap<Need, Vec<&'static str>> = BTreeMap::new();
        for (code, need) in NEEDS {
            let level = registry.find(code).and_then(|rule| self.level(rule));
            let is_worth_a_word = need == Need::Targets || self.levels.contains_key(code);
            if level.is_some() && is_worth_a_word && self.parameters.lack(need) {
                missing.entry(need).or_default().push(code);
            }
        }
        missing
    }
}
