//! Numbers of things in words.

/// `1 image`, `2 images`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn one_thing_is_not_several() {
        assert_eq!([0, 1, 2].map(|number| counted(number, "image")), ["0 images", "1 image", "2 images"]);
    }
}
