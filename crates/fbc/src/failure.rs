//! Why a command could not run, and how that is told: what, where, and what to do next.

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

use anstyle::{AnsiColor, Style};
use fbc_image::ImageError;
use fbc_model::confined_tree::leads_out;
#[cfg(feature = "registry")]
use fbc_registry::RegistryError;
use fbc_source::{Error, ErrorKind, Parts};

use fbc_app::settings::FOLLOW_LINKS;

use crate::terminal;

pub(crate) use fbc_model::closest::closest;
pub(crate) use fbc_source::system_words as words;

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

/// Why a command could not run: an error with its exit code.
#[derive(Debug)]
pub(crate) struct Failure {
    error: Error,
    exit: u8,
    is_closed_output: bool,
}

impl Failure {
    /// A failure with what is wrong and where.
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Error::new(message).into()
    }

    /// The input is refused: exit code 1.
    pub(crate) fn refusal(message: impl Into<String>) -> Self {
        Error::refusal(message).into()
    }

    /// Adds what to do next.
    pub(crate) fn help(self, help: impl Into<String>) -> Self {
        Self { error: self.error.help(help), ..self }
    }

    /// Says what to do next in other words.
    pub(crate) fn map_help(self, words: impl Fn(String) -> String) -> Self {
        Self { error: self.error.map_help(words), ..self }
    }

    /// Sets the exit code.
    pub(crate) fn exits_with(self, exit: u8) -> Self {
        Self { exit, ..self }
    }

    /// Says in front where the failure comes from.
    pub(crate) fn within(self, place: &str) -> Self {
        Self { error: self.error.within(place), ..self }
    }

    /// The exit code.
    pub(crate) fn exit(&self) -> u8 {
        if self.is_closed_output { CLEAN } else { self.exit }
    }

    /// A file or directory that the system does not give.
    pub(crate) fn io(verb: &str, path: &Path, error: &io::Error) -> Self {
        Error::io(verb, path, error).into()
    }

    /// What is wrong, for a failure that says more.
    #[cfg(feature = "lsp")]
    pub(crate) fn message(&self) -> &str {
        self.error.message()
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
        let exit = ExitCode::from(self.exit);
        self.tell(&format!("{ERROR}error{ERROR:#}"), STRONG);
        exit
    }

    /// Tells it on standard error as a note: the command goes on, and nothing is wrong.
    pub(crate) fn note(self) {
        self.tell(&format!("{HELP}note{HELP:#}"), Style::new());
    }

    /// Tells it on standard error as a warning: the command goes on.
    pub(crate) fn warn(self) {
        self.tell(&format!("{WARNING}warning{WARNING:#}"), Style::new());
    }

    fn tell(self, kind: &str, style: Style) {
        let mut err = terminal::stderr();
        let Parts { message, details, help, .. } = self.error.into_parts();
        // Nothing is left to tell it to if this fails.
        let _ = writeln!(err, "{kind}{style}: {message}{style:#}");
        for detail in &details {
            let _ = writeln!(err, "{detail}");
        }
        for help in &help {
            let _ = writeln!(err, "  {HELP}help{HELP:#}: {help}");
        }
    }
}

/// The content is refused with 1; whatever else went wrong kept the command from its work.
impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let exit = if error.kind() == ErrorKind::Refused { FINDINGS } else { COULD_NOT_RUN };
        let error = if leads_out(&error.message_and_details()) { error.help(FOLLOW_LINKS) } else { error };
        Self { error, exit, is_closed_output: false }
    }
}

#[cfg(feature = "registry")]
impl From<Box<RegistryError>> for Failure {
    fn from(error: Box<RegistryError>) -> Self {
        Error::from(error).into()
    }
}

impl From<ImageError> for Failure {
    fn from(error: ImageError) -> Self {
        Error::from(error).into()
    }
}

/// Standard output that does not take what is written; a reader that closed it is not a failure.
impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        let failure = Self::new(format!("cannot write the output: {}", words(&error)));
        Self { is_closed_output: error.kind() == io::ErrorKind::BrokenPipe, ..failure }
    }
}
