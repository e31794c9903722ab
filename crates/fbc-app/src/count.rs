//! Numbers of things in words.

/// `1 image`, `2 images`, `2 entries`.
pub fn counted(number: usize, noun: &str) -> String {
    let stem = noun.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match stem {
        _ if number == 1 => format!("1 {noun}"),
        Some(stem) => format!("{number} {stem}ies"),
        None => format!("{number} {noun}s"),
    }
}

/// A number of bytes for people.
pub fn size(bytes: u64) -> String {
    let units = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match units.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / unit as f64),
        None => format!("{bytes} bytes"),
    }
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_thing_is_not_several() {
        assert_eq!([0, 1, 2].map(|number| counted(number, "image")), ["0 images", "1 image", "2 images"]);
        assert_eq!([1, 2].map(|number| counted(number, "entry")), ["1 entry", "2 entries"]);
        assert_eq!(counted(2, "key"), "2 keys");
    }
}
