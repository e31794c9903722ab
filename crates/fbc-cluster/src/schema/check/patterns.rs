//! The regular expressions of a definition together: how much they may take.

use fbc_go::regexp::{self, MOST_STATES, Pattern};

use crate::error::FieldError;
use crate::schema::definition::Version;

/// What is wrong with a definition whose patterns are too many, or too large, to be kept. A real API server would.
pub(super) fn excess(versions: &[Version]) -> Option<FieldError> {
    let mut patterns: Vec<&Pattern> = Vec::new();
    versions.iter().for_each(|version| version.schema().collect_patterns(&mut patterns));
    // What does not parse is reported for itself.
    let weight = |pattern: &Pattern| regexp::weight(pattern.source()).unwrap_or_default();
    let mut all = 0_u64;
    let largest = patterns
        .iter()
        .map(|pattern| (weight(pattern), pattern))
        .inspect(|(weight, _)| all = all.saturating_add(*weight))
        .max_by_key(|(weight, _)| *weight);
    let (weight, pattern) = largest.filter(|_| all > MOST_STATES)?;
    let shown: String = pattern.source().chars().take(100).collect();
    Some(FieldError::forbidden(
        "spec.versions",
        format!(
            "the regular expressions of the definition have about {all} states; at most {MOST_STATES} are compiled \
             (limit pattern-states); the largest has {weight}: `{shown}`"
        ),
    ))
}
