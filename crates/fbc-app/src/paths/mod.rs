//! Where every version of a package ends, and what would let it go on.

use fbc_graph::{NodeIndex, PackageGraph};

pub mod answer;
pub mod version_choice;

/// Looking for a missing edge takes time linear in the channel, so of a large channel with many stuck versions only
/// some are looked after: this many entries and edges are gone through for them.
pub const MOST_EDGES_SEARCHED: usize = 1_000_000;

/// How a version is called: by its number where no other node has the same, otherwise by name.
fn label(graph: &PackageGraph<'_>, node: NodeIndex) -> String {
    match graph.nodes.get(node) {
        Some(found) if graph.equal_versions(node).len() == 1 => found.label(),
        Some(found) => found.name.clone(),
        None => String::new(),
    }
}
