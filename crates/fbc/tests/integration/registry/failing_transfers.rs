//! Pulls and pushes whose registry fails: what passes is survived, what stays is told, and nothing half is left. Nothing here waits.

use super::support::{Place, done, refused, registry_with_catalog, testdata, text};
use fbc_testing::registry::{Misdeed, Registry};

/// The request for the layer of the sample.
const BLOB: &str = "GET /v2/me/catalog/blobs/";

#[test]
fn what_passes_is_survived() {
    for (request, misdeed) in [
        (BLOB, Misdeed::CutBody(7)),
        (BLOB, Misdeed::LoseAnswer),
        (BLOB, Misdeed::answer("429 Too Many\r\nRetry-After: 0", "")),
        (BLOB, Misdeed::answer("503 Busy", "")),
        ("GET /v2/me/catalog/manifests/", Misdeed::answer("500 Oops", "")),
        ("GET /v2/me/catalog/manifests/", Misdeed::CutBody(9)),
    ] {
        let place = Place::new();
        let (registry, image, digest) = registry_with_catalog(&place);
        registry.misbehave(request, misdeed.clone());
        let output = place.plain(&["pull", &image, "oci:image"]);
        let told = text(&output.stderr);
        assert_eq!(done(output).trim(), digest, "{misdeed:?}");
        assert!(told.contains("; trying again"), "{misdeed:?}: {told}");
        assert!(done(place.fbc(&["validate", "oci:image"])).contains("no problems"));
    }
}

