//! `fbc debug`: measurements for the benchmark; hidden, and free to change.

mod graph;
mod load;
mod manifests;
mod resolve;
mod writes;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::failure::Failure;
use crate::settings::Settings;

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
    /// Load a catalog, then resolve: every package fresh, and from every bundle, with three ranges
    Resolve {
        /// The catalog
        path: PathBuf,
        /// The least number of resolutions
        #[arg(long, default_value_t = 200_000, value_name = "N")]
        least: usize,
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

pub(crate) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    match &arguments.what {
        What::Load { path, times } => load::run(path, *times, settings),
        What::Graph { path, package, times } => graph::run(path, package, *times, settings),
        What::Resolve { path, least } => resolve::run(path, *least, settings),
        What::Writes { sizes } => writes::run(sizes),
        What::Manifests { path, times } => manifests::run(path, *times),
    }
}
