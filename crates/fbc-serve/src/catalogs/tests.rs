//! Requests to catalogd's API, and their answers.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use fbc_model::load::load_with_documents;
use fbc_model::tree::MemoryTree;
use http::{Method, Request, Response};
use http_body_util::BodyExt as _;

use super::store::{Selection, Store};
use super::{AnswerBody, CatalogService};

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
    let modified = modified();
    let service = CatalogService::default();
    service.catalog("good").set(Arc::new(Store::new(load_with_documents(&tree).1, modified)));
    service.catalog("empty");
    service
}

fn modified() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_millis(86_400_500)
}

fn ask(path: &str, headers: &[(&str, &str)]) -> (u16, Response<AnswerBody>) {
    let mut request = Request::builder().method(Method::GET).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let response = service().answer(&request.body(()).unwrap());
    (response.status().as_u16(), response)
}

fn text(response: Response<AnswerBody>) -> String {
    let body = futures_util::future::FutureExt::now_or_never(response.into_body().collect());
    String::from_utf8(body.unwrap().unwrap().to_bytes().to_vec()).unwrap()
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
    ] {
        let (status, response) = ask(&format!("/catalogs/good/api/v1/metas{query}"), &[]);
        assert_eq!((status, text(response)), (200, expected), "{query}");
    }
}

#[test]
fn errors_have_the_words_of_catalogd() {
    for (path, code, words) in [
        ("/catalogs/none/api/v1/all", 404, "404 Not Found\n"),
        ("/catalogs/empty/api/v1/all", 404, "404 Not Found\n"),
        ("/catalogs/good/api/v1/metas?x=y", 400, "400 Bad Request\n"),
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
    let (catalog, documents) = load_with_documents(&tree);
    let store = Store::new(documents, modified());
    assert_eq!((catalog.others.len(), catalog.faults.len()), (3, 0));
    let text = "{\"schema\":\"a\"}\n{\"name\":\"x\",\"schema\":\"b\"}\n{\"name\":\"y\",\"schema\":\"b\"}\n";
    assert_eq!((store.all().concat(), store.size()), (text.as_bytes().to_vec(), text.len()));
    for begin in 0..=text.len() {
        for end in begin..=text.len() {
            assert_eq!(store.slice(begin..end).concat(), text.as_bytes()[begin..end], "{begin}..{end}");
        }
    }
    let selection = Selection { schema: "b".to_owned(), ..Selection::default() };
    assert_eq!(store.select(&selection).concat(), text.as_bytes()[text.find('\n').unwrap() + 1..]);
    let other = MemoryTree::from_iter([("1.json", files[0].to_owned())]);
    let tag_of = |tree| Store::new(load_with_documents(tree).1, modified()).entity_tag().to_owned();
    assert_ne!(tag_of(&other), store.entity_tag());
    assert_eq!(tag_of(&tree), store.entity_tag());
}
