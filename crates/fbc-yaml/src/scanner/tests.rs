//! The fast path against the general one: whatever it reads, it reads the same; and what catalogs are written like,
//! it reads.

use proptest::prelude::*;

use crate::general;
use crate::limits::Meter;

/// Whether the fast path reads the text; if so, as the general path does.
fn is_fast(text: &str) -> bool {
    let Some(fast) = super::scan(text) else { return false };
    let general = general::read(text.as_bytes(), &Meter::default());
    assert_eq!(general.as_ref(), Ok(&fast), "{text:?}");
    assert!(
        general.is_ok_and(|general| general.has_duplicate_keys() == fast.has_duplicate_keys()),
        "{text:?}"
    );
    true
}

#[test]
fn folded_texts_take_the_fast_path() {
    for text in [
        // As PyYAML folds plain, single-quoted and double-quoted text.
        "a: some text that\n  goes on\n\n  and on\nb: x\n",
        "a: 'it''s text: that\n\n  goes on\n  and on'\nb: x\n",
        "a: \"caf\\xE9 that goes\\\n  \\ on\\n and\\\n  \\tmore\"\nb:\n- \"x\\\n  \\ y\"\n",
        "a: >\n  one\n  two\n\n  three\n\n\n  four\nb: x\n",
        "a: >-\n  one\n   indented\n  two\n\n   indented\n\n  three\n",
        "a: >+\n\n  one\n\n\nb: x\n",
        "- >2\n   one\n  two\n- >\n- |-\n  x\n",
        "a:\n  b: >-\n    one\n     \n    two\n      \n\n    three\n  c: d\n",
        "a: >\n\nb: >-\n",
    ] {
        assert!(is_fast(text), "{text:?}");
    }
}

/// Pieces of lines of which block scalars may consist.
const LINES: [&str; 12] = [
    "",
    " ",
    "  ",
    "   ",
    "    ",
    "  x",
    "   y",
    "    z",
    "  two words ",
    " low",
    "  # no comment",
    "  a: b",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn block_scalars_agree_with_the_general_path(
        style in prop::sample::select(vec!["|", ">", "|-", ">-", "|+", ">+", ">2", ">1-", "|2+"]),
        lines in prop::collection::vec(prop::sample::select(LINES.to_vec()), 0..9),
        place in prop::sample::select(vec!["a: ", "- ", "a:\n  b: ", "- a: "]),
    ) {
        let rest = if place.starts_with('-') { "- c\n" } else { "z: c\n" };
        for rest in ["", rest] {
            is_fast(&format!("{place}{style}\n{}\n{rest}", lines.join("\n")));
        }
    }
}
