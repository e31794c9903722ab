//! What `cargo xtask bench` measures inside of one process: the libraries of fbc, without the start of a program.

use std::error::Error;
use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand};
use fbc_model::confined_tree::ConfinedTree;

mod graph;
mod load;
mod manifests;
mod resolution;
mod resolution_v0;
mod writes;

/// As in the program that is released.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Why nothing was measured.
type Failure = Box<dyn Error>;

/// Measurements
#[derive(Parser)]
struct CommandLine {
    /// Number of worker threads [default: one per processor]
    #[arg(long, global = true, value_name = "N", default_value_t = 0, hide_default_value = true)]
    threads: usize,
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Load a catalog and do nothing with it
    Load {
        /// The directory of the catalog
        path: PathBuf,
        /// How often; the fastest counts
        #[arg(long, default_value_t = 1, value_name = "N")]
        times: u32,
    },
    /// Analyse the upgrade graph of a package in both meanings
    Graph {
        /// The directory of the catalog
        path: PathBuf,
        /// The package
        package: String,
        /// How often; the fastest counts
        #[arg(long, default_value_t = 1, value_name = "N")]
        times: u32,
    },
    /// Load a catalog, then resolve: every package fresh, and from every bundle, with three ranges
    Resolve {
        /// The directory of the catalog
        path: PathBuf,
        /// The least number of resolutions
        #[arg(long, default_value_t = 200_000, value_name = "N")]
        least: usize,
    },
    /// Load a catalog, then resolve one namespace with many Subscriptions as OLM v0 does
    ResolveV0 {
        /// The directory of the catalog
        path: PathBuf,
        /// How many packages are subscribed to
        #[arg(long, default_value_t = 100, value_name = "N")]
        subscriptions: usize,
        /// How often; the fastest counts
        #[arg(long, default_value_t = 5, value_name = "N")]
        times: u32,
    },
    /// Write objects to the API server of the simulated cluster
    Writes {
        /// Numbers of objects to measure with
        #[arg(default_values_t = [1_000, 10_000, 100_000], value_name = "N")]
        sizes: Vec<usize>,
    },
    /// Render all bundle directories below a directory to objects, and do nothing with them
    Manifests {
        /// The directory
        path: PathBuf,
        /// How often; the fastest counts
        #[arg(long, default_value_t = 1, value_name = "N")]
        times: u32,
    },
}

fn main() -> Result<(), Failure> {
    let line = CommandLine::parse();
    rayon::ThreadPoolBuilder::new().num_threads(line.threads).build_global()?;
    match line.what {
        What::Load { path, times } => load::run(&path, times),
        What::Graph { path, package, times } => graph::run(&path, &package, times),
        What::Resolve { path, least } => resolution::run(&path, least)?,
        What::ResolveV0 { path, subscriptions, times } => resolution_v0::run(&path, subscriptions, times)?,
        What::Writes { sizes } => writes::run(&sizes)?,
        What::Manifests { path, times } => manifests::run(&path, times)?,
    }
    Ok(())
}

/// The files of a catalog, as fbc reads them.
fn tree(root: &Path) -> ConfinedTree {
    ConfinedTree::new(root, fbc_staging::PREFIX)
}
