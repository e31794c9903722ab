//! `fbc debug`: measurements for the benchmark; hidden, and free to change.

use std::io::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use std::{io, path::Path};

use clap::{Args, Subcommand};
use fbc_bundle::folder::is_bundle;
use fbc_bundle::manifests::{Bundle, CertificateProvider, Installation, render};
use fbc_model::load::load_tree;
use fbc_model::tree::{DiskTree, Tree, TreeEntry};
use fbc_resolve::{CatalogIndex, ClusterCatalog, InstalledBundle, Request, Resolver, Rules, bundle_version};
use rayon::prelude::*;

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
    /// Render all bundle folders below a folder to objects, and do nothing with them
    Manifests {
        /// The folder
        path: PathBuf,
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
}

pub(crate) fn run(arguments: &Arguments) -> Result<u8, Failure> {
    match &arguments.what {
        What::Load { path, times } => load(path, *times),
        What::Manifests { path, times } => manifests(path, *times),
        What::Resolve { path, least } => resolve(path, *least),
    }
}

/// On one thread, with everything that a resolution does: the range is parsed each time.
fn resolve(path: &Path, least: usize) -> Result<u8, Failure> {
    let catalog = load_tree(CatalogSource::open(path)?.tree.as_ref());
    let requests: Vec<Request> = catalog
        .bundles
        .iter()
        .filter_map(|bundle| {
            let version = bundle_version::of_bundle(bundle, Rules::default()).ok()?.to_version().to_string();
            let installed = InstalledBundle { name: bundle.name.clone(), version, release: None };
            Some((bundle.package.clone(), installed))
        })
        .flat_map(|(package, installed)| {
            ["", ">=1.0.0 <2.0.0", "1.x || 0.x"].into_iter().flat_map(move |range| {
                let fresh = Request { version: range.to_owned(), ..Request::of_package(&package) };
                let upgrade = Request { installed: Some(installed.clone()), ..fresh.clone() };
                [fresh, upgrade]
            })
        })
        .collect();
    if requests.is_empty() {
        return Err(Failure::new(format!("{} has no bundles to resolve", path.display())));
    }
    let start = Instant::now();
    let index = Arc::new(CatalogIndex::new(catalog, Rules::default()));
    let indexing = start.elapsed().as_secs_f64();
    let resolver = Resolver::new(Rules::default(), [ClusterCatalog::serving("catalog", index)])
        .map_err(|error| Failure::new(error.to_string()))?;
    let start = Instant::now();
    let (mut done, mut resolved) = (0_usize, 0_usize);
    while done < least {
        resolved += requests.iter().filter(|request| resolver.resolve(request).is_ok()).count();
        done += requests.len();
    }
    let seconds = start.elapsed().as_secs_f64();
    let mut out = terminal::stdout();
    let rate = done as f64 / seconds.max(1e-9);
    writeln!(
        out,
        "{done} resolutions ({resolved} with a bundle), {seconds:.3} s, {rate:.0} a second; index {indexing:.4} s"
    )?;
    out.flush()?;
    Ok(CLEAN)
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

fn manifests(path: &Path, times: u32) -> Result<u8, Failure> {
    let mut folders = Vec::new();
    collect_bundles(path, &mut folders).map_err(|error| Failure::io("read", path, &error))?;
    let installation = Installation {
        namespace: "operators".to_owned(),
        certificate_provider: Some(CertificateProvider::CertManager),
        ..Installation::default()
    };
    let mut best = f64::INFINITY;
    let (mut rendered, mut objects) = (0, 0);
    for _ in 0..times.max(1) {
        let start = Instant::now();
        let counts: Vec<Option<usize>> = folders
            .par_iter()
            .map(|root| {
                let bundle = Bundle::read(&DiskTree { root: root.clone() }).ok()?;
                render(&bundle, &installation).ok().map(|objects| objects.len())
            })
            .collect();
        best = best.min(start.elapsed().as_secs_f64());
        rendered = counts.iter().flatten().count();
        objects = counts.iter().flatten().sum();
    }
    let mut out = terminal::stdout();
    let speed = folders.len() as f64 / best.max(1e-9);
    let read = folders.len();
    writeln!(
        out,
        "{read} bundles, {rendered} rendered, {objects} objects, {best:.4} s, {speed:.0} bundles/s"
    )?;
    out.flush()?;
    Ok(CLEAN)
}

fn collect_bundles(folder: &Path, found: &mut Vec<PathBuf>) -> io::Result<()> {
    if is_bundle(&DiskTree { root: folder.to_path_buf() }) {
        found.push(folder.to_path_buf());
        return Ok(());
    }
    for entry in (DiskTree { root: folder.to_path_buf() }).list(Path::new(""))? {
        if entry.is_directory {
            collect_bundles(&folder.join(entry.name), found)?;
        }
    }
    Ok(())
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
