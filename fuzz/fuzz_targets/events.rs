//! The general path on any bytes: it comes to an end with a document or an error. Covers the event
//! parser, whatever the bytes are, and what is made of its events.
#![no_main]

use fbc_yaml::stream::{compare, read_one};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    match std::str::from_utf8(bytes) {
        Ok(text) => drop(compare::general(text)),
        // Text that is broken somewhere never takes the fast path.
        Err(_) => drop(read_one(bytes)),
    }
});
