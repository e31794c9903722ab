//! Any query in GraphQL to a catalog: the answer is JSON with data or errors, and errors lie in the query.
#![no_main]

use std::sync::{Arc, LazyLock};
use std::time::SystemTime;

use bytes::Bytes;
use fbc_fuzz::{collected, directory};
use fbc_model::load::load_with_documents;
use fbc_registry::block_on;
use fbc_serve::catalogs::CatalogService;
use fbc_serve::catalogs::store::{Storage, Store};
use http::Request;
use http_body_util::Full;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};

const CATALOG: &str = include_str!("../../testdata/sample-catalog/lighthouse-operator/catalog.yaml");

/// The sample under the name `a`.
static SERVICE: LazyLock<CatalogService> = LazyLock::new(|| {
    let (_, documents) = load_with_documents(&directory("catalog.yaml", CATALOG));
    let packages = String::new();
    let storage = Storage { modified: SystemTime::UNIX_EPOCH, file: None, graphql: true, packages };
    let store = Store::new(documents, storage).expect("schemas with different names");
    let service = CatalogService::default();
    service.catalog("a").set(Arc::new(store));
    service
});

fuzz_target!(|query: &str| {
    let asked = json!({"query": query, "variables": {"a": 1, "b": true, "c": "OlmBundle"}}).to_string();
    let request = Request::post("/catalogs/a/api/v1/graphql").body(Full::new(Bytes::from(asked)));
    let answered = async {
        let (head, body) = SERVICE.answer(request.expect("a request")).await.into_parts();
        (head.status.as_u16(), collected(body).await.expect("a body from memory"))
    };
    let (status, body) = block_on(answered).expect("a runtime");
    if status == 400 {
        // No query, or one that is too long.
        return;
    }
    assert_eq!(status, 200);
    let answer: Value = serde_json::from_slice(&body).expect("JSON");
    let errors = answer["errors"].as_array().map_or(&[][..], Vec::as_slice);
    assert!(answer["data"].is_object() || (answer["data"].is_null() && !errors.is_empty()), "{answer}");
    let lines = query.split(['\n', '\r']).count() as u64;
    for place in errors.iter().filter_map(|error| error["locations"].as_array()).flatten() {
        let line = place["line"].as_u64().expect("a line");
        assert!((1..=lines).contains(&line) && place["column"].as_u64() >= Some(1), "{answer}");
    }
});
