//! Names in messages: lists of them, and the known name that is closest to an unknown one.

use fbc_go::text::quote;
use fbc_model::closest::spelt_alike;

/// Beyond this number of candidates nothing is suggested: comparing costs too much.
const MAX_CANDIDATES: usize = 2_000;

/// How many findings of one rule come with a suggestion: comparing names is slow, and whoever has more
/// mistakes than that does not need one for each.
pub const MAX_SUGGESTIONS: usize = 20;

/// The candidate that a few typing mistakes turn into the name; nothing if none is close.
#[must_use]
pub fn meant<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> Option<&'c str> {
    let tolerance = (name.len() / 4).clamp(1, 4);
    let mut possible: Vec<&str> = candidates
        .into_iter()
        .take(MAX_CANDIDATES)
        .filter(|candidate| !candidate.is_empty() && *candidate != name)
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= tolerance)
        .collect();
    possible.sort_unstable();
    spelt_alike(name, possible, |_| Some(tolerance))
}

/// The question to put before a help text, with a space behind it; empty where nothing is close.
#[must_use]
pub fn did_you_mean<'c>(name: &str, candidates: impl IntoIterator<Item = &'c str>) -> String {
    meant(name, candidates)
        .map(|candidate| format!("did you mean {}? ", quote(candidate)))
        .unwrap_or_default()
}

/// Names in quotes with commas between; of a long list the first few.
#[must_use]
pub fn name_list<'n>(names: impl ExactSizeIterator<Item = &'n str>) -> String {
    const SHOWN: usize = 8;
    let count = names.len();
    let shown = if count > SHOWN + 1 { SHOWN } else { count };
    let mut text = names.take(shown).map(quote).collect::<Vec<_>>().join(", ");
    if shown < count {
        text.push_str(&format!(" and {} more", count - shown));
    }
    text
}
