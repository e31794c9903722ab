//! How fast an upgrade graph is analysed.

use std::path::Path;
use std::time::Instant;

use fbc_graph::{Moves, PackageGraph, Semantics};
use fbc_model::load::load_tree;

use crate::tree;

/// Everything that `fbc paths` asks of a graph but missing edges: nodes, updates, routes, and shortest ways to the head.
pub(super) fn run(path: &Path, package: &str, times: u32) {
    let catalog = load_tree(&tree(path));
    let mut best = f64::INFINITY;
    let (mut nodes, mut reaching) = (0, 0);
    for _ in 0..times.max(1) {
        let start = Instant::now();
        let graph = PackageGraph::from_catalog(&catalog, package);
        let channels: Vec<_> = graph.channels.iter().collect();
        (nodes, reaching) = (graph.nodes.len(), 0);
        for semantics in [Semantics::V0, Semantics::V1] {
            let moves = Moves::new(&graph, &channels, semantics);
            let head = moves.head.unwrap_or_default();
            let ways = moves.shortest_ways(&channels, head);
            let hops = moves.updates_until(head);
            reaching += ways.iter().zip(hops).filter(|(way, hops)| way.is_some() && hops.is_some()).count();
        }
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{nodes} nodes, {reaching} routes to heads of v0 and v1, {:.1} ms", best * 1e3);
}
