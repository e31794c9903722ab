//! The fast path against the general one, on any text: what the first returns, the second returns.
#![no_main]

use fbc_yaml::stream::compare;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    // The fast path is given whole lines only.
    let text = format!("{text}\n");
    if let Some(fast) = compare::fast(&text) {
        let general = compare::general(&text);
        assert_eq!(general.as_ref(), Ok(&fast), "{text:?}");
        if let Ok(general) = general {
            assert_eq!(general.has_duplicate_keys(), fast.has_duplicate_keys(), "{text:?}");
        }
    }
});
