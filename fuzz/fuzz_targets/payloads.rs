//! Any files as the payload of an OpenShift release: it is refused, or its order of tasks and its difference to itself come out.
//! The input is `release-metadata`, `image-references` and two manifests, with a line `=======` between them.
#![no_main]

use fbc_fuzz::parts;
use fbc_model::tree::MemoryTree;
use fbc_openshift::release::check::check;
use fbc_openshift::release::difference::Difference;
use fbc_openshift::release::drawing;
use fbc_openshift::release::graph::{Mode, TaskGraph};
use fbc_openshift::release::inclusion::Inclusion;
use libfuzzer_sys::fuzz_target;

const FILES: [&str; 4] = [
    "release-manifests/release-metadata",
    "release-manifests/image-references",
    "release-manifests/0000_10_lamp-operator_01_lamp.yaml",
    "release-manifests/0000_20_oil-operator_01_oil.yaml",
];

fuzz_target!(|text: &str| {
    let tree: MemoryTree =
        FILES.into_iter().zip(parts::<4>(text)).chain([("manifests/own.yaml", "")]).collect();
    let (_, payload) = check(&tree, "quay.io/a/release@sha256:00", &Inclusion::default());
    let Some(payload) = payload else { return };
    for mode in [Mode::Updating, Mode::Initializing, Mode::Reconciling { attempt: 1 }] {
        let graph = TaskGraph::new(&payload.manifests, mode);
        let mut tasks: Vec<usize> = graph.nodes.iter().flat_map(|node| node.tasks.iter().copied()).collect();
        tasks.sort_unstable();
        assert!(tasks.into_iter().eq(0..payload.manifests.len()));
        let _ = drawing::text(&graph, &payload.manifests);
        let _ = drawing::svg(&graph, &payload.manifests);
    }
    let difference = Difference::between(&payload, &payload);
    assert!(difference.added.is_empty() && difference.changed.is_empty() && difference.lost.is_empty());
    let _ = difference.to_value();
});
