//! Requests to catalogd's API, and their answers.

use std::io::Read as _;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use fbc_model::load::load_with_documents;
use fbc_model::tree::{MemoryTree, Tree};
use http::{Method, Request, Response};
use http_body_util::BodyExt as _;

use super::store::{Selection, Storage, Store};
use super::text::Piece;
use super::{AnswerBody, CatalogService, body, packages};

const FIRST: &str = "{\"defaultChannel\":\"a\",\"name\":\"lamp\",\"schema\":\"olm.package\"}\n";
const SECOND: &str =
    "{\"entries\":[],\"name\":\"a\",\"package\":\"lamp\",\"schema\":\"olm.channel\",\"x\":\"<\"}\n";

fn service() -> CatalogService {
    let tree = MemoryTree::from_iter([(
        "catalog.yaml",
        "schema: olm.package\nname: lamp\ndefaultChannel: a\n---\nschema: olm.channel\npackage: lamp\nname: a\n\
         entries: []\nx: <\n"
            .to_owned(),
    )]);
    let service = CatalogService::default();
    service.catalog("good").set(Arc::new(store(&tree, true)));
    service.catalog("empty");
    service
}

/// Without the feature, the endpoint is not there whatever a store is asked for.
#[cfg(not(feature = "graphql"))]
#[test]
fn questions_in_graphql_are_not_answered() {
    let tree = MemoryTree::from_iter([("a.json", "{\"schema\": \"a.b\"}{\"schema\": \"a-b\"}".to_owned())]);
    let (_, documents) = load_with_documents(&tree);
    let storage = Storage { modified: modified(), file: None, graphql: true, packages: String::new() };
    let service = CatalogService::default();
    service.catalog("it").set(Arc::new(Store::new(documents, storage).unwrap()));
    for catalog in ["it", "none"] {
        let request = Request::post(format!("/catalogs/{catalog}/api/v1/graphql"));
        let response = wait(service.answer(request.body(body::whole("{\"query\": \"{ a }\"}")).unwrap()));
        assert_eq!(
            (response.status().as_u16(), text(response).as_str()),
            (404, "404 page not found\n"),
            "{catalog}"
        );
    }
}

/// A store over a tree, with its lines in a file or in memory.
fn store(tree: &dyn Tree, in_file: bool) -> Store {
    let (catalog, documents) = load_with_documents(tree);
    assert!(catalog.faults.is_empty());
    let file = in_file.then(|| tempfile::tempfile().unwrap());
    let packages = packages::summaries(&catalog);
    Store::new(documents, Storage { modified: modified(), file, graphql: false, packages }).unwrap()
}

fn wait<T>(what: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(what)
}

/// The bytes of some pieces.
fn read(pieces: Vec<Piece>) -> Vec<u8> {
    wait(body::plain(pieces).collect()).unwrap().to_bytes().to_vec()
}

fn modified() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(86_400_500)
}

fn ask(path: &str, headers: &[(&str, &str)]) -> (u16, Response<AnswerBody>) {
    let mut request = Request::builder().method(Method::GET).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = wait(service().answer(request.body(body::whole("")).unwrap()));
    (response.status().as_u16(), response)
}

fn text(response: Response<AnswerBody>) -> String {
    String::from_utf8(wait(response.into_body().collect()).unwrap().to_bytes().to_vec()).unwrap()
}

#[test]
fn blobs_are_lines_with_sorted_keys() {
    let (status, response) = ask("/catalogs/good/api/v1/all", &[]);
    assert_eq!(status, 200);
    assert_eq!(response.headers()["content-type"], "application/jsonl");
    assert_eq!(response.headers()["last-modified"], "Fri, 02 Jan 1970 00:00:00 GMT");
    assert_eq!(text(response), format!("{FIRST}{SECOND}"));
}

#[test]
fn some_blobs_are_selected() {
    for (query, expected) in [
        ("", format!("{FIRST}{SECOND}")),
        ("?schema=olm.package", FIRST.to_owned()),
        ("?package=lamp", SECOND.to_owned()),
        ("?name=a&schema=olm.channel", SECOND.to_owned()),
        ("?name=none", String::new()),
        ("?schema=&name=", format!("{FIRST}{SECOND}")),
        ("?schema=olm.package&fields=name,icon", "{\"name\":\"lamp\"}\n".to_owned()),
    ] {
        let (status, response) = ask(&format!("/catalogs/good/api/v1/metas{query}"), &[]);
        assert_eq!((status, text(response)), (200, expected), "{query}");
    }
}

#[test]
fn packages_are_told_at_a_glance() {
    let (status, response) = ask("/catalogs/good/api/v1/packages", &[]);
    let expected = "{\"bundles\":0,\"channels\":[{\"head\":\"\",\"name\":\"a\"}],\"defaultChannel\":\"a\",\"name\":\"lamp\"}\n";
    assert_eq!((status, text(response).as_str()), (200, expected));
}

