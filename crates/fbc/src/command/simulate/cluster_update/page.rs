//! The page of an update: a timeline with operators by runlevel, pools and nodes as bars, and what was waited for.

use std::fmt::Write as _;

use fbc_openshift::cluster_update::{Bar, BarKind};
use fbc_scenario::duration_text;

use super::{Outcome, text};

/// The width of the time axis.
const WIDTH: f64 = 900.0;
/// The width of the names, and the height of a row.
const NAMES: f64 = 260.0;
const ROW: f64 = 18.0;

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A page with all clusters.
pub(super) fn draw(outcomes: &[Outcome]) -> String {
    let mut page = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
        <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
        <title>Cluster update</title>\n<style>\n\
        body{font:14px sans-serif;margin:2em;color:#222;background:#fff}text{font:12px sans-serif;fill:currentColor}\n\
        .operator{fill:#4a7fb5}.pool{fill:#8a6db1}.node{fill:#5a9e6f}.open{fill:#c0504d}line{stroke:#ccc}td{padding:0 1em 0 0;vertical-align:top}\n\
        @media (prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}line{stroke:#444}}\n</style>\n"
        .to_owned();
    for outcome in outcomes {
        let report = &outcome.report;
        let _ = writeln!(
            page,
            "<h1>{}: {} to {}</h1>",
            escaped(&outcome.name),
            escaped(&report.versions.0),
            escaped(&report.versions.1)
        );
        timeline(outcome, &mut page);
        page.push_str("<h2>What the cluster said</h2>\n<table>\n");
        for (at, text) in &report.told {
            let _ = writeln!(page, "<tr><td>{}<td>{}", duration_text(at.since(report.start)), escaped(text));
        }
        page.push_str("</table>\n");
        for (title, list) in [("What stops it", &report.obstacles), ("What to do first", &outcome.first)] {
            if !list.is_empty() {
                let _ = writeln!(page, "<h2>{title}</h2>\n<ul>");
                for item in list {
                    let _ = writeln!(page, "<li>{}", escaped(item));
                }
                page.push_str("</ul>\n");
            }
        }
    }
    page.push_str("</html>\n");
    page
}

fn timeline(outcome: &Outcome, page: &mut String) {
    let report = &outcome.report;
    let mut bars: Vec<&Bar> = report.bars.iter().collect();
    bars.sort_by_key(|bar| (bar.kind, bar.group.clone(), bar.from, bar.name.clone()));
    let end = bars.iter().filter_map(|bar| bar.to).chain(report.told.iter().map(|(at, _)| *at)).max();
    let whole = end.map_or(1, |end| end.since(report.start)).max(1) as f64;
    let x = |at: fbc_cluster::time::Moment| NAMES + at.since(report.start) as f64 / whole * WIDTH;
    let height = (bars.len() as f64 + 2.0) * ROW;
    let _ = writeln!(
        page,
        "<svg width=\"{}\" height=\"{height}\" role=\"img\" aria-label=\"Timeline\">",
        NAMES + WIDTH + 20.0
    );
    for step in 0..=6_u32 {
        let at = NAMES + f64::from(step) / 6.0 * WIDTH;
        let time = duration_text((whole * f64::from(step) / 6.0) as u64 / 1000 * 1000);
        let _ = writeln!(
            page,
            "<line x1=\"{at:.1}\" y1=\"{ROW}\" x2=\"{at:.1}\" y2=\"{height}\"/><text x=\"{at:.1}\" y=\"12\">{time}</text>"
        );
    }
    for (row, bar) in bars.iter().enumerate() {
        let y = (row as f64 + 1.5) * ROW;
        let group = match (bar.kind, bar.group.as_str()) {
            (_, "") => String::new(),
            (BarKind::Operator, group) => format!("runlevel {group}: "),
            (_, group) => format!("{group}: "),
        };
        let (from, to) = (x(bar.from), bar.to.map_or(NAMES + WIDTH, x));
        let class = if bar.to.is_some() { text::word(bar.kind) } else { "open" };
        let took = bar.to.map_or_else(|| "does not end".to_owned(), |to| duration_text(to.since(bar.from)));
        let _ = writeln!(
            page,
            "<text x=\"0\" y=\"{:.1}\">{}{}</text><rect class=\"{class}\" x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>{}: {}</title></rect>",
            y + 13.0,
            escaped(&group),
            escaped(&bar.name),
            y + 2.0,
            (to - from).max(1.0),
            ROW - 4.0,
            escaped(&bar.name),
            escaped(&took)
        );
    }
    page.push_str("</svg>\n");
}
