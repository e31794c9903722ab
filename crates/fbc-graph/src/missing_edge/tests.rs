//! Tables for missing edges, and the promise that every proposal keeps.

use proptest::prelude::*;

use super::*;
use crate::moves::Semantics;
use crate::moves::tests::{catalog, entry};

/// What helps version 1.N.0 in channel `a`, in words.
fn help(entries: Vec<ChannelEntry>, semantics: Semantics, name: &str) -> String {
    help_towards(entries, semantics, name, None)
}

/// What helps it to a goal.
fn help_towards(entries: Vec<ChannelEntry>, semantics: Semantics, name: &str, goal: Option<&str>) -> String {
    let catalog = catalog(&[("a", entries)], &[]);
    let graph = PackageGraph::from_catalog(&catalog, "p");
    let channels: Vec<_> = graph.channels.iter().collect();
    let moves = Moves::new(&graph, &channels, semantics);
    let node = graph.node_by_name(name).unwrap();
    let goal = goal.map(|goal| graph.node_by_name(goal).unwrap());
    match find(&graph, &channels, &moves, node, goal) {
        None => "nothing".to_owned(),
        Some(edit) => match edit.change {
            Change::SetReplaces(name) => format!("{} replaces {name}", edit.entry),
            Change::ClearReplaces(name) => format!("{} does not replace {name}", edit.entry),
            Change::AddSkip(name) => format!("{} skips {name}", edit.entry),
            Change::SetSkipRange { new, .. } => format!("{} has range {new}", edit.entry),
        },
    }
}

#[test]
fn the_smallest_edit_that_helps() {
    let v0 = Semantics::V0;
    // Two heads: the higher one takes the lower one in.
    let two_heads = vec![
        entry("p.v1.4.0", "", &[], ""),
        entry("p.v1.2.0", "p.v1.1.0", &[], ""),
        entry("p.v1.1.0", "", &[], ""),
    ];
    assert_eq!(help(two_heads.clone(), v0, "p.v1.2.0"), "p.v1.4.0 replaces p.v1.2.0");
    assert_eq!(help(two_heads, v0, "p.v1.1.0"), "p.v1.4.0 replaces p.v1.2.0");
    // Stranded below a head that replaces something else.
    let stranded = vec![
        entry("p.v1.3.0", "p.v1.2.0", &[], ""),
        entry("p.v1.2.0", "p.v1.0.0", &["p.v1.1.0"], ""),
        entry("p.v1.1.0", "p.v1.0.0", &[], ""),
        entry("p.v1.0.0", "", &["p.v0.9.0"], ""),
        entry("p.v0.9.0", "p.v0.8.0", &[], ""),
    ];
    assert_eq!(help(stranded, v0, "p.v0.8.0"), "p.v1.0.0 skips p.v0.8.0");
    // A cycle without a head.
    let cycle = vec![entry("p.v1.2.0", "p.v1.1.0", &[], ""), entry("p.v1.1.0", "p.v1.2.0", &[], "")];
    assert_eq!(help(cycle, v0, "p.v1.1.0"), "p.v1.1.0 does not replace p.v1.2.0");
    // Three heads need more than one edit.
    let three =
        vec![entry("p.v1.3.0", "", &[], ""), entry("p.v1.2.0", "", &[], ""), entry("p.v1.1.0", "", &[], "")];
    assert_eq!(help(three.clone(), v0, "p.v1.1.0"), "nothing");
    // OLM v1 does not mind heads, only edges; the nearest newer version that leads on is asked first.
    assert_eq!(help(three, Semantics::V1, "p.v1.1.0"), "p.v1.3.0 replaces p.v1.1.0");
}

