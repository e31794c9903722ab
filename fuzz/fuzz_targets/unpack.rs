//! Any bytes as the one layer of an image: unpacking ends, and writes nothing beside its target.
#![no_main]

use std::fs;
use std::io::Read;
use std::path::Path;
use std::sync::LazyLock;

use fbc_fuzz::scratch;
use fbc_image::blob::digest_of;
use fbc_image::unpack::{Limits, Options, unpack};
use fbc_image::{Image, ImageError, ImageSource};
use libfuzzer_sys::fuzz_target;
use oci_spec::image::{Descriptor, MediaType};
use tempfile::TempDir;

/// One place for all runs; it is emptied after each.
static PLACE: LazyLock<TempDir> = LazyLock::new(scratch);

struct OneLayer<'b> {
    root: Descriptor,
    blobs: Vec<(Descriptor, &'b [u8])>,
}

impl ImageSource for OneLayer<'_> {
    fn root(&self) -> &Descriptor {
        &self.root
    }

    fn open(&self, descriptor: &Descriptor) -> Result<Box<dyn Read + '_>, ImageError> {
        let found = self.blobs.iter().find(|(known, _)| known.digest() == descriptor.digest());
        Ok(Box::new(found.expect("a blob of the image").1))
    }
}

fn described(bytes: &[u8], media_type: MediaType) -> (Descriptor, String) {
    let descriptor = Descriptor::new(media_type, bytes.len() as u64, digest_of(bytes));
    let json = format!(
        r#"{{"mediaType":"{}","digest":"{}","size":{}}}"#,
        descriptor.media_type(),
        descriptor.digest(),
        descriptor.size()
    );
    (descriptor, json)
}

fuzz_target!(|bytes: &[u8]| {
    let (layer, layer_json) = described(bytes, MediaType::ImageLayer);
    let config = format!(
        r#"{{"architecture":"amd64","os":"linux","rootfs":{{"type":"layers","diff_ids":["{}"]}}}}"#,
        layer.digest()
    );
    let (config_descriptor, config_json) = described(config.as_bytes(), MediaType::ImageConfig);
    let manifest = format!(r#"{{"schemaVersion":2,"config":{config_json},"layers":[{layer_json}]}}"#);
    let (root, _) = described(manifest.as_bytes(), MediaType::ImageManifest);
    let blobs =
        vec![(layer, bytes), (config_descriptor, config.as_bytes()), (root.clone(), manifest.as_bytes())];
    let source = OneLayer { root, blobs };
    let image = Image::select(&source, None).expect("the documents are right");
    let target = PLACE.path().join("target");
    let options =
        Options { limits: Limits { bytes: 1 << 20, entries: 100, ratio: 10 }, ..Options::default() };
    let is_unpacked = unpack(&image, &source, &target, &options).is_ok();
    let entries = fs::read_dir(PLACE.path()).expect("the place").map(|entry| entry.expect("an entry").path());
    let expected: Vec<_> = is_unpacked.then(|| target.clone()).into_iter().collect();
    assert_eq!(entries.collect::<Vec<_>>(), expected);
    if is_unpacked {
        links_stay_inside(&target, &target.canonicalize().expect("the target"));
        fs::remove_dir_all(&target).expect("the target can be removed");
    }
});

fn links_stay_inside(folder: &Path, target: &Path) {
    for entry in fs::read_dir(folder).expect("a directory") {
        let entry = entry.expect("an entry");
        let kind = entry.file_type().expect("a kind");
        if kind.is_dir() {
            links_stay_inside(&entry.path(), target);
        } else if let Ok(real) = entry.path().canonicalize() {
            assert!(real.starts_with(target), "{} leads to {}", entry.path().display(), real.display());
        }
    }
}
