//! What clients ask of a registry, over a directory of the test.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value, json};

use super::{Options, Registry};
use crate::blob::digest_of;
use crate::image::ImageSource as _;
use crate::layout::LayoutFolder;
use crate::limits;
use crate::registry::block_on;

struct Answered {
    status: StatusCode,
    headers: http::HeaderMap,
    body: Bytes,
}

impl Answered {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    fn code(&self) -> String {
        self.json()["errors"][0]["code"].as_str().unwrap().to_owned()
    }
}

struct World {
    folder: tempfile::TempDir,
    registry: Registry,
    /// The seconds that have passed.
    time: Arc<AtomicU64>,
}

const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

impl World {
    fn new() -> Self {
        Self::over(tempfile::tempdir().unwrap(), |_| {})
    }

    fn over(folder: tempfile::TempDir, change: impl FnOnce(&mut Options)) -> Self {
        let (time, begun) = (Arc::new(AtomicU64::new(0)), AtomicU64::new(0));
        let now = Arc::clone(&time);
        let mut options = Options {
            random: Box::new(move || Ok(u128::from(begun.fetch_add(1, Ordering::Relaxed)) << 64 | 0xabc)),
            clock: Box::new(move || Duration::from_secs(now.load(Ordering::Relaxed))),
            bytes: 1 << 20,
            stall: Duration::from_secs(30),
        };
        change(&mut options);
        let registry = Registry::open(folder.path(), options).unwrap();
        Self { folder, registry, time }
    }

    fn pass(&self, time: Duration) {
        self.time.fetch_add(time.as_secs(), Ordering::Relaxed);
    }

    /// Begins an upload: where it goes on.
    fn begin(&self) -> String {
        self.ask("POST", "/v2/a/b/blobs/uploads/", &[], b"").header("location").to_owned()
    }

    fn files(&self) -> usize {
        let names = std::fs::read_dir(self.folder.path().join("blobs/sha256"));
        names.map_or(0, Iterator::count)
    }

    fn ask(&self, method: &str, target: &str, headers: &[(&str, &str)], body: &[u8]) -> Answered {
        self.ask_from(HERE, method, target, headers, body)
    }

    fn ask_from(
        &self,
        client: IpAddr,
        method: &str,
        target: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answered {
        let mut request = Request::builder().method(method).uri(target);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Full::new(Bytes::copy_from_slice(body))).unwrap();
        block_on(async {
            let (head, body) = self.registry.answer(client, request).await.into_parts();
            Answered {
                status: head.status,
                headers: head.headers,
                body: body.collect().await.unwrap().to_bytes(),
            }
        })
        .unwrap()
    }

    fn push_blob(&self, bytes: &[u8]) -> String {
        let digest = digest_of(bytes).to_string();
        let answered = self.ask("POST", &format!("/v2/a/b/blobs/uploads/?digest={digest}"), &[], bytes);
        assert_eq!(answered.status, 201);
        digest
    }

    fn push_manifest(&self, reference: &str, manifest: &Value) -> (String, Answered) {
        let bytes = manifest.to_string();
        let kind = [("content-type", "application/vnd.oci.image.manifest.v1+json")];
        let answered = self.ask("PUT", &format!("/v2/a/b/manifests/{reference}"), &kind, bytes.as_bytes());
        (digest_of(bytes.as_bytes()).to_string(), answered)
    }

    fn manifest(&self, text: &str) -> Value {
        let config = self.push_blob(text.as_bytes());
        json!({"schemaVersion": 2, "config": {"digest": config, "size": text.len(), "mediaType": "a/b"}, "layers": []})
    }
}

