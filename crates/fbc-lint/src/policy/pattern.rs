//! Patterns of names and paths: `*` is any text without a slash, `**` any text, `?` one character.

/// A pattern of names or paths.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern(String);

impl Pattern {
    /// A pattern. Every text is one.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The pattern as written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Whether it covers the whole of a text. Takes time in proportion to the product of the lengths.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        let text: Vec<char> = text.chars().collect();
        // Which beginnings of the text the pattern so far covers, by their lengths.
        let mut covered = vec![false; text.len() + 1];
        if let Some(nothing) = covered.first_mut() {
            *nothing = true;
        }
        let mut pattern = self.0.chars().peekable();
        while let Some(token) = pattern.next() {
            let crosses_slashes = token == '*' && pattern.next_if_eq(&'*').is_some();
            let mut next = vec![false; covered.len()];
            let mut before = false;
            for (length, covers) in next.iter_mut().enumerate() {
                let last = length.checked_sub(1).and_then(|at| text.get(at)).copied();
                let shorter = length.checked_sub(1).and_then(|at| covered.get(at)).copied().unwrap_or(false);
                *covers = match (token, last) {
                    ('*', last) => {
                        let takes_last = crosses_slashes || last != Some('/');
                        covered.get(length).copied().unwrap_or(false) || before && takes_last
                    }
                    ('?', Some(last)) => shorter && last != '/',
                    (token, Some(last)) => shorter && last == token,
                    (_, None) => false,
                };
                before = *covers;
            }
            covered = next;
        }
        covered.last().copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn stars_and_question_marks() {
        for (pattern, text) in [
            ("foo", "foo"),
            ("", ""),
            ("*", ""),
            ("foo.v1.*", "foo.v1.2.3"),
            ("f?o", "fäo"),
            ("catalogs/*/foo/*", "catalogs/v4.17/foo/catalog.yaml"),
            ("**/foo/**", "a/b/foo/c/d"),
            ("a*b*c", "aXbXbc"),
        ] {
            assert!(Pattern::new(pattern).matches(text), "{pattern} {text}");
        }
        for (pattern, text) in [
            ("foo", "foobar"),
            ("foo", "Foo"),
            ("", "x"),
            ("*", "a/b"),
            ("f?o", "f/o"),
            ("a*b", "abc"),
            ("catalogs/*", "catalogs/v4.17/foo"),
        ] {
            assert!(!Pattern::new(pattern).matches(text), "{pattern} {text}");
        }
    }

    #[test]
    fn many_stars_do_not_take_forever() {
        let pattern = Pattern::new("*a".repeat(200));
        assert!(!pattern.matches(&"a".repeat(150)));
        assert!(pattern.matches(&"a".repeat(200)));
    }
}
