//! Short names for texts, the same on every machine and in every version.

/// FNV-1a of 64 bits over the parts, which are kept apart: `["ab", "c"]` and `["a", "bc"]` differ.
#[must_use]
pub fn fnv1a<'t>(parts: impl IntoIterator<Item = &'t str>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for part in parts {
        // A byte that no text holds keeps the parts apart.
        for byte in part.bytes().chain([0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::fnv1a;

    #[test]
    fn fingerprints_do_not_change() {
        assert_eq!(fnv1a([]), 0xcbf2_9ce4_8422_2325);
        assert_eq!(
            fnv1a(["FBC012", "catalog.yaml", "message"]),
            fnv1a(["FBC012", "catalog.yaml", "message"])
        );
        assert_ne!(fnv1a(["ab", "c"]), fnv1a(["a", "bc"]));
    }
}
