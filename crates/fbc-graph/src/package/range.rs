//! What a `skipRange` covers, and how it is widened to cover more.

use std::ops::{Bound, Range as Run};

use fbc_version::Version;
use fbc_version::blang::{Range, RangeError};

use super::{Node, NodeIndex};

/// The nodes that a range covers, as ascending runs. The nodes must be sorted as those of a
/// [`super::PackageGraph`]; takes logarithmic time for each interval of the range.
pub(super) fn covered(nodes: &[Node], text: &str) -> Result<Vec<Run<NodeIndex>>, RangeError> {
    // All versions of a blang range are in its `prereleases`, released ones too.
    let set = Range::parse(text)?.intervals().prereleases;
    let known = nodes.partition_point(|node| node.version.is_none());
    let before = |holds: &dyn Fn(&Version) -> bool| {
        nodes.partition_point(|node| node.version.as_ref().is_none_or(|version| holds(&version.version)))
    };
    let runs = set.intervals().iter().map(|interval| {
        let start = match &interval.lower {
            Bound::Included(lower) => before(&|version| version.compare_precedence(lower).is_lt()),
            Bound::Excluded(lower) => before(&|version| version.compare_precedence(lower).is_le()),
            Bound::Unbounded => known,
        };
        let end = match &interval.upper {
            Bound::Included(upper) => before(&|version| version.compare_precedence(upper).is_le()),
            Bound::Excluded(upper) => before(&|version| version.compare_precedence(upper).is_lt()),
            Bound::Unbounded => nodes.len(),
        };
        start..end
    });
    Ok(runs.filter(|run| run.start < run.end).collect())
}

/// The range that covers what another covers, and a version too. `below` is the version that the range leads
/// to: a range that did not exist, could not be read, or ended before the version reaches up to it. Nothing where
/// the grammar cannot say it.
#[must_use]
pub fn widened(text: &str, version: &Version, below: &Version) -> Option<String> {
    let wanted = version.clone().without_build();
    let below = below.clone().without_build();
    let from = |lower: &Version, upper: &str| format!(">={lower} {upper}");
    let fresh = || from(&wanted, &format!("<{below}"));
    let candidate = match Range::parse(text).map(|range| range.intervals().prereleases) {
        Err(_) => fresh(),
        Ok(set) => match set.intervals() {
            [] => fresh(),
            [interval] => {
                let upper = match &interval.upper {
                    Bound::Included(upper) => format!("<={upper}"),
                    Bound::Excluded(upper) => format!("<{upper}"),
                    Bound::Unbounded => String::new(),
                };
                match &interval.lower {
                    Bound::Included(lower) | Bound::Excluded(lower)
                        if wanted.compare_precedence(lower).is_le() =>
                    {
                        from(&wanted, &upper)
                    }
                    Bound::Included(lower) => from(lower, &format!("<{below}")),
                    Bound::Excluded(lower) => format!(">{lower} <{below}"),
                    Bound::Unbounded => format!("<{below}"),
                }
            }
            _ => format!("{text} || {wanted}"),
        },
    };
    let candidate = candidate.trim_end().to_owned();
    Range::parse(&candidate).is_ok_and(|range| range.matches(&wanted)).then_some(candidate)
}
