//! The place of a new entry among those of a channel.

use std::cmp::Ordering;

use fbc_version::VersionRelease;

/// The number of a new entry that keeps the order of a channel: in its place where the entries are sorted
/// by version, up or down; else at the end, as also where a version is not known.
#[must_use]
pub fn place_of(entries: &[Option<VersionRelease>], new: Option<&VersionRelease>) -> usize {
    let end = entries.len();
    let known: Option<Vec<&VersionRelease>> = entries.iter().map(Option::as_ref).collect();
    let (Some(known), Some(new)) = (known, new) else { return end };
    let is_sorted = |order: Ordering| {
        known.windows(2).all(|pair| match pair {
            [a, b] => a.compare_precedence(b) != order.reverse(),
            _ => true,
        })
    };
    let first_past = |order: Ordering| {
        known.iter().position(|entry| entry.compare_precedence(new) == order).unwrap_or(end)
    };
    if is_sorted(Ordering::Less) {
        first_past(Ordering::Greater)
    } else if is_sorted(Ordering::Greater) {
        first_past(Ordering::Less)
    } else {
        end
    }
}

#[cfg(test)]
mod tests {
    use fbc_version::{Release, Version};

    use super::*;

    #[test]
    fn the_order_of_the_author_is_kept() {
        let version =
            |text: &str| Version::parse(text).ok().map(|v| VersionRelease::new(v, Release::default()));
        for (entries, new, place) in [
            (vec![], "1.0.0", 0),
            (vec!["1.0.0"], "1.1.0", 1),
            (vec!["1.0.0"], "0.9.0", 0),
            (vec!["1.0.0", "1.1.0"], "1.2.0", 2),
            (vec!["1.0.0", "1.1.0"], "1.0.5", 1),
            (vec!["1.10.0", "1.9.0"], "1.11.0", 0),
            (vec!["1.10.0", "1.9.0"], "1.9.5", 1),
            (vec!["1.10.0", "1.9.0"], "1.8.0", 2),
            (vec!["1.0.0", "1.2.0", "1.1.0"], "1.3.0", 3),
            (vec!["1.0.0", "?"], "0.1.0", 2),
            (vec!["1.0.0", "1.1.0"], "?", 2),
        ] {
            let entries: Vec<_> = entries.iter().map(|text| version(text)).collect();
            assert_eq!(place_of(&entries, version(new).as_ref()), place, "{new}");
        }
    }
}
