//! The graph of a package as a picture: versions downwards from the newest, channels side by side.
//!
//! One drawing serves both generations of OLM: the class `v0` or `v1` on the root decides which marks are shown, so a
//! page can switch between them. Nothing in it refers to anything outside of it.

mod layout;

use std::fmt::Write as _;

use crate::missing_edge::{Standing, standing};
use crate::moves::{EdgeKind, Moves, Refusal, Semantics};
use crate::package::{ChannelGraph, Node, NodeIndex, NodeKind, PackageGraph};
use layout::{HEADING, Lane, Layout, Line, ROW, TRACK, row_middle};

/// The look, for light and dark surroundings.
pub(crate) const STYLE: &str = include_str!("style.css");

/// Draws some channels of a package, by their places, as a complete SVG file.
#[must_use]
pub fn draw(graph: &PackageGraph<'_>, channels: &[usize], semantics: Semantics) -> String {
    let style = format!("<style>\n{STYLE}</style>\n");
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}", element(graph, channels, semantics, &style))
}

/// The drawing as one element, with something of the caller's at its beginning.
pub(crate) fn element(
    graph: &PackageGraph<'_>,
    channels: &[usize],
    semantics: Semantics,
    preamble: &str,
) -> String {
    let layout = Layout::new(graph, channels);
    let note = package_note(graph);
    let legend_top = 40.0;
    let width = layout.width.max(layout::text_width(&note) + 40.0).max(LEGEND_WIDTH);
    let height = layout.height + legend_top + 34.0;
    let name = escaped(&graph.name);
    let mut text = String::new();
    // Writing to a String cannot fail, here and below.
    let _ = write!(
        text,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"fbc-graph {}\" role=\"img\" width=\"{width:.0}\" \
         height=\"{height:.0}\" viewBox=\"0 0 {width:.0} {height:.0}\" font-family=\"system-ui, 'Liberation Sans', \
         sans-serif\" font-size=\"12\">\n<title>Upgrade graph of {name}</title>\n{preamble}\
         <rect class=\"paper\" width=\"100%\" height=\"100%\"/>\n<g class=\"legend\">\n\
         <text class=\"package\" x=\"12\" y=\"22\">{name}</text>\n\
         <text class=\"note\" x=\"12\" y=\"40\">{}</text>\n",
        semantics.name(),
        escaped(&note),
    );
    legend(&mut text, legend_top + 14.0);
    text.push_str("</g>\n");
    let _ = writeln!(text, "<g class=\"view\" transform=\"translate(0 {:.0})\">", legend_top + 26.0);
    rows(&mut text, graph, &layout);
    for lane in &layout.lanes {
        if let Some(channel) = graph.channels.get(lane.channel) {
            draw_lane(&mut text, graph, channel, lane, &layout);
        }
    }
    headings(&mut text, graph, &layout);
    text.push_str("</g>\n</svg>\n");
    text
}

/// Width of the line that explains the marks.
const LEGEND_WIDTH: f64 = 880.0;

fn legend(text: &mut String, y: f64) {
    let mut x = 12.0;
    for (mark, label) in [
        ("<path class=\"edge replaces\" d=\"M0 0H22\"/>", "replaces"),
        ("<path class=\"edge skips\" d=\"M0 0H22\"/>", "skips"),
        ("<path class=\"edge skip-range\" d=\"M0 0H22\"/>", "skipRange"),
        ("<g class=\"dot\"><circle class=\"core\" cx=\"12\" r=\"5\"/></g>", "bundle"),
        (
            "<g class=\"dot head\"><circle class=\"ring\" cx=\"12\" r=\"8.5\"/><circle class=\"core\" cx=\"12\" r=\"5\"/></g>",
            "head",
        ),
        ("<g class=\"dot skipped\"><circle class=\"core\" cx=\"12\" r=\"5\"/></g>", "skipped"),
        ("<g class=\"dot deprecated\"><circle class=\"core\" cx=\"12\" r=\"5\"/></g>", "deprecated"),
        ("<g class=\"dot outside\"><circle class=\"core\" cx=\"12\" r=\"3.5\"/></g>", "not in the catalog"),
        (
            "<g class=\"dot stuck\"><circle class=\"alarm\" cx=\"12\" r=\"8\"/><circle class=\"core\" cx=\"12\" r=\"5\"/></g>",
            "stuck",
        ),
    ] {
        let _ = writeln!(
            text,
            "<g transform=\"translate({x:.0} {y:.0})\">{mark}<text class=\"note\" x=\"28\" y=\"4\">{label}</text></g>"
        );
        x += 44.0 + layout::text_width(label) * 0.86;
    }
}

