//! "Did you mean …": the known name that is closest to an unknown one.

use fbc_go::text::quote;

/// Beyond this number of candidates nothing is suggested: comparing costs too much.
const MAX_CANDIDATES: usize = 2_000;

/// How many findings of one rule come with a suggestion: comparing names is slow, and whoever has more
/// mistakes than that does not need one for each.
pub(crate) const MAX_SUGGESTIONS: usize = 20;

/// The candidate that a few typing mistakes turn into the name; nothing if none is close.
pub(crate) fn closest<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let tolerance = (name.len() / 4).clamp(1, 4);
    candidates
        .into_iter()
        .take(MAX_CANDIDATES)
        .filter(|candidate| !candidate.is_empty() && *candidate != name)
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= tolerance)
        .map(|candidate| {
            (strsim::damerau_levenshtein(&name.to_lowercase(), &candidate.to_lowercase()), candidate)
        })
        .filter(|(distance, _)| *distance <= tolerance)
        .min()
        .map(|(_, candidate)| candidate)
}

/// The question to put before a help text, with a space behind it; empty where nothing is close.
pub(crate) fn did_you_mean<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> String {
    closest(name, candidates)
        .map(|candidate| format!("did you mean {}? ", quote(candidate)))
        .unwrap_or_default()
}
