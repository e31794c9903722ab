//! How fast bundles become objects.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Instant;

use fbc_bundle::folder::is_bundle;
use fbc_bundle::manifests::{Bundle, CertificateProvider, Installation, render};
use fbc_model::tree::{DiskTree, Tree as _};
use rayon::prelude::*;

pub(super) fn run(path: &Path, times: u32) -> io::Result<()> {
    let mut folders = Vec::new();
    collect_bundles(path, &mut folders)?;
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
    let speed = folders.len() as f64 / best.max(1e-9);
    let read = folders.len();
    println!("{read} bundles, {rendered} rendered, {objects} objects, {best:.4} s, {speed:.0} bundles/s");
    Ok(())
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
