//! Layouts and archives: what is written is read again, and nothing is there by half.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::Path;

use super::*;
use crate::image::{Image, ImageSource};
use crate::reference::{LocalReference, Transport};
use crate::testing::{MemoryImage, archive, raw, raw_sized};
use crate::unpack;

fn image_with(content: &str) -> MemoryImage {
    MemoryImage::of_layers(&[archive(&[raw(b'0', "file", "", content.as_bytes())])])
}

fn put(source: &MemoryImage, reference: &LocalReference) {
    let output = Output::begin(reference, false).unwrap();
    for bytes in source.blobs.values() {
        let descriptor = crate::store::descriptor_of(bytes, oci_spec::image::MediaType::ImageLayer);
        output.blobs().insert_bytes(&descriptor, bytes).unwrap();
    }
    output.finish(source.root()).unwrap();
}

fn reference(transport: Transport, path: &Path, name: Option<&str>) -> LocalReference {
    LocalReference { transport, path: path.to_path_buf(), name: name.map(ToOwned::to_owned) }
}

fn content(reference: &LocalReference) -> String {
    let source = reference.open().unwrap();
    let image = Image::select(source.as_ref(), None).unwrap();
    let place = tempfile::tempdir().unwrap();
    unpack::unpack_into(&image, source.as_ref(), place.path(), &unpack::Options::default()).unwrap();
    fs::read_to_string(place.path().join("file")).unwrap()
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn written_and_read() {
    for transport in [Transport::Oci, Transport::OciArchive, Transport::DockerArchive] {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("image");
        for name in [None, Some("quay.io/me/catalog:v1")] {
            let target = reference(transport, &path, name);
            put(&image_with("one"), &target);
            assert_eq!(content(&target), "one");
            let missing = reference(transport, &path, Some("other"));
            assert!(missing.open().err().unwrap().to_string().contains("holds no image named \"other\""));
            assert_eq!(names_in(place.path()), ["image"], "nothing temporary stays");
        }
    }
}

#[test]
fn a_layout_takes_several_images() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("layout");
    let named = |name: &str| reference(Transport::Oci, &path, Some(name));
    put(&image_with("one"), &named("v1"));
    put(&image_with("two"), &named("v2"));
    put(&image_with("three"), &named("v1"));
    assert_eq!((content(&named("v1")), content(&named("v2"))), ("three".into(), "two".into()));
    let error = reference(Transport::Oci, &path, None).open().err().unwrap().to_string();
    assert!(error.ends_with("holds several images: v1, v2"), "{error}");
    let digest = image_with("two").root().digest().to_string();
    assert_eq!(content(&reference(Transport::Oci, &path, Some(&digest))), "two");
}

#[test]
fn a_new_layout_takes_the_images_of_several_processes() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("layout");
    let named = |name: &str| reference(Transport::Oci, &path, Some(name));
    // Both begin before one of them is done.
    let (one, two) =
        (Output::begin(&named("v1"), false).unwrap(), Output::begin(&named("v2"), false).unwrap());
    for (output, content) in [(one, "one"), (two, "two")] {
        let source = image_with(content);
        for bytes in source.blobs.values() {
            let descriptor = crate::store::descriptor_of(bytes, oci_spec::image::MediaType::ImageLayer);
            output.blobs().insert_bytes(&descriptor, bytes).unwrap();
        }
        output.finish(source.root()).unwrap();
    }
    assert_eq!((content(&named("v1")), content(&named("v2"))), ("one".into(), "two".into()));
    assert_eq!(names_in(place.path()), ["layout"]);
}

fn make_pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn a_pipe_is_no_blob_and_no_archive() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("layout");
    let target = reference(Transport::Oci, &path, None);
    put(&image_with("one"), &target);
    let blobs = path.join("blobs/sha256");
    let digest = target.open().unwrap().root().digest().digest().to_owned();
    fs::remove_file(blobs.join(&digest)).unwrap();
    make_pipe(&blobs.join(&digest));
    let source = target.open().unwrap();
    let error = Image::select(source.as_ref(), None).unwrap_err().to_string();
    assert!(error.ends_with("is not a regular file"), "{error}");
    let pipe = place.path().join("pipe");
    make_pipe(&pipe);
    for transport in [Transport::OciArchive, Transport::DockerArchive] {
        let error = reference(transport, &pipe, None).open().err().unwrap().to_string();
        assert!(error.ends_with("is not a regular file"), "{error}");
    }
}

#[test]
fn what_is_given_up_leaves_nothing() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("image");
    for transport in [Transport::Oci, Transport::OciArchive, Transport::DockerArchive] {
        let output = Output::begin(&reference(transport, &path, None), false).unwrap();
        drop(output);
        assert!(names_in(place.path()).is_empty());
        // A manifest whose blobs are missing is not a docker archive.
        if transport == Transport::DockerArchive {
            let output = Output::begin(&reference(transport, &path, None), false).unwrap();
            output.finish(image_with("x").root()).unwrap_err();
            assert!(names_in(place.path()).is_empty());
        }
    }
}

