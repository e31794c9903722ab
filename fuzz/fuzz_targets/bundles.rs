//! Any files as a bundle: opm's rendering and the objects of OLM v1 come out, or a refusal.
//! The input is the files of the manifests and of the metadata, with a line `=======` before each.
#![no_main]

use fbc_bundle::manifests::{Bundle, Installation, render as install};
use fbc_bundle::{BundleContents, BundleFolder, ImageTemplate, render};
use fbc_fuzz::SEPARATOR;
use fbc_model::tree::MemoryTree;
use libfuzzer_sys::fuzz_target;

const NAMES: [&str; 4] =
    ["manifests/csv.yaml", "metadata/annotations.yaml", "metadata/properties.yaml", "manifests/other.yaml"];

fuzz_target!(|text: &str| {
    let files: MemoryTree = NAMES.into_iter().zip(text.split(SEPARATOR)).collect();
    let _ = BundleContents::read(&files);
    if let Ok(folder) = BundleFolder::read(&files) {
        let _ = render::render(&folder, ImageTemplate::parse("q.io/{{.Package}}:{{.Version}}").ok().as_ref());
    }
    if let Ok(bundle) = Bundle::read(&files) {
        let installation = Installation { namespace: "here".to_owned(), ..Installation::default() };
        let _ = install(&bundle, &installation);
    }
});
