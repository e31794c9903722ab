//! Any text as a baseline of known findings: it is refused, or written as what is read the same.
#![no_main]

use fbc_lint::policy::baseline::Baseline;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let Ok(baseline) = Baseline::parse(text) else { return };
    let written = baseline.text();
    let again = Baseline::parse(&written).expect("a baseline that was read can be written");
    assert!(again.entries().eq(baseline.entries()), "{written}");
    assert_eq!(again.len(), baseline.len());
});
