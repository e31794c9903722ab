//! What is sent with the pages, over a catalog written for the test.

use std::path::Path;

use fbc_model::load::load_bytes;
use futures_util::FutureExt as _;
use http_body_util::BodyExt as _;

use super::*;

const CATALOG: &[u8] = br#"
{"schema": "olm.package", "name": "a/b", "defaultChannel": "c", "icon": {"base64data": "PHN2Zy8+", "mediatype": "text/html"}}
{"schema": "olm.channel", "package": "a/b", "name": "c", "entries": [{"name": "a.v1.0.0"}]}
{"schema": "olm.bundle", "package": "a/b", "name": "a.v1.0.0", "image": "i",
 "properties": [{"type": "olm.package", "value": {"packageName": "a/b", "version": "1.0.0"}}]}
"#;

fn pages(names: &[&str]) -> Pages {
    let pages = Pages::new(names.iter().copied(), Arc::default());
    for name in names {
        let catalog = Arc::new(load_bytes(Path::new("catalog.json"), CATALOG));
        pages.site(name).unwrap().set(Arc::new(Site::new(name, catalog)));
    }
    pages
}

fn get(pages: &Pages, path: &str) -> Response<AnswerBody> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    pages.answer(&PageRequest { method: Method::GET, path: path.to_owned(), query: query.to_owned() })
}

#[test]
fn every_answer_says_what_it_may_do() {
    let pages = pages(&["x", "y"]);
    for (path, status, media_type, policy) in [
        ("/ui/", 200, "text/html; charset=utf-8", "script-src 'self'"),
        ("/ui/x/", 200, "text/html; charset=utf-8", "frame-ancestors 'none'"),
        ("/ui/x/packages/a%2Fb", 200, "text/html; charset=utf-8", "default-src 'none'"),
        ("/ui/x/packages/a%2Fb/graph/drawing", 200, "text/html; charset=utf-8", "script-src 'sha256-"),
        // What the catalog says that an icon is does not count.
        ("/ui/x/packages/a%2Fb/icon", 200, "image/svg+xml", "sandbox"),
        ("/ui/_/style.css", 200, "text/css; charset=utf-8", "sandbox"),
        ("/ui/z/", 404, "text/html; charset=utf-8", "default-src 'none'"),
    ] {
        let response = get(&pages, path);
        assert_eq!(response.status().as_u16(), status, "{path}");
        let header = |name: &str| response.headers()[name].to_str().unwrap().to_owned();
        assert_eq!(header("content-type"), media_type, "{path}");
        assert!(header("content-security-policy").contains(policy), "{path}");
        assert!(!header("content-security-policy").contains("script-src 'unsafe"), "{path}");
        assert_eq!(header("x-content-type-options"), "nosniff", "{path}");
    }
    let request = PageRequest { method: Method::POST, path: "/ui/".to_owned(), query: String::new() };
    assert_eq!(pages.answer(&request).status(), 405);
}

#[test]
fn what_is_refused_is_said_on_every_page_of_a_catalog() {
    let pages = pages(&["x", "y"]);
    pages.health.refused("x", "it is <broken>");
    for (path, is_said) in [("/ui/x/", true), ("/ui/y/", false), ("/ui/x/packages/a%2Fb", true)] {
        let body = get(&pages, path).into_body().collect().now_or_never().unwrap().unwrap().to_bytes();
        let text = String::from_utf8(body.to_vec()).unwrap();
        assert_eq!(text.contains("it is &lt;broken&gt;"), is_said, "{path}");
    }
}

#[test]
fn the_question_is_shown_as_a_command() {
    let pages = pages(&["x", "y"]);
    for (query, command) in [
        ("", "fbc resolve a/b --catalog x=REF --explain"),
        (
            "?catalogs=all&policy=SelfCertified",
            "fbc resolve a/b --catalog x=REF --catalog y=REF --policy SelfCertified --explain",
        ),
        (
            "?channel=c+d&version=%3E1&installed=a.v1.0.0",
            "--channel 'c d' --version '&gt;1' --installed a.v1.0.0",
        ),
    ] {
        let address = format!("/ui/x/packages/a%2Fb/resolve{query}");
        let body = get(&pages, &address).into_body().collect().now_or_never().unwrap().unwrap().to_bytes();
        let text = String::from_utf8(body.to_vec()).unwrap();
        assert!(text.contains(command), "{query}: {text}");
    }
}
