//! Any text as a regular expression of Go: it is refused with Go's words, or matches whatever text there is.
//! The input is the expression and the text, with a line `=======` between them.
#![no_main]

use fbc_fuzz::parts;
use fbc_go::regexp::{Pattern, fault};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &str| {
    let [source, text] = parts(input);
    let pattern = Pattern::new(source);
    assert_eq!(pattern.regex().is_none(), fault(source).is_some(), "{source:?}");
    let _ = pattern.is_match(text);
});
