//! A range in words: what each alternative matches, and notes on what people get wrong.
//!
//! Plain data, for a program to print as text or JSON; the `Display` forms are the text. The notes of a grammar
//! are found by that grammar's module, not here.

use std::fmt;
use std::ops::Bound;

use crate::interval::{Interval, IntervalSet};
use crate::range::Grammar;
use crate::version_set::{PrereleaseRule, VersionSet};

/// What a range means.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The grammar that the range is written in.
    pub grammar: Grammar,
    /// The range as written.
    pub text: String,
    /// All versions that match.
    pub versions: VersionSet,
    /// The alternatives between `||`, in the order of the text.
    pub alternatives: Vec<AlternativeExplanation>,
    /// Notes on the range as a whole.
    pub notes: Vec<Note>,
}

/// What one alternative of a range means.
#[derive(Clone, Debug)]
pub struct AlternativeExplanation {
    /// The alternative as written, hyphen ranges being rewritten.
    pub text: String,
    /// The versions that match.
    pub versions: VersionSet,
    /// Notes on this alternative.
    pub notes: Vec<Note>,
}

/// One thing worth knowing about a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// What kind of thing.
    pub kind: NoteKind,
    /// A sentence about it, without a full stop.
    pub text: String,
}

/// The kinds of notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoteKind {
    /// No version can match.
    NeverMatches,
    /// A token of one character was dropped (blang).
    DroppedToken,
    /// A three-part wildcard covers less than it seems to: `1.x.x` (blang).
    WildcardStep,
    /// An `x` outside the numbers was taken for a wildcard (blang).
    WildcardElsewhere,
    /// An unknown operator in front of a wildcard was dropped (blang).
    LostOperator,
    /// A partial version or wildcard with an operator means something else than it seems to (Masterminds).
    PartialVersion,
    /// Numbers after a wildcard are ignored (Masterminds).
    IgnoredSegment,
    /// Leading zeros are ignored (Masterminds).
    LeadingZeroes,
    /// Build metadata is ignored.
    BuildIgnored,
    /// A hyphen range was rewritten (Masterminds).
    HyphenRange,
    /// Prereleases do not match, and how to ask for them (Masterminds).
    PrereleasesExcluded,
    /// Prereleases were asked for, but another comparator keeps them out (Masterminds 3.3.1).
    PrereleasesLost,
    /// Prereleases were asked for, so they match (Masterminds).
    PrereleasesIncluded,
    /// Prereleases of an excluded upper bound match.
    UpperBoundPrereleases,
    /// The intervals of prereleases are not exact (Masterminds).
    NotExact,
    /// The API server refuses the range before it is parsed (Masterminds).
    NotAdmitted,
}

impl NoteKind {
    /// A stable name, for machines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::NeverMatches => "never-matches",
            Self::DroppedToken => "dropped-token",
            Self::WildcardStep => "wildcard-step",
            Self::WildcardElsewhere => "wildcard-elsewhere",
            Self::LostOperator => "lost-operator",
            Self::PartialVersion => "partial-version",
            Self::IgnoredSegment => "ignored-segment",
            Self::LeadingZeroes => "leading-zeroes",
            Self::BuildIgnored => "build-ignored",
            Self::HyphenRange => "hyphen-range",
            Self::PrereleasesExcluded => "prereleases-excluded",
            Self::PrereleasesLost => "prereleases-lost",
            Self::PrereleasesIncluded => "prereleases-included",
            Self::UpperBoundPrereleases => "upper-bound-prereleases",
            Self::NotExact => "not-exact",
            Self::NotAdmitted => "not-admitted",
        }
    }
}

/// Notes in the making: each is said once.
#[derive(Default)]
pub(crate) struct Notes(Vec<Note>);

impl Notes {
    pub(crate) fn add(&mut self, kind: NoteKind, text: impl Into<String>) {
        let note = Note { kind, text: text.into() };
        // Comparing with the last few only keeps hostile ranges from costing quadratic time.
        if !self.0.iter().rev().take(16).any(|other| *other == note) {
            self.0.push(note);
        }
    }

    pub(crate) fn has(&self, kind: NoteKind) -> bool {
        self.0.iter().any(|note| note.kind == kind)
    }

    pub(crate) fn into_vec(self) -> Vec<Note> {
        self.0
    }
}

