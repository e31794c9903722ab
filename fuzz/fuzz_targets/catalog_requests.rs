//! Any request to catalogd's API, with conditions, ranges, fields and questions in GraphQL: it is answered, twice the same.
#![no_main]

use std::sync::{Arc, LazyLock};
use std::time::SystemTime;

use fbc_fuzz::{collected, directory, request};
use fbc_model::load::load_with_documents;
use fbc_registry::block_on;
use fbc_serve::catalogs::CatalogService;
use fbc_serve::catalogs::packages::summaries;
use fbc_serve::catalogs::store::{Storage, Store};
use libfuzzer_sys::fuzz_target;

const CATALOG: &str = include_str!("../../testdata/sample-catalog/lighthouse-operator/catalog.yaml");

/// The sample under the name `a`, and a catalog that is not there yet under the name `b`.
static SERVICE: LazyLock<CatalogService> = LazyLock::new(|| {
    let (catalog, documents) = load_with_documents(&directory("catalog.yaml", CATALOG));
    let storage = Storage {
        modified: SystemTime::UNIX_EPOCH,
        file: None,
        graphql: true,
        packages: summaries(&catalog),
    };
    let store = Store::new(documents, storage).expect("schemas with different names");
    let service = CatalogService::default();
    service.catalog("a").set(Arc::new(store));
    service.catalog("b");
    service
});

fuzz_target!(|text: &str| {
    let answer = || {
        let request = request(text)?;
        let answered = async {
            let (head, body) = SERVICE.answer(request).await.into_parts();
            (head.status, head.headers, collected(body).await.expect("a body from memory"))
        };
        Some(block_on(answered).expect("a runtime"))
    };
    let Some((status, headers, body)) = answer() else { return };
    assert_ne!(status.as_u16(), 500, "{body:?}");
    assert_eq!(answer(), Some((status, headers, body)));
});
