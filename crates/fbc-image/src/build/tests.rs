//! Images that are built: equal on every machine, and what is in them.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::fs;

use oci_spec::image::MediaType;

use super::*;
use crate::store::FolderImage;
use crate::testing::{MemoryImage, archive, raw};

fn sample() -> (tempfile::TempDir, Contents) {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("catalog");
    fs::create_dir_all(folder.join("etcd")).unwrap();
    fs::write(folder.join("etcd/catalog.yaml"), "schema: olm.package\nname: etcd\n").unwrap();
    fs::write(folder.join(".indexignore"), "README.md\n").unwrap();
    fs::write(folder.join("README.md"), "# etcd\n").unwrap();
    let contents = catalog([(folder.as_path(), Path::new(""))]).unwrap();
    (place, contents)
}

fn plain(contents: Contents) -> Build<'static> {
    Build {
        contents,
        labels: BTreeMap::new(),
        annotations: BTreeMap::new(),
        base: None,
        base_name: None,
        format: Format::Oci,
        platforms: Vec::new(),
        compression: Compression::Gzip,
        created: Moment { seconds: 0, text: "1970-01-01T00:00:00Z".to_owned() },
        servers: Vec::new(),
    }
}

fn names(list: &[&str]) -> Vec<PlatformName> {
    list.iter().map(|text| text.parse().unwrap()).collect()
}

/// A change here changes the digest of everybody's images: it belongs into the notes of a release.
#[test]
fn the_digest_of_the_sample() {
    let (place, contents) = sample();
    let blobs = BlobFolder::new(place.path().join("blobs"));
    let what = plain(contents);
    let built = build(&what, &blobs).unwrap();
    assert_eq!(
        built.layer.diff_id.as_ref(),
        "sha256:0f07544d9bd2cf7aa7e779e706c0cae76767c14291bcb9f926bff89de42efc7e"
    );
    assert_eq!(
        built.root.digest().as_ref(),
        "sha256:e8d934a8b6806c3d9eb5565407ed873d8c19c47371edb2de3a2b5a56788774ca"
    );
    let built = build(&Build { compression: Compression::Zstd, ..what }, &blobs).unwrap();
    assert_eq!(
        built.root.digest().as_ref(),
        "sha256:4a9d2ef484ddd17d8fb675477b6d21412c405e8bb2f732ead00690a95a61c54d"
    );
}

#[test]
fn dockers_media_types() {
    let (place, contents) = sample();
    let blobs = BlobFolder::new(place.path().join("blobs"));
    let base = MemoryImage::of_layers(&[archive(&[raw(b'0', "etc/os-release", "", b"x")])]);
    let platforms = names(&["linux/arm64", "linux/amd64"]);
    let what = Build { format: Format::Docker, platforms, ..plain(contents.clone()) };
    let built = build(&what, &blobs).unwrap();
    assert_eq!(
        built.root.media_type().to_string(),
        "application/vnd.docker.distribution.manifest.list.v2+json"
    );
    let source = FolderImage { root: built.root.clone(), blobs: blobs.clone() };
    let on_base = Build { format: Format::Docker, base: Some(&base), ..plain(contents.clone()) };
    let on_base = build(&on_base, &blobs).unwrap();
    let on_base = FolderImage { root: on_base.root.clone(), blobs: blobs.clone() };
    let images = [Image::all(&source).unwrap(), Image::all(&on_base).unwrap()].concat();
    assert_eq!(images.len(), 3);
    for image in &images {
        let docker = |kind: &MediaType, name: &str| {
            assert_eq!(kind.to_string(), format!("application/vnd.docker.{name}"));
        };
        docker(image.descriptor.media_type(), "distribution.manifest.v2+json");
        docker(image.manifest.config().media_type(), "container.image.v1+json");
        docker(image.manifest.layers().last().unwrap().media_type(), "image.rootfs.diff.tar.gzip");
        assert_eq!(image.manifest.annotations(), &None);
        assert_eq!(Format::of(image), Format::Docker);
    }
    for (what, message) in [
        (Build { compression: Compression::Zstd, ..plain(contents.clone()) }, "Docker's format has none"),
        (
            Build { annotations: BTreeMap::from([("a".to_owned(), "b".to_owned())]), ..plain(contents) },
            "has no annotations",
        ),
    ] {
        let error = build(&Build { format: Format::Docker, ..what }, &blobs).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
    }
}

