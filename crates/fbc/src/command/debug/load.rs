//! How fast a catalog is read.

use std::io;
use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use fbc_model::tree::{Tree, TreeEntry};
use fbc_source::CatalogSource;

use crate::failure::{CLEAN, Failure};
use crate::settings::Settings;
use crate::terminal;
use fbc_app::loading::load_tree;

pub(super) fn run(path: &Path, times: u32, settings: &Settings) -> Result<u8, Failure> {
    let source = CatalogSource::open(path, &settings.session())?;
    let mut best = f64::INFINITY;
    let (mut bytes, mut bundles, mut faults) = (0, 0, 0);
    for _ in 0..times.max(1) {
        let tree = CountingTree { tree: source.tree.as_ref(), bytes: AtomicU64::new(0) };
        let start = Instant::now();
        let catalog = load_tree(&tree, settings)?;
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
