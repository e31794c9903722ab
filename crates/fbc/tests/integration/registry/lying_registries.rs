//! Registries that lie or fall silent while commands use them: what to build on, what to mirror from and to, what to serve
//! and what to verify. The answer says what is wrong, nothing half is left, and the next run succeeds.

use std::io::{BufRead as _, BufReader};
use std::process::{Output, Stdio};

use fbc_testing::registry::{Misdeed, Registry};

use super::copies::Source;
use super::support::{Place, done, refused, registry_with_catalog, testdata, text};

/// What a registry says that is not so, the exit code, and what is said of it.
fn lies() -> [(&'static str, Misdeed, i32, &'static str); 8] {
    let manifest = "GET /v2/me/catalog/manifests/";
    let blob = "GET /v2/me/catalog/blobs/";
    [
        (manifest, Misdeed::WrongBytes, 1, "the content has the digest"),
        (manifest, Misdeed::answer("200 OK", "<html>"), 1, "the manifest is not JSON"),
        (
            manifest,
            Misdeed::answer("200 OK\r\nDocker-Content-Digest: sha256:00", "{}"),
            1,
            "the manifest is neither an image nor an index",
        ),
        (manifest, Misdeed::Stall(10), 2, "too slow"),
        (blob, Misdeed::WrongBytes, 1, "the content has the digest"),
        (blob, Misdeed::answer("200 OK", "abcde"), 1, "the content has 5 bytes, expected"),
        (blob, Misdeed::Stall(10), 2, "too slow"),
        (blob, Misdeed::answer("307 X\r\nLocation: file:///etc/passwd", ""), 2, "unexpected answer: "),
    ]
}

/// Runs a command against each lie, and then without.
fn check(
    place: &Place,
    registry: &Registry,
    command: &[&str],
    run: impl Fn(&[&str]) -> Output,
    succeeds: impl Fn(&[&str]),
) {
    // Nobody waits long for who is silent.
    let command = [command, &["--retry", "0", "--plain-http"]].concat();
    let hasty = [&command[..], &["--stall-timeout", "200ms"]].concat();
    let before = place.names();
    for (request, misdeed, code, expected) in lies() {
        done(place.fbc(&["cache", "clean"]));
        registry.state.lock().unwrap().insists_on = Some((request.to_owned(), misdeed.clone()));
        let output = run(&hasty);
        let told = text(&output.stderr);
        let what = format!("{command:?} {request} {misdeed:?}: {told}");
        assert_eq!(output.status.code(), Some(code), "{what}");
        assert!(told.contains("error: ") && told.contains(expected), "{what}");
        assert!(output.stdout.is_empty(), "{what}");
        assert_eq!(place.names(), before, "{what}");
        registry.state.lock().unwrap().insists_on = None;
        succeeds(&command);
    }
}

#[test]
fn a_base_that_is_not_what_it_says() {
    let place = Place::new();
    let (registry, image, _) = registry_with_catalog(&place);
    let sample = testdata("sample-catalog");
    for target in ["oci:out", "oci-archive:out"] {
        let build = ["build", &sample, "--base", &image, "-q", "-o", target];
        let run = |command: &[&str]| place.fbc(command);
        check(&place, &registry, &build, run, |command| {
            done(run(command));
            assert!(done(place.fbc(&["validate", target])).contains("no problems"));
            let out = place.path().join("out");
            let _ = std::fs::remove_dir_all(&out).or_else(|_| std::fs::remove_file(&out));
        });
    }
}

#[test]
fn an_image_to_serve_that_is_not_what_it_says() {
    let place = Place::new();
    let (registry, image, _) = registry_with_catalog(&place);
    let serve = ["serve", &image, "--http", "127.0.0.1:0", "--poll", "never"];
    // One that serves is ended.
    let run = |command: &[&str]| {
        let mut child = place.command(command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut told = String::new();
        for line in BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok) {
            told.push_str(&line);
            if line.contains("serving api=\"http\"") {
                child.kill().unwrap();
            }
        }
        let output = child.wait_with_output();
        Output { stderr: told.into_bytes(), ..output }
    };
    check(&place, &registry, &serve, run, |command| {
        let output = run(command);
        assert!(text(&output.stderr).contains("serving api=\"http\""), "{output:?}");
    });
}

#[test]
fn a_source_of_copies_that_is_not_what_it_says() {
    for target in ["--to-dir", "--to"] {
        let place = Place::new();
        let (registry, image, _) = registry_with_catalog(&place);
        let rendered = done(place.plain(&["render", &image]));
        place.write_image_set(&image);
        let before = place.names();
        let flags = ["--retry", "0", "--parallel", "1", "--plain-http"];
        for (request, misdeed, _, expected) in lies() {
            let to = if target == "--to" { Registry::in_thread().host } else { "carried".to_owned() };
            let run = [&["mirror", "--config", "set.yaml", target, &to], &flags[..]].concat();
            done(place.fbc(&["cache", "clean"]));
            registry.misbehave(request, misdeed.clone());
            let output = place.fbc(&[&run[..], &["--stall-timeout", "200ms"]].concat());
            let what = format!("{target} {request} {misdeed:?}: {}", text(&output.stderr));
            // Nothing was copied, whatever the reason.
            let told = refused(&output, 2);
            assert!(told.contains("error: ") && told.contains(expected), "{what}");
            assert!(told.contains("1 image could not be copied"), "{what}");
            assert_eq!(place.names(), before, "{what}");
            done(place.fbc(&run));
            let copy = match target {
                "--to" => format!("{to}/me/catalog:v1"),
                _ => "oci:carried:me/catalog:v1".to_owned(),
            };
            assert_eq!(done(place.plain(&["render", &copy])), rendered, "{what}");
            for name in place.names().iter().filter(|name| !before.contains(name)) {
                std::fs::remove_dir_all(place.path().join(name)).unwrap();
            }
        }
    }
}

