//! Names that were meant instead of unknown ones.

/// A question for the names that are like an unknown one; empty if none is.
pub(super) fn did_you_mean<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    let near = known.into_iter().filter_map(|known| {
        let most = (name.len() / 2).max(known.len() / 2).max(1);
        // So many bytes must come or go at least, which spares comparing them.
        let distance = (name.len().abs_diff(known.len()) <= most).then(|| distance(name, known))?;
        (distance <= most).then_some((distance, known))
    });
    let mut near: Vec<(usize, &str)> = near.collect();
    near.sort_unstable();
    let mut quoted: Vec<String> = near.iter().take(5).map(|(_, known)| format!("\"{known}\"")).collect();
    match (quoted.pop(), quoted.as_slice()) {
        (None, _) => String::new(),
        (Some(only), []) => format!(" Did you mean {only}?"),
        (Some(last), [first]) => format!(" Did you mean {first} or {last}?"),
        (Some(last), others) => format!(" Did you mean {}, or {last}?", others.join(", ")),
    }
}

/// How many bytes must be inserted, deleted or changed to make one name another.
fn distance(left: &str, right: &str) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, byte) in left.bytes().enumerate() {
        let mut diagonal = index;
        let mut before = index + 1;
        for (cell, other) in row.iter_mut().skip(1).zip(right.bytes()) {
            let changed = diagonal + usize::from(byte != other);
            diagonal = *cell;
            before = changed.min(diagonal + 1).min(before + 1);
            *cell = before;
        }
        row[0] = index + 1;
    }
    row.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared() {
        for (left, right, expected) in
            [("", "", 0), ("a", "", 1), ("", "ab", 2), ("kitten", "sitting", 3), ("ab", "ba", 2)]
        {
            assert_eq!(distance(left, right), expected, "{left} {right}");
        }
    }

    #[test]
    fn near_names_are_shown() {
        let known = ["name", "names", "fame", "version"];
        for (name, expected) in [
            ("nam", " Did you mean \"name\", \"fame\", or \"names\"?"),
            ("versio", " Did you mean \"version\"?"),
            ("x", ""),
            (&"x".repeat(50_000), ""),
        ] {
            assert_eq!(did_you_mean(name, known), expected);
        }
        assert_eq!(did_you_mean("a", ["b", "c"]), " Did you mean \"b\" or \"c\"?");
    }
}
