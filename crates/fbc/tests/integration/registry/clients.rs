//! skopeo and podman read what we push, and we read what they push.

use std::process::{Command, Output};

use super::support::{Place, done, testdata};
use fbc_testing::is_installed;
use fbc_testing::registry::{skopeo, start};

#[test]
fn skopeo_and_we_read_each_other() {
    if !is_installed("docker-registry") || !is_installed("skopeo") {
        return;
    }
    let place = Place::new();
    let server = start(place.path(), "http: {addr: HOST}\n");
    let host = &server.host;
    let sample = testdata("sample-catalog");
    let expected = done(place.fbc(&["render", &sample]));
    for (tag, more) in [
        ("gzip", &[][..]),
        ("zstd", &["--compression", "zstd"]),
        ("two", &["--platform", "linux/amd64,linux/arm64"]),
    ] {
        let image = format!("{host}/me/catalog:{tag}");
        let digest = done(place.plain(&[&["build", &sample, "--push", "-q", "-t", &image], more].concat()));
        let theirs = format!("docker://{image}");
        let told = skopeo(&["inspect", "--tls-verify=false", "--override-os", "linux", &theirs]);
        let told: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert_eq!(told["Digest"], digest.trim());
        assert_eq!(told["Labels"]["operators.operatorframework.io.index.configs.v1"], "/configs");
        // skopeo checks every digest on the way.
        let layout = format!("oci:{}/{tag}:v1", place.path().display());
        skopeo(&["copy", "-q", "--all", "--src-tls-verify=false", &theirs, &layout]);
        assert_eq!(done(place.fbc(&["render", &format!("oci:{tag}:v1")])), expected);
        for (format, extra) in [("oci", "--all"), ("v2s2", "-q")] {
            let back = format!("{host}/back/{format}:{tag}");
            if format == "v2s2" && tag != "gzip" {
                continue;
            }
            let to = format!("docker://{back}");
            skopeo(&["copy", "-q", extra, "--dest-tls-verify=false", "--format", format, &layout, &to]);
            assert_eq!(done(place.plain(&["render", &back])), expected);
            done(place.plain(&["pull", &back, &format!("oci:pulled-{format}-{tag}"), "-q"]));
            assert_eq!(done(place.fbc(&["render", &format!("oci:pulled-{format}-{tag}")])), expected);
        }
    }
}

#[test]
fn podman_and_we_read_each_other() {
    if !is_installed("docker-registry") || !is_installed("podman") {
        return;
    }
    let place = Place::new();
    let storage = ["--root", "storage-podman", "--runroot", "run", "--storage-driver", "vfs"];
    let podman = |arguments: &[&str]| -> Output {
        let mut command = Command::new("podman");
        command.args(storage).args(arguments).current_dir(place.path()).env("HOME", place.path());
        command.output().unwrap()
    };
    if !podman(&["info"]).status.success() {
        return fbc_testing::skip("podman does not run here");
    }
    let server = start(place.path(), "http: {addr: HOST}\n");
    let host = &server.host;
    let sample = testdata("sample-catalog");
    let image = format!("{host}/me/catalog:v1");
    let digest = done(place.plain(&["build", &sample, "--push", "-q", "-t", &image]));
    done(podman(&["pull", "-q", "--tls-verify=false", &image]));
    let told = done(podman(&["image", "inspect", "--format", "{{.Digest}}", &image]));
    assert_eq!(told, digest);
    let back = format!("{host}/back/catalog:v1");
    done(podman(&["push", "-q", "--tls-verify=false", &image, &back]));
    assert_eq!(done(place.plain(&["render", &back])), done(place.fbc(&["render", &sample])));
}
