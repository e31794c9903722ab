//! What to say about a Masterminds constraint, beyond its intervals.

use super::comparator::{Comparator, Wildcard};
use super::lexer::Operator;
use super::{Constraint, Group, MAXIMUM_ADMITTED_LENGTH, MastermindsVersion, admitted};
use crate::explain::{
    AlternativeExplanation, Explanation, NoteKind, Notes, are_single, describe, note_upper_bounds,
};
use crate::range::Grammar;
use crate::version_set::{PrereleaseRule, VersionSet};

impl Constraint {
    /// The constraint in words, with notes on its traps.
    #[must_use]
    pub fn explain(&self) -> Explanation {
        let alternatives: Vec<AlternativeExplanation> =
            self.groups.iter().map(|group| self.explain_group(group)).collect();
        let versions =
            VersionSet::union_all(alternatives.iter().map(|alternative| alternative.versions.clone()));
        let mut notes = Notes::default();
        if self.has_hyphen_range {
            notes.add(NoteKind::HyphenRange, "`A - B` means `>= A, <= B`, so a partial B includes all of it");
        }
        if versions.is_empty() && alternatives.len() > 1 {
            notes.add(NoteKind::NeverMatches, "no version can ever match this range");
        }
        if !admitted(&self.text) {
            let reason = if self.text.chars().count() > MAXIMUM_ADMITTED_LENGTH {
                format!("it is longer than {MAXIMUM_ADMITTED_LENGTH} characters")
            } else {
                "it does not have the form that the ClusterExtension API asks for".to_owned()
            };
            notes.add(
                NoteKind::NotAdmitted,
                format!("the API server refuses this as `spec.source.catalog.version`: {reason}"),
            );
        }
        Explanation {
            grammar: Grammar::Masterminds,
            text: self.text.clone(),
            versions,
            alternatives,
            notes: notes.into_vec(),
        }
    }

    fn explain_group(&self, group: &Group) -> AlternativeExplanation {
        let versions = self.group_intervals(group);
        let mut notes = Notes::default();
        for comparator in &group.comparators {
            note_comparator(comparator, &mut notes);
        }
        if versions.is_empty() {
            notes.add(NoteKind::NeverMatches, "no version can match this alternative");
        } else {
            self.note_prereleases(group, &versions, &mut notes);
        }
        if !versions.exact {
            notes.add(
                NoteKind::NotExact,
                "the same prerelease of every patch version is left out, which intervals cannot show",
            );
        }
        AlternativeExplanation { text: group.text.clone(), versions, notes: notes.into_vec() }
    }

    fn note_prereleases(&self, group: &Group, versions: &VersionSet, notes: &mut Notes) {
        let is_asked_for = group.mentions_prerelease();
        let all =
            if self.library == MastermindsVersion::V3_3_1 { "every comparator" } else { "a comparator" };
        match versions.prerelease_rule() {
            PrereleaseRule::Excluded if is_asked_for => {
                let silent = group.comparators.iter().find(|comparator| !self.admits_prerelease(comparator));
                if let (MastermindsVersion::V3_3_1, Some(silent)) = (self.library, silent) {
                    notes.add(
                        NoteKind::PrereleasesLost,
                        format!(
                            "prereleases do not match, because `{}` does not ask for them too",
                            silent.written.text
                        ),
                    );
                }
            }
            PrereleaseRule::Excluded if are_single(&versions.releases) => {}
            PrereleaseRule::Excluded => {
                let example =
                    group.comparators.iter().find_map(asking_form).unwrap_or_else(|| ">=1.0.0-0".to_owned());
                notes.add(
                    NoteKind::PrereleasesExcluded,
                    format!(
                        "prereleases do not match; to include them, write one in {all}, such as `{example}`"
                    ),
                );
            }
            _ if versions.releases.is_empty() && are_single(&versions.prereleases) => {}
            PrereleaseRule::Included | PrereleaseRule::Separate => {
                let reason = if is_asked_for {
                    "because the range mentions one"
                } else {
                    "because `!=` with a whole version does not leave them out in this version of the library"
                };
                notes.add(NoteKind::PrereleasesIncluded, format!("prereleases match, {reason}"));
                note_upper_bounds(versions, notes);
            }
        }
    }
}

/// A comparator in the form that asks for prereleases. `None` where `-0` would change what else it matches: it
/// is a version of its own in `>1.2.3-0`.
fn asking_form(comparator: &Comparator) -> Option<String> {
    let stays_the_same = match comparator.operator {
        Operator::GreaterOrEqual | Operator::Less | Operator::Tilde | Operator::Caret => true,
        Operator::Equal | Operator::Greater | Operator::LessOrEqual => comparator.wildcard != Wildcard::None,
        Operator::NotEqual => false,
    };
    (stays_the_same && !comparator.written.has_build).then(|| format!("{}-0", comparator.written.text))
}

fn note_comparator(comparator: &Comparator, notes: &mut Notes) {
    let Comparator { operator, base, wildcard, written } = comparator;
    let text = &written.text;
    let is_surprising = match operator {
        Operator::Greater | Operator::LessOrEqual => *wildcard != Wildcard::None,
        Operator::Less | Operator::NotEqual | Operator::Caret => *wildcard == Wildcard::Major,
        Operator::Tilde => *wildcard == Wildcard::None && base.core() == crate::Version::new(0, 0, 0),
        Operator::Equal | Operator::GreaterOrEqual => false,
    };
    if is_surprising {
        let meaning = match (operator, wildcard) {
            (Operator::Greater, Wildcard::Minor | Wildcard::Patch) => {
                match comparator.intervals().releases.intervals().first().map(|interval| &interval.lower) {
                    Some(std::ops::Bound::Included(first)) => format!("`>={first}`"),
                    _ => "no version".to_owned(),
                }
            }
            _ => describe(&comparator.intervals().releases),
        };
        notes.add(NoteKind::PartialVersion, format!("`{text}` means {meaning}"));
    }
    if written.has_ignored_segment {
        notes.add(NoteKind::IgnoredSegment, format!("in `{text}`, what follows the wildcard is ignored"));
    }
    if written.has_leading_zeroes {
        notes.add(NoteKind::LeadingZeroes, format!("`{text}` is read without its leading zeros"));
    }
    if written.has_build {
        notes.add(NoteKind::BuildIgnored, "build metadata (`+...`) has no effect in a range");
    }
}
