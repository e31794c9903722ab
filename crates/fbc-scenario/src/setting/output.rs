//! What a command line printed, compared with what was expected of it.

use std::borrow::Cow;

use crate::model::Command;
use crate::pattern::prints_as_expected;

/// What a command line printed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Printed {
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
    /// The exit code.
    pub exit: u8,
}

impl Printed {
    /// Standard output, then standard error.
    pub(crate) fn text(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }

    /// What differs from what was expected; without any expectation, that the command fails.
    pub(crate) fn fault(&self, command: &Command) -> Option<String> {
        let text = self.text();
        let wants_text = command.prints.is_some() || command.matches.is_some();
        let shown = || match text.trim_end() {
            "" if text.is_empty() => "nothing".to_owned(),
            text => format!("\n{}", beginning(text)),
        };
        if let Some(wanted) = command.exit.or((!wants_text).then_some(0)).filter(|exit| *exit != self.exit) {
            return Some(format!("exit code {} instead of {wanted}; it printed {}", self.exit, shown()));
        }
        if command.prints.as_ref().is_some_and(|prints| !prints_as_expected(prints, &text)) {
            return Some(format!("it printed {}", shown()));
        }
        let pattern = command.matches.as_ref().filter(|pattern| !pattern.accepts(&text))?;
        Some(format!("it printed nothing {pattern}, but {}", shown()))
    }
}

/// Each expectation keeps what was printed instead: the beginning of a long text says enough.
const MOST_SHOWN: usize = 64 << 10;

/// The beginning of a long text, and how much is left out.
fn beginning(text: &str) -> Cow<'_, str> {
    let most = MOST_SHOWN.min(text.len());
    let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
    match text.len() - end {
        0 => Cow::Borrowed(text),
        left => Cow::Owned(format!("{}\n… and {left} more bytes", &text[..end])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_where_they_are_told() {
        assert_eq!(beginning("é"), "é");
        let long = format!("{}é{}", "x".repeat(MOST_SHOWN - 1), "y".repeat(100));
        let shown = beginning(&long);
        assert!(
            shown.ends_with("x\n… and 102 more bytes") && shown.len() < MOST_SHOWN + 40,
            "{}",
            shown.len()
        );
    }
}
