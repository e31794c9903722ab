//! Texts that are expected: exact ones, regular expressions, and printed text with gaps.

use fbc_go::regexp::{self, Steps};

/// A text that is expected.
#[derive(Debug, Clone)]
pub enum Pattern {
    /// Exactly this text.
    Exact(String),
    /// A text in which this regular expression is found.
    Matching(regexp::Pattern),
}

impl Pattern {
    /// True if the text is what was expected. A text for which an expression takes too long is not.
    pub fn accepts(&self, text: &str) -> bool {
        match self {
            Self::Exact(exact) => exact == text,
            Self::Matching(expression) => expression.is_match(text, &Steps::default()).unwrap_or_default(),
        }
    }
}

impl std::fmt::Display for Pattern {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Exact(text) => write!(formatter, "{text:?}"),
            Self::Matching(expression) => write!(formatter, "matching /{}/", expression.source()),
        }
    }
}

/// What stands for any text within a line.
const ANY_TEXT: &str = "[..]";
/// What stands for any number of lines.
const ANY_LINES: &str = "[...]";

/// True if printed text is what was expected: line by line, blanks at ends of lines aside; `[..]` stands for any text
/// in a line, a line `[...]` for any number of lines.
pub fn prints_as_expected(expected: &str, printed: &str) -> bool {
    let expected: Vec<&str> = expected.trim_end().lines().map(str::trim_end).collect();
    let printed: Vec<&str> = printed.trim_end().lines().map(str::trim_end).collect();
    // Walks both lists; on a mismatch goes back to the last line of gaps and lets it take one line more.
    let (mut at, mut line) = (0, 0);
    let mut gap = None;
    while line < printed.len() {
        match (expected.get(at), printed.get(line)) {
            (Some(&ANY_LINES), _) => {
                gap = Some((at, line));
                at += 1;
            }
            (Some(wanted), Some(text)) if line_fits(wanted, text) => {
                at += 1;
                line += 1;
            }
            _ => {
                let Some((gap_at, gap_line)) = gap else { return false };
                gap = Some((gap_at, gap_line + 1));
                (at, line) = (gap_at + 1, gap_line + 1);
            }
        }
    }
    expected.get(at..).unwrap_or_default().iter().all(|rest| *rest == ANY_LINES)
}

fn line_fits(wanted: &str, text: &str) -> bool {
    let mut parts = wanted.split(ANY_TEXT);
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else { return false };
        rest = after;
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_text_may_have_gaps() {
        for (expected, printed, fits) in [
            ("a\nb", "a\nb\n", true),
            ("a", "a  \n", true),
            ("a", "b", false),
            ("a\n", "a\nb\n", false),
            ("NAME AGE\nx [..]", "NAME AGE\nx 5s", true),
            ("x [..]s end", "x 5s end", true),
            ("x [..]s end", "x 5m end", false),
            ("[..]", "", false),
            ("[...]\nb\n[...]", "a\na\nb", true),
            ("[...]\nb", "b\na\nb", true),
            ("a\n[...]", "b", false),
            ("", "", true),
            ("", "a", false),
        ] {
            assert_eq!(prints_as_expected(expected, printed), fits, "{expected:?} {printed:?}");
        }
    }
}
