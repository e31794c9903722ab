//! Any bytes as the files by which mirrors are made: what is to be copied, the record of a directory, and maps of images. Each
//! is read or refused.
#![no_main]

use std::fs;
use std::sync::LazyLock;

use fbc_fuzz::scratch;
use fbc_mirror::{Prefix, image_set, record};
use fbc_source::image_map::ImageMap;
use libfuzzer_sys::fuzz_target;
use tempfile::TempDir;

static PLACE: LazyLock<TempDir> = LazyLock::new(scratch);

fuzz_target!(|bytes: &[u8]| {
    let _ = image_set::parse(bytes);
    let folder = PLACE.path();
    fs::write(folder.join("mirror.json"), bytes).expect("a file");
    if let Ok(document) = record::read(folder) {
        for image in document.images.iter().chain(&document.carried) {
            let _ = (image.place(), image.source());
        }
        let _ = (document.lacks(), document.as_earlier(), document.builds_upon());
    }
    if let Ok(map) = ImageMap::read(&folder.join("mirror.json")) {
        let _ = map.folder("quay.io/a/b:v1");
    }
    let _ = Prefix::parse(&String::from_utf8_lossy(bytes));
});
