//! A catalog image that runs: built by `fbc build --serve`, run by podman, and in a root directory of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::grpcio;
use crate::server::{Server, sample};

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

/// The libraries that a program is linked with, and what loads them; none for a static one.
fn libraries(program: &Path) -> Vec<String> {
    let output = Command::new("ldd").arg(program).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let path = |word: &str| word.starts_with('/').then(|| word.to_owned());
    text.lines().filter_map(|line| line.split_whitespace().find_map(path)).collect()
}

#[test]
fn the_files_of_an_image_are_all_that_it_needs() {
    if !["umoci", "chroot", "ldd"].into_iter().all(fbc_testing::is_installed) {
        return;
    }
    if Command::new("id").arg("-u").output().unwrap().stdout != b"0\n" {
        return fbc_testing::skip("only root runs programs in a root directory of their own");
    }
    let Some(python) = grpcio::python() else { return };
    let place = tempfile::tempdir().unwrap();
    let umoci = |arguments: &[&str]| {
        let output = Command::new("umoci").args(arguments).current_dir(place.path()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    umoci(&["init", "--layout", "base"]);
    umoci(&["new", "--image", "base:latest"]);
    let program = PathBuf::from(env!("CARGO_BIN_EXE_fbc"));
    for library in libraries(&program) {
        let whole = std::fs::canonicalize(&library).unwrap();
        umoci(&["insert", "--image", "base:latest", &whole.to_string_lossy(), &library]);
    }
    let (program, sample) = (program.to_string_lossy().into_owned(), sample().to_string_lossy().into_owned());
    let arguments = ["build", &sample, "--serve", "--serve-binary", &program, "--base", "oci:base:latest"];
    let built = fbc(place.path(), &[&arguments[..], &["--to", "oci:image:latest"]].concat());
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    umoci(&["unpack", "--image", "image:latest", "bundle"]);
    let configuration = std::fs::read_to_string(place.path().join("bundle/config.json")).unwrap();
    let configuration: Value = serde_json::from_str(&configuration).unwrap();
    let process = &configuration["process"];
    let arguments = process["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
    let user = format!("{}:{}", process["user"]["uid"], process["user"]["gid"]);
    assert_eq!(user, "1001:0");
    let mut command = Command::new("chroot");
    command.args(["--userspec", &user]).arg(place.path().join("bundle/rootfs")).args(arguments);
    // The port of the image may be taken.
    command.args(["--port", "0"]).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
    let server = Server::of(command, 1);
    let port = server.addresses[0].rsplit(':').next().unwrap();
    grpcio::assert_serves_sample(python, &format!("127.0.0.1:{port}"));
    assert_eq!(server.end(), Some(0));
}
