//! What ranges mean, and which versions match them.

use fbc_version::{Grammar, Range, Target, Version, VersionError};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// Whether a text is a version that matches.
pub struct Match<'a> {
    /// The text.
    pub version: &'a str,
    /// Whether it matches, or why it is no version.
    pub outcome: Result<bool, VersionError>,
}

impl<'a> Match<'a> {
    /// Matches a text against a range.
    #[must_use]
    pub fn new(range: &Range, version: &'a str) -> Self {
        let outcome = Version::parse(version).map(|version| range.matches(&version));
        Self { version, outcome }
    }
}

/// What a range means, as JSON, with what matches it.
#[must_use]
pub fn document(range: &Range, matches: &[Match<'_>]) -> Value {
    let explanation = range.explain();
    let notes = |notes: &[fbc_version::Note]| -> Value {
        notes.iter().map(|note| json!({ "kind": note.kind.name(), "text": note.text })).collect()
    };
    json!({
        "range": explanation.text,
        "grammar": explanation.grammar.to_string(),
        "intervals": explanation.versions.to_string(),
        "alternatives": explanation.alternatives.iter().map(|alternative| json!({
            "range": alternative.text,
            "meaning": alternative.to_string(),
            "intervals": alternative.versions.to_string(),
            "notes": notes(&alternative.notes),
        })).collect::<Vec<_>>(),
        "notes": notes(&explanation.notes),
        "versions": matches.iter().map(|Match { version, outcome }| match outcome {
            Ok(matches) => json!({ "version": version, "matches": matches }),
            Err(error) => json!({ "version": version, "error": error.to_string() }),
        }).collect::<Vec<_>>(),
    })
}

/// A question as it is asked.
#[derive(Deserialize)]
struct Question {
    range: String,
    version: String,
}

/// The answer to one question.
#[derive(Debug, Serialize)]
pub enum Answer {
    /// Whether the version matches the range.
    #[serde(rename = "matches")]
    Matches(bool),
    /// Why there is no answer.
    #[serde(rename = "error")]
    Error(String),
}

/// Answers a question, a JSON object with `range` and `version`.
#[must_use]
pub fn answer(grammar: Grammar, target: Target, line: &[u8]) -> Answer {
    let question: Question = match serde_json::from_slice(line) {
        Ok(question) => question,
        Err(error) => {
            return Answer::Error(format!("no question of the form {{\"range\",\"version\"}}: {error}"));
        }
    };
    let range = match Range::parse(grammar, target, &question.range) {
        Ok(range) => range,
        Err(error) => return Answer::Error(error.to_string()),
    };
    match Version::parse(&question.version) {
        Ok(version) => Answer::Matches(range.matches(&version)),
        Err(error) => Answer::Error(error.to_string()),
    }
}
