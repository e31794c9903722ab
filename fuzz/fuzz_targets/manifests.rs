//! Any bytes as a manifest that a registry sends, under every media type: it is read or refused, and what is read has the
//! digest of its bytes.
#![no_main]

use fbc_image::blob::digest_of;
use fbc_registry::FetchedManifest;
use libfuzzer_sys::fuzz_target;

const TYPES: [Option<&str>; 4] = [
    None,
    Some("application/vnd.oci.image.index.v1+json"),
    Some("application/vnd.oci.image.manifest.v1+json; charset=utf-8"),
    Some("text/html"),
];

fuzz_target!(|input: &[u8]| {
    for announced in TYPES {
        if let Ok(manifest) = FetchedManifest::read(input.to_vec().into(), announced, None) {
            assert_eq!(*manifest.descriptor.digest(), digest_of(input));
            assert_eq!(manifest.descriptor.size(), input.len() as u64);
        }
    }
});