#[test]
fn the_catalog_of_the_base_is_covered() {
    let (place, mut contents) = sample();
    let blobs = BlobFolder::new(place.path().join("blobs"));
    let lower = [raw(b'0', "configs/old/catalog.yaml", "", b"x"), raw(b'0', "etc/os-release", "", b"x")];
    let base = MemoryImage::of_layers(&[archive(&lower)]);
    contents.cover(CATALOG_FOLDER);
    let name = Some("quay.io/x/index:v1".to_owned());
    let built = build(&Build { base: Some(&base), base_name: name, ..plain(contents) }, &blobs).unwrap();
    assert_eq!(built.notes, [BaseNote::NoServer("nothing".to_owned())]);
    let source = FolderImage { root: built.root.clone(), blobs: blobs.clone() };
    let image = Image::select(&source, None).unwrap();
    let annotations = image.manifest.annotations().clone().unwrap();
    assert_eq!(annotations.get(BASE_NAME).unwrap(), "quay.io/x/index:v1");
    let target = place.path().join("target");
    crate::unpack::unpack(&image, &source, &target, &crate::unpack::Options::default()).unwrap();
    assert!(!target.join("configs/old").exists());
    assert!(target.join("configs/etcd/catalog.yaml").is_file() && target.join("etc/os-release").is_file());
}

#[test]
fn platforms_share_the_catalog() {
    let (place, contents) = sample();
    let blobs = BlobFolder::new(place.path().join("blobs"));
    let platforms = names(&["linux/s390x", "linux/amd64", "linux/amd64"]);
    let annotations = BTreeMap::from([("a".to_owned(), "b".to_owned())]);
    let built = build(&Build { platforms, annotations, ..plain(contents) }, &blobs).unwrap();
    let images = Image::all(&FolderImage { root: built.root.clone(), blobs: blobs.clone() }).unwrap();
    let shown: Vec<String> = images.iter().map(|image| image.platform().to_string()).collect();
    assert_eq!(shown, ["linux/amd64", "linux/s390x"]);
    for image in &images {
        assert_eq!(image.manifest.layers(), &vec![built.layer.descriptor.clone()]);
        assert_eq!(image.label(CATALOG_LABEL), Some("/configs"));
        assert_eq!(image.manifest.annotations().as_ref().unwrap().get("a").unwrap(), "b");
    }
    // One layer, two configurations, two manifests, one index.
    assert_eq!(blobs.contents().unwrap().blobs, 6);
}

#[test]
fn on_a_base() {
    let (place, contents) = sample();
    let blobs = BlobFolder::new(place.path().join("blobs"));
    let base = MemoryImage::of_layers(&[archive(&[raw(b'0', "etc/os-release", "", b"x")])]);
    let labels = BTreeMap::from([("more".to_owned(), "yes".to_owned())]);
    let what = Build { base: Some(&base), labels, ..plain(contents) };
    let built = build(&what, &blobs).unwrap();
    let source = FolderImage { root: built.root.clone(), blobs: blobs.clone() };
    let image = Image::select(&source, None).unwrap();
    assert_eq!(image.layers().unwrap().len(), 2);
    assert_eq!(image.label("more"), Some("yes"));
    let config = &image.raw_configuration["config"];
    assert_eq!(
        (&config["Env"][0], &config["Future"]),
        (&json!("PATH=/bin"), &json!(1)),
        "what the base says stays"
    );
    assert_eq!(
        image.manifest.annotations().as_ref().unwrap().get(BASE_DIGEST).unwrap(),
        base.root.digest().as_ref()
    );
    let target = place.path().join("target");
    crate::unpack::unpack(&image, &source, &target, &crate::unpack::Options::default()).unwrap();
    assert!(target.join("configs/README.md").is_file(), "nothing is left out");
    assert!(target.join("etc/os-release").is_file());
    let error = build(&Build { platforms: names(&["linux/arm64"]), ..what }, &blobs).unwrap_err();
    assert_eq!(error.to_string(), "there is no image for linux/arm64; there are linux/amd64");
}

