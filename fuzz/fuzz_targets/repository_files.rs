//! Any text as the files that repositories of catalogs have: Dockerfiles, mappings of continuous integration, configurations
//! of release templates, lists of what is ignored, and texts that name images. Each is read or refused, and none expands to more
//! than it may.
#![no_main]

use std::collections::BTreeMap;
use std::path::Path;

use fbc_fuzz::directory;
use fbc_go::allowance::{Allowance, ExpansionLimits};
use fbc_model::index_ignore::IndexIgnore;
use fbc_repository::{ci_file, dockerfile, find_within, images, matrix, pins, release_config};
use libfuzzer_sys::fuzz_target;

const MOST: ExpansionLimits = ExpansionLimits { bytes: 1 << 20, steps: 100_000 };

fuzz_target!(|text: &str| {
    let bytes = text.as_bytes();
    let allowance = Allowance::new(MOST);
    if let Ok(read) =
        dockerfile::read(Path::new("Dockerfile"), text, &dockerfile::BuildArguments::new(), &allowance)
    {
        let bytes: usize =
            read.copies.iter().map(|copied| copied.from.len() + copied.to.as_os_str().len()).sum();
        assert!(bytes as u64 <= MOST.bytes, "{bytes} bytes");
        for copied in read.copies {
            let _ = copied.value_for("configs");
        }
    }
    if let Some(changed) = dockerfile::with_base(text, "scratch") {
        let again = dockerfile::with_base(&changed, "scratch");
        assert_eq!(again.unwrap_or_else(|| changed.clone()), changed);
    }
    let _ = ci_file::mappings(bytes);
    let _ = release_config::read(bytes);
    let _ = matrix::entries_of(text);
    let mut ignored = IndexIgnore::default();
    if ignored.add_file(Path::new(""), bytes).is_ok() {
        for name in text.lines().take(8) {
            let _ = ignored.ignores(Path::new(name));
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
        if let Ok(found) = find_within(&directory(name, text), &Allowance::new(MOST)) {
            let images = found.catalogs.iter().flat_map(|catalog| &catalog.images);
            let bytes: usize = images.map(|image| image.base.as_ref().map_or(0, String::len)).sum();
            assert!(bytes as u64 <= MOST.bytes, "{name}: {bytes} bytes");
        }
    }
});
