//! The statements of the product documents about update paths, each as a test.

use fbc_model::Catalog;

use super::tests::{catalog, entry, next_of};
use super::*;
use crate::missing_edge::{self, Change, Standing, standing};

/// The vector of the product documents: D-UPD-4.
fn document_vector() -> Catalog {
    let entries =
        vec![entry("p.v3.0.0", "", &["p.v2.0.0"], ""), entry("p.v2.0.0", "", &[], ">=1.0.0 <2.0.0")];
    catalog(&[("a", entries), ("b", vec![entry("p.v1.0.0", "", &[], "")])], &[])
}

/// D-UPD-4: classic finds no path to what is skipped; OLM v1 updates to it.
#[test]
fn d_upd_4_skipped_but_in_range() {
    let catalog = document_vector();
    assert_eq!(next_of(&catalog, &["a"], Semantics::V0), ["2.0.0>3.0.0"]);
    assert_eq!(next_of(&catalog, &["a"], Semantics::V1), ["1.0.0>2.0.0", "2.0.0>3.0.0"]);
}

/// D-UPD-1: `replaces`, `skips` and `skipRange` are edges in OLM v1, just as the catalog has them.
#[test]
fn d_upd_1_all_three_kinds_are_edges() {
    for (edge, from) in [
        (entry("p.v2.0.0", "p.v1.0.0", &[], ""), "1.0.0>2.0.0"),
        (entry("p.v2.0.0", "", &["p.v1.0.0"], ""), "1.0.0>2.0.0"),
        (entry("p.v2.0.0", "", &[], "<2.0.0"), "1.0.0>2.0.0"),
    ] {
        let catalog = catalog(&[("a", vec![edge, entry("p.v1.0.0", "", &[], "")])], &[]);
        assert_eq!(next_of(&catalog, &["a"], Semantics::V1), [from]);
    }
    let none = catalog(&[("a", vec![entry("p.v2.0.0", "", &[], ""), entry("p.v1.0.0", "", &[], "")])], &[]);
    assert!(next_of(&none, &["a"], Semantics::V1).is_empty());
}

/// D-UPD-2: of several successors classic takes the one nearest the head, OLM v1 the highest version.
#[test]
fn d_upd_2_nearest_the_head_or_highest() {
    // The head is an older line that was released later.
    let entries = vec![
        entry("p.v1.9.0", "p.v2.0.0", &[], "<1.9.0"),
        entry("p.v2.0.0", "p.v1.0.0", &[], ""),
        entry("p.v1.0.0", "", &[], ""),
    ];
    let catalog = catalog(&[("a", entries)], &[]);
    assert_eq!(next_of(&catalog, &["a"], Semantics::V0), ["1.0.0>1.9.0", "2.0.0>1.9.0"]);
    // 2.0.0 covers itself in OLM v1, so it never goes back.
    assert_eq!(next_of(&catalog, &["a"], Semantics::V1), ["1.0.0>2.0.0"]);
}

/// D-UPD-3: OLM v1 has no replaces chain; several heads, none and cycles move as their edges say.
#[test]
fn d_upd_3_no_chain_in_v1() {
    let two_heads = catalog(
        &[(
            "a",
            vec![
                entry("p.v3.0.0", "p.v1.0.0", &[], ""),
                entry("p.v2.0.0", "p.v1.0.0", &[], ""),
                entry("p.v1.0.0", "", &[], ""),
            ],
        )],
        &[],
    );
    assert!(next_of(&two_heads, &["a"], Semantics::V0).is_empty());
    assert_eq!(next_of(&two_heads, &["a"], Semantics::V1), ["1.0.0>3.0.0"]);
    let cycle = catalog(
        &[("a", vec![entry("p.v2.0.0", "p.v1.0.0", &[], ""), entry("p.v1.0.0", "p.v2.0.0", &[], "")])],
        &[],
    );
    assert!(next_of(&cycle, &["a"], Semantics::V0).is_empty());
    assert_eq!(next_of(&cycle, &["a"], Semantics::V1), ["1.0.0>2.0.0"]);
}

/// D-UPD-5: the newest that can be resolved is taken in one update, without the versions between.
#[test]
fn d_upd_5_the_newest_in_one_update() {
    let entries = vec![
        entry("p.v3.0.0", "p.v2.0.0", &[], ">=1.0.0 <3.0.0"),
        entry("p.v2.0.0", "p.v1.0.0", &[], ""),
        entry("p.v1.0.0", "", &[], ""),
    ];
    let catalog = catalog(&[("a", entries)], &[]);
    assert_eq!(next_of(&catalog, &["a"], Semantics::V1), ["1.0.0>3.0.0", "2.0.0>3.0.0"]);
}

