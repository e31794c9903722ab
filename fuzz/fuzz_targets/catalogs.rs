//! Any two files as a catalog before and after: every profile judges them, their graphs are drawn, they are compared, and
//! clusters choose from them. A catalog differs in nothing from itself.
//! The input is the two files with a line `=======` between them.
#![no_main]

use std::sync::Arc;

use fbc_fuzz::{directory, parts};
use fbc_graph::mermaid::{self, MermaidOptions};
use fbc_graph::{Moves, PackageGraph, Semantics, document, dot, missing_edge, page, svg};
use fbc_lint::comparison::compare;
use fbc_lint::{Policy, Profile};
use fbc_model::Catalog;
use fbc_model::tree::MemoryTree;
use fbc_resolve::{CatalogIndex, ClusterCatalog, InstalledBundle, Request, Resolver, Rules, UpgradePolicy};
use fbc_rules::{example, lint_under, rep};
use fbc_version::Target;
use libfuzzer_sys::fuzz_target;

/// Packages that are looked at closely, and bundles of each that somebody has installed.
const MOST: usize = 4;

fn judge(catalog: &Catalog, tree: &MemoryTree) {
    let policies = Profile::ALL.map(Policy::from).into_iter().chain([example::policy()]);
    for policy in policies {
        let report = lint_under(catalog, tree, &Policy { with_fixes: true, ..policy });
        for located in &report.findings {
            if let Some(span) = &located.span {
                assert!(
                    span.bytes.start <= span.bytes.end && span.start <= span.end,
                    "{:?}",
                    located.finding
                );
            }
        }
    }
}

fn draw(catalog: &Catalog) {
    for semantics in [Semantics::V0, Semantics::V1] {
        let graphs = PackageGraph::all(catalog, |_| true);
        let _ = dot::draw(&graphs, semantics);
        let mut shown = Vec::new();
        for graph in graphs {
            let _ = document::describe(&graph, &[semantics]);
            let channels: Vec<usize> = (0..graph.channels.len()).collect();
            let _ = svg::draw(&graph, &channels, semantics);
            let followed: Vec<_> = graph.channels.iter().collect();
            let moves = Moves::new(&graph, &followed, semantics);
            for node in 0..graph.nodes.len().min(MOST) {
                let _ = missing_edge::standing(&graph, &moves, node);
                let edit = missing_edge::find(&graph, &followed, &moves, node, None);
                assert!(
                    edit.is_none_or(|edit| missing_edge::helps(&graph, &followed, &moves, node, None, &edit))
                );
            }
            shown.push((graph, channels));
        }
        let _ = page::draw(&shown, semantics);
    }
    let _ = mermaid::draw(catalog, &MermaidOptions { draw_v0_semantics: true, ..MermaidOptions::default() });
}

fn resolve(catalog: &Catalog, version: &str) {
    let packages: Vec<&str> =
        catalog.packages.iter().map(|package| package.name.as_str()).take(MOST).collect();
    for target in Target::ALL {
        let rules = Rules::from_target(target);
        let index = Arc::new(CatalogIndex::new(catalog.clone(), rules));
        let catalogs = ["one", "two"].map(|name| ClusterCatalog::serving(name, Arc::clone(&index)));
        let resolver = Resolver::new(rules, catalogs).expect("names that differ");
        for package in &packages {
            let wish = Request { version: version.to_owned(), ..Request::of_package(*package) };
            let _ = resolver.explain(&wish);
            let bundles = catalog.bundles.iter().filter(|bundle| bundle.package == *package).take(MOST);
            for bundle in bundles {
                let installed =
                    InstalledBundle { name: bundle.name.clone(), version: "1.0.0".to_owned(), release: None };
                for (policy, _) in UpgradePolicy::ALL {
                    let request = Request { installed: Some(installed.clone()), policy, ..wish.clone() };
                    let explained = resolver.explain(&request).outcome.map(|chosen| &chosen.bundle.blob.name);
                    let resolved = resolver.resolve(&request).map(|chosen| &chosen.bundle.blob.name);
                    assert_eq!(explained, resolved);
                }
            }
        }
    }
}

fuzz_target!(|text: &str| {
    let trees = parts::<2>(text).map(|part| directory("catalog.yaml", part));
    let [old, new] = trees.each_ref().map(|tree| fbc_lint::load(tree));
    let [old_tree, new_tree] = &trees;
    judge(&old, old_tree);
    draw(&old);
    resolve(&old, "");
    resolve(&old, ">=0.1.0");
    for (before, after, tree) in [(&old, &new, new_tree), (&new, &old, old_tree)] {
        let compared = compare(before, after);
        let _ = rep::report(after, tree, &compared.changes);
    }
    assert!(compare(&old, &old).changes.is_empty());
});