#[test]
fn a_blob_comes_in_parts_and_is_read_in_parts() {
    let world = World::new();
    let begun = world.ask("POST", "/v2/a/b/blobs/uploads/", &[], b"");
    assert_eq!(begun.status, 202);
    let place = begun.header("location").to_owned();
    assert_eq!(world.ask("PATCH", &place, &[("content-range", "0-3")], b"abcd").header("range"), "0-3");
    let refused = world.ask("PATCH", &place, &[("content-range", "9-12")], b"wxyz");
    assert_eq!((refused.status.as_u16(), refused.header("range")), (416, "0-3"));
    assert_eq!(world.ask("GET", &place, &[], b"").status, 204);
    let digest = digest_of(b"abcdefgh").to_string();
    let done = world.ask("PUT", &format!("{place}?digest={digest}"), &[], b"efgh");
    assert_eq!((done.status.as_u16(), done.header("docker-content-digest")), (201, digest.as_str()));
    let blob = format!("/v2/a/b/blobs/{digest}");
    assert_eq!(world.ask("GET", &blob, &[], b"").body, "abcdefgh");
    let part = world.ask("GET", &blob, &[("range", "bytes=2-4")], b"");
    assert_eq!((part.status.as_u16(), part.body.as_ref()), (206, b"cde".as_slice()));
    assert_eq!(world.ask("HEAD", &blob, &[], b"").header("content-length"), "8");
    assert_eq!(world.ask("PUT", &format!("{place}?digest={digest}"), &[], b"").code(), "BLOB_UPLOAD_UNKNOWN");
    let mounted = format!("/v2/c/blobs/uploads/?mount={}&from=a/b", digest.replace(':', "%3A"));
    assert_eq!(world.ask("POST", &mounted, &[], b"").status, 201);
}

/// A body that ends with an error.
struct Broken(Vec<u8>);

impl http_body::Body for Broken {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
    ) -> std::task::Poll<Option<Result<http_body::Frame<Bytes>, Self::Error>>> {
        let bytes = std::mem::take(&mut self.0);
        let frame = match bytes.is_empty() {
            true => Err(std::io::Error::other("gone")),
            false => Ok(http_body::Frame::data(Bytes::from(bytes))),
        };
        std::task::Poll::Ready(Some(frame))
    }
}

#[test]
fn what_came_of_a_part_that_broke_off_is_kept() {
    let world = World::new();
    let place = world.ask("POST", "/v2/a/b/blobs/uploads/", &[], b"").header("location").to_owned();
    world.ask("PATCH", &place, &[], b"abcd");
    let request = Request::builder().method("PATCH").uri(&place).body(Broken(b"ef".to_vec())).unwrap();
    assert_eq!(block_on(world.registry.answer(HERE, request)).unwrap().status(), 400);
    assert_eq!(world.ask("GET", &place, &[], b"").header("range"), "0-5");
    let digest = digest_of(b"abcdefgh").to_string();
    let end = format!("{place}?digest={digest}");
    assert_eq!(world.ask("PUT", &end, &[("content-range", "4-7")], b"efgh").status, 416);
    assert_eq!(world.ask("PUT", &end, &[("content-range", "6-7")], b"gh").status, 201);
}

fn open_again(folder: &Path) -> Result<Registry, crate::error::ImageError> {
    let (random, clock) = (Box::new(|| Ok(0)), Box::new(|| Duration::ZERO));
    Registry::open(folder, Options { random, clock, bytes: 0, stall: Duration::ZERO })
}

#[test]
fn an_upload_belongs_to_its_repository_and_has_a_name_that_nobody_guesses() {
    let world = World::new();
    let place = world.begin();
    let id = place.rsplit('/').next().unwrap();
    assert_eq!(id.len(), 32);
    for elsewhere in [
        format!("/v2/c/blobs/uploads/{id}"),
        format!("/v2/a/b/blobs/uploads/+{}", &id[1..]),
        format!("/v2/a/b/blobs/uploads/{}", id.trim_start_matches('0')),
        format!("/v2/a/b/blobs/uploads/{}", id.to_uppercase()),
        "/v2/a/b/blobs/uploads/1".to_owned(),
    ] {
        for method in ["GET", "PATCH", "DELETE"] {
            let refused = world.ask(method, &elsewhere, &[], b"x");
            assert_eq!(refused.status, 404, "{method} {elsewhere}");
        }
        let end = format!("{elsewhere}?digest={}", digest_of(b""));
        assert_eq!(world.ask("PUT", &end, &[], b"").code(), "BLOB_UPLOAD_UNKNOWN", "{elsewhere}");
    }
    assert_eq!(world.ask("PATCH", &place, &[], b"abcd").header("range"), "0-3");
    assert_eq!(world.ask("DELETE", &place, &[], b"").status, 204);
    assert_eq!(world.ask("DELETE", &place, &[], b"").code(), "BLOB_UPLOAD_UNKNOWN");
}