#[test]
fn a_goal_may_be_several_updates_away() {
    // The goal is the head, which skips the nearest version that can take the installed one in.
    let skips = ["p.v1.2.0", "p.v1.3.0"];
    let two_updates = vec![
        entry("p.v1.4.0", "", &skips, ""),
        entry("p.v1.3.0", "", &[], ""),
        entry("p.v1.2.0", "", &[], ""),
        entry("p.v1.1.0", "", &[], ""),
    ];
    // The head is beyond the goal.
    let chain = vec![
        entry("p.v1.4.0", "p.v1.3.0", &[], ""),
        entry("p.v1.3.0", "p.v1.2.0", &[], ""),
        entry("p.v1.2.0", "", &[], ""),
        entry("p.v1.1.0", "", &[], ""),
    ];
    // Who updates passes the goal by.
    let passing =
        vec![entry("p.v1.4.0", "p.v1.3.0", &["p.v1.2.0"], ""), entry("p.v1.3.0", "p.v1.2.0", &[], "")];
    for (entries, name, goal, expected) in [
        (&two_updates, "p.v1.1.0", None, "p.v1.2.0 replaces p.v1.1.0"),
        (&two_updates, "p.v1.1.0", Some("p.v1.4.0"), "p.v1.2.0 replaces p.v1.1.0"),
        (&two_updates, "p.v1.1.0", Some("p.v1.3.0"), "p.v1.3.0 replaces p.v1.1.0"),
        (&chain, "p.v1.1.0", Some("p.v1.3.0"), "p.v1.2.0 replaces p.v1.1.0"),
        (&chain, "p.v1.1.0", Some("p.v1.4.0"), "p.v1.2.0 replaces p.v1.1.0"),
        (&passing, "p.v1.2.0", Some("p.v1.3.0"), "nothing"),
    ] {
        assert_eq!(help_towards(entries.clone(), Semantics::V1, name, goal), expected, "{goal:?}");
    }
}

fn channel() -> impl Strategy<Value = Vec<ChannelEntry>> {
    prop::collection::vec((0..12_usize, prop::collection::vec(0..9_usize, 0..2), any::<bool>()), 1..8)
        .prop_map(|edges| {
            let name = |number: usize| format!("p.v1.{number}.0");
            let one =
                |(number, (replaces, skips, has_range)): (usize, (usize, Vec<usize>, bool))| ChannelEntry {
                    name: name(number),
                    replaces: match replaces {
                        9.. if number > 0 => name(number - 1),
                        8.. => String::new(),
                        other => name(other),
                    },
                    skips: skips.into_iter().filter(|&skip| skip < number).map(name).collect(),
                    skip_range: if has_range {
                        format!(">=1.{}.0 <1.{number}.0", number / 2)
                    } else {
                        String::new()
                    },
                };
            edges.into_iter().enumerate().map(one).collect()
        })
}

proptest! {
    /// Made in the catalog itself and read again, every proposal does what was promised.
    #[test]
    fn proposals_help_and_do_no_harm(
        entries in channel(), v1 in any::<bool>(), goals in prop::collection::vec(0..20_usize, 12),
    ) {
        let semantics = if v1 { Semantics::V1 } else { Semantics::V0 };
        let before = catalog(&[("a", entries.clone())], &[]);
        let graph = PackageGraph::from_catalog(&before, "p");
        let channels: Vec<_> = graph.channels.iter().collect();
        let moves = Moves::new(&graph, &channels, semantics);
        for node in 0..graph.nodes.len() {
            let goal = goals.get(node).filter(|goal| **goal < graph.nodes.len()).copied();
            let Some(edit) = find(&graph, &channels, &moves, node, goal) else { continue };
            let after = catalog(&[("a", edited(&entries, &edit).unwrap())], &[]);
            let new = PackageGraph::from_catalog(&after, "p");
            prop_assert!(new.channels[0].problems() <= graph.channels[0].problems());
            let new_moves = Moves::new(&new, &new.channels.iter().collect::<Vec<_>>(), semantics);
            let place = new.node_by_name(&graph.nodes[node].name);
            let is_reached = |node: usize| match goal {
                Some(goal) => {
                    let goal = new.node_by_name(&graph.nodes[goal].name);
                    goal.is_some_and(|goal| new_moves.updates_until(goal)[node].is_some())
                }
                None => new_moves.reaches_head(node),
            };
            prop_assert!(place.is_some_and(is_reached), "{edit:?}");
        }
    }
}
