//! `fbc build` and what reads its images: fbc itself, and skopeo, umoci and podman where they are installed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use fbc_testing::{Fbc, testdata};

/// Runs fbc in a directory.
fn fbc(place: &Path, arguments: &[&str]) -> Output {
    crate::fbc().args(arguments).current_dir(place).output()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The standard output of a command that must succeed.
fn done(output: Output) -> String {
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    text(&output.stdout)
}

fn refused(output: &Output, code: i32) -> String {
    assert_eq!(output.status.code(), Some(code), "{output:?}");
    text(&output.stderr)
}

fn build(place: &Path, more: &[&str]) -> String {
    let sample = testdata("sample-catalog");
    done(fbc(place, &[&["build", "-q", sample.to_str().unwrap()], more].concat())).trim().to_owned()
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Files below a directory with their bytes.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut pending = vec![PathBuf::new()];
    while let Some(below) = pending.pop() {
        for name in names(&folder.join(&below)) {
            let path = below.join(name);
            if folder.join(&path).is_dir() {
                pending.push(path);
            } else {
                found.push((path.clone(), fs::read(folder.join(path)).unwrap()));
            }
        }
    }
    found.sort();
    found
}

/// A program of somebody else; `None`, and a word about it, where it is not installed.
fn client(program: &str) -> Option<impl Fn(&Path, &[&str]) -> Output + use<>> {
    if !fbc_testing::is_installed(program) {
        return None;
    }
    let program = program.to_owned();
    Some(move |place: &Path, arguments: &[&str]| {
        Command::new(&program).args(arguments).current_dir(place).env("HOME", place).output().unwrap()
    })
}

#[test]
fn every_form_is_a_catalog() {
    let place = tempfile::tempdir().unwrap();
    let sample = testdata("sample-catalog");
    let expected = done(fbc(place.path(), &["render", sample.to_str().unwrap()]));
    for (index, form) in ["oci", "oci-archive", "docker-archive"].into_iter().enumerate() {
        for compression in ["gzip", "zstd"] {
            let image = format!("{form}:{index}-{compression}");
            build(place.path(), &["-o", &image, "--compression", compression]);
            assert_eq!(done(fbc(place.path(), &["render", &image])), expected, "{image}");
            let folder = format!("unpacked-{index}-{compression}");
            done(fbc(place.path(), &["unpack", &image, &folder, "--path", "/configs"]));
            assert_eq!(files(&place.path().join(&folder)), files(&sample));
            let told = done(fbc(place.path(), &["validate", &image]));
            assert!(told.contains("no problems"), "{told}");
        }
    }
}

#[test]
fn a_directory_of_the_user_stays() {
    let place = tempfile::tempdir().unwrap();
    build(place.path(), &["-o", "oci:image"]);
    std::fs::create_dir(place.path().join("mine")).unwrap();
    for (folder, stays) in [("mine", true), ("new", false)] {
        let told = refused(&fbc(place.path(), &["unpack", "oci:image", folder, "--path", "/nope"]), 1);
        assert!(told.contains("holds nothing at /nope"), "{told}");
        assert_eq!(place.path().join(folder).exists(), stays, "{folder}");
    }
}

#[test]
fn findings_name_the_image() {
    let place = tempfile::tempdir().unwrap();
    let broken = testdata("two-findings");
    let broken = broken.to_str().unwrap();
    let told = refused(&fbc(place.path(), &["build", broken, "-o", "oci:x"]), 1);
    assert!(told.contains("is not valid"), "{told}");
    assert!(names(place.path()).is_empty());
    done(fbc(place.path(), &["build", broken, "-o", "oci:x", "--no-validate"]));
    let findings = fbc(place.path(), &["validate", "oci:x", "--format", "concise"]);
    assert!(text(&findings.stdout).starts_with("oci:x/configs/catalog.yaml:"), "{}", text(&findings.stdout));
}

#[test]
fn a_bundle_image_is_a_bundle() {
    let place = tempfile::tempdir().unwrap();
    let bundle = testdata("lighthouse-bundle");
    let bundle = bundle.to_str().unwrap();
    done(fbc(
        place.path(),
        &["build", "--bundle", bundle, "-o", "oci-archive:b.tar", "-t", "quay.io/x/b:v1"],
    ));
    assert_eq!(
        done(fbc(place.path(), &["render", "oci-archive:b.tar"])),
        done(fbc(place.path(), &["render", bundle]))
    );
    let told = refused(
        &fbc(place.path(), &["build", "--bundle", place.path().to_str().unwrap(), "-o", "oci:/tmp/x"]),
        1,
    );
    assert!(told.contains("help: fix the bundle"), "{told}");
}

#[test]
fn the_same_digest_whatever_the_threads() {
    let place = tempfile::tempdir().unwrap();
    let one = build(place.path(), &["-o", "oci:one", "--threads", "1"]);
    assert_eq!(build(place.path(), &["-o", "oci:four", "--threads", "4", "--verify-reproducible"]), one);
    assert_eq!(files(&place.path().join("one")), files(&place.path().join("four")));
    let other = build(place.path(), &["-o", "oci:later", "--source-date-epoch", "1700000000"]);
    assert_ne!(other, one);
}

#[test]
fn files_for_scripts() {
    let place = tempfile::tempdir().unwrap();
    let more = ["-o", "oci:x", "-t", "quay.io/me/c:v1", "--digest-file", "d", "--metadata-file", "m"];
    let digest = build(place.path(), &more);
    assert_eq!(fs::read_to_string(place.path().join("d")).unwrap(), digest);
    let metadata: serde_json::Value =
        serde_json::from_slice(&fs::read(place.path().join("m")).unwrap()).unwrap();
    assert_eq!(metadata["containerimage.digest"], digest.as_str());
    assert_eq!(metadata["image.name"], "quay.io/me/c:v1");
    let index = fs::read_to_string(place.path().join("x/index.json")).unwrap();
    assert!(index.contains(r#""org.opencontainers.image.ref.name":"quay.io/me/c:v1""#), "{index}");
}

#[test]
fn targets_that_are_in_the_way() {
    let place = tempfile::tempdir().unwrap();
    let catalog = place.path().join("catalog");
    fs::create_dir(&catalog).unwrap();
    fs::copy(testdata("two-findings/catalog.yaml"), catalog.join("catalog.yaml")).unwrap();
    for target in ["oci:catalog", "oci:catalog/new/image", "oci-archive:catalog/image.tar"] {
        let told = refused(&fbc(place.path(), &["build", "--no-validate", "catalog", "-o", target]), 2);
        assert!(told.contains("lies in the directory that is built"), "{told}");
    }
    assert_eq!(names(&catalog), ["catalog.yaml"]);
    fs::write(place.path().join("file"), "mine").unwrap();
    refused(&fbc(place.path(), &["build", "--no-validate", "catalog", "-o", "oci:file/image"]), 2);
    assert_eq!(names(place.path()), ["catalog", "file"]);
}

/// No room on the disk, as far as a limit of file sizes can play it: nothing stays but what was there.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_nothing() {
    let place = tempfile::tempdir().unwrap();
    build(place.path(), &["-o", "oci-archive:image.tar"]);
    let before = fs::read(place.path().join("image.tar")).unwrap();
    let script = format!(
        "ulimit -f 0; trap '' XFSZ; exec {} build {} -o oci-archive:image.tar --label more=1",
        crate::FBC,
        testdata("sample-catalog").display()
    );
    let output = Fbc::at("bash").args(["-c", &script]).current_dir(place.path()).output();
    let told = refused(&output, 2);
    assert!(told.contains("error: cannot write"), "{told}");
    assert_eq!(fs::read(place.path().join("image.tar")).unwrap(), before);
    assert_eq!(names(place.path()), ["image.tar"]);
}

#[test]
fn the_cache_is_shown_and_emptied() {
    let place = tempfile::tempdir().unwrap();
    let blobs = place.path().join("cache/blobs/sha256");
    fs::create_dir_all(&blobs).unwrap();
    fs::write(blobs.join("a".repeat(64)), "blob").unwrap();
    let info = done(fbc(place.path(), &["cache", "info", "--cache-dir", "cache", "-o", "json"]));
    let info: serde_json::Value = serde_json::from_str(&info).unwrap();
    assert_eq!((&info["blobs"], &info["bytes"]), (&1.into(), &4.into()));
    done(fbc(place.path(), &["cache", "clean", "--cache-dir", "cache"]));
    assert!(names(&blobs).is_empty());
}

#[test]
fn skopeo_reads_what_we_write() {
    let place = tempfile::tempdir().unwrap();
    let Some(skopeo) = client("skopeo") else { return };
    let platforms = ["--platform", "linux/amd64,linux/arm64"];
    let digest = build(place.path(), &[&["-o", "oci:all:v1", "--label", "a=b"], &platforms[..]].concat());
    let one = ["inspect", "--override-os", "linux", "--override-arch", "arm64"];
    let shown = done(skopeo(place.path(), &[&one[..], &["oci:all:v1"]].concat()));
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!((&shown["Digest"], &shown["Architecture"]), (&digest.as_str().into(), &"arm64".into()));
    assert_eq!(shown["Labels"]["operators.operatorframework.io.index.configs.v1"], "/configs");
    assert_eq!(shown["Labels"]["a"], "b");
    // Every form goes through skopeo into every other, and is read by us again.
    let expected = done(fbc(place.path(), &["render", "oci:all:v1"]));
    for from in ["oci:one:v1", "oci-archive:one.tar:v1", "docker-archive:one.docker:me/catalog:v1"] {
        build(place.path(), &["-o", from]);
        for (index, to) in ["oci:copy", "oci-archive:copy", "docker-archive:copy"].into_iter().enumerate() {
            let to = format!("{to}-{}-{index}:me/copy:v2", from.replace([':', '/', '.'], "-"));
            done(skopeo(place.path(), &["--insecure-policy", "copy", "-q", from, &to]));
            assert_eq!(done(fbc(place.path(), &["render", &to])), expected, "{from} {to}");
        }
    }
}

/// Shows D-CVO-21, D-CVO-22, D-CVO-23
#[test]
fn a_release_image_is_extracted() {
    let Some(umoci) = client("umoci") else { return };
    let place = tempfile::tempdir().unwrap();
    done(umoci(place.path(), &["init", "--layout", "release"]));
    done(umoci(place.path(), &["new", "--image", "release:v"]));
    for directory in ["manifests", "release-manifests"] {
        let content = testdata("scenarios/updates/payload-4.19.0").join(directory);
        let (content, inside) = (content.to_str().unwrap(), format!("/{directory}"));
        done(umoci(place.path(), &["insert", "--rootless", "--image", "release:v", content, &inside]));
    }
    let said = done(fbc(place.path(), &["release", "extract", "oci:release:v", "out"]));
    let words: Vec<&str> = said.split_whitespace().collect();
    assert!(said.starts_with("Extracted release payload from digest sha256:"), "{said}");
    assert!(
        words[words.len() - 3..].starts_with(&["created", "at"]) && said.trim_end().ends_with('Z'),
        "{said}"
    );
    let files = names(&place.path().join("out/release-manifests"));
    assert_eq!(files.first().unwrap(), "0000_20_kube-apiserver-operator_00_namespace.yaml");
    assert_eq!(
        &files[files.len() - 3..],
        ["0000_99_machine-api-operator_00_tombstones.yaml", "image-references", "release-metadata"]
    );
    done(fbc(place.path(), &["release", "graph", "out"]));
    std::fs::remove_file(place.path().join("out/release-manifests/image-references")).unwrap();
    let output = fbc(place.path(), &["release", "verify", "out"]);
    assert!(text(&output.stdout).contains("image-references"), "{}", text(&output.stdout));
}

#[test]
fn umoci_unpacks_what_we_write() {
    let place = tempfile::tempdir().unwrap();
    let Some(umoci) = client("umoci") else { return };
    build(place.path(), &["-o", "oci:layout:v1"]);
    build(place.path(), &["-o", "oci:layout:v2", "--base", "oci:layout:v1", "--label", "second=yes"]);
    done(umoci(place.path(), &["unpack", "--rootless", "--image", "layout:v2", "bundle"]));
    assert_eq!(files(&place.path().join("bundle/rootfs/configs")), files(&testdata("sample-catalog")));
}

#[test]
fn podman_loads_what_we_write() {
    let place = tempfile::tempdir().unwrap();
    let Some(podman) = client("podman") else { return };
    let storage = ["--root", "storage", "--runroot", "run", "--storage-driver", "vfs"];
    if !podman(place.path(), &[&storage[..], &["info"]].concat()).status.success() {
        return fbc_testing::skip("podman does not run here");
    }
    for (target, path) in [("docker-archive:d.tar", "d.tar"), ("oci-archive:o.tar", "o.tar")] {
        build(place.path(), &["-o", target, "-t", "localhost/me/catalog:v1"]);
        let told = done(podman(place.path(), &[&storage[..], &["load", "-q", "-i", path]].concat()));
        assert!(told.contains("localhost/me/catalog:v1"), "{told}");
    }
    done(podman(
        place.path(),
        &[&storage[..], &["save", "-q", "-o", "saved.tar", "localhost/me/catalog:v1"]].concat(),
    ));
    let saved = "docker-archive:saved.tar:localhost/me/catalog:v1";
    assert_eq!(
        done(fbc(place.path(), &["render", saved])),
        done(fbc(place.path(), &["render", "oci-archive:o.tar"]))
    );
}