#[test]
fn other_targets_are_kept() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("notes"), "mine").unwrap();
    let begin = |transport, path: &Path| Output::begin(&reference(transport, path, None), false).map(|_| ());
    assert!(
        begin(Transport::Oci, place.path())
            .unwrap_err()
            .to_string()
            .contains("not an OCI layout and is not empty")
    );
    assert!(
        begin(Transport::Oci, &place.path().join("notes"))
            .unwrap_err()
            .to_string()
            .contains("is not a directory")
    );
    assert!(begin(Transport::OciArchive, place.path()).unwrap_err().to_string().contains("is a directory"));
    assert_eq!(fs::read_to_string(place.path().join("notes")).unwrap(), "mine");
}

#[test]
fn no_images_are_told() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("file");
    let error = |transport: Transport, bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        reference(transport, &path, None).open().err().unwrap().to_string()
    };
    let tar = |name: &str, bytes: &[u8]| archive(&[raw(b'0', name, "", bytes)]);
    assert!(error(Transport::OciArchive, b"text").contains("is not a tar archive"));
    assert!(error(Transport::OciArchive, &tar("x", b"")).contains("no file oci-layout"));
    assert!(error(Transport::OciArchive, &tar("oci-layout", b"{}")).contains("no imageLayoutVersion"));
    assert!(error(Transport::DockerArchive, &tar("x", b"")).contains("no manifest.json"));
    assert!(error(Transport::DockerArchive, &tar("repositories", b"{}")).contains("before 1.10"));
    assert!(error(Transport::DockerArchive, &tar("manifest.json", b"[]")).contains("holds no image"));
    let missing = br#"[{"Config":"c.json","Layers":[]}]"#;
    assert!(
        error(Transport::DockerArchive, &tar("manifest.json", missing)).contains("\"c.json\" is missing")
    );
    assert!(
        reference(Transport::Oci, place.path(), None)
            .open()
            .err()
            .unwrap()
            .to_string()
            .contains("not an OCI layout")
    );
}

#[test]
fn compressed_archives_are_read() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("image.tar");
    let target = reference(Transport::DockerArchive, &path, None);
    put(&image_with("one"), &target);
    let plain = fs::read(&path).unwrap();
    fs::write(&path, zstd::bulk::compress(&plain, 1).unwrap()).unwrap();
    assert_eq!(content(&target), "one");
}

#[test]
fn names_without_end_are_refused() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("image.tar");
    let size = 300 << 20;
    let header = raw_sized(b'L', "././@LongLink", "", b"", size);
    fs::write(&path, &header).unwrap();
    // The name is a hole in the file.
    fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(header.len() as u64 + size).unwrap();
    for transport in [Transport::OciArchive, Transport::DockerArchive] {
        let refusal = reference(transport, &path, None).open().map(drop).unwrap_err().to_string();
        assert!(refusal.contains("its headers have more than 256 MiB"), "{refusal}");
    }
}

#[test]
fn blobs_may_lie_elsewhere_unless_a_repository_says_so() {
    let place = tempfile::tempdir().unwrap();
    let image = image_with("x");
    let path = place.path().join("layout");
    put(&image, &reference(Transport::Oci, &path, None));
    fs::create_dir(place.path().join("disk")).unwrap();
    fs::rename(path.join("blobs"), place.path().join("disk/b")).unwrap();
    std::os::unix::fs::symlink("../disk/b", path.join("blobs")).unwrap();
    put(&image_with("y"), &reference(Transport::Oci, &path, Some("y")));
    assert_eq!(content(&reference(Transport::Oci, &path, Some("y"))), "y");

    fs::create_dir(path.join(".git")).unwrap();
    let target = reference(Transport::Oci, &path, Some("z"));
    let descriptor = crate::store::descriptor_of(b"z", oci_spec::image::MediaType::ImageLayer);
    let insert = |follows_links| {
        Output::begin(&target, follows_links).unwrap().blobs().insert_bytes(&descriptor, b"z")
    };
    assert!(insert(false).unwrap_err().to_string().contains("it leads out of"));
    insert(true).unwrap();
    assert!(place.path().join("disk/b/sha256").join(descriptor.digest().digest()).exists());
}

#[test]
fn archives_go_where_a_link_leads() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir(place.path().join("disk")).unwrap();
    let link = place.path().join("image.tar");
    std::os::unix::fs::symlink("disk/image.tar", &link).unwrap();
    for text in ["x", "y"] {
        put(&image_with(text), &reference(Transport::OciArchive, &link, None));
        let real = place.path().join("disk/image.tar");
        assert!(link.is_symlink());
        assert_eq!(content(&reference(Transport::OciArchive, &real, None)), text);
    }
}