#[test]
fn what_stays_is_told() {
    let limited = || Misdeed::answer("429 Too Many\r\nRetry-After: 3600", "");
    let cases: [(&str, Vec<Misdeed>, i32, &str, &str); 7] = [
        (BLOB, vec![Misdeed::WrongBytes], 1, "the content has the digest", "damages content"),
        (
            BLOB,
            vec![Misdeed::answer("200 OK", "abcde")],
            1,
            "the content has 5 bytes, expected",
            "damages content",
        ),
        (
            BLOB,
            vec![Misdeed::answer("404 X", "")],
            2,
            "the repository has no such tag",
            "check the tag or digest",
        ),
        (BLOB, vec![limited()], 2, "allows no more requests now", "try again in 3600 seconds"),
        (
            BLOB,
            vec![Misdeed::answer("500 X", ""); 3],
            2,
            "the registry failed (status 500), after 3 attempts",
            "try again later",
        ),
        (
            "GET /v2/me/catalog/manifests/",
            vec![Misdeed::answer("200 OK", "<html>")],
            1,
            "the manifest is not JSON",
            "",
        ),
        (
            "GET /v2/me/catalog/manifests/",
            vec![Misdeed::answer("403 X", r#"{"errors":[{"code":"DENIED","message":"not you"}]}"#)],
            2,
            "not allowed (status 403, DENIED: not you); credential tried: none",
            "ask the owner of the repository",
        ),
    ];
    for (request, misdeeds, code, what, help) in cases {
        let place = Place::new();
        let (registry, image, _) = registry_with_catalog(&place);
        for misdeed in misdeeds {
            registry.misbehave(request, misdeed);
        }
        // One blob at a time, so that all of it happens to one.
        let pull = ["pull", &image, "oci:image", "--retry", "2", "--parallel", "1"];
        let told = refused(&place.plain(&pull), code);
        assert!(told.contains(what) && told.contains(help), "{told}");
        assert!(place.names().is_empty(), "{:?}", place.names());
        // The registry has come to its senses.
        done(place.plain(&pull));
    }
}

#[test]
fn no_credential_goes_to_another_host() {
    let place = Place::new();
    let (registry, image, digest) = registry_with_catalog(&place);
    let other = Registry::in_thread();
    let layer = registry.state.lock().unwrap().held.iter().cloned().collect::<Vec<_>>();
    for held in layer {
        let (_, digest) = held.split_once('@').unwrap();
        let bytes = registry.state.lock().unwrap().blobs[digest].clone();
        other.hold("elsewhere", &bytes);
        let head = format!("307 Moved\r\nLocation: http://{}/v2/elsewhere/blobs/{digest}", other.host);
        registry.misbehave(&format!("{BLOB}{digest}"), Misdeed::answer(&head, ""));
    }
    {
        let mut state = registry.state.lock().unwrap();
        state.wanted = Some("Basic bWU6c2VjcmV0".to_owned());
        state.challenge = "Basic realm=\"r\"".to_owned();
    }
    // One at a time, so that the redirections meet their blobs.
    let output = place.plain(&["pull", &image, "oci:image", "--creds", "me:secret", "--parallel", "1"]);
    let told = text(&output.stderr);
    assert_eq!(done(output).trim(), digest, "{told}");
    let log = other.log();
    assert!(!log.is_empty() && !log.iter().any(|line| line.contains("Basic")), "{log:?}");
    assert!(registry.log().iter().any(|line| line.contains("Basic bWU6c2VjcmV0")));
}

#[test]
fn expired_tokens_are_renewed() {
    let place = Place::new();
    let (registry, image, digest) = registry_with_catalog(&place);
    for token in ["first", "second"] {
        let body = format!(r#"{{"token":"{token}","expires_in":300}}"#);
        registry.state.lock().unwrap().tokens.push_back((200, body));
    }
    // The registry wants a token at first, and does not believe it any more in the middle.
    let challenge = format!("Bearer realm=\"http://{}/token\",service=\"s\"", registry.host);
    for request in ["GET /v2/me/catalog/manifests/", BLOB] {
        let head = format!("401 Unauthorized\r\nWWW-Authenticate: {challenge}");
        registry.misbehave(request, Misdeed::answer(&head, ""));
    }
    let pull = ["pull", &image, "oci:image", "-q", "--parallel", "1"];
    assert_eq!(done(place.plain(&pull)).trim(), digest);
    let log = registry.log();
    let with = |token: &str| log.iter().filter(|line| line.ends_with(&format!(" Bearer {token}"))).count();
    assert!(with("first") > 0 && with("second") > 0, "{log:?}");
}

#[test]
fn pushes_survive_and_leave_no_half_image() {
    for (request, misdeed) in [
        ("PUT /v2/me/other/blobs/", Misdeed::CutRequest(10)),
        ("PUT /v2/me/other/blobs/", Misdeed::LoseAnswer),
        ("POST", Misdeed::answer("502 Bad", "")),
        ("POST", Misdeed::answer("429 Slow\r\nRetry-After: 0", "")),
        ("PUT /v2/me/other/manifests/", Misdeed::answer("500 Oops", "")),
    ] {
        let place = Place::new();
        let (registry, image, digest) = registry_with_catalog(&place);
        let other = image.replace("catalog:", "other:");
        registry.misbehave(request, misdeed.clone());
        let push = ["build", &testdata("sample-catalog"), "--push", "-q", "-t", &other];
        assert_eq!(done(place.plain(&push)).trim(), digest, "{misdeed:?}");
        // And when patience is at its end, nothing has the name.
        let third = image.replace("catalog:", "third:");
        registry.misbehave("PUT /v2/me/third/blobs/", Misdeed::answer("500 Oops", ""));
        let push = ["build", &testdata("sample-catalog"), "--push", "-q", "-t", &third, "--retry", "0"];
        let output = place.plain(&[&push[..], &["-o", "oci:out", "--digest-file", "d"]].concat());
        let told = refused(&output, 2);
        assert!(told.contains("the registry failed (status 500") && told.contains("help:"), "{told}");
        assert!(place.names().is_empty(), "{:?}", place.names());
        assert!(!registry.state.lock().unwrap().manifests.contains_key("me/third:v1"));
        assert_eq!(done(place.plain(&push)).trim(), digest);
    }
}
