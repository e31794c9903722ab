//! Any bytes as the file of a catalog: loading ends, notes faults, and gives the same twice.
#![no_main]

use std::path::Path;

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let load = || fbc_model::load::load_bytes(Path::new("catalog.yaml"), bytes);
    let catalog = load();
    assert_eq!(catalog.faults, load().faults);
    let documents = catalog.files.iter().flat_map(|file| &file.documents);
    for document in documents {
        assert!(document.range.end <= bytes.len());
    }
});
