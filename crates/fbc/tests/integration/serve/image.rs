//! A catalog image that runs: built by `fbc build --serve`, run by podman, and in a root directory of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use fbc_testing::Fbc;
use fbc_testing::containers::{Podman, make_base, said, umoci};
use serde_json::Value;

use super::grpcio;
use super::server::{Server, sample};

fn fbc(place: &Path, arguments: &[&str]) -> Output {
    crate::fbc().args(arguments).current_dir(place).output()
}

/// The flags of a build that brings a program which runs: alone if it is static, on an image of its libraries otherwise.
/// Nothing, and the test counts as skipped, where that image cannot be made.
fn program(place: &Path) -> Option<Vec<String>> {
    let named = std::env::var_os("FBC_STATIC_BINARY").map(PathBuf::from);
    let path = named.unwrap_or_else(|| crate::FBC.into());
    let mut flags = vec!["--serve-binary".to_owned(), path.to_string_lossy().into_owned()];
    let sample = sample().to_string_lossy().into_owned();
    let alone = fbc(place, &["build", "--to", "oci:alone", &flags[0], &flags[1], &sample]);
    if alone.status.success() {
        return Some(flags);
    }
    // What is linked dynamically is refused, and the words say why and what helps.
    let text = said(&alone);
    assert_eq!(alone.status.code(), Some(2), "{text}");
    assert!(text.contains("is linked dynamically") && text.contains("--serve-binary"), "{text}");
    if !["umoci", "ldd"].into_iter().all(fbc_testing::is_installed) {
        return None;
    }
    make_base(place, &path);
    flags.extend(["--base", "oci:base:latest"].map(str::to_owned));
    Some(flags)
}

/// Builds the image of the sample catalog.
fn build(place: &Path, program: &[String], to: &[&str]) {
    let sample = sample().to_string_lossy().into_owned();
    let program: Vec<&str> = program.iter().map(String::as_str).collect();
    let built = fbc(place, &[&["build", &sample, "--serve"], &program[..], to].concat());
    assert!(built.status.success(), "{}", said(&built));
}

/// The container `it`, which is removed when this is dropped, however the test ends.
struct Container<'f>(Podman<'f>);

impl Drop for Container<'_> {
    fn drop(&mut self) {
        self.0.output(&["rm", "--force", "it"]);
    }
}

#[test]
fn podman_runs_a_catalog_image() {
    if !fbc_testing::is_installed("podman") {
        return;
    }
    let place = tempfile::tempdir().unwrap();
    let Some(program) = program(place.path()) else { return };
    build(
        place.path(),
        &program,
        &["--to", "docker-archive:image.tar", "--tag", "example.com/me/catalog:v1"],
    );
    let podman = Podman(place.path());
    if podman.take(&["load", "-q", "-i", "image.tar"]).is_none() {
        return;
    }
    let image = "example.com/me/catalog:v1";
    let options = ["--network", "none", "--read-only"];
    let check = ["--rm", image, "serve", "/configs", "--cache-dir=/tmp/cache", "--cache-only"];
    let Some((run, _)) = podman.run(&[&options[..], &check].concat()) else { return };
    // As it is, for a while: it serves until it is asked to end.
    let _container = Container(podman);
    let started = podman.output(&[run, &options[..], &["-d", "--name", "it", image]].concat());
    assert!(started.status.success(), "{}", said(&started));
    while !said(&podman.output(&["logs", "it"])).contains("serving api=\"grpc\"") {
        let state = said(&podman.output(&["inspect", "--format", "{{.State.Running}}", "it"]));
        assert_eq!(state.trim(), "true", "{}", said(&podman.output(&["logs", "it"])));
    }
    let stopped = podman.output(&["stop", "-t", "20", "it"]);
    assert!(stopped.status.success(), "{}", said(&stopped));
    let code = podman.output(&["inspect", "--format", "{{.State.ExitCode}}", "it"]);
    assert_eq!(said(&code).trim(), "0");
}

#[test]
fn the_files_of_an_image_are_all_that_it_needs() {
    if !["umoci", "chroot"].into_iter().all(fbc_testing::is_installed) {
        return;
    }
    if Command::new("id").arg("-u").output().unwrap().stdout != b"0\n" {
        return fbc_testing::skip("only root runs programs in a root directory of their own");
    }
    let Some(python) = grpcio::python() else { return };
    let place = tempfile::tempdir().unwrap();
    let Some(program) = program(place.path()) else { return };
    build(place.path(), &program, &["--to", "oci:image:latest"]);
    umoci(place.path(), &["unpack", "--image", "image:latest", "bundle"]);
    let configuration = std::fs::read_to_string(place.path().join("bundle/config.json")).unwrap();
    let configuration: Value = serde_json::from_str(&configuration).unwrap();
    let process = &configuration["process"];
    let arguments = process["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
    let user = format!("{}:{}", process["user"]["uid"], process["user"]["gid"]);
    assert_eq!(user, "1001:0");
    let mut command = Fbc::at("chroot");
    command.args(["--userspec", &user]).arg(place.path().join("bundle/rootfs")).args(arguments);
    // The port of the image may be taken.
    command.args(["--port", "0"]).env_remove("HOME").env_remove("TMPDIR");
    let server = Server::start_command(&mut command, 1);
    let port = server.addresses[0].rsplit(':').next().unwrap();
    grpcio::assert_serves_sample(python, &format!("127.0.0.1:{port}"));
    assert_eq!(server.end(), Some(0));
}
