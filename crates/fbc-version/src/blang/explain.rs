//! What to say about a blang range, beyond its intervals.

use std::borrow::Cow;

use super::tokens::{split_operator, tokenize};
use super::{Alternative, Range};
use crate::explain::{AlternativeExplanation, Explanation, NoteKind, Notes, note_upper_bounds};
use crate::range::Grammar;
use crate::version_set::VersionSet;

impl Range {
    /// The range in words, with notes on its traps.
    #[must_use]
    pub fn explain(&self) -> Explanation {
        let tokens = tokenize(&self.text);
        let alternatives: Vec<AlternativeExplanation> =
            self.alternatives().zip(tokens.groups()).map(explain_alternative).collect();
        let versions =
            VersionSet::union_all(alternatives.iter().map(|alternative| alternative.versions.clone()));
        let mut notes = Notes::default();
        for token in tokens.dropped {
            let text = match token {
                "!" => "`!` stands alone and is dropped, so nothing is negated; write it next to the version"
                    .to_owned(),
                _ => format!("`{token}` is dropped, as every token of one character is"),
            };
            notes.add(NoteKind::DroppedToken, text);
        }
        if versions.is_empty() && alternatives.len() > 1 {
            notes.add(NoteKind::NeverMatches, "no version can ever match this range");
        }
        Explanation {
            grammar: Grammar::Blang,
            text: self.text.clone(),
            versions,
            alternatives,
            notes: notes.into_vec(),
        }
    }
}

fn explain_alternative((alternative, tokens): (Alternative<'_>, &[Cow<'_, str>])) -> AlternativeExplanation {
    let versions = alternative.intervals();
    let mut notes = Notes::default();
    for token in tokens {
        note_token(token, &mut notes);
    }
    if alternative.0.iter().any(|comparator| !comparator.version.build().is_empty()) {
        notes.add(NoteKind::BuildIgnored, "build metadata (`+...`) has no effect in a range");
    }
    if versions.is_empty() && !notes.has(NoteKind::NeverMatches) {
        notes.add(NoteKind::NeverMatches, "no version can match this alternative");
    }
    note_upper_bounds(&versions, &mut notes);
    AlternativeExplanation { text: tokens.join(" "), versions, notes: notes.into_vec() }
}

fn note_token(token: &str, notes: &mut Notes) {
    let Some((operator, version)) = split_operator(token).filter(|_| token.contains('x')) else {
        return;
    };
    let is_wildcard = version.ends_with(".x");
    match operator {
        "!" | "!=" => notes.add(
            NoteKind::NeverMatches,
            format!("`{token}` asks for versions below and above the wildcard at once, which never match"),
        ),
        "" | "=" | "==" | ">" | ">=" | "<" | "<=" => {}
        _ => notes.add(
            NoteKind::LostOperator,
            format!("`{operator}` is not an operator here; in front of a wildcard, both are dropped"),
        ),
    }
    if is_wildcard && version.contains(".x.x") && !operator.starts_with('!') {
        notes.add(
            NoteKind::WildcardStep,
            format!("`{token}` covers one minor version only; for all of a major version write `N.x`"),
        );
    }
    let prerelease = version.find(['-', '+']).and_then(|start| version.get(start..)).unwrap_or_default();
    if prerelease.contains('x') {
        notes.add(
            NoteKind::WildcardElsewhere,
            format!("the `x` in `{prerelease}` is taken for a wildcard: `.x` becomes `.0`, and other operators than \
                     `>=` and `<` fail"),
        );
    }
}
