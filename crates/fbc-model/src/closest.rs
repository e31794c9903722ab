//! Did-you-mean: the known word that somebody may have meant.

/// The closest of some known words, for a question whether that was meant: one that is spelt alike, or the only one that
/// begins like the word.
pub fn closest<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let known: Vec<&str> = known.into_iter().collect();
    let alike = spelt_alike(word, known.iter().copied(), |candidate| {
        let length = word.len().max(candidate.len());
        // Of a word of one letter every other one is as close.
        Some((length / 3).max(1).min(length.checked_sub(1)?))
    });
    let only = || {
        let mut longer = known.iter().filter(|candidate| word.len() > 2 && candidate.starts_with(word));
        longer.next().copied().filter(|_| longer.next().is_none())
    };
    alike.or_else(only)
}

/// The word that the fewest typing mistakes turn into another one, the first of several; the case of letters does not count.
/// `allowed` says how many mistakes there may be for a known word, and nothing for one that is not meant at all.
pub fn spelt_alike<'w>(
    word: &str,
    known: impl IntoIterator<Item = &'w str>,
    allowed: impl Fn(&str) -> Option<usize>,
) -> Option<&'w str> {
    let word = word.to_lowercase();
    let alike = known.into_iter().filter_map(|candidate| {
        let allowed = allowed(candidate)?;
        let mistakes = strsim::damerau_levenshtein(&word, &candidate.to_lowercase());
        (mistakes <= allowed).then_some((mistakes, candidate))
    });
    alike.min_by_key(|(mistakes, _)| *mistakes).map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::{closest, spelt_alike};

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

    #[test]
    fn the_fewest_mistakes_that_are_allowed() {
        let known = ["Alpha", "alphas", "beta"];
        assert_eq!(spelt_alike("alpah", known, |_| Some(1)), Some("Alpha"));
        assert_eq!(spelt_alike("alphax", known, |_| Some(1)), Some("Alpha"), "the first of two");
        assert_eq!(
            spelt_alike("alphax", known, |candidate| (candidate != "Alpha").then_some(1)),
            Some("alphas")
        );
        assert_eq!(spelt_alike("gamma", known, |_| Some(2)), None);
    }
}
