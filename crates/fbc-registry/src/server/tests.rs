//! What clients ask of a registry, over a directory of the test.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use fbc_image::blob::digest_of;
use fbc_image::image::ImageSource as _;
use fbc_image::layout::LayoutFolder;
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use serde_json::{Value, json};

use super::{Options, Registry};
use crate::block_on;

mod uploads;

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

fn open_again(folder: &Path) -> Result<Registry, fbc_image::ImageError> {
    let (random, clock) = (Box::new(|| Ok(0)), Box::new(|| Duration::ZERO));
    Registry::open(folder, Options { random, clock, bytes: 0, stall: Duration::ZERO })
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
