//! What stands in the way of an update, as a table or in full.

use fbc_cluster::time::Moment;

use super::span::{milliseconds, rounded, short};
use crate::layout::align;

/// How bad something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Warning,
    Error,
    Critical,
}

/// Something that is worth knowing.
#[derive(Debug, Clone)]
pub(super) struct Insight {
    pub(super) since: Option<Moment>,
    pub(super) level: Level,
    pub(super) impact: &'static str,
    pub(super) summary: String,
    pub(super) description: String,
    pub(super) reference: &'static str,
    /// The kind of what it is about, in small letters and with its group, and the name.
    pub(super) about: (&'static str, String),
}

pub(super) const UPDATE_STALLED: &str = "Update Stalled";
pub(super) const UPDATE_SPEED: &str = "Update Speed";
pub(super) const API_AVAILABILITY: &str = "API Availability";
pub(super) const NONE: &str = "None";
pub(super) const UNKNOWN: &str = "Unknown";

/// The section with all that was found; what says nothing is left out.
pub(super) fn text(mut insights: Vec<Insight>, started: Moment, now: Moment, is_detailed: bool) -> String {
    insights.retain(|one| !one.description.is_empty() && !one.summary.is_empty());
    insights.sort_by_key(|one| std::cmp::Reverse((one.level, one.since)));
    let since = |one: &Insight| {
        one.since.map_or_else(|| "-".to_owned(), |since| short(milliseconds(since, now) / 1000))
    };
    let mut out = "= Update Health =\n".to_owned();
    if insights.is_empty() {
        let since = short(rounded(milliseconds(started, now), 1000) / 1000);
        let table =
            format!("SINCE\tLEVEL\tIMPACT\tMESSAGE\n{since}\tInfo\tNone\tUpdate is proceeding well\n");
        out.push_str(&align(&table, 0, 3));
        return out;
    }
    if is_detailed {
        let items: Vec<String> = insights.iter().map(|one| detailed(one, &since(one))).collect();
        out.push_str(&items.join("\n"));
        return out;
    }
    let mut table = "SINCE\tLEVEL\tIMPACT\tMESSAGE\n".to_owned();
    for one in &insights {
        table.push_str(&format!("{}\t{:?}\t{}\t{}\n", since(one), one.level, one.impact, one.summary));
    }
    out.push_str(&align(&table, 0, 3));
    out.push_str(
        "\nRun with --details=health for additional description and links to related online documentation\n",
    );
    out
}

fn detailed(insight: &Insight, since: &str) -> String {
    // Further lines of a description begin with a comma, by a slip of the reference.
    let description = insight.description.replace('\n', &format!("\n{}, ", " ".repeat(15)));
    format!(
        "Message: {}\n  Since:       {since}\n  Level:       {:?}\n  Impact:      {}\n  Reference:   {}\n  \
         Resources:\n    {}: {}\n  Description: {description}\n",
        insight.summary, insight.level, insight.impact, insight.reference, insight.about.0, insight.about.1
    )
}
