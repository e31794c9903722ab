//! Any bytes as a message to the registry of OLM v0: every method answers.
//! The input is a byte for the method, one for the frame, and the message.
#![no_main]

use std::path::Path;
use std::sync::{Arc, LazyLock};

use bytes::Bytes;
use fbc_fuzz::collected;
use fbc_model::load::load_bytes;
use fbc_registry::block_on;
use fbc_serve::current::Current;
use fbc_serve::registry::{Registry, RegistryService};
use http::Request;
use http_body_util::Full;
use libfuzzer_sys::fuzz_target;
use tower_service::Service as _;

const CATALOG: &[u8] = include_bytes!("../../testdata/sample-catalog/lighthouse-operator/catalog.yaml");
const METHODS: [&str; 13] = [
    "/api.Registry/ListPackages",
    "/api.Registry/GetPackage",
    "/api.Registry/ListBundles",
    "/api.Registry/GetBundle",
    "/api.Registry/GetBundleForChannel",
    "/api.Registry/GetBundleThatReplaces",
    "/api.Registry/GetChannelEntriesThatReplace",
    "/api.Registry/GetChannelEntriesThatProvide",
    "/api.Registry/GetLatestChannelEntriesThatProvide",
    "/api.Registry/GetDefaultBundleThatProvides",
    "/api.ExperimentalRegistry/ExperimentalListPackageCustomSchemas",
    "/grpc.health.v1.Health/Check",
    "/",
];

static SERVICE: LazyLock<RegistryService> = LazyLock::new(|| {
    let current = Arc::new(Current::default());
    let registry = Registry::new(Arc::new(load_bytes(Path::new("catalog.yaml"), CATALOG)));
    current.set(Arc::new(registry.expect("a catalog that can be served")));
    RegistryService::new(current, 1 << 20)
});

fuzz_target!(|bytes: &[u8]| {
    let [method, frame, message @ ..] = bytes else { return };
    let method = METHODS[usize::from(*method) % METHODS.len()];
    let body = match frame % 4 {
        // A frame that is wrong, or none.
        0 => message.to_vec(),
        _ => {
            let length = u32::try_from(message.len()).expect("a short message");
            [&[0], length.to_be_bytes().as_slice(), message].concat()
        }
    };
    let request = Request::post(method)
        .header("content-type", "application/grpc")
        .header("x-acknowledge-experimental", "true")
        .body(Full::new(Bytes::from(body)))
        .expect("a request");
    let answer = SERVICE.clone().call(request);
    let answered = async { collected(answer.await.expect("an answer").into_body()).await };
    block_on(answered).expect("a runtime").expect("a body from memory");
});