/// A destination that says it has what it has not, that takes what it does not keep, and that does not answer.
#[test]
fn a_destination_that_is_not_what_it_says() {
    let source = Source::new();
    let (index, place) = (Source::index(), &source.place);
    done(source.mirror(&[&index, "--to-dir", "carried"]));
    let before = place.names();
    let catalog = "team/index:v4.19";
    let unknown = r#"{"errors":[{"code":"MANIFEST_BLOB_UNKNOWN","message":"blob unknown to registry"}]}"#;
    let cases: [(&[(&str, Misdeed)], &str); 5] = [
        (
            &[
                ("HEAD /v2/team/operand/blobs/", Misdeed::answer("200 OK", "")),
                ("PUT /v2/team/operand/manifests/", Misdeed::answer("400 Bad Request", unknown)),
            ],
            "MANIFEST_BLOB_UNKNOWN: blob unknown to registry",
        ),
        (
            &[("PUT /v2/team/operand/manifests/", Misdeed::answer("500 Oops", ""))],
            "the registry failed (status 500)",
        ),
        (
            &[("POST /v2/team/operand/blobs/", Misdeed::answer("202 Accepted", ""))],
            "does not say where to send the blob",
        ),
        (
            &[("POST /v2/team/operand/blobs/", Misdeed::answer("202 Accepted\r\nLocation: http://[", ""))],
            "does not say where to send the blob",
        ),
        (&[("PUT /v2/team/operand/blobs/", Misdeed::answer("400 Bad Request", ""))], "400"),
    ];
    for from_directory in [false, true] {
        for (misdeeds, expected) in &cases {
            let destination = Registry::in_thread();
            let to = &destination.host;
            for (request, misdeed) in *misdeeds {
                destination.misbehave(request, misdeed.clone());
            }
            let run = match from_directory {
                true => vec!["mirror", "--from-dir", "carried", "--to", to, "--plain-http", "--retry", "0"],
                false => Source::arguments(&[&index, "--to", to]),
            };
            let output = place.fbc(&run);
            let what = format!("{from_directory} {misdeeds:?}: {}", text(&output.stderr));
            let told = refused(&output, 1);
            assert!(told.contains("error: ") && told.contains(expected), "{what}");
            assert!(told.contains("1 catalog not copied, because images are missing"), "{what}");
            assert!(!destination.state.lock().unwrap().manifests.contains_key(catalog), "{what}");
            std::fs::remove_dir_all(place.path().join("mirror-manifests")).unwrap();
            done(place.fbc(&run));
            assert!(destination.state.lock().unwrap().manifests.contains_key(catalog), "{what}");
            std::fs::remove_dir_all(place.path().join("mirror-manifests")).unwrap();
            assert_eq!(place.names(), before, "{what}");
        }
    }
}

#[test]
fn signatures_that_are_not_what_they_say() {
    let place = Place::new();
    let (registry, image, digest) = registry_with_catalog(&place);
    place.write("passphrase", "x");
    done(place.fbc(&["sign", "--generate-key", "key", "--passphrase-file", "passphrase"]));
    let sign = ["sign", &image, "--key", "key.key", "--passphrase-file", "passphrase"];
    done(place.plain(&[&sign[..], &["--store", "tag", "--store", "referrer"]].concat()));
    let key = place.path().join("key.pub");
    let policy = serde_json::json!({ "default": [{ "type": "sigstoreSigned", "keyPath": key }] });
    place.write("policy.json", policy.to_string());
    let hex = digest.replace(':', "-");
    let tag = format!("GET /v2/me/catalog/manifests/{hex}.sig");
    let payload = "GET /v2/me/catalog/blobs/";
    let hasty = ["--stall-timeout", "200ms"];
    for (request, misdeed, expected) in [
        (tag.as_str(), Misdeed::WrongBytes, "the content has the digest"),
        (&tag, Misdeed::answer("200 OK", "<html>"), "the manifest is not JSON"),
        (&tag, Misdeed::answer("503 Busy", ""), "the registry failed (status 503)"),
        (&tag, Misdeed::Stall(10), "too slow"),
        (payload, Misdeed::WrongBytes, "the content has the digest"),
        (payload, Misdeed::answer("200 OK", "abcde"), "the content has 5 bytes, expected"),
        (payload, Misdeed::answer("404 X", ""), "(status 404)"),
        (payload, Misdeed::Stall(10), "too slow"),
        ("GET /v2/me/catalog/manifests/v1", Misdeed::WrongBytes, "the content has the digest"),
    ] {
        for more in [["--key", "key.pub"], ["--signature-policy", "policy.json"]] {
            let verify = [&["verify", &image], &more[..], &["--retry", "0", "--plain-http"]].concat();
            registry.misbehave(request, misdeed.clone());
            let output = place.fbc(&[&verify[..], &hasty].concat());
            let told = text(&output.stderr);
            let what = format!("{more:?} {request} {misdeed:?}: {told}");
            // What cannot be read is no proof; the other signature must not be one by chance either.
            assert!(matches!(output.status.code(), Some(1 | 2)), "{what}");
            assert!(output.stdout.is_empty(), "{what}");
            assert!(told.contains("error: ") && told.contains(expected), "{what}");
            assert!(registry.state.lock().unwrap().misdeeds.is_empty(), "{what}");
            assert!(done(place.fbc(&verify)).contains("signature verified"), "{what}");
        }
    }
}
