//! Any text as a regular expression of Go: it is refused with Go's words, or for its weight, or matches whatever text there
//! is in the steps that it may take; what is found is found at all.
//! The input is the expression and the text, with a line `=======` between them.
#![no_main]

use fbc_fuzz::parts;
use fbc_go::regexp::{InvalidExpression, Pattern, Steps, fault};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let [source, text] = parts(input);
    let pattern = Pattern::new(source);
    let is_syntax = matches!(pattern.fault(), Some(InvalidExpression::Syntax(_)));
    assert_eq!(is_syntax, fault(source).is_some(), "{source:?}");
    let steps = Steps::new(1_000_000);
    let is_match = pattern.is_match(text, &steps);
    let (found, all) = (pattern.find(text, &steps), pattern.find_all(text, 100, &steps));
    let groups = pattern.groups(text, &steps);
    if let (Ok(is_match), Ok(found), Ok(all), Ok(groups)) = (is_match, found, all, groups) {
        assert_eq!(is_match, found.is_some(), "{source:?}");
        assert_eq!(found, all.first().copied(), "{source:?}");
        assert_eq!(found, groups.and_then(|groups| groups.get(0)), "{source:?}");
    }
});