#[test]
fn uploads_that_nobody_continues_end() {
    let world = World::new();
    let (first, second) = (world.begin(), world.begin());
    world.pass(limits::UPLOAD_WAIT - Duration::from_secs(1));
    assert_eq!(world.ask("PATCH", &first, &[], b"abcd").status, 202);
    world.pass(Duration::from_secs(1));
    assert_eq!(world.ask("GET", &first, &[], b"").header("range"), "0-3");
    assert_eq!(world.ask("GET", &second, &[], b"").code(), "BLOB_UPLOAD_UNKNOWN");
}

#[test]
fn a_client_takes_no_more_than_its_share_of_uploads() {
    let world = World::new();
    let first = world.begin();
    world.pass(Duration::from_secs(1));
    (1..limits::UPLOADS_OF_CLIENT).for_each(|_| drop(world.begin()));
    let refused = world.ask("POST", "/v2/a/b/blobs/uploads/", &[], b"");
    assert_eq!((refused.status.as_u16(), refused.code()), (429, "TOOMANYREQUESTS".to_owned()));
    assert_eq!(refused.header("retry-after"), "60");
    // Blobs that come whole are counted as well, and others are not kept from theirs.
    let whole = format!("/v2/a/b/blobs/uploads/?digest={}", digest_of(b"x"));
    assert_eq!(world.ask("POST", &whole, &[], b"x").status, 429);
    let other = IpAddr::from([10, 0, 0, 1]);
    assert_eq!(world.ask_from(other, "POST", &whole, &[], b"x").status, 201);
    // What was left alone makes room.
    world.pass(limits::UPLOAD_LEFT);
    assert_eq!(world.ask("POST", &whole, &[], b"x").status, 201);
    assert_eq!(world.ask("GET", &first, &[], b"").status, 404);
}

#[test]
fn all_clients_together_take_no_more_uploads_than_there_are() {
    let world = World::new();
    let begin = |client: usize| {
        let client = IpAddr::from([10, 0, 0, u8::try_from(client).unwrap()]);
        world.ask_from(client, "POST", "/v2/a/b/blobs/uploads/", &[], b"").status.as_u16()
    };
    let most = limits::UPLOADS / limits::UPLOADS_OF_CLIENT;
    for client in 0..most {
        (0..limits::UPLOADS_OF_CLIENT).for_each(|_| assert_eq!(begin(client), 202));
    }
    assert_eq!(begin(most), 429);
}

#[test]
fn a_body_that_never_comes_does_not_hold_an_upload() {
    let world = World::over(tempfile::tempdir().unwrap(), |options| options.stall = Duration::from_millis(5));
    let place = world.begin();
    let silent =
        || http_body_util::StreamBody::new(futures_util::stream::pending::<Result<_, std::io::Error>>());
    for (method, target) in [("PATCH", place.as_str()), ("PUT", "/v2/a/b/manifests/v1")] {
        let request = Request::builder().method(method).uri(target);
        let request = request.body(http_body_util::combinators::BoxBody::new(silent())).unwrap();
        assert_eq!(block_on(world.registry.answer(HERE, request)).unwrap().status(), 408, "{method}");
    }
    assert_eq!(world.ask("PATCH", &place, &[], b"abcd").status, 202);
}

#[test]
fn two_requests_do_not_write_one_upload() {
    let world = World::new();
    let place = world.begin();
    let id = u128::from_str_radix(place.rsplit('/').next().unwrap(), 16).unwrap();
    let taken = world.registry.sessions().take(id, "a/b", Duration::ZERO).unwrap();
    for method in ["GET", "PATCH", "DELETE"] {
        assert_eq!(world.ask(method, &place, &[], b"x").status, 409, "{method}");
    }
    world.registry.sessions().put_back(id, taken, Duration::ZERO);
    assert_eq!(world.ask("PATCH", &place, &[], b"x").status, 202);
}

