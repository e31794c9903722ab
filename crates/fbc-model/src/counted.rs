//! The order in which people count: `stable-3.6` before `stable-3.10`.

use std::cmp::Ordering;

/// Compares texts whose runs of digits are numbers; of equal ones the shorter first, so that different texts are never equal.
#[must_use]
pub fn compare(one: &str, other: &str) -> Ordering {
    let (mut left, mut right) = (one, other);
    loop {
        let ((word, rest), (other_word, other_rest)) = (run(left), run(right));
        if word.is_empty() || other_word.is_empty() {
            let at_end = word.len().cmp(&other_word.len());
            return at_end.then_with(|| one.len().cmp(&other.len())).then_with(|| one.cmp(other));
        }
        let order = match (number(word), number(other_word)) {
            (Some(number), Some(other)) => number.len().cmp(&other.len()).then_with(|| number.cmp(other)),
            _ => word.cmp(other_word),
        };
        if order.is_ne() {
            return order;
        }
        (left, right) = (rest, other_rest);
    }
}

/// The digits at the beginning of a text, or what stands before the first one, and the rest.
fn run(text: &str) -> (&str, &str) {
    let is_number = text.starts_with(|c: char| c.is_ascii_digit());
    text.split_at(text.find(|c: char| c.is_ascii_digit() != is_number).unwrap_or(text.len()))
}

/// The digits of a number without those that do not count.
fn number(word: &str) -> Option<&str> {
    word.starts_with(|c: char| c.is_ascii_digit()).then(|| word.trim_start_matches('0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_count_and_texts_do_not() {
        let sorted = [
            "",
            "1",
            "alpha",
            "stable",
            "stable-3.6",
            "stable-3.9",
            "stable-3.10",
            "stable-v2",
            "v1.2.0",
            "v1.02.0",
        ];
        for (index, one) in sorted.iter().enumerate() {
            for (other_index, other) in sorted.iter().enumerate() {
                assert_eq!(compare(one, other), index.cmp(&other_index), "{one} {other}");
            }
        }
    }
}