#[test]
fn errors_have_the_words_of_catalogd() {
    for (path, code, words) in [
        ("/catalogs/none/api/v1/all", 404, "404 Not Found\n"),
        ("/catalogs/empty/api/v1/all", 404, "404 Not Found\n"),
        ("/catalogs/good/api/v1/metas?x=y", 400, "400 Bad Request\n"),
        ("/catalogs/good/api/v1/graphql", 405, "Method Not Allowed\n"),
    ] {
        let (status, response) = ask(path, &[]);
        assert_eq!((status, text(response).as_str()), (code, words), "{path}");
    }
}

#[test]
fn conditions_and_ranges_are_heeded() {
    let tag = ask("/catalogs/good/api/v1/all", &[]).1.headers()["etag"].to_str().unwrap().to_owned();
    for (headers, code, length) in [
        (vec![("if-modified-since", "Fri, 02 Jan 1970 00:00:00 GMT")], 304, 0),
        (vec![("if-modified-since", "Thu, 01 Jan 1970 00:00:00 GMT")], 200, FIRST.len() + SECOND.len()),
        (vec![("if-unmodified-since", "Thu, 01 Jan 1970 00:00:00 GMT")], 412, 0),
        (vec![("if-none-match", tag.as_str())], 304, 0),
        (vec![("if-none-match", "\"other\"")], 200, FIRST.len() + SECOND.len()),
        (vec![("if-match", "\"other\"")], 412, 0),
        (vec![("range", "bytes=0-9")], 206, 10),
        (vec![("range", "bytes=-5")], 206, 5),
        (vec![("range", "bytes=10-")], 206, FIRST.len() + SECOND.len() - 10),
        (vec![("range", "bytes=0-9"), ("if-range", "\"other\"")], 200, FIRST.len() + SECOND.len()),
    ] {
        let (status, response) = ask("/catalogs/good/api/v1/all", &headers);
        assert_eq!((status, text(response).len()), (code, length), "{headers:?}");
    }
    assert_eq!(ask("/catalogs/good/api/v1/all", &[("range", "bytes=9999-")]).0, 416);
}

#[test]
fn files_are_served_as_one_text() {
    let files =
        ["{\"schema\":\"a\"}{\"schema\":\"b\",\"name\":\"x\"}", "", "{\"schema\":\"b\",\"name\":\"y\"}"];
    let names = ["1.json", "2.json", "3.json"];
    let tree = MemoryTree::from_iter(names.into_iter().zip(files.map(str::to_owned)));
    let text = "{\"schema\":\"a\"}\n{\"name\":\"x\",\"schema\":\"b\"}\n{\"name\":\"y\",\"schema\":\"b\"}\n";
    for in_file in [false, true] {
        let store = store(&tree, in_file);
        assert_eq!((read(store.all()), store.size()), (text.as_bytes().to_vec(), text.len()));
        for begin in 0..=text.len() {
            for end in begin..=text.len() {
                let stretch = store.slice(&(begin as u64..end as u64));
                assert_eq!(read(stretch), text.as_bytes()[begin..end], "{begin}..{end}");
            }
        }
        let selection = Selection { schema: "b".to_owned(), ..Selection::default() };
        assert_eq!(store.select(&selection).len(), 1);
        assert_eq!(read(store.select(&selection)), text.as_bytes()[text.find('\n').unwrap() + 1..]);
    }
    let other = MemoryTree::from_iter([("1.json", files[0].to_owned())]);
    let tag_of = |tree| store(tree, false).entity_tag().to_owned();
    assert_ne!(tag_of(&other), tag_of(&tree));
    assert_eq!(tag_of(&tree), tag_of(&tree));
}

#[test]
fn what_is_packed_is_what_is_not() {
    let long = format!("{{\"schema\":\"a\",\"text\":\"{}\"}}", "ab".repeat(100_000));
    let tree = MemoryTree::from_iter([("1.json", long.repeat(3))]);
    let service = CatalogService::default();
    service.catalog("long").set(Arc::new(store(&tree, true)));
    let ask = |path: &str, coding: &str| {
        let request = Request::get(path).header("accept-encoding", coding);
        wait(service.answer(request.body(body::whole("")).unwrap()))
    };
    for path in ["all", "metas", "metas?schema=a", "metas?fields=schema,text"] {
        let path = format!("/catalogs/long/api/v1/{path}");
        let plain = wait(ask(&path, "identity").into_body().collect()).unwrap().to_bytes();
        assert_eq!(plain.len(), 3 * (long.len() + 1), "{path}");
        let response = ask(&path, "gzip");
        assert_eq!(response.headers()["content-encoding"], "gzip");
        let packed = wait(response.into_body().collect()).unwrap().to_bytes();
        assert!(packed.len() < plain.len() / 10);
        let mut unpacked = Vec::new();
        flate2::read::GzDecoder::new(&*packed).read_to_end(&mut unpacked).unwrap();
        assert_eq!(unpacked, plain, "{path}");
    }
}
