//! The graph of tasks as text, JSON, for Graphviz, and as a picture.

use std::fmt::Write as _;

use serde_json::{Value, json};

use super::graph::{Node, TaskGraph};
use super::manifest::Manifest;

/// How many manifests a box of a drawing names before it only counts them.
const MOST_NAMED: usize = 4;

/// `{"nodes": [{"in": [0], "out": [2], "tasks": ["FILE KIND NAMESPACE/NAME"]}]}`
pub fn json(graph: &TaskGraph, manifests: &[Manifest]) -> Value {
    let node = |node: &Node| {
        let tasks: Vec<String> = named(node, manifests).map(Manifest::to_string).collect();
        json!({"in": node.before, "out": node.after, "tasks": tasks})
    };
    json!({"nodes": graph.nodes.iter().map(node).collect::<Vec<_>>()})
}

/// One paragraph for each node with tasks, with the step in which it comes at the earliest.
pub fn text(graph: &TaskGraph, manifests: &[Manifest]) -> String {
    let mut out = String::new();
    for (number, nodes) in steps(graph).into_iter().enumerate() {
        let together =
            if nodes.len() > 1 { format!(", {} side by side", nodes.len()) } else { String::new() };
        let _ = writeln!(out, "step {}{together}", number + 1);
        for node in nodes {
            for (index, manifest) in named(node, manifests).enumerate() {
                let _ = writeln!(out, "  {} {manifest}", if index == 0 { "*" } else { " " });
            }
        }
    }
    out
}

/// For Graphviz.
pub fn dot(graph: &TaskGraph, manifests: &[Manifest]) -> String {
    let mut out = "digraph tasks {\n  rankdir=TB;\n  node [shape=box];\n".to_owned();
    for (index, node) in graph.nodes.iter().enumerate() {
        match node.tasks.is_empty() {
            true => {
                let _ = writeln!(out, "  {index} [shape=point];");
            }
            false => {
                let lines: Vec<String> = labels(node, manifests)
                    .iter()
                    .map(|line| line.replace('\\', "\\\\").replace('"', "\\\""))
                    .collect();
                let _ = writeln!(out, "  {index} [label=\"{}\"];", lines.join("\\l") + "\\l");
            }
        }
    }
    for (index, node) in graph.nodes.iter().enumerate() {
        for other in &node.after {
            let _ = writeln!(out, "  {index} -> {other};");
        }
    }
    out.push_str("}\n");
    out
}

/// A picture: steps from top to bottom, what goes side by side beside each other.
pub fn svg(graph: &TaskGraph, manifests: &[Manifest]) -> String {
    const LINE: usize = 16;
    const WIDTH: usize = 340;
    const GAP: usize = 24;
    /// So many boxes stand beside each other before a new row begins.
    const COLUMNS: usize = 4;
    let steps = steps(graph);
    let widest = steps.iter().map(Vec::len).max().unwrap_or_default().min(COLUMNS);
    let (mut body, mut y) = (String::new(), GAP);
    for (number, nodes) in steps.iter().enumerate() {
        let top = y;
        for row in nodes.chunks(COLUMNS) {
            let mut height = 0;
            for (column, node) in row.iter().enumerate() {
                let lines = labels(node, manifests);
                let (x, box_height) = (GAP * 3 + column * (WIDTH + GAP), lines.len() * LINE + LINE);
                height = height.max(box_height);
                let title = named(node, manifests).map(Manifest::to_string).collect::<Vec<_>>().join("\n");
                let _ = write!(
                    body,
                    "<g><title>{}</title><rect x=\"{x}\" y=\"{y}\" width=\"{WIDTH}\" height=\"{box_height}\" rx=\"4\"/>",
                    escape(&title)
                );
                for (index, line) in lines.iter().enumerate() {
                    let at = y + LINE * (index + 1) + LINE / 4;
                    let _ =
                        write!(body, "<text x=\"{}\" y=\"{at}\">{}</text>", x + 8, escape(&shorten(line)));
                }
                body.push_str("</g>\n");
            }
            y += height + GAP / 2;
        }
        let _ = writeln!(body, "<text class=\"step\" x=\"{GAP}\" y=\"{}\">{}</text>", top + LINE, number + 1);
        let _ = writeln!(
            body,
            "<line x1=\"{GAP}\" x2=\"{}\" y1=\"{y}\" y2=\"{y}\"/>",
            GAP * 3 + widest * (WIDTH + GAP)
        );
        y += GAP / 2;
    }
    let width = GAP * 3 + widest * (WIDTH + GAP);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{y}\" viewBox=\"0 0 {width} {y}\">\n\
         <style>text{{font:11px monospace;fill:#222}}rect{{fill:#eef4fb;stroke:#5b7fa8}}line{{stroke:#bbb}}\
         .step{{font-weight:bold}}</style>\n{body}</svg>\n"
    )
}

/// Nodes with tasks by the number of steps that must come before them.
fn steps(graph: &TaskGraph) -> Vec<Vec<&Node>> {
    let mut depth: Vec<Option<usize>> = vec![None; graph.nodes.len()];
    let mut pending: Vec<usize> = (0..graph.nodes.len()).rev().collect();
    while let Some(index) = pending.pop() {
        let Some(node) = graph.nodes.get(index).filter(|_| depth.get(index) == Some(&None)) else { continue };
        let unknown: Vec<usize> =
            node.before.iter().copied().filter(|one| depth.get(*one) == Some(&None)).collect();
        if !unknown.is_empty() {
            pending.push(index);
            pending.extend(unknown);
            continue;
        }
        let behind = |one: &usize| {
            let has_tasks = graph.nodes.get(*one).is_some_and(|node| !node.tasks.is_empty());
            depth.get(*one).copied().flatten().unwrap_or_default() + usize::from(has_tasks)
        };
        let own = node.before.iter().map(behind).max().unwrap_or_default();
        if let Some(place) = depth.get_mut(index) {
            *place = Some(own);
        }
    }
    let mut steps: Vec<Vec<&Node>> = Vec::new();
    for (node, depth) in graph.nodes.iter().zip(depth) {
        let depth = depth.unwrap_or_default();
        if !node.tasks.is_empty() {
            while steps.len() <= depth {
                steps.push(Vec::new());
            }
            if let Some(step) = steps.get_mut(depth) {
                step.push(node);
            }
        }
    }
    steps
}

fn named<'m>(node: &Node, manifests: &'m [Manifest]) -> impl Iterator<Item = &'m Manifest> {
    node.tasks.iter().filter_map(|task| manifests.get(*task))
}

fn labels(node: &Node, manifests: &[Manifest]) -> Vec<String> {
    let mut lines: Vec<String> = named(node, manifests).map(Manifest::to_string).collect();
    if lines.len() > MOST_NAMED {
        let last = lines.pop().unwrap_or_default();
        let left = lines.len() - (MOST_NAMED - 2);
        lines.truncate(MOST_NAMED - 2);
        lines.push(format!("… {left} more"));
        lines.push(last);
    }
    lines
}

fn shorten(line: &str) -> String {
    const MOST: usize = 50;
    if line.chars().count() <= MOST {
        line.to_owned()
    } else {
        line.chars().take(MOST - 1).chain(['…']).collect()
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