/// D-FBC-4: versions can be installed in order or skipped.
#[test]
fn d_fbc_4_in_order_or_skipped() {
    let entries = vec![
        entry("p.v4.0.0", "p.v3.0.0", &[], ""),
        entry("p.v3.0.0", "p.v1.0.0", &["p.v2.0.0"], ""),
        entry("p.v2.0.0", "p.v1.0.0", &[], ""),
        entry("p.v1.0.0", "", &[], ""),
    ];
    let catalog = catalog(&[("a", entries)], &[]);
    let graph = PackageGraph::from_catalog(&catalog, "p");
    let moves = Moves::new(&graph, &[&graph.channels[0]], Semantics::V0);
    let hops: Vec<_> = moves.routes.iter().map(|route| (route.end, route.hops)).collect();
    assert_eq!(hops, [(3, 2), (3, 2), (3, 1), (3, 0)]);
}

/// D-FBC-2: the head is the newest version of its channel, and who follows a channel gets updates from it alone.
#[test]
fn d_fbc_2_updates_come_from_the_followed_channel() {
    let channels = [
        ("stable", vec![entry("p.v1.1.0", "p.v1.0.0", &[], ""), entry("p.v1.0.0", "", &[], "")]),
        ("fast", vec![entry("p.v2.0.0", "p.v1.1.0", &[], "<2.0.0"), entry("p.v1.1.0", "", &[], "")]),
    ];
    let catalog = catalog(&channels, &[]);
    for semantics in [Semantics::V0, Semantics::V1] {
        assert_eq!(next_of(&catalog, &["stable"], semantics), ["1.0.0>1.1.0"]);
        assert_eq!(next_of(&catalog, &["fast"], semantics), ["1.0.0>2.0.0", "1.1.0>2.0.0"]);
    }
}

/// D-FBC-21: `replaces` and `skips` may name what no catalog has; whoever still runs that is updated.
#[test]
fn d_fbc_21_edges_from_what_no_catalog_has() {
    let catalog = catalog(&[("a", vec![entry("p.v1.2.0", "p.v1.0.0", &["p.v1.1.0"], "")])], &[]);
    for semantics in [Semantics::V0, Semantics::V1] {
        assert_eq!(next_of(&catalog, &["a"], semantics), ["1.0.0>1.2.0", "1.1.0>1.2.0"]);
    }
}

/// D-FBC-23: with `skipRange` and `replaces` together earlier versions stay in the graph and are skipped over.
#[test]
fn d_fbc_23_skip_range_with_replaces() {
    let entries = vec![
        entry("p.v1.2.0", "p.v1.1.0", &[], ">=1.0.0 <1.2.0"),
        entry("p.v1.1.0", "p.v1.0.0", &[], ">=1.0.0 <1.1.0"),
        entry("p.v1.0.0", "", &[], ""),
    ];
    let catalog = catalog(&[("a", entries)], &[]);
    let graph = PackageGraph::from_catalog(&catalog, "p");
    assert_eq!(Moves::new(&graph, &[&graph.channels[0]], Semantics::V0).order.len(), 3);
    assert_eq!(next_of(&catalog, &["a"], Semantics::V0), ["1.0.0>1.2.0", "1.1.0>1.2.0"]);
}

/// D-FBC-39b: 1.2.4 comes out after 1.3.0; the edit that is proposed is the one of the documents.
#[test]
fn d_fbc_39b_a_patch_of_an_older_line_is_skipped_by_the_newer_one() {
    let entries = vec![
        entry("p.v1.3.0", "p.v1.2.3", &[], ""),
        entry("p.v1.2.4", "p.v1.2.3", &[], ""),
        entry("p.v1.2.3", "", &[], ""),
    ];
    let catalog = catalog(&[("a", entries)], &[]);
    let graph = PackageGraph::from_catalog(&catalog, "p");
    let channels = [&graph.channels[0]];
    let moves = Moves::new(&graph, &channels, Semantics::V0);
    let node = graph.node_by_name("p.v1.2.4").unwrap();
    let edit = missing_edge::find(&graph, &channels, &moves, node, None).unwrap();
    assert_eq!((edit.entry.as_str(), edit.change), ("p.v1.3.0", Change::AddSkip("p.v1.2.4".to_owned())));
}

/// D-FBC-51: every published bundle needs a way to the head, and who has none is named.
#[test]
fn d_fbc_51_stranded_versions_are_known() {
    let entries = vec![
        entry("p.v1.3.0", "", &["p.v1.2.0"], ""),
        entry("p.v1.2.0", "p.v1.1.0", &[], ""),
        entry("p.v1.1.0", "", &[], ""),
    ];
    let catalog = catalog(&[("a", entries)], &[]);
    let graph = PackageGraph::from_catalog(&catalog, "p");
    let moves = Moves::new(&graph, &[&graph.channels[0]], Semantics::V0);
    let standings: Vec<Standing> = (0..3).map(|node| standing(&graph, &moves, node)).collect();
    assert_eq!(standings, [Standing::Stuck, Standing::ReachesHead, Standing::AtHead]);
}