#[test]
fn with_servers() {
    let (place, contents) = sample();
    let blobs = BlobFolder::new(place.path().join("blobs"));
    let server = |name: &str, machine: u16, interpreter: Option<&str>| {
        let path = place.path().join(name);
        fs::write(&path, server::tests::program(true, machine, interpreter)).unwrap();
        Server::open(&path).unwrap()
    };
    let servers = vec![server("amd", 62, None), server("arm", 183, None)];
    let what = Build { servers, ..plain(contents.clone()) };
    let built = build(&what, &blobs).unwrap();
    let images = Image::all(&FolderImage { root: built.root.clone(), blobs: blobs.clone() }).unwrap();
    assert_eq!(images.len(), 2);
    for image in &images {
        let config = &image.raw_configuration["config"];
        assert_eq!(config["Entrypoint"], json!(["/bin/opm"]));
        assert_eq!(config["Cmd"], json!(["serve", "/configs", "--cache-dir=/tmp/cache"]));
        assert_eq!(config["ExposedPorts"], json!({"50051/tcp": {}}));
        assert_eq!(config["User"], "1001");
        assert_eq!(image.manifest.layers().last().unwrap(), &built.layer.descriptor);
    }
    let error = build(&Build { platforms: names(&["linux/s390x"]), ..what }, &blobs).unwrap_err();
    assert!(error.to_string().ends_with("is not a program for linux/s390x"), "{error}");
    let dynamic = vec![server("amd", 62, Some("/lib64/ld-linux-x86-64.so.2"))];
    let error = build(&Build { servers: dynamic, ..plain(contents) }, &blobs).unwrap_err();
    assert!(
        error.to_string().contains("linked dynamically: it needs /lib64/ld-linux-x86-64.so.2"),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn what_cannot_be_in_an_image() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("catalog");
    fs::create_dir(&folder).unwrap();
    std::os::unix::fs::symlink("../elsewhere", folder.join("link")).unwrap();
    assert!(
        catalog([(folder.as_path(), Path::new(""))])
            .unwrap_err()
            .to_string()
            .contains("leads out of the directory")
    );
    fs::remove_file(folder.join("link")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(folder.join("socket")).unwrap();
    assert!(
        catalog([(folder.as_path(), Path::new(""))])
            .unwrap_err()
            .to_string()
            .contains("is a pipe, socket or device")
    );
}

#[test]
fn bundles_by_their_annotations() {
    let place = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = place.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("manifests/csv.yaml", "kind: ClusterServiceVersion\n");
    write("metadata/dependencies.yaml", "dependencies: []\n");
    assert!(bundle::bundle(place.path()).unwrap_err().to_string().contains("which names the package"));
    write(
        "metadata/annotations.yaml",
        "annotations:\n  operators.operatorframework.io.bundle.package.v1: etcd\n  \
         operators.operatorframework.io.bundle.channels.v1: a,b\n  com.example.other: x\n  number: 1\n",
    );
    write("tests/scorecard/config.yaml", "kind: Configuration\n");
    write("tests/other", "");
    write("Makefile", "");
    let contents = bundle::bundle(place.path()).unwrap();
    let prefix = "operators.operatorframework.io.bundle.";
    let label = |key: &str| contents.labels.get(key).map(String::as_str);
    assert_eq!(label(&format!("{prefix}package.v1")), Some("etcd"));
    assert_eq!(label(&format!("{prefix}channels.v1")), Some("a,b"));
    assert_eq!(label(&format!("{prefix}mediatype.v1")), Some("registry+v1"));
    assert_eq!(label(&format!("{prefix}manifests.v1")), Some("manifests/"));
    assert_eq!(label(&format!("{prefix}metadata.v1")), Some("metadata/"));
    assert_eq!((label("com.example.other"), label("number")), (Some("x"), None));
    let paths: Vec<String> = contents.entries.iter().map(|(path, _)| path.display().to_string()).collect();
    assert_eq!(
        paths,
        [
            "manifests",
            "manifests/csv.yaml",
            "metadata",
            "metadata/annotations.yaml",
            "metadata/dependencies.yaml",
            "tests",
            "tests/scorecard",
            "tests/scorecard/config.yaml",
        ]
    );
}
