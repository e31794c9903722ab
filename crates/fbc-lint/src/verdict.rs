//! opm's whole answer, put together from the findings: the first error of loading, else the first
//! of conversion, else the tree of all errors of the model.
//!
//! Source of the behaviour: `operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go`
//! and `alpha/model/error.go`. Where opm's order is random, ours is by name.

use std::collections::BTreeMap;

use crate::finding::{ConversionOrder, Finding, OpmText};

/// The error that opm would print; nothing if it accepts the catalog. Of findings that are counted only, the first
/// conversion counts.
#[must_use]
pub fn opm_error(
    findings: &[Finding],
    further_conversion: Option<&(ConversionOrder, String)>,
) -> Option<String> {
    let texts = || findings.iter().filter_map(|finding| finding.opm.as_ref());
    // Load findings come in the order of the walk.
    let load = texts().find_map(|text| match text {
        OpmText::Load(text) => Some(text.clone()),
        _ => None,
    });
    if load.is_some() {
        return load;
    }
    let conversion = texts()
        .filter_map(|text| match text {
            OpmText::Conversion { order, text } => Some((order, text)),
            _ => None,
        })
        .chain(further_conversion.map(|(order, text)| (order, text)))
        .min_by_key(|(order, _)| **order);
    if let Some((_, text)) = conversion {
        return Some(text.clone());
    }
    let mut root = TreeNode::default();
    for text in texts() {
        match text {
            OpmText::Model { paths, order, text } => {
                paths.iter().for_each(|path| root.insert(path, *order, text));
            }
            OpmText::ModelLeaves { paths, leaves } => {
                for (order, text) in leaves {
                    paths.iter().for_each(|path| root.insert(path, *order, text));
                }
            }
            OpmText::Load(_) | OpmText::Conversion { .. } => {}
        }
    }
    if root.is_empty() {
        return None;
    }
    let mut lines = vec!["invalid index:".to_owned()];
    root.print("", &mut lines);
    Some(lines.join("\n"))
}

/// The order of leaves and nodes among the children of a node. Nodes of the next level (channels of
/// a package, bundles of a channel) stand at [`NODES`].
pub const NODES: u8 = 100;

#[derive(Default)]
struct TreeNode {
    /// Leaves by order; equal ones in the order in which they were found.
    leaves: Vec<(u8, String)>,
    nodes: BTreeMap<String, TreeNode>,
}

impl TreeNode {
    fn is_empty(&self) -> bool {
        self.leaves.is_empty() && self.nodes.is_empty()
    }

    fn insert(&mut self, path: &[String], order: u8, text: &str) {
        match path.split_first() {
            Some((first, rest)) => self.nodes.entry(first.clone()).or_default().insert(rest, order, text),
            None => self.leaves.push((order, text.to_owned())),
        }
    }

    fn print(&self, column: &str, lines: &mut Vec<String>) {
        enum Child<'t> {
            Leaf(&'t str),
            Node(&'t str, &'t TreeNode),
        }
        let leaves = self.leaves.iter().map(|(order, text)| (*order, Child::Leaf(text)));
        let nodes = self.nodes.iter().map(|(text, node)| (NODES, Child::Node(text, node)));
        let mut children: Vec<(u8, Child<'_>)> = leaves.chain(nodes).collect();
        children.sort_by_key(|(order, _)| *order);
        let count = children.len();
        for (index, (_, child)) in children.into_iter().enumerate() {
            let (branch, below) =
                if index + 1 == count { ("└── ", "    ") } else { ("├── ", "│   ") };
            match child {
                Child::Leaf(text) => lines.push(format!("{column}{branch}{text}")),
                Child::Node(text, node) => {
                    lines.push(format!("{column}{branch}{text}:"));
                    node.print(&format!("{column}{below}"), lines);
                }
            }
        }
    }
}
