//! The same questions to opm and to this registry, and the same answers: all methods, over a catalog written for it.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fbc_model::load::load_tree;
use fbc_model::tree::DiskTree;
use fbc_serve::listener::Limits;
use fbc_serve::registry::Registry;
use fbc_serve::registry::message::{Bundle, ChannelEntry, HealthCheckResponse, Package, PackageName};
use prost::Message;
use serde::Deserialize;

use super::client::{Client, texts};
use super::{Server, run};

/// A question and what opm answers.
#[derive(Deserialize)]
struct Recorded {
    path: String,
    fields: Vec<String>,
    metadata: BTreeMap<String, String>,
    code: i32,
    text: String,
    messages: Vec<String>,
}

/// Methods whose messages come in any order from opm.
const UNORDERED: [&str; 4] = [
    "ListPackages",
    "GetChannelEntriesThatReplace",
    "GetChannelEntriesThatProvide",
    "GetLatestChannelEntriesThatProvide",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/registry")
}

#[test]
fn answers_are_those_of_opm() {
    run(async {
        let catalog = load_tree(&DiskTree { root: folder().join("catalog") });
        assert!(catalog.faults.is_empty(), "{:?}", catalog.faults);
        let server =
            Server::serving(Arc::new(Registry::new(Arc::new(catalog)).unwrap()), Limits::default()).await;
        let mut client = Client::connect(server.address).await;
        let text = std::fs::read_to_string(folder().join("answers.jsonl")).unwrap();
        for line in text.lines() {
            let recorded: Recorded = serde_json::from_str(line).unwrap();
            let fields: Vec<&str> = recorded.fields.iter().map(String::as_str).collect();
            let metadata: Vec<_> = recorded.metadata.clone().into_iter().collect();
            let mut ended = client.call_with(&recorded.path, texts(&fields), &metadata).await;
            let what = format!("{} {fields:?}", recorded.path);
            assert_eq!((ended.code, &ended.text), (recorded.code, &recorded.text), "{what}");
            let method = recorded.path.rsplit('/').next().unwrap();
            if UNORDERED.contains(&method) {
                ended.messages.sort();
            }
            let theirs: Vec<Vec<u8>> =
                recorded.messages.iter().map(|message| STANDARD.decode(message).unwrap()).collect();
            let compare = match method {
                "ListPackages" => compare::<PackageName>,
                "GetPackage" => compare::<Package>,
                "Check" => compare::<HealthCheckResponse>,
                "ExperimentalListPackageCustomSchemas" => compare::<prost_types::Struct>,
                entries if entries.starts_with("Get") && entries.contains("Entries") => {
                    compare::<ChannelEntry>
                }
                _ => compare::<Bundle>,
            };
            compare(&ended.messages, &theirs, &what);
        }
    });
}

/// Compares messages field by field.
fn compare<M: Message + Default + PartialEq + Debug>(ours: &[Vec<u8>], theirs: &[Vec<u8>], what: &str) {
    let read = |messages: &[Vec<u8>]| -> Vec<M> {
        messages.iter().map(|message| M::decode(message.as_slice()).unwrap()).collect()
    };
    assert_eq!(read(ours), read(theirs), "{what}");
}
