//! How fast OLM v1 resolution is.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use fbc_model::load::load_tree;
use fbc_resolve::{CatalogIndex, ClusterCatalog, InstalledBundle, Request, Resolver, Rules, bundle_version};

use crate::{Failure, tree};

/// On one thread, with everything that a resolution does: the range is parsed each time.
pub(super) fn run(path: &Path, least: usize) -> Result<(), Failure> {
    let catalog = load_tree(&tree(path));
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
        return Err(format!("{} has no bundles to resolve", path.display()).into());
    }
    let start = Instant::now();
    let index = Arc::new(CatalogIndex::new(catalog, Rules::default()));
    let indexing = start.elapsed().as_secs_f64();
    let resolver = Resolver::new(Rules::default(), [ClusterCatalog::serving("catalog", index)])?;
    let start = Instant::now();
    let (mut done, mut resolved) = (0_usize, 0_usize);
    while done < least {
        resolved += requests.iter().filter(|request| resolver.resolve(request).is_ok()).count();
        done += requests.len();
    }
    let seconds = start.elapsed().as_secs_f64();
    let rate = done as f64 / seconds.max(1e-9);
    println!(
        "{done} resolutions ({resolved} with a bundle), {seconds:.3} s, {rate:.0} a second; index {indexing:.4} s"
    );
    Ok(())
}