/// Adds the note on prereleases of upper bounds: `<2.0.0` matches `2.0.0-rc.1` where prereleases match at all.
pub(crate) fn note_upper_bounds(versions: &VersionSet, notes: &mut Notes) {
    let intervals = versions.prereleases.intervals();
    for (index, interval) in intervals.iter().enumerate() {
        let Bound::Excluded(upper) = &interval.upper else {
            continue;
        };
        // An exclusion such as `!=2.0.0` also makes an upper bound, but is no attempt to stay below it.
        let is_hole = intervals
            .get(index + 1)
            .is_some_and(|next| matches!(&next.lower, Bound::Excluded(lower) if lower == upper));
        if !upper.is_prerelease() && interval.has_prerelease() && !is_hole {
            notes.add(
                NoteKind::UpperBoundPrereleases,
                format!("prereleases of {upper} match, such as {upper}-rc.1; `<{upper}-0` keeps them out"),
            );
        }
    }
}

/// Whether a set was made of single versions only.
pub(crate) fn are_single(set: &IntervalSet) -> bool {
    set.intervals().iter().all(|interval| interval.single().is_some())
}

/// The set in words: `from 1.2.0 (included) up to 2.0.0 (excluded)`.
#[must_use]
pub fn describe(set: &IntervalSet) -> String {
    let complement = set.complement();
    if set.is_empty() {
        return "no version".to_owned();
    }
    if complement.is_empty() {
        return "any version".to_owned();
    }
    if let Some(holes) = complement.intervals().iter().map(Interval::single).collect::<Option<Vec<_>>>() {
        let holes: Vec<String> = holes.into_iter().map(ToString::to_string).collect();
        return format!("any version except {}", holes.join(", "));
    }
    let parts: Vec<String> = set.intervals().iter().map(describe_interval).collect();
    parts.join(", or ")
}

fn describe_interval(interval: &Interval) -> String {
    if let Some(version) = interval.single() {
        return format!("exactly {version}");
    }
    let lower = match &interval.lower {
        Bound::Included(version) => Some(format!("from {version} (included)")),
        Bound::Excluded(version) => Some(format!("from {version} (excluded)")),
        Bound::Unbounded => None,
    };
    let upper = match &interval.upper {
        Bound::Included(version) => Some(format!("up to {version} (included)")),
        Bound::Excluded(version) => Some(format!("up to {version} (excluded)")),
        Bound::Unbounded => None,
    };
    match (lower, upper) {
        (Some(lower), Some(upper)) => format!("{lower} {upper}"),
        (Some(lower), None) => format!("{lower} upwards"),
        (None, Some(upper)) => format!("everything {upper}"),
        (None, None) => "any version".to_owned(),
    }
}

/// One line: `from 1.2.0 (included) up to 2.0.0 (excluded)`, with a remark on prereleases where they are apart.
impl fmt::Display for AlternativeExplanation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let VersionSet { releases, prereleases, .. } = &self.versions;
        if self.versions.is_empty() {
            return formatter.write_str("no version");
        }
        match self.versions.prerelease_rule() {
            PrereleaseRule::Included => formatter.write_str(&describe(prereleases)),
            // One or more single release versions: that prereleases do not match goes without saying.
            PrereleaseRule::Excluded
                if releases.intervals().iter().all(|interval| interval.single().is_some()) =>
            {
                formatter.write_str(&describe(releases))
            }
            PrereleaseRule::Excluded => write!(formatter, "{}, without prereleases", describe(releases)),
            PrereleaseRule::Separate if releases.is_empty() => {
                write!(formatter, "prereleases only: {}", describe(prereleases))
            }
            PrereleaseRule::Separate => {
                write!(formatter, "releases: {}; prereleases: {}", describe(releases), describe(prereleases))
            }
        }
    }
}

/// `note: ` and the text.
impl fmt::Display for Note {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "note: {}", self.text)
    }
}

/// One line per alternative, each followed by its notes; then the notes on the whole. Every line ends with a
/// line end.
impl fmt::Display for Explanation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, alternative) in self.alternatives.iter().enumerate() {
            let or = if index > 0 { "or " } else { "" };
            writeln!(formatter, "{or}{alternative}")?;
            for note in &alternative.notes {
                writeln!(formatter, "  {note}")?;
            }
        }
        for note in &self.notes {
            writeln!(formatter, "{note}")?;
        }
        Ok(())
    }
}
