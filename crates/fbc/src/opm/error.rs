//! opm's three ways of telling an error: with the usage of the command, as a log line of logrus, as a log
//! line of Go. And ours, for what opm does not know.

use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;

use fbc_go::text::quote;
use fbc_source::Error;

use super::commands::Command;
use super::help;
use crate::clock::Moment;
use crate::failure::{FINDINGS, Failure};

/// An error of a command of opm.
#[derive(Debug)]
pub(super) enum OpmError {
    /// Told with the usage, by cobra.
    Usage(String),
    /// Told by logrus.
    Fatal(String),
    /// Told by Go's log package.
    Log(String),
    /// The answer is on standard output already; only the exit code is left.
    Told,
    /// Told in our own way.
    Own(Failure),
}

/// Output that cannot be written: opm exits with 1.
impl From<io::Error> for OpmError {
    fn from(error: io::Error) -> Self {
        Self::refused(Failure::from(error))
    }
}

impl From<Failure> for OpmError {
    fn from(failure: Failure) -> Self {
        Self::Own(failure)
    }
}

impl From<Error> for OpmError {
    fn from(error: Error) -> Self {
        Self::Own(error.into())
    }
}

impl OpmError {
    /// An error that is told with the usage.
    pub(super) fn usage(error: impl std::fmt::Display) -> Self {
        Self::Usage(error.to_string())
    }

    /// A failure that is told in our own way and has opm's exit code.
    pub(super) fn refused(failure: impl Into<Failure>) -> Self {
        Self::Own(failure.into().exits_with(FINDINGS))
    }

    /// Tells it on standard error; the exit code.
    pub(super) fn tell(self, command: &Command) -> ExitCode {
        let mut err = io::stderr().lock();
        // Nothing is left to tell it to if one of these fails.
        let _ = match self {
            Self::Usage(message) => writeln!(err, "Error: {message}\n{}", help::usage(command)),
            Self::Fatal(message) if err.is_terminal() => {
                writeln!(err, "\x1b[31mFATA\x1b[0m[0000] {message:<44} ")
            }
            Self::Fatal(message) => {
                writeln!(err, "time=\"{}\" level=fatal msg={}", Moment::now().rfc3339(), log_value(&message))
            }
            // Go's log ends a line that does not end by itself.
            Self::Log(message) => {
                let end = if message.ends_with('\n') { "" } else { "\n" };
                write!(err, "{} {message}{end}", Moment::now().go_log())
            }
            Self::Told => Ok(()),
            Self::Own(failure) => {
                drop(err);
                return failure.map_help(in_flags_of_opm).report();
            }
        };
        ExitCode::from(FINDINGS)
    }
}

/// Advice with the names that flags have under opm's name.
fn in_flags_of_opm(advice: String) -> String {
    advice
        .replace("--plain-http=HOST[:PORT]", "--use-http")
        .replace("--tls-verify=false", "--skip-tls-verify")
}

/// Tells on standard error how far a command is, as logrus does.
pub(super) fn inform(message: &str) {
    let mut err = io::stderr().lock();
    // A hint is not worth failing for.
    let _ = if err.is_terminal() {
        writeln!(err, "\x1b[36mINFO\x1b[0m[0000] {message:<44} ")
    } else {
        writeln!(err, "time=\"{}\" level=info msg={}", Moment::now().rfc3339(), log_value(message))
    };
}

/// A value as logrus writes it: quoted only when it has to be.
fn log_value(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._/@^+".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) { text.to_owned() } else { quote(text) }
}

#[cfg(test)]
mod tests {
    use super::{in_flags_of_opm, log_value};

    #[test]
    fn advice_names_the_flags_that_opm_has() {
        let advice = "use --plain-http=HOST[:PORT]; --tls-verify=false gives up protection".to_owned();
        assert_eq!(in_flags_of_opm(advice), "use --use-http; --skip-tls-verify gives up protection");
    }

    #[test]
    fn values_are_quoted_when_needed() {
        assert_eq!(log_value("a-b/c@d"), "a-b/c@d");
        assert_eq!(log_value("invalid index:\n└── \"x\""), r#""invalid index:\n└── \"x\"""#);
    }
}
