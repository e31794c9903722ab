//! What a command line printed, compared with what was expected of it.

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
        let shown = || if text.is_empty() { "nothing".to_owned() } else { format!("\n{}", text.trim_end()) };
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
