//! Any bytes as what signatures consist of: policies, configurations, payloads, bundles and keys are read or refused; what
//! is read says the same again, and no signature of nobody's key holds.
#![no_main]

use fbc_signature::certificate::{Authorities, read_pem};
use fbc_signature::payload::Payload;
use fbc_signature::transparency_log::LogEntry;
use fbc_signature::{Attachments, ImageName, Policy, PublicKey, Trust, TrustedRoot, bundle};
use libfuzzer_sys::fuzz_target;

const KEY: &[u8] = include_bytes!("../seeds/signatures/release.pub");

fuzz_target!(|input: &[u8]| {
    let image = std::str::from_utf8(input).ok().and_then(ImageName::parse);
    if let Ok(policy) = Policy::read(input) {
        let any = ImageName::parse("quay.io/a/b:v1");
        for name in image.iter().chain(&any) {
            assert!(!policy.requirements(name).0.is_empty());
        }
    }
    let mut attachments = Attachments::default();
    let _ = attachments.add(input);
    if let Ok(payload) = Payload::read(input) {
        let bytes = payload.bytes().expect("a payload that was read can be written");
        assert_eq!(Payload::read(&bytes).ok(), Some(payload));
    }
    let key = PublicKey::read(KEY).expect("the seed is a key");
    let digest = format!("sha256:{}", "a".repeat(64));
    assert!(bundle::verify(input, &digest, &Trust::in_keys(vec![key])).is_err());
    let _ = TrustedRoot::read(input);
    let _ = LogEntry::read(&String::from_utf8_lossy(input));
    if let Ok(answer) = serde_json::from_slice(input) {
        for entry in [LogEntry::of_bundle(&answer), LogEntry::of_log(&answer)].into_iter().flatten() {
            let written = entry.to_annotation();
            let again = LogEntry::read(&written).map(|entry| entry.to_annotation());
            assert_eq!(again.ok(), Some(written));
        }
    }
    if let Ok(certificates) = read_pem(input) {
        let _ = Authorities::new(certificates.clone(), certificates);
    }
    if let Ok(authorities) = Authorities::new(vec![input.to_vec()], Vec::new()) {
        let _ = authorities.signer(input, &[], 0);
    }
    if let Ok(key) = PublicKey::read(input) {
        let _ = PublicKey::read(key.to_pem().as_bytes()).expect("a key that was read can be written");
        let _ = key.verifies(b"message", input);
    }
});
