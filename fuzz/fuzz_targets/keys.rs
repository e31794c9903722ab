//! Any text as a private key, with a passphrase and without: it is refused, or signs what its other half verifies.
#![no_main]

use fbc_signature::PrivateKey;
use libfuzzer_sys::fuzz_target;
use ring::rand::SystemRandom;

fuzz_target!(|text: &[u8]| {
    let random = SystemRandom::new();
    for passphrase in [None, Some(b"lamp".as_slice())] {
        let Ok(key) = PrivateKey::read(text, passphrase, &random) else { continue };
        let signature = key.sign(b"message", &random).expect("random numbers");
        assert!(key.public_key().verifies(b"message", &signature));
    }
});
