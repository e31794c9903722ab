//! Any files as the data that update graphs are made of, and the metadata of releases: a graph comes out, or what is wrong.
//! The input is a channel, a blocked edge, the metadata by version and two releases, with a line `=======` between them.
#![no_main]

use fbc_fuzz::parts;
use fbc_model::tree::MemoryTree;
use fbc_openshift::update_service::graph_data::{GraphData, ReleaseRecord};
use libfuzzer_sys::fuzz_target;

const FILES: [&str; 3] = ["channels/stable.yaml", "blocked-edges/edge.yaml", "raw/metadata.json"];

fuzz_target!(|text: &str| {
    let parts = parts::<5>(text);
    let (files, releases) = parts.split_at(FILES.len());
    let tree: MemoryTree =
        FILES.into_iter().zip(files.iter().copied()).chain([("version", "1.2.0\n")]).collect();
    let Ok(data) = GraphData::read(&tree) else { return };
    let values = releases.iter().filter_map(|text| serde_json::from_str(text).ok());
    let releases: Vec<_> = values.filter_map(|value| ReleaseRecord::read(&value).ok()).collect();
    let graph = data.graph(&releases, "amd64");
    assert_eq!(data.graph(&releases, "amd64"), graph);
    assert!(graph.edges.iter().all(|(from, to)| *from.max(to) < graph.nodes.len()));
});