#[test]
fn what_the_registry_holds_is_bounded() {
    let world = World::over(tempfile::tempdir().unwrap(), |options| options.bytes = 10);
    let push = |bytes: &[u8]| {
        world.ask("POST", &format!("/v2/a/b/blobs/uploads/?digest={}", digest_of(bytes)), &[], bytes)
    };
    let place = world.begin();
    assert_eq!(world.ask("PATCH", &place, &[], b"12345678").status, 202);
    let refused = push(b"123");
    assert_eq!((refused.status.as_u16(), refused.code()), (403, "DENIED".to_owned()));
    // What is given up, wrong or there already does not count.
    assert_eq!(world.ask("DELETE", &place, &[], b"").status, 204);
    let wrong = format!("/v2/a/b/blobs/uploads/?digest={}", digest_of(b"other"));
    assert_eq!(world.ask("POST", &wrong, &[], b"12345678").status, 400);
    for _ in 0..3 {
        assert_eq!(push(b"1234").status, 201);
    }
    assert_eq!((push(b"123456").status.as_u16(), push(b"1").status.as_u16()), (201, 403));
    assert_eq!(World::over(world.folder, |options| options.bytes = 10).ask("POST", "/v2/a/b/blobs/uploads/?digest=sha256:6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b", &[], b"1").status, 403);
}

#[test]
fn what_a_killed_process_left_is_removed() {
    let world = World::new();
    let folder = world.folder.path();
    std::fs::create_dir_all(folder.join("blobs/sha256")).unwrap();
    std::fs::write(folder.join("blobs/sha256/.fbc-tmp-half"), "half").unwrap();
    std::fs::create_dir_all(folder.join(".fbc-tmp-layout/blobs")).unwrap();
    let again = World::over(world.folder, |_| {});
    assert_eq!(again.files(), 0);
    assert!(!again.folder.path().join(".fbc-tmp-layout").exists());
}

#[test]
fn content_that_is_not_what_its_digest_says_is_refused_and_not_kept() {
    let world = World::new();
    let digest = digest_of(b"other").to_string();
    let refused = world.ask("POST", &format!("/v2/a/b/blobs/uploads/?digest={digest}"), &[], b"bytes");
    assert_eq!((refused.status.as_u16(), refused.code()), (400, "DIGEST_INVALID".to_owned()));
    assert_eq!(world.ask("GET", &format!("/v2/a/b/blobs/{digest}"), &[], b"").code(), "BLOB_UNKNOWN");
    assert_eq!(std::fs::read_dir(world.folder.path().join("blobs/sha256")).unwrap().count(), 0);
}

#[test]
fn a_pushed_image_has_its_tag_in_the_layout_and_its_digest_for_ever() {
    let world = World::new();
    let (first, answered) = world.push_manifest("v1", &world.manifest("one"));
    assert_eq!((answered.status.as_u16(), answered.header("docker-content-digest")), (201, first.as_str()));
    let (second, _) = world.push_manifest("v1", &world.manifest("two"));
    let by_tag = world.ask("GET", "/v2/a/b/manifests/v1", &[], b"");
    assert_eq!(by_tag.header("docker-content-digest"), second);
    assert_eq!(by_tag.header("content-type"), "application/vnd.oci.image.manifest.v1+json");
    assert_eq!(world.ask("HEAD", &format!("/v2/a/b/manifests/{first}"), &[], b"").status, 200);
    assert_eq!(world.ask("GET", &format!("/v2/c/manifests/{first}"), &[], b"").code(), "MANIFEST_UNKNOWN");
    let layout = LayoutFolder::open(world.folder.path(), Some("a/b:v1")).unwrap();
    assert_eq!(layout.root().digest().to_string(), second);
    // Another registry over the same directory has the same images.
    let again = World::over(world.folder, |_| {});
    assert_eq!(
        again.ask("GET", "/v2/a/b/tags/list", &[], b"").json(),
        json!({"name": "a/b", "tags": ["v1"]})
    );
    assert_eq!(again.ask("DELETE", &format!("/v2/a/b/manifests/{second}"), &[], b"").status, 202);
    assert_eq!(again.ask("GET", "/v2/a/b/manifests/v1", &[], b"").code(), "MANIFEST_UNKNOWN");
}

