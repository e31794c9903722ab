//! `fbc debug`: measurements for the benchmark; hidden, and free to change.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use std::{io, path::Path};

use clap::{Args, Subcommand};
use fbc_graph::{Moves, PackageGraph, Semantics};
use fbc_model::load::load_tree;
use fbc_model::tree::{Tree, TreeEntry};

use crate::catalog_source::CatalogSource;
use crate::failure::{CLEAN, Failure};
use crate::terminal;

/// Measurements
#[derive(Args, Debug)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Load a catalog and do nothing with it
    Load {
        /// The catalog
        path: PathBuf,
        /// How often; the fastest counts
        #[arg(long, default_value_t = 1, value_name = "N")]
        times: u32,
    },
    /// Analyse the upgrade graph of a package in both meanings
    Graph {
        /// The catalog
        path: PathBuf,
        /// The package
        package: String,
        /// How often; the fastest counts
        #[arg(long, default_value_t = 1, value_name = "N")]
        times: u32,
    },
}

pub(crate) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    match &arguments.what {
        What::Load { path, times } => load(path, *times),
        What::Graph { path, package, times } => graph(path, package, *times),
    }
}

fn load(path: &Path, times: u32) -> Result<u8, Failure> {
    let source = CatalogSource::open(path)?;
    let mut best = f64::INFINITY;
    let (mut bytes, mut bundles, mut faults) = (0, 0, 0);
    for _ in 0..times.max(1) {
        let tree = CountingTree { tree: source.tree.as_ref(), bytes: AtomicU64::new(0) };
        let start = Instant::now();
        let catalog = load_tree(&tree);
        best = best.min(start.elapsed().as_secs_f64());
        (bytes, bundles, faults) =
            (tree.bytes.load(Ordering::Relaxed), catalog.bundles.len(), catalog.faults.len());
    }
    let mut out = terminal::stdout();
    let speed = bytes as f64 / 1e6 / best.max(1e-9);
    writeln!(out, "{bytes} bytes, {bundles} bundles, {faults} faults, {best:.4} s, {speed:.1} MB/s")?;
    out.flush()?;
    Ok(CLEAN)
}

/// Everything that `fbc paths` asks of a graph but missing edges: nodes, updates, routes, and shortest ways to the head.
fn graph(path: &Path, package: &str, times: u32) -> Result<u8, Failure> {
    let catalog = load_tree(CatalogSource::open(path)?.tree.as_ref());
    let mut best = f64::INFINITY;
    let (mut nodes, mut reaching) = (0, 0);
    for _ in 0..times.max(1) {
        let start = Instant::now();
        let graph = PackageGraph::of(&catalog, package);
        let channels: Vec<_> = graph.channels.iter().collect();
        (nodes, reaching) = (graph.nodes.len(), 0);
        for semantics in [Semantics::V0, Semantics::V1] {
            let moves = Moves::of(&graph, &channels, semantics);
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

/// A tree that counts what is read from it.
struct CountingTree<'t> {
    tree: &'t dyn Tree,
    bytes: AtomicU64,
}

impl Tree for CountingTree<'_> {
    fn list(&self, directory: &Path) -> io::Result<Vec<TreeEntry>> {
        self.tree.list(directory)
    }

    fn read(&self, file: &Path) -> io::Result<Vec<u8>> {
        let bytes = self.tree.read(file)?;
        self.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        Ok(bytes)
    }
}
