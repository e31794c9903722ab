//! How fast OLM v0 resolves a namespace.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use fbc_model::load::load_tree;
use fbc_resolve_v0::{
    Catalog, CatalogSource, Content, MOST_STEPS, Namespace, ResolveError, Rules, SourceKey, Subscription,
    resolve,
};

use crate::{Failure, tree};

/// Subscriptions to the first packages of the catalog, in their default channels, nothing installed. Packages that do not go
/// with those before them are left out, as a cluster would not have them.
pub(super) fn run(path: &Path, subscriptions: usize, times: u32) -> Result<(), Failure> {
    let blobs = load_tree(&tree(path));
    let start = Instant::now();
    let catalog = Arc::new(Catalog::new(&blobs));
    let indexing = start.elapsed().as_secs_f64();
    let key = SourceKey { namespace: "olm".to_owned(), name: "catalog".to_owned() };
    let source =
        CatalogSource { key: key.clone(), priority: 0, content: Content::Served(Arc::clone(&catalog)) };
    let mut namespace =
        Namespace { name: "operators".to_owned(), catalogs: vec![source], ..Namespace::default() };
    let rules = Rules { compile: fbc_resolve_v0::compile_expression, steps: MOST_STEPS };
    let packages: BTreeSet<&str> =
        catalog.entries().iter().map(|entry| entry.bundle.package.as_str()).collect();
    for package in packages {
        if namespace.subscriptions.len() == subscriptions {
            break;
        }
        namespace.subscriptions.push(Subscription {
            name: package.to_owned(),
            package: package.to_owned(),
            source: key.clone(),
            ..Subscription::default()
        });
        if let Err(ResolveError::Prevented(_) | ResolveError::Unsatisfiable(_)) = resolve(&namespace, rules) {
            namespace.subscriptions.pop();
        }
    }
    let mut best = f64::INFINITY;
    let mut operators = 0;
    for _ in 0..times.max(1) {
        let start = Instant::now();
        operators = resolve(&namespace, rules)?.operators.len();
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!(
        "{} entries indexed in {:.1} ms; {} Subscriptions, {operators} operators, resolved in {:.1} ms",
        catalog.entries().len(),
        indexing * 1e3,
        namespace.subscriptions.len(),
        best * 1e3
    );
    Ok(())
}
