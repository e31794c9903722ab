//! Did-you-mean: the known word that somebody may have meant.

/// The closest of some known words, for a question whether that was meant: one that is spelt alike, or the only one that
/// begins like the word.
pub fn closest<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let known: Vec<&str> = known.into_iter().collect();
    let alike = known
        .iter()
        .map(|candidate| {
            (strsim::damerau_levenshtein(&word.to_lowercase(), &candidate.to_lowercase()), *candidate)
        })
        .filter(|(distance, candidate)| {
            let length = word.len().max(candidate.len());
            // Of a word of one letter every other one is as close.
            *distance <= (length / 3).max(1) && *distance < length
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate);
    let only = || {
        let mut longer = known.iter().filter(|candidate| word.len() > 2 && candidate.starts_with(word));
        longer.next().copied().filter(|_| longer.next().is_none())
    };
    alike.or_else(only)
}

#[cfg(test)]
mod tests {
    use super::closest;

    #[test]
    fn what_was_meant() {
        let known = ["lighthouse-operator", "tide-operator", "tide-gauge"];
        for (word, expected) in [
            ("lighthouse-opreator", Some("lighthouse-operator")),
            ("lighth", Some("lighthouse-operator")),
            ("tide", None),
            ("li", None),
            ("other", None),
        ] {
            assert_eq!(closest(word, known), expected, "{word}");
        }
        for (word, expected) in [("e", None), ("E", Some("e")), ("ee", Some("e"))] {
            assert_eq!(
                closest(word, ["e", "f"].into_iter().filter(|known| *known != word)),
                expected,
                "{word}"
            );
        }
    }
}
