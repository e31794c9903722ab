//! The splitter: chunks lie in order, do not overlap, and leave out nothing but separator lines.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let mut end = 0;
    for chunk in fbc_yaml::split::chunks(bytes, 0) {
        assert!(chunk.range.start >= end && chunk.range.end <= bytes.len());
        let between = &bytes[end..chunk.range.start];
        assert!(between.is_empty() || between.starts_with(b"---"));
        assert!(between.iter().filter(|&&byte| byte == b'\n').count() <= 1);
        end = chunk.range.end;
    }
    let rest = &bytes[end..];
    assert!(rest.is_empty() || rest.starts_with(b"---"));
});
