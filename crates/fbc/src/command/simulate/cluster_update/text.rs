//! The words of `fbc simulate cluster-update`.

use std::io::{self, Write};

use fbc_go::text::padded;
use fbc_openshift::cluster_update::{BarKind, Fate, Report};
use fbc_scenario::duration_text;

use super::Outcome;
use crate::escape::Lines;

pub(super) fn word(kind: BarKind) -> &'static str {
    match kind {
        BarKind::Operator => "operator",
        BarKind::Pool => "pool",
        BarKind::Node => "node",
    }
}

/// A duration in whole seconds.
pub(super) fn shown(milliseconds: u64) -> String {
    duration_text(milliseconds / 1000 * 1000)
}

/// What became of an operator from a catalog.
pub(super) fn fate_text(fate: &Fate) -> String {
    let Fate { name, before, after, trouble } = fate;
    let state = match after.as_str() {
        "" => format!("operator {name} {before} is not installed"),
        after if after == before => {
            format!("operator {name} stays at {after}, to which its ClusterExtension is pinned")
        }
        after => format!("operator {name} moves from {before} to {after}"),
    };
    trouble
        .as_ref()
        .map_or_else(|| state.clone(), |trouble| format!("{state}: {}", trouble.replace('\n', " ")))
}

/// Whether the cluster gets through, and how long it takes.
pub(super) fn verdict(report: &Report) -> String {
    match (report.control_plane, report.nodes, given_up(report)) {
        (Some(control_plane), Some(nodes), _) => {
            format!("the control plane takes {}, all nodes {}", shown(control_plane), shown(nodes))
        }
        (Some(control_plane), None, Some(given_up)) => {
            format!(
                "the control plane takes {}, and the nodes are not done: {given_up}",
                shown(control_plane)
            )
        }
        (None, _, Some(given_up)) => format!("the update is not done: {given_up}"),
        _ => "the update does not get through".to_owned(),
    }
}

/// That the time was up, and who said so: more of it may be all that is needed.
fn given_up(report: &Report) -> Option<String> {
    report.given_up.map(|limit| format!("given up after {} (--give-up-after)", shown(limit)))
}

/// What happened to each cluster.
pub(super) fn story(outcomes: &[Outcome], out: &mut dyn Write) -> io::Result<()> {
    let mut out = Lines::new(out, false);
    for outcome in outcomes {
        let report = &outcome.report;
        let (from, to) = &report.versions;
        writeln!(out, "update from {from} to {to}")?;
        for (at, text) in &report.told {
            writeln!(out, "  {:>9}  {}", shown(at.since(report.start)), text.replace('\n', " "))?;
        }
        let mut bars: Vec<_> = report.bars.iter().filter(|bar| bar.kind != BarKind::Node).collect();
        bars.sort_by_key(|bar| (bar.kind, bar.from));
        if !bars.is_empty() {
            writeln!(out, "operators and pools, each when it begins")?;
        }
        for bar in bars {
            let end = bar.to.map_or_else(
                || "does not end".to_owned(),
                |to| format!("until {}", shown(to.since(report.start))),
            );
            let group =
                if bar.group.is_empty() { String::new() } else { format!(" (runlevel {})", bar.group) };
            writeln!(
                out,
                "  {:>9}  {} {}{group}, {end}",
                shown(bar.from.since(report.start)),
                word(bar.kind),
                bar.name
            )?;
        }
        writeln!(out, "{}", verdict(report))?;
        for (name, from, to) in &report.catalogs {
            writeln!(out, "  catalog {name} moves from {from} to {to}")?;
        }
        for fate in &report.operators {
            writeln!(out, "  {}", fate_text(fate))?;
        }
        for obstacle in &report.obstacles {
            // What is merely under way stops nothing.
            let heading = if report.given_up.is_some() { "at the end" } else { "stopped by" };
            writeln!(out, "  {heading}: {}", obstacle.replace('\n', " "))?;
        }
        for first in &outcome.first {
            writeln!(out, "  first: {first}")?;
        }
    }
    out.flush()
}

/// A line for each cluster.
pub(super) fn table(outcomes: &[Outcome], out: &mut dyn Write) -> io::Result<()> {
    let mut out = Lines::new(out, false);
    let mut rows =
        vec![["NAME", "FROM", "TO", "RESULT", "CONTROL PLANE", "NODES", "WHAT STOPS IT"].map(str::to_owned)];
    for outcome in outcomes {
        let report = &outcome.report;
        let time = |time: Option<u64>| time.map_or_else(|| "-".to_owned(), shown);
        let result = match (outcome.is_success(), report.control_plane) {
            (true, _) => "updated",
            (false, Some(_)) => "nodes not done",
            (false, None)
                if report.told.iter().any(|(_, text)| text.starts_with("ReleaseAccepted=False")) =>
            {
                "refused"
            }
            _ => "not done",
        };
        let stop = outcome.first.first().or(report.obstacles.first()).map(|text| text.replace('\n', " "));
        let stop: Vec<String> = given_up(report).into_iter().chain(stop).collect();
        rows.push([
            outcome.name.clone(),
            report.versions.0.clone(),
            report.versions.1.clone(),
            result.to_owned(),
            time(report.control_plane),
            time(report.nodes),
            stop.join(": "),
        ]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: Vec<usize> = (0..6).map(width).collect();
    for row in &rows {
        let cells = row.iter().zip(widths.iter().copied()).map(|(cell, width)| padded(cell, width) + "  ");
        writeln!(out, "{}{}", cells.collect::<String>(), row[6])?;
    }
    out.flush()
}
