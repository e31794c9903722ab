//! Any bytes as the body of a request to the simulated API server, in every format: it is read or refused.
#![no_main]

use fbc_apiserver::request::{BodyFormat, decode_body};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|body: &[u8]| {
    for format in [BodyFormat::Json, BodyFormat::Yaml, BodyFormat::Protobuf] {
        if let Ok((value, _)) = decode_body(body, format) {
            let text = value.to_string();
            let again = decode_body(text.as_bytes(), BodyFormat::Json).map(|(value, _)| value);
            assert_eq!(again.ok(), Some(value));
        }
    }
});
