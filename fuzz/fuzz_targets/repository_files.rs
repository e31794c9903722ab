//! Any text as the files that repositories of catalogs have: Dockerfiles, mappings of continuous integration, configurations
//! of release templates, lists of what is ignored, and texts that name images. Each is read or refused.
#![no_main]

use std::collections::BTreeMap;

use fbc_fuzz::directory;
use fbc_model::index_ignore::IndexIgnore;
use fbc_repository::{ci_file, dockerfile, find, images, matrix, pins, release_config};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let bytes = text.as_bytes();
    for copied in dockerfile::read(text).copies {
        let _ = copied.value_for("configs");
    }
    if let Some(changed) = dockerfile::with_base(text, "scratch") {
        let again = dockerfile::with_base(&changed, "scratch");
        assert_eq!(again.unwrap_or_else(|| changed.clone()), changed);
    }
    let _ = ci_file::mappings(bytes);
    let _ = release_config::read(bytes);
    let _ = matrix::entries_of(text);
    let mut ignored = IndexIgnore::default();
    if ignored.add_file(&[], bytes).is_ok() {
        for name in text.lines().take(8) {
            let path: Vec<Vec<u8>> = name.split('/').map(|part| part.as_bytes().to_vec()).collect();
            let _ = ignored.ignores(&path);
        }
    }
    let named = images::images(bytes);
    let same = named.iter().map(|image| (image.reference.clone(), image.reference.clone())).collect();
    if let Ok(replaced) = images::replaced(bytes, &same) {
        assert_eq!(images::images(&replaced), named);
    }
    let added = BTreeMap::from([("quay.io/a/b:v1".to_owned(), "quay.io/a/b@sha256:00".to_owned())]);
    let _ = pins::with_digests(bytes, &added);
    for name in ["Dockerfile", "ci.yaml", "fbc.toml", "catalog/Dockerfile"] {
        let _ = find(&directory(name, text));
    }
});
