//! The fast path against the general one, on texts that are put together from pieces of YAML: every
//! byte of the input chooses a piece. Finds disagreements that random bytes would not reach.
#![no_main]

use fbc_yaml::stream::compare;
use libfuzzer_sys::fuzz_target;

#[rustfmt::skip]
const PIECES: &[&str] = &[
    "\n", "\n", "\n", "\n  ", "\n    ", "\n ", " ", "  ", "- ", "-", "a: ", "b:", "key: ", "\"k\": ", "'k': ", ": ",
    ":", "'", "''", "\"", "\\", "\\\"", "\\n", "\\\n", "\\x41", "\\u00e9", "|", "|-", "|+", "|2", "|1-", ">", "#",
    " #", "# c", "x", "word", "two words", "true", "null", "~", "y", "1", "0x1F", "1_0", "1.5", ".5", "-1", "2001-01-01",
    "<<", "[]", "{}", "[", "]", "{", "}", ",", "&", "*", "!", "%", "@", "`", "?", "? ", "...", "---", "\t", "é", "😀",
    "\u{2028}", "\u{85}", "\u{feff}", "=", "+", "\n- ", "\n  - ", "\na: ", "\n  b: ", "\n    c: ", "\n\n", "\n \n", "  \n",
];

fuzz_target!(|bytes: &[u8]| {
    let mut text: String = bytes.iter().map(|&byte| PIECES[usize::from(byte) % PIECES.len()]).collect();
    text.push('\n');
    if let Some(fast) = compare::fast(&text) {
        let general = compare::general(&text);
        assert_eq!(general.as_ref(), Ok(&fast), "{text:?}");
        if let Ok(general) = general {
            assert_eq!(general.has_duplicate_keys(), fast.has_duplicate_keys(), "{text:?}");
        }
    }
});