fn rows(text: &mut String, graph: &PackageGraph<'_>, layout: &Layout) {
    for (row, &node) in layout.rows.iter().enumerate() {
        let Some(found) = graph.nodes.get(node) else { continue };
        let top = HEADING + row as f64 * ROW;
        let (kind, stripe) = (node_classes(found), if row % 2 == 0 { " even" } else { "" });
        let x = layout.label_width - 28.0;
        let _ = writeln!(
            text,
            "<g class=\"row{kind}{stripe}\" data-node=\"{node}\"><title>{}</title><rect x=\"0\" y=\"{top:.0}\" \
             width=\"{:.0}\" height=\"{ROW:.0}\"/><text x=\"{x:.0}\" y=\"{:.0}\" text-anchor=\"end\">{}</text></g>",
            escaped(&node_title(found)),
            layout.width,
            top + ROW / 2.0 + 4.0,
            escaped(&row_label(found)),
        );
    }
}

fn headings(text: &mut String, graph: &PackageGraph<'_>, layout: &Layout) {
    let _ = writeln!(
        text,
        "<g class=\"headings\"><rect class=\"paper\" x=\"0\" y=\"0\" width=\"{:.0}\" height=\"{:.0}\"/>",
        layout.width,
        HEADING - 6.0
    );
    for lane in &layout.lanes {
        let Some(channel) = graph.channels.get(lane.channel) else { continue };
        let deprecated = if channel.deprecation.is_some() { " deprecated" } else { "" };
        let refused = if channel.is_sound() { "" } else { " refused" };
        let _ = writeln!(
            text,
            "<g class=\"heading{deprecated}{refused}\" data-channel=\"{}\" transform=\"translate({:.1} 0)\"><text \
             x=\"{x:.1}\" y=\"20\" text-anchor=\"middle\">{}</text><text class=\"note\" x=\"{x:.1}\" y=\"36\" \
             text-anchor=\"middle\">{}</text></g>",
            lane.channel,
            lane.x,
            escaped(&channel.name),
            escaped(&channel_note(graph, channel)),
            x = lane.width / 2.0,
        );
    }
    text.push_str("</g>\n");
}

fn draw_lane(
    text: &mut String,
    graph: &PackageGraph<'_>,
    channel: &ChannelGraph<'_>,
    lane: &Lane,
    layout: &Layout,
) {
    let _ = writeln!(
        text,
        "<g class=\"lane\" data-channel=\"{}\" data-width=\"{:.1}\" transform=\"translate({:.1} 0)\">\
         <path class=\"border\" d=\"M0 {HEADING:.0}V{:.0}\"/>",
        lane.channel, lane.width, lane.x, layout.height
    );
    for line in &lane.lines {
        draw_line(text, line, lane.axis);
    }
    let marks = [Semantics::V0, Semantics::V1].map(|semantics| Moves::new(graph, &[channel], semantics));
    let entry_of = channel.entry_of_nodes(graph.nodes.len());
    for node in channel.members() {
        let row = layout.row_of.get(node).copied().flatten();
        let (Some(row), Some(found)) = (row, graph.nodes.get(node)) else { continue };
        let entry = entry_of.get(node).copied().flatten();
        let mut classes = format!("dot{}", node_classes(found));
        if entry.is_some_and(|entry| channel.is_skipped(entry)) {
            classes.push_str(" skipped");
        }
        for moves in &marks {
            mark(&mut classes, graph, moves, node, channel);
        }
        let radius = if entry.is_some() { 5.0 } else { 3.5 };
        let _ = writeln!(
            text,
            "<g class=\"{classes}\" data-node=\"{node}\" transform=\"translate({:.1} {:.1})\"><title>{}</title>\
             <circle class=\"alarm\" r=\"8\"/><circle class=\"ring\" r=\"8.5\"/><circle class=\"core\" r=\"{radius}\"/></g>",
            lane.axis,
            row_middle(row),
            escaped(&node_title(found)),
        );
    }
    text.push_str("</g>\n");
}

fn mark(
    classes: &mut String,
    graph: &PackageGraph<'_>,
    moves: &Moves,
    node: NodeIndex,
    channel: &ChannelGraph<'_>,
) {
    let semantics = moves.semantics.name();
    let is_head = match &moves.refusal {
        Some(Refusal::SeveralHeads(heads)) => heads.contains(&node),
        _ => moves.head == Some(node),
    };
    if is_head {
        let _ = write!(classes, " head-{semantics}");
    }
    if matches!(standing(graph, moves, node), Standing::Stuck | Standing::Circle)
        && !channel.entries.is_empty()
    {
        let _ = write!(classes, " stuck-{semantics}");
    }
}

