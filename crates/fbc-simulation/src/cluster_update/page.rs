//! The page of an update: a timeline with runlevels, operators, pools and nodes as bars, and what waited on what.

use std::fmt::Write as _;

use fbc_cluster::time::{HOUR, MINUTE, Milliseconds, Moment, SECOND};
use fbc_openshift::cluster_update::{Bar, BarKind, Report};
use fbc_scenario::duration_text;

use super::{Outcome, words};

/// The width of the time axis.
const WIDTH: f64 = 900.0;
/// The width of the names, and the height of a row.
const NAMES: f64 = 260.0;
const ROW: f64 = 18.0;
/// Room for what is written at the end.
const MARGIN: f64 = 60.0;
/// Spans of time between two lines.
const STEPS: [Milliseconds; 9] =
    [SECOND, 10 * SECOND, MINUTE, 2 * MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR, 24 * HOUR];
/// No more lines than this.
const MOST_STEPS: u64 = 8;
const STYLE: &str = "body{font:14px sans-serif;margin:2em;color:#222;background:#fff}text{font:12px sans-serif;fill:currentColor}\n\
    .runlevel{fill:#9bb6d1}.operator{fill:#4a7fb5}.pool{fill:#8a6db1}.node{fill:#5a9e6f}.open{fill:#c0504d}\n\
    line{stroke:#ccc}line.end{stroke:#c0504d;stroke-dasharray:4 3}path{stroke:#888;fill:none}.head{font-weight:bold}\n\
    td,th{padding:0 1em 0 0;vertical-align:top;text-align:left}\n\
    @media (prefers-color-scheme:dark){body{color:#ddd;background:#1b1b1b}line{stroke:#444}path{stroke:#999}}\n";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A page with all clusters.
#[must_use]
pub fn draw(outcomes: &[Outcome]) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
        <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
        <title>Cluster update</title>\n<style>\n{STYLE}</style>\n"
    );
    for outcome in outcomes {
        let report = &outcome.report;
        let _ = writeln!(
            page,
            "<h1>{}: {} to {}</h1>\n<p>{}</p>",
            escaped(&outcome.name),
            escaped(&report.versions.0),
            escaped(&report.versions.1),
            escaped(&words::verdict(report))
        );
        // What is merely under way stops nothing.
        let obstacles = if report.given_up.is_some() { "At the end" } else { "What stops it" };
        for (title, list) in [(obstacles, &report.obstacles), ("What to do first", &outcome.first)] {
            section(title, list, &mut page);
        }
        Timeline::from_report(report).draw(&mut page);
        let fates: Vec<String> = report
            .catalogs
            .iter()
            .map(|(name, from, to)| format!("catalog {name} moves from {from} to {to}"))
            .chain(report.operators.iter().map(words::fate_text))
            .collect();
        section("Operators from catalogs", &fates, &mut page);
        page.push_str("<h2>What the cluster said</h2>\n<table>\n");
        for (at, text) in &report.told {
            let _ = writeln!(page, "<tr><td>{}<td>{}", words::shown(at.since(report.start)), escaped(text));
        }
        page.push_str("</table>\n");
    }
    page.push_str("</html>\n");
    page
}

/// The span between two lines of a timeline.
fn step_of(whole: Milliseconds) -> Milliseconds {
    let fits = STEPS.into_iter().find(|step| whole / step <= MOST_STEPS);
    fits.unwrap_or_else(|| whole.div_ceil(MOST_STEPS))
}

fn section(title: &str, list: &[String], page: &mut String) {
    if list.is_empty() {
        return;
    }
    let _ = writeln!(page, "<h2>{title}</h2>\n<ul>");
    for item in list {
        let _ = writeln!(page, "<li>{}", escaped(item));
    }
    page.push_str("</ul>\n");
}

/// A row of the timeline.
struct Row {
    label: String,
    class: &'static str,
    is_head: bool,
    from: Moment,
    /// Its end; none while it goes on.
    to: Option<Moment>,
    /// The row that it began after.
    after: Option<usize>,
}

struct Timeline {
    rows: Vec<Row>,
    start: Moment,
    end: Moment,
    control_plane: Option<Moment>,
}

/// The bars of a kind, by group, each group in the order of time.
fn grouped(report: &Report, kind: BarKind) -> Vec<(&str, Vec<&Bar>)> {
    let mut groups: Vec<(&str, Vec<&Bar>)> = Vec::new();
    for bar in report.bars.iter().filter(|bar| bar.kind == kind) {
        match groups.iter_mut().find(|(group, _)| *group == bar.group) {
            Some((_, bars)) => bars.push(bar),
            None => groups.push((&bar.group, vec![bar])),
        }
    }
    groups.sort_by_key(|(group, _)| *group);
    groups.iter_mut().for_each(|(_, bars)| bars.sort_by_key(|bar| (bar.from, bar.name.as_str())));
    groups
}

