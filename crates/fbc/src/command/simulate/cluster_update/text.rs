//! The words of `fbc simulate cluster-update`.

use std::io::{self, Write};

use fbc_app::escape::Lines;
use fbc_go::text::padded;
use fbc_openshift::cluster_update::BarKind;
use fbc_simulation::cluster_update::Outcome;
use fbc_simulation::cluster_update::words::{fate_text, given_up, quorum_text, shown, verdict, word};

/// What happened to each cluster.
pub(super) fn story(outcomes: &[Outcome], out: &mut dyn Write) -> io::Result<()> {
    let mut out = Lines::new(out, false);
    for outcome in outcomes {
        let report = &outcome.report;
        let (from, to) = &report.versions;
        writeln!(out, "update from {from} to {to}")?;
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
        if let Some(loss) = report.quorum_loss {
            writeln!(out, "  {}", quorum_text(loss))?;
        }
        for first in &outcome.first {
            writeln!(out, "  first: {first}")?;
        }
        writeln!(out, "what ClusterVersion says")?;
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
            _ if report.quorum_loss.is_some() => "no quorum",
            (false, Some(_)) => "nodes not done",
            (false, None)
                if report.told.iter().any(|(_, text)| text.starts_with("ReleaseAccepted=False")) =>
            {
                "refused"
            }
            _ => "not done",
        };
        let stop = outcome.first.first().or(report.obstacles.first()).map(|text| text.replace('\n', " "));
        let stop = stop.or_else(|| report.quorum_loss.map(quorum_text));
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
