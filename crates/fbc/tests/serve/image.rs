//! A catalog image that runs: built by `fbc build --serve`, run by podman.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::server::sample;

fn fbc(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_fbc")).args(arguments).current_dir(folder).output().unwrap()
}

/// An fbc that runs without libraries: the one that is tested, or another one that the environment names.
fn static_binary() -> Option<PathBuf> {
    let place = tempfile::tempdir().unwrap();
    let named = std::env::var_os("FBC_STATIC_BINARY").map(PathBuf::from);
    let path = named.unwrap_or_else(|| env!("CARGO_BIN_EXE_fbc").into());
    let (binary, sample) = (path.to_string_lossy(), sample().to_string_lossy().into_owned());
    let arguments = ["build", "--to", "oci:image", "--serve-binary", &binary, &sample];
    let output = fbc(place.path(), &arguments);
    if output.status.success() {
        return Some(path);
    }
    // What is linked dynamically is refused, and the words say why and what helps.
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("is linked dynamically") && text.contains("--serve-binary"), "{text}");
    None
}

#[test]
fn podman_runs_a_catalog_image() {
    let Some(binary) = static_binary() else {
        return fbc_testing::skip("fbc is linked dynamically, and FBC_STATIC_BINARY names no other");
    };
    if !fbc_testing::is_installed("podman") {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let storage =
        ["--root", "storage", "--runroot", "run", "--storage-driver", "vfs", "--cgroup-manager", "cgroupfs"];
    let podman = |arguments: &[&str]| {
        let mut command = Command::new("podman");
        command.args(storage).args(arguments).current_dir(place.path());
        command.output().unwrap()
    };
    let said = |output: &Output| {
        String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
    };
    let (binary, sample) = (binary.to_string_lossy().into_owned(), sample().to_string_lossy().into_owned());
    let to = ["--to", "docker-archive:image.tar", "--tag", "example.com/me/catalog:v1"];
    let built =
        fbc(place.path(), &[&["build", &sample, "--serve", "--serve-binary", &binary], &to[..]].concat());
    assert!(built.status.success(), "{}", said(&built));
    let loaded = podman(&["load", "-q", "-i", "image.tar"]);
    if !loaded.status.success() {
        return fbc_testing::skip(&format!("podman does not load images here: {}", said(&loaded)));
    }
    let image = "example.com/me/catalog:v1";
    let run = ["run", "--rm", "--network", "none", "--cgroups", "disabled", "--read-only"];
    let checked =
        podman(&[&run[..], &[image, "serve", "/configs", "--cache-dir=/tmp/cache", "--cache-only"]].concat());
    if !checked.status.success() && said(&checked).contains("OCI") {
        return fbc_testing::skip(&format!("podman does not run containers here: {}", said(&checked)));
    }
    assert!(checked.status.success(), "{}", said(&checked));
    // As it is, for a while: it serves until it is asked to end.
    let started = podman(&[&["run", "-d", "--name", "it"], &run[2..], &[image]].concat());
    assert!(started.status.success(), "{}", said(&started));
    while !said(&podman(&["logs", "it"])).contains("serving api=\"grpc\"") {}
    let stopped = podman(&["stop", "-t", "20", "it"]);
    assert!(stopped.status.success(), "{}", said(&stopped));
    let code = podman(&["inspect", "--format", "{{.State.ExitCode}}", "it"]);
    assert_eq!(said(&code).trim(), "0");
}
