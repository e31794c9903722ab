//! Any three texts of a catalog: they conflict, or merge to what the sides say where only one of them changed anything.
//! The input is the ancestor, ours and theirs, with a line `=======` between them.
#![no_main]

use fbc_fuzz::parts;
use fbc_repository::merge::{has_blobs, merge};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let [base, ours, theirs] = parts(text).map(str::as_bytes);
    let _ = has_blobs(text.as_bytes());
    let _ = merge(base, ours, theirs);
    assert_eq!(merge(base, base, theirs).as_deref(), Ok(theirs));
    assert_eq!(merge(base, ours, base).as_deref(), Ok(ours));
});
