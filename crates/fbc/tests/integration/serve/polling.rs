//! A catalog from an image in a registry: looked at by its digest, and loaded again only when that changes.

use fbc_testing::registry::{Misdeed, Registry, start};

use super::server::{Server, sample};

fn push(catalog: &str, image: &str) {
    let arguments = ["build", catalog, "--push", "-q", "--plain-http", "-t", image];
    let output = crate::fbc().args(arguments).output();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn an_image_is_loaded_again_when_its_digest_changes() {
    if !fbc_testing::is_installed("docker-registry") {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let registry = start(place.path(), "http: {addr: HOST}\n");
    let image = format!("{}/me/catalog:v1", registry.host);
    push(&sample().to_string_lossy(), &image);
    let reference = format!("it={image}");
    let cache = place.path().join("cache").to_string_lossy().into_owned();
    let options = ["-v", "serve", &reference, "--http", "127.0.0.1:0", "--poll", "100ms", "--plain-http"];
    let mut server = Server::start(&[&options[..], &["--cache-dir", &cache]].concat(), 1);
    let packages = "/catalogs/it/api/v1/metas?schema=olm.package";
    assert!(server.get(packages).1.contains("lighthouse-operator"));
    for _ in 0..3 {
        let mut line = server.line();
        while !line.contains("unchanged") {
            assert!(!line.contains("loaded"), "{line}");
            line = server.line();
        }
    }
    let other = place.path().join("other");
    std::fs::create_dir(&other).unwrap();
    std::fs::copy(sample().join("tide-operator/catalog.json"), other.join("catalog.json")).unwrap();
    push(&other.to_string_lossy(), &image);
    while !server.line().contains("loaded") {}
    assert!(!server.get(packages).1.contains("lighthouse-operator"));
    // A registry that is gone leaves what is there.
    drop(registry);
    while !server.line().contains("cannot tell whether the catalog changed") {}
    assert_eq!(server.get(packages).0, 200);
    assert_eq!(server.end(), Some(0));
}

/// A new image that is not what the registry says of it leaves what is there, until it is.
#[test]
fn a_registry_that_lies_leaves_what_is_there() {
    let registry = Registry::in_thread();
    let place = tempfile::tempdir().unwrap();
    let image = format!("{}/me/catalog:v1", registry.host);
    push(&sample().to_string_lossy(), &image);
    let (reference, cache) =
        (format!("it={image}"), place.path().join("cache").to_string_lossy().into_owned());
    let options =
        ["serve", &reference, "--http", "127.0.0.1:0", "--poll", "100ms", "--plain-http", "--retry", "0"];
    let mut server = Server::start(&[&options[..], &["--cache-dir", &cache]].concat(), 1);
    let packages = "/catalogs/it/api/v1/metas?schema=olm.package";
    let lie = |request: &str, misdeed: Misdeed| {
        registry.state.lock().unwrap().insists_on = Some((request.to_owned(), misdeed));
    };
    let [manifests, blobs] = ["manifests", "blobs"].map(|kind| format!("GET /v2/me/catalog/{kind}/"));
    lie(&manifests, Misdeed::WrongBytes);
    push(&sample().join("tide-operator").to_string_lossy(), &image);
    for (request, misdeed, expected) in [
        (&manifests, Misdeed::WrongBytes, "the content has the digest"),
        (&manifests, Misdeed::answer("200 OK", "<html>"), "the manifest is not JSON"),
        (&blobs, Misdeed::WrongBytes, "the content has the digest"),
    ] {
        lie(request, misdeed);
        let mut line = server.line();
        while !(line.contains("the old one stays") && line.contains(expected)) {
            assert!(!line.contains("loaded"), "{line}");
            line = server.line();
        }
        assert!(server.get(packages).1.contains("lighthouse-operator"), "{line}");
    }
    registry.state.lock().unwrap().insists_on = None;
    while !server.line().contains("loaded") {}
    let listed = server.get(packages).1;
    assert!(listed.contains("tide-operator") && !listed.contains("lighthouse-operator"), "{listed}");
    assert_eq!(server.end(), Some(0));
}
