//! Any bytes as an archive of images, docker's and that of a layout, compressed or not: it is refused, or its image is read.
#![no_main]

use std::fs;
use std::io::Read;
use std::sync::LazyLock;

use fbc_fuzz::scratch;
use fbc_image::layout::{DockerArchive, LayoutArchive};
use fbc_image::{Image, ImageSource};
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

static PLACE: LazyLock<TempDir> = LazyLock::new(scratch);

fn read(source: &dyn ImageSource) {
    for image in Image::all(source).unwrap_or_default() {
        for (layer, _) in image.layers().unwrap_or_default() {
            let _ = source.place(layer);
            if let Ok(mut blob) = source.open(layer) {
                let _ = blob.read_to_end(&mut Vec::new());
            }
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let path = PLACE.path().join("archive.tar");
    fs::write(&path, bytes).expect("a file");
    for name in [None, Some("quay.io/a/b:v1")] {
        if let Ok(archive) = LayoutArchive::open(&path, name) {
            read(&archive);
        }
        if let Ok(archive) = DockerArchive::open(&path, name) {
            read(&archive);
        }
    }
});
