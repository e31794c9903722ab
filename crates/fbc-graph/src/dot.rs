//! The graph in the language of graphviz.
//!
//! A channel is a cluster; an arrow leads from what is installed to what it is updated to. What a `skipRange` covers
//! within its channel is drawn as arrows where it is little; of a long run only both ends are drawn, and the label
//! tells the number, so that the text stays linear in the channel.

use std::fmt::Write as _;

use crate::moves::{Moves, Semantics};
use crate::package::{ChannelGraph, NodeIndex, NodeKind, PackageGraph};

/// As many versions of a range are drawn one by one.
const MOST_ARROWS_OF_A_RANGE: usize = 4;

/// Characters of a range that are shown: each of its arrows repeats it.
const MOST_LABEL: usize = 120;

/// Draws packages; marks are those of one generation of OLM.
#[must_use]
pub fn draw(graphs: &[PackageGraph<'_>], semantics: Semantics) -> String {
    let mut text = String::from(
        "digraph upgrades {\n  rankdir=LR\n  compound=true\n  node [shape=box, style=\"rounded,filled\", \
         fillcolor=\"#f4f6f8\", color=\"#5b6b7b\", fontname=\"sans-serif\", fontsize=11]\n  \
         edge [fontname=\"sans-serif\", fontsize=9, color=\"#2563a8\"]\n",
    );
    for (number, graph) in graphs.iter().enumerate() {
        // Writing to a String cannot fail, here and below.
        let _ = writeln!(text, "  subgraph cluster_{number} {{\n    label={}", quoted(&graph.name));
        for (place, channel) in graph.channels.iter().enumerate() {
            draw_channel(&mut text, graph, channel, &format!("{number}_{place}"), semantics);
        }
        text.push_str("  }\n");
    }
    text.push_str("}\n");
    text
}

fn draw_channel(
    text: &mut String,
    graph: &PackageGraph<'_>,
    channel: &ChannelGraph<'_>,
    id: &str,
    semantics: Semantics,
) {
    let moves = Moves::new(graph, &[channel], semantics);
    let _ = writeln!(text, "    subgraph cluster_{id} {{\n      label={}", quoted(&channel.name));
    if channel.deprecation.is_some() {
        text.push_str("      color=\"#b45309\"\n");
    }
    let members = channel.members();
    let entry_of = channel.entry_of_nodes(graph.nodes.len());
    let node_id = |node: NodeIndex| format!("n{id}_{node}");
    for &node in &members {
        let Some(found) = graph.nodes.get(node) else { continue };
        let entry = entry_of.get(node).copied().flatten();
        let is_skipped = entry.is_some_and(|entry| channel.is_skipped(entry));
        let mut style = String::new();
        if moves.head == Some(node) {
            style.push_str(", penwidth=3");
        }
        if found.deprecation.is_some() {
            style.push_str(", fillcolor=\"#fde3c0\", color=\"#b45309\"");
        }
        if found.kind != NodeKind::Bundle {
            style.push_str(", style=\"rounded,dashed\"");
        } else if is_skipped {
            style.push_str(", style=\"rounded,filled,dashed\"");
        }
        let label = format!("label={}, tooltip={}", quoted(&found.label()), quoted(&found.name));
        let _ = writeln!(text, "      {} [{label}{style}]", node_id(node));
    }
    text.push_str("    }\n");
    for (entry, edges) in channel.entries.iter().zip(&channel.edges) {
        let to = node_id(edges.node);
        if let Some(from) = edges.replaces {
            let _ = writeln!(text, "    {} -> {to}", node_id(from));
        }
        for &from in &edges.skips {
            let _ = writeln!(text, "    {} -> {to} [style=dashed, color=\"#c2410c\"]", node_id(from));
        }
        let range = label(&entry.skip_range);
        for run in &edges.covered {
            let start = members.partition_point(|&node| node < run.start);
            let end = members.partition_point(|&node| node < run.end);
            let covered = members.get(start..end).unwrap_or_default();
            let (drawn, label) = match covered {
                [first, .., last] if covered.len() > MOST_ARROWS_OF_A_RANGE => {
                    (vec![*first, *last], format!("{range} ({} versions)", covered.len()))
                }
                _ => (covered.to_vec(), range.clone()),
            };
            for from in drawn.into_iter().filter(|&from| from != edges.node) {
                let label = quoted(&label);
                let _ = writeln!(
                    text,
                    "    {} -> {to} [style=dotted, color=\"#15803d\", constraint=false, label={label}]",
                    node_id(from)
                );
            }
        }
    }
}

/// A range, without its end where it is very long.
fn label(range: &str) -> String {
    match range.char_indices().nth(MOST_LABEL) {
        Some((end, _)) => format!("{}…", range.get(..end).unwrap_or_default()),
        None => range.to_owned(),
    }
}

/// A text in the quotes of the language, in which only quotes and backslashes are special.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace(char::is_control, " "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::moves::tests::{catalog, entry};

    #[test]
    fn edges_of_every_kind_are_told_apart() {
        let entries = vec![
            entry("p.v1.9.0", "p.v1.8.0", &["p.v1.7.0"], "<1.9.0"),
            entry("p.v1.8.0", "", &[], "<1.3.0"),
            entry("p.v1.7.0", "", &[], ""),
        ];
        let catalog = catalog(&[("a\"b", entries)], &["p.v1.8.0"]);
        let text = draw(&[PackageGraph::from_catalog(&catalog, "p")], Semantics::V0);
        for part in [
            "label=\"a\\\"b\"",
            "n0_0_1 -> n0_0_2\n",
            "n0_0_0 -> n0_0_2 [style=dashed",
            "n0_0_0 -> n0_0_2 [style=dotted, color=\"#15803d\", constraint=false, label=\"<1.9.0\"]",
            "label=\"1.8.0\", tooltip=\"p.v1.8.0\", fillcolor=\"#fde3c0\"",
        ] {
            assert!(text.contains(part), "{part} is not in {text}");
        }
        assert!(!text.contains("<1.3.0"), "a range that covers nothing has no arrows");
    }
}
