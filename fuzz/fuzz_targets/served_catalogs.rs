//! Any file as a catalog that is served by both APIs: it is refused, or all that is asked of it is answered.
#![no_main]

use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use fbc_fuzz::{collected, directory, request};
use fbc_model::load::load_with_documents;
use fbc_registry::block_on;
use fbc_serve::catalogs::CatalogService;
use fbc_serve::catalogs::packages::summaries;
use fbc_serve::catalogs::store::{Storage, Store};
use fbc_serve::current::Current;
use fbc_serve::registry::{Registry, RegistryService};
use http::Request;
use http_body_util::Full;
use libfuzzer_sys::fuzz_target;
use tower_service::Service as _;

const REQUESTS: [&str; 4] = [
    "GET /catalogs/a/api/v1/all\nAccept-Encoding: gzip",
    "GET /catalogs/a/api/v1/metas?fields=name,properties.type,entries.name",
    "GET /catalogs/a/api/v1/packages",
    "POST /catalogs/a/api/v1/graphql\n\n{\"query\":\"{__schema{types{name fields{name type{name}}}}}\"}",
];
/// What is asked with an empty message.
const METHODS: [&str; 3] =
    ["/api.Registry/ListPackages", "/api.Registry/ListBundles", "/api.Registry/GetDefaultBundleThatProvides"];
/// A message of no bytes, as gRPC frames it.
const EMPTY: &[u8] = &[0; 5];

fuzz_target!(|text: &str| {
    let (catalog, documents) = load_with_documents(&directory("catalog.yaml", text));
    let packages = summaries(&catalog);
    let storage = Storage { modified: SystemTime::UNIX_EPOCH, file: None, graphql: true, packages };
    if let Ok(store) = Store::new(documents, storage) {
        let service = CatalogService::default();
        service.catalog("a").set(Arc::new(store));
        for text in REQUESTS {
            let request = request(text).expect("a request");
            let answered = async { collected(service.answer(request).await.into_body()).await };
            block_on(answered).expect("a runtime").expect("a body from memory");
        }
    }
    if let Ok(registry) = Registry::new(Arc::new(catalog)) {
        let current = Arc::new(Current::default());
        current.set(Arc::new(registry));
        let mut service = RegistryService::new(current, 1 << 20);
        for method in METHODS {
            let request = Request::post(method)
                .header("content-type", "application/grpc")
                .body(Full::new(Bytes::from_static(EMPTY)));
            let answer = service.call(request.expect("a request"));
            let answered = async { collected(answer.await.expect("an answer").into_body()).await };
            block_on(answered).expect("a runtime").expect("a body from memory");
        }
    }
});