/// A line down its track with a branch to every row; arrows point at what is updated to.
fn draw_line(text: &mut String, line: &Line, axis: f64) {
    let kind = match line.kind {
        EdgeKind::Replaces => "replaces",
        EdgeKind::Skips => "skips",
        EdgeKind::SkipRange => "skip-range",
    };
    let skipped = if line.leads_to_skipped { " to-skipped" } else { "" };
    let x = axis + f64::from(line.track) * TRACK;
    let side = f64::from(line.track.signum());
    let rows = || line.from.iter().chain(&line.to);
    let (Some(&first), Some(&last)) = (rows().min(), rows().max()) else { return };
    let mut path = String::new();
    if line.track == 0 {
        let (from, to) =
            (line.from.first().copied().unwrap_or(first), line.to.first().copied().unwrap_or(last));
        let direction = if from > to { -1.0 } else { 1.0 };
        let (start, end) = (row_middle(from) + 5.0 * direction, row_middle(to) - 6.0 * direction);
        let _ = write!(
            path,
            "M{axis:.1} {start:.1}V{end:.1}m-3 {:.1}l3 {:.1}l3 {:.1}",
            -4.0 * direction,
            4.0 * direction,
            -4.0 * direction
        );
    } else {
        let _ = write!(path, "M{x:.1} {:.1}V{:.1}", row_middle(first), row_middle(last));
        // A range has no branches to what it covers: that is all that lies beside its line.
        let branches: &[usize] = if line.kind == EdgeKind::SkipRange { &[] } else { &line.from };
        for &row in branches {
            let _ = write!(path, "M{:.1} {y:.1}H{x:.1}", axis + side * 5.0, y = row_middle(row) - 2.0);
        }
        for &row in &line.to {
            let (tip, y) = (
                axis + side * 6.5,
                row_middle(row) + if line.kind == EdgeKind::SkipRange { 2.0 } else { -2.0 },
            );
            let _ = write!(
                path,
                "M{x:.1} {y:.1}H{tip:.1}m{:.1} -2.5l{:.1} 2.5l{:.1} 2.5",
                side * 3.5,
                side * -3.5,
                side * 3.5
            );
        }
        if let (EdgeKind::SkipRange, Some(&top), Some(&bottom)) =
            (line.kind, line.from.first(), line.from.last())
        {
            let _ = writeln!(
                text,
                "<path class=\"edge covered{skipped}\" d=\"M{x:.1} {:.1}V{:.1}\"/>",
                row_middle(top) - 5.0,
                row_middle(bottom) + 5.0
            );
        }
    }
    let _ = writeln!(text, "<path class=\"edge {kind}{skipped}\" d=\"{path}\"/>");
}

fn node_classes(node: &Node) -> String {
    let mut classes = String::new();
    if node.deprecation.is_some() {
        classes.push_str(" deprecated");
    }
    if node.kind != NodeKind::Bundle {
        classes.push_str(" outside");
    }
    classes
}

fn node_title(node: &Node) -> String {
    let mut title = node.name.clone();
    if node.kind != NodeKind::Bundle {
        title.push_str(" (not in the catalog)");
    }
    if let Some(message) = &node.deprecation {
        let _ = write!(title, "\ndeprecated: {}", message.trim_end());
    }
    title
}

/// The version beside a row.
fn row_label(node: &Node) -> String {
    node.label()
}

/// What is to be said of a channel below its name.
fn channel_note(graph: &PackageGraph<'_>, channel: &ChannelGraph<'_>) -> String {
    let mut notes = Vec::new();
    if channel.name == graph.default_channel {
        notes.push("default".to_owned());
    }
    if channel.deprecation.is_some() {
        notes.push("deprecated".to_owned());
    }
    let analysis = &channel.analysis;
    match (analysis.heads.len(), analysis.cycle().len(), analysis.stranded.len()) {
        (1, 0, 0) => {}
        (1, 0, stranded) => notes.push(format!("{stranded} stranded")),
        (1, ..) => notes.push("cycle".to_owned()),
        (0, ..) => notes.push("no head".to_owned()),
        (heads, ..) => notes.push(format!("{heads} heads")),
    }
    notes.join(", ")
}

/// What is to be said of the package below its name.
fn package_note(graph: &PackageGraph<'_>) -> String {
    let bundles = graph.nodes.iter().filter(|node| node.is_installable()).count();
    let counted = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    let mut note = format!("{}, {}", counted(bundles, "bundle"), counted(graph.channels.len(), "channel"));
    if let Some(message) = &graph.deprecation {
        let line = message.lines().next().unwrap_or_default();
        let _ = write!(note, "; deprecated: {}", line.chars().take(100).collect::<String>());
    }
    note
}

/// Text between tags and in quotes, without what XML does not allow.
pub(crate) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push(c),
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests;