#[test]
fn a_manifest_needs_what_it_names() {
    let world = World::new();
    let missing = digest_of(b"missing").to_string();
    let mut manifest = world.manifest("one");
    manifest["layers"] = json!([{"digest": missing, "size": 7}]);
    let (_, refused) = world.push_manifest("v1", &manifest);
    assert_eq!((refused.status.as_u16(), refused.code()), (400, "MANIFEST_BLOB_UNKNOWN".to_owned()));
    manifest["layers"][0]["urls"] = json!(["https://example.com/layer"]);
    assert_eq!(world.push_manifest("v1", &manifest).1.status, 201);
    assert_eq!(world.push_manifest(&missing, &manifest).1.code(), "DIGEST_INVALID");
    for text in ["{", "1", "null", "{\"layers\": 5}", "{\"schemaVersion\": 2, \"mediaType\": \"c/d\"}"] {
        let refused = world.ask("PUT", "/v2/a/b/manifests/v2", &[("content-type", "a/b")], text.as_bytes());
        assert_eq!(refused.code(), "MANIFEST_INVALID", "{text}");
    }
}

#[test]
fn lists_have_pages_and_referrers_are_found() {
    let world = World::new();
    let (subject, _) = world.push_manifest("v1", &world.manifest("one"));
    for tag in ["v3", "v2"] {
        world.push_manifest(tag, &world.manifest(tag));
    }
    let page = world.ask("GET", "/v2/a/b/tags/list?n=2", &[], b"");
    assert_eq!(page.json()["tags"], json!(["v1", "v2"]));
    assert_eq!(page.header("link"), "</v2/a/b/tags/list?n=2&last=v2>; rel=\"next\"");
    let rest = world.ask("GET", "/v2/a/b/tags/list?n=2&last=v2", &[], b"");
    assert_eq!((rest.json()["tags"].clone(), rest.header("link")), (json!(["v3"]), ""));
    assert_eq!(world.ask("GET", "/v2/_catalog", &[], b"").json(), json!({"repositories": ["a/b"]}));
    assert_eq!(world.ask("GET", "/v2/none/tags/list", &[], b"").code(), "NAME_UNKNOWN");
    assert_eq!(world.ask("GET", "/v2/a/b/tags/list?n=-1", &[], b"").code(), "PAGINATION_NUMBER_INVALID");
    let mut signature = world.manifest("signature");
    signature["subject"] = json!({"digest": subject, "size": 1, "mediaType": "a/b"});
    signature["artifactType"] = json!("text/plain");
    let bytes = signature.to_string();
    let (digest, answered) = world.push_manifest(digest_of(bytes.as_bytes()).as_ref(), &signature);
    assert_eq!(answered.header("oci-subject"), subject);
    let of_kind = |kind: &str| {
        world.ask("GET", &format!("/v2/a/b/referrers/{subject}?artifactType={kind}"), &[], b"").json()["manifests"].clone()
    };
    assert_eq!(of_kind("text/plain")[0]["digest"], json!(digest));
    assert_eq!(of_kind("text/html"), json!([]));
}

#[test]
fn a_directory_that_is_not_a_layout_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "mine").unwrap();
    let world = World::new();
    assert!(open_again(folder.path()).is_err());
    assert_eq!(world.ask("GET", "/v2/a/b/manifests/../../x", &[], b"").status, 404);
    let refused = world.ask("POST", "/v2/a/b/manifests/v1", &[], b"");
    assert_eq!((refused.status.as_u16(), refused.header("allow")), (405, "DELETE, GET, HEAD, PUT"));
    assert_eq!(world.ask("GET", "/v2/", &[], b"").status, 200);
}
