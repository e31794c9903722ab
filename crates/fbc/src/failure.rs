//! Why a command could not run, and how that is told: what, where, and what to do next.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};

use crate::terminal;

/// Exit code of a command that found nothing wrong.
pub(crate) const CLEAN: u8 = 0;
/// Exit code of findings, and of input that is refused.
pub(crate) const FINDINGS: u8 = 1;
/// Exit code of a command that could not do its work.
pub(crate) const COULD_NOT_RUN: u8 = 2;

/// Style of the word `error`.
pub(crate) const ERROR: Style = AnsiColor::BrightRed.on_default().bold();
/// Style of the words `help` and `note`.
pub(crate) const HELP: Style = AnsiColor::BrightCyan.on_default().bold();
/// Style of the word `warning`.
pub(crate) const WARNING: Style = AnsiColor::Yellow.on_default().bold();
/// Style of headings and of what matters most.
pub(crate) const STRONG: Style = Style::new().bold();

/// Why a command could not run.
#[derive(Debug)]
pub(crate) struct Failure {
    message: String,
    details: Vec<String>,
    help: Vec<String>,
    exit: u8,
    is_closed_output: bool,
}

impl Failure {
    /// A failure with what is wrong and where.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            details: Vec::new(),
            help: Vec::new(),
            exit: COULD_NOT_RUN,
            is_closed_output: false,
        }
    }

    /// The input is refused: exit code 1.
    pub(crate) fn refusal(message: impl Into<String>) -> Self {
        Self::new(message).refused()
    }

    /// The same, but it is the input that is refused: exit code 1.
    pub(crate) fn refused(self) -> Self {
        Self { exit: FINDINGS, ..self }
    }

    /// A failure with several lines: what stands below the first is shown below it.
    pub(crate) fn of_lines(text: &str) -> Self {
        let mut lines = text.lines();
        let failure = Self::new(lines.next().unwrap_or_default());
        lines.fold(failure, |failure, line| failure.detail(line))
    }

    /// A failure for several reasons.
    pub(crate) fn of_reasons(reasons: impl IntoIterator<Item = String>) -> Self {
        let mut reasons = reasons.into_iter();
        let failure = Self::new(reasons.next().unwrap_or_default());
        reasons.fold(failure, |failure, reason| failure.detail(format!("  and {reason}")))
    }

    /// Adds a line below the message.
    pub(crate) fn detail(mut self, detail: impl Into<String>) -> Self {
        self.details.push(detail.into());
        self
    }

    /// Adds what to do next.
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Sets the exit code.
    pub(crate) fn exits_with(self, exit: u8) -> Self {
        Self { exit, ..self }
    }

    /// Says in front where the failure comes from.
    pub(crate) fn within(mut self, place: &str) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> u8 {
        if self.is_closed_output { CLEAN } else { self.exit }
    }

    /// A file or directory that the system does not give.
    pub(crate) fn io(verb: &str, path: &Path, error: &io::Error) -> Self {
        let failure = Self::new(format!("cannot {verb} {}: {}", path.display(), words(error)));
        match error.kind() {
            io::ErrorKind::PermissionDenied => {
                failure.help("permission denied; check the permissions of the path")
            }
            io::ErrorKind::StorageFull => {
                failure.help("free some space on that disk, and run the command again")
            }
            _ => failure,
        }
    }

    /// What is wrong, for a failure that says more.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// What is wrong, and what to do next, each in one line.
    pub(crate) fn into_parts(self) -> (String, Option<String>) {
        let message =
            self.details.iter().fold(self.message, |line, detail| format!("{line}; {}", detail.trim()));
        (message, (!self.help.is_empty()).then(|| self.help.join("; ")))
    }

    /// Everything in one line, for a failure that becomes part of another text.
    pub(crate) fn line(&self) -> String {
        let mut line = self.message.clone();
        for more in self.details.iter().chain(&self.help) {
            line.push_str("; ");
            line.push_str(more.trim_start());
        }
        line
    }

    /// Whether all that happened is that the reader of the output went away.
    pub(crate) fn is_closed_output(&self) -> bool {
        self.is_closed_output
    }

    /// Tells it on standard error; the exit code.
    pub(crate) fn report(self) -> ExitCode {
        if self.is_closed_output {
            // The reader has seen enough; that is nobody's fault.
            return ExitCode::from(CLEAN);
        }
        // What a signal has just removed is no news.
        fbc_staging::wait_if_exiting();
        self.tell(&format!("{ERROR}error{ERROR:#}"), STRONG);
        ExitCode::from(self.exit)
    }

    /// Tells it on standard error as a note: the command goes on, and nothing is wrong.
    pub(crate) fn note(self) {
        self.tell(&format!("{HELP}note{HELP:#}"), Style::new());
    }

    /// Tells it on standard error as a warning: the command goes on.
    pub(crate) fn warn(self) {
        self.tell(&format!("{WARNING}warning{WARNING:#}"), Style::new());
    }

    fn tell(&self, kind: &str, style: Style) {
        let mut err = terminal::stderr();
        // Nothing is left to tell it to if this fails.
        let _ = writeln!(err, "{kind}{style}: {}{style:#}", self.message);
        for detail in &self.details {
            let _ = writeln!(err, "{detail}");
        }
        for help in &self.help {
            let _ = writeln!(err, "  {HELP}help{HELP:#}: {help}");
        }
    }
}

/// Standard output that does not take what is written; a reader that closed it is not a failure.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let failure = Self::new(format!("cannot write the output: {}", words(&error)));
        Self { is_closed_output: error.kind() == io::ErrorKind::BrokenPipe, ..failure }
    }
}

/// The words of the system, without its number.
pub(crate) fn words(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}

/// The closest of some known words, for a question whether that was meant: one that is spelt alike, or the only one that
/// begins like the word.
pub(crate) fn closest<'w>(word: &str, known: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
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
