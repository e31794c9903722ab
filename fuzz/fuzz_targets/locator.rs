//! Places of any pointer in any document lie in the file; duplicates are found where they are.
#![no_main]

use fbc_yaml::locate::{Locator, line_and_column};
use fbc_yaml::stream::{self, Syntax};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &[u8])| {
    let (pointer, bytes) = input;
    for decoded in stream::read::<_, ()>(bytes, &|document| Ok(document)) {
        let locator = Locator::new(bytes, decoded.range.clone(), decoded.syntax);
        let found = locator.find(pointer);
        assert!(found.value.start <= found.value.end && found.value.end <= bytes.len());
        let _ = line_and_column(bytes, found.value.start);
        let mut duplicates = 0;
        locator.duplicate_keys(|duplicate| {
            assert!(duplicate.first.start < duplicate.last.start && duplicate.last.end <= bytes.len());
            duplicates += 1;
        });
        if let Ok(document) = &decoded.outcome
            && document.has_duplicate_keys()
            && decoded.syntax == Syntax::Json
        {
            assert!(duplicates > 0);
        }
    }
});
