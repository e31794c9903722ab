//! How fast an upgrade graph is analysed.

use std::io::Write as _;
use std::path::Path;
use std::time::Instant;

use fbc_graph::{Moves, PackageGraph, Semantics};
use fbc_source::CatalogSource;

use crate::failure::{CLEAN, Failure};
use crate::settings::Settings;
use crate::terminal;
use fbc_app::loading::load_tree;

/// Everything that `fbc paths` asks of a graph but missing edges: nodes, updates, routes, and shortest ways to the head.
pub(super) fn run(path: &Path, package: &str, times: u32, settings: &Settings) -> Result<u8, Failure> {
    let catalog = load_tree(CatalogSource::open(path, &settings.session())?.tree.as_ref(), settings)?;
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
    let mut out = terminal::stdout();
    writeln!(out, "{nodes} nodes, {reaching} routes to heads of v0 and v1, {:.1} ms", best * 1e3)?;
    out.flush()?;
    Ok(CLEAN)
}
