//! Generated names.
//!
//! Sources: `operator-framework/operator-controller:internal/shared/util/hash/hash.go` and
//! `…/rukpak/util/util.go`.

use fbc_yaml::{Node, json_writer};
use sha2::{Digest as _, Sha224};

/// The longest name that is made.
const LONGEST: usize = 63;

/// Base and suffix with a dash between them; the base is cut where that would be longer than 63 bytes.
/// A base that just fits without the dash makes a name of 64 bytes, as in the reference.
#[must_use]
pub fn name_with_suffix(base: &str, suffix: &str) -> String {
    let mut kept = base.as_bytes();
    if base.len() + suffix.len() > LONGEST {
        kept = kept.get(..LONGEST.saturating_sub(suffix.len() + 1)).unwrap_or_default();
    }
    format!("{}-{suffix}", String::from_utf8_lossy(kept))
}

/// The base with a hash of a value, whose members must be in the order in which Go writes them.
#[must_use]
pub fn unique_name(base: &str, value: Node<'_>) -> String {
    name_with_suffix(base, &hash(value))
}

/// The SHA-224 sum of what Go's JSON encoder writes, as a number of base 36.
fn hash(value: Node<'_>) -> String {
    let mut json = fbc_go::json::escape_html(&json_writer::compact(value));
    json.push('\n');
    base_36(&Sha224::digest(json.as_bytes()))
}

/// A number of big-endian bytes, without leading zeros.
fn base_36(bytes: &[u8]) -> String {
    let mut number = bytes.to_vec();
    let mut digits = Vec::new();
    while number.iter().any(|byte| *byte != 0) {
        let mut rest = 0u32;
        for byte in &mut number {
            let value = rest * 256 + u32::from(*byte);
            *byte = (value / 36) as u8;
            rest = value % 36;
        }
        digits.push(char::from_digit(rest, 36).unwrap_or('0'));
    }
    if digits.is_empty() { "0".to_owned() } else { digits.into_iter().rev().collect() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use proptest::prelude::*;

    use super::*;
    use crate::manifests::dns::is_label;

    #[test]
    fn numbers_of_base_36() {
        for (bytes, expected) in [
            (&[][..], "0"),
            (&[0, 0], "0"),
            (&[35], "z"),
            (&[36], "10"),
            (&[1, 0], "74"),
            (&[0, 1, 0, 0], "1ekg"),
        ] {
            assert_eq!(base_36(bytes), expected, "{bytes:?}");
        }
    }

    #[test]
    fn long_bases_are_cut() {
        let long = "a".repeat(70);
        assert_eq!(name_with_suffix("base", "x"), "base-x");
        assert_eq!(name_with_suffix(&long, "service"), format!("{}-service", "a".repeat(55)));
        assert_eq!(name_with_suffix(&"a".repeat(62), "x").len(), 64, "the dash does not count");
    }

    proptest! {
        #[test]
        fn names_of_names_are_labels_and_always_the_same(
            base in "[a-z0-9]([-a-z0-9]{0,80}[a-z0-9])?",
            verb in "[a-z<>&\u{2028}]{0,8}",
        ) {
            let mut builder = fbc_yaml::DocumentBuilder::in_written_order();
            let root = builder.string(&verb);
            let document = builder.finish(root);
            let name = unique_name(&base, document.root());
            prop_assert!(name.len() <= 64);
            prop_assert!(name.len() == 64 || is_label(&name), "{name}");
            prop_assert_eq!(&name, &unique_name(&base, document.root()));
        }
    }
}