impl Timeline {
    fn from_report(report: &Report) -> Self {
        let mut rows: Vec<Row> = Vec::new();
        let mut slowest: Option<usize> = None;
        for (runlevel, bars) in grouped(report, BarKind::Operator) {
            let Some(first) = bars.first() else { continue };
            let ends: Option<Vec<Moment>> = bars.iter().map(|bar| bar.to).collect();
            rows.push(Row {
                label: if runlevel.is_empty() {
                    "operators".to_owned()
                } else {
                    format!("runlevel {runlevel}")
                },
                class: "runlevel",
                is_head: true,
                from: first.from,
                to: ends.and_then(|ends| ends.into_iter().max()),
                after: slowest,
            });
            let begin = rows.len();
            rows.extend(bars.iter().map(|bar| Row::from_bar(bar)));
            // The next runlevel waits for the operator that ends last.
            let last = rows.iter().enumerate().skip(begin).max_by_key(|(_, row)| (row.to.is_none(), row.to));
            slowest = last.map(|(index, _)| index);
        }
        let nodes = grouped(report, BarKind::Node);
        for (_, pools) in grouped(report, BarKind::Pool) {
            for pool in pools {
                rows.push(Row { is_head: true, label: format!("pool {}", pool.name), ..Row::from_bar(pool) });
                let of_pool = nodes.iter().find(|(group, _)| *group == pool.name);
                let begin = rows.len();
                for node in of_pool.map(|(_, nodes)| nodes.as_slice()).unwrap_or_default() {
                    // A node begins when another one of the pool is done.
                    let before = rows.iter().enumerate().skip(begin).rev();
                    let after = before
                        .filter(|(_, row)| row.to.is_some_and(|to| to <= node.from))
                        .max_by_key(|(_, row)| row.to)
                        .map(|(index, _)| index);
                    rows.push(Row { after, ..Row::from_bar(node) });
                }
            }
        }
        let ends = rows.iter().filter_map(|row| row.to).chain(report.told.iter().map(|(at, _)| *at));
        Self {
            end: ends.max().unwrap_or(report.start),
            rows,
            start: report.start,
            control_plane: report.control_plane.map(|time| report.start + time),
        }
    }

    fn draw(&self, page: &mut String) {
        let whole = self.end.since(self.start).max(1) as f64;
        let x = |at: Moment| NAMES + at.since(self.start) as f64 / whole * WIDTH;
        let y = |row: usize| (row as f64 + 1.5) * ROW;
        let height = (self.rows.len() as f64 + 2.0) * ROW;
        let _ = writeln!(
            page,
            "<svg width=\"{}\" height=\"{height}\" role=\"img\" aria-label=\"Timeline\">",
            NAMES + WIDTH + MARGIN
        );
        let step = step_of(self.end.since(self.start));
        for time in (0..=self.end.since(self.start)).step_by(usize::try_from(step).unwrap_or(usize::MAX)) {
            let at = x(self.start + time);
            let time = duration_text(time);
            let _ = writeln!(
                page,
                "<line x1=\"{at:.1}\" y1=\"{ROW}\" x2=\"{at:.1}\" y2=\"{height}\"/><text x=\"{at:.1}\" y=\"12\">{time}</text>"
            );
        }
        if let Some(at) = self.control_plane.map(x) {
            let _ = writeln!(
                page,
                "<line class=\"end\" x1=\"{at:.1}\" y1=\"{ROW}\" x2=\"{at:.1}\" y2=\"{height}\"><title>the control plane is done</title></line>"
            );
        }
        for (index, row) in self.rows.iter().enumerate() {
            let (from, to) = (x(row.from), row.to.map_or(NAMES + WIDTH, x));
            let class = if row.to.is_some() { row.class } else { "open" };
            let took =
                row.to.map_or_else(|| "does not end".to_owned(), |to| words::shown(to.since(row.from)));
            let waited = row.after.and_then(|after| self.rows.get(after));
            let waited = waited.map(|other| format!(", after {}", other.label)).unwrap_or_default();
            let (indent, style) = if row.is_head { (0, " class=\"head\"") } else { (14, "") };
            let _ = writeln!(
                page,
                "<text{style} x=\"{indent}\" y=\"{:.1}\">{}</text><rect class=\"{class}\" x=\"{from:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\"><title>{}: {}{}</title></rect>",
                y(index) + 13.0,
                escaped(&row.label),
                y(index) + 2.0,
                (to - from).max(1.0),
                ROW - 4.0,
                escaped(&row.label),
                took,
                escaped(&waited)
            );
            let Some(after) = row.after else { continue };
            let end = self.rows.get(after).and_then(|other| other.to).map_or(from, x);
            let _ = writeln!(
                page,
                "<path d=\"M{end:.1} {:.1}V{:.1}H{from:.1}\"/>",
                y(after) + ROW / 2.0,
                y(index) + ROW / 2.0
            );
        }
        page.push_str("</svg>\n<p>A line leads from what was waited for to what waited; the dashed line is the end of the control plane.</p>\n");
    }
}

impl Row {
    fn from_bar(bar: &Bar) -> Self {
        Self {
            label: bar.name.clone(),
            class: words::word(bar.kind),
            is_head: false,
            from: bar.from,
            to: bar.to,
            after: None,
        }
    }
}
