//! Any bytes as the signature of a release, and as the key ring that it is checked with: no signature of nobody's key holds.
#![no_main]

use fbc_signature::openpgp::{has_keys, keys, verified};
use libfuzzer_sys::fuzz_target;

const RING: &str = include_str!("../../testdata/scenarios/updates/signatures/release.asc");

fuzz_target!(|bytes: &[u8]| {
    let own = keys(&String::from_utf8_lossy(bytes));
    assert_eq!(has_keys(&String::from_utf8_lossy(bytes)), !own.is_empty());
    let _ = verified(bytes, &own);
    // The ring has a key of the project's tests, which has signed nothing but the seeds.
    let _ = verified(bytes, &keys(RING));
    assert!(verified(bytes, &[]).is_err());
});
