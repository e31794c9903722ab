//! How fast a catalog is read.

use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use fbc_model::load::load_tree;
use fbc_model::tree::{Tree, TreeEntry};

use crate::tree;

pub(super) fn run(path: &Path, times: u32) {
    let files = tree(path);
    let mut best = f64::INFINITY;
    let (mut bytes, mut bundles, mut faults) = (0, 0, 0);
    for _ in 0..times.max(1) {
        let tree = CountingTree { tree: &files, bytes: AtomicU64::new(0) };
        let start = Instant::now();
        let catalog = load_tree(&tree);
        best = best.min(start.elapsed().as_secs_f64());
        (bytes, bundles, faults) =
            (tree.bytes.load(Ordering::Relaxed), catalog.bundles.len(), catalog.faults.len());
    }
    let speed = bytes as f64 / 1e6 / best.max(1e-9);
    println!("{bytes} bytes, {bundles} bundles, {faults} faults, {best:.4} s, {speed:.1} MB/s");
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
