//! Any documents as those of an image in a layout directory: the image is refused or read, and layers are what both manifest
//! and configuration name.
//! The input is a configuration, a manifest, an index and the index of the layout, with a line `=======` between them. In
//! each, `#` stands for the descriptor of the one before, without its braces.
#![no_main]

use std::fs;
use std::sync::LazyLock;

use fbc_fuzz::{parts, scratch};
use fbc_image::blob::digest_of;
use fbc_image::layout::LayoutFolder;
use fbc_image::{BlobFolder, Image, ImageSource as _};
use libfuzzer_sys::fuzz_target;
use oci_spec::image::{Descriptor, MediaType};
use tempfile::TempDir;

static PLACE: LazyLock<TempDir> = LazyLock::new(|| {
    let place = scratch();
    fs::write(place.path().join("oci-layout"), r#"{"imageLayoutVersion":"1.0.0"}"#).expect("a file");
    place
});

fuzz_target!(|text: &str| {
    let (folder, blobs) = (PLACE.path(), PLACE.path().join("blobs"));
    let store = BlobFolder::new(&blobs);
    let mut before = String::new();
    let texts = parts::<4>(text);
    for text in texts {
        let text = text.replace('#', &before);
        let descriptor =
            Descriptor::new(MediaType::ImageConfig, text.len() as u64, digest_of(text.as_bytes()));
        store.insert_bytes(&descriptor, text.as_bytes()).expect("a blob that can be written");
        before = format!(r#""digest":"{}","size":{}"#, descriptor.digest(), descriptor.size());
        fs::write(folder.join("index.json"), &text).expect("a file");
    }
    for name in [None, Some("a"), Some("quay.io/a/b:v1")] {
        let Ok(source) = LayoutFolder::open(folder, name) else { continue };
        let _ = source.place(source.root());
        for image in Image::all(&source).unwrap_or_default() {
            let _ = (image.platform().to_string(), image.labels());
            let count = image.manifest.layers().len();
            assert!(image.layers().is_ok_and(|layers| layers.len() == count) || image.layers().is_err());
        }
        let _ = Image::select(&source, None);
    }
    fs::remove_dir_all(blobs).expect("blobs can be removed");
});
