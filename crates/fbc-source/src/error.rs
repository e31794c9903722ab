//! What goes wrong with what a reference names: what kind of error, what happened, and what to do next.

use std::error::Error as StdError;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::Arc;

use fbc_go::allowance::Exceeded;
use fbc_model::writer::WriteError;
use fbc_repository::{CONFIGURATION, RepositoryTooLarge};
use fbc_yaml::limits::LimitExceeded;

use crate::nearby;

/// What to do about a path that does not exist.
const CHECK_PATH: &str =
    "check the path; one that does not begin with `/` is taken from the directory that the command runs in";

/// What an error means for who asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// What was asked for cannot be done with what was named.
    Unusable,
    /// What was named does not exist.
    Missing,
    /// The content is refused: it is there, and not as it must be.
    Refused,
    /// The system does not give a file or a directory, or does not start a program.
    System(io::ErrorKind),
    /// A registry, or the network before it.
    Registry,
    /// It would take a registry, and none may be asked.
    Offline,
    /// A budget, by its name, is used up.
    Budget(&'static str),
}

/// Why something that a reference names could not be read, copied or written.
///
/// The message says what and where in one line; details stand below it, and help says what to do next.
#[derive(Clone, Debug)]
pub struct Error {
    kind: ErrorKind,
    message: String,
    details: Vec<String>,
    help: Vec<String>,
    source: Option<Arc<dyn StdError + Send + Sync>>,
}

/// The parts of an error, for who shows it.
#[derive(Clone, Debug)]
pub struct Parts {
    /// What it means.
    pub kind: ErrorKind,
    /// What is wrong and where.
    pub message: String,
    /// Lines below the message.
    pub details: Vec<String>,
    /// What to do next.
    pub help: Vec<String>,
}

impl Error {
    /// An error with what is wrong and where.
    pub fn new(message: impl Into<String>) -> Self {
        let (details, help) = (Vec::new(), Vec::new());
        Self { kind: ErrorKind::Unusable, message: message.into(), details, help, source: None }
    }

    /// The content is refused.
    pub fn refusal(message: impl Into<String>) -> Self {
        Self::new(message).of_kind(ErrorKind::Refused)
    }

    /// A file or directory that the system does not give.
    #[must_use]
    pub fn io(verb: &str, path: &Path, error: &io::Error) -> Self {
        let message = format!("cannot {verb} {}: {}", path.display(), system_words(error));
        if fbc_staging::leads_out(error) {
            return Self::refusal(message).help(
                "put there itself what the link leads to; `--follow-links` follows links that you trust",
            );
        }
        let made = Self::new(message).of_kind(ErrorKind::System(error.kind()));
        match error.kind() {
            io::ErrorKind::PermissionDenied => {
                made.help("permission denied; check the permissions of the path")
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                made.help("free some space on that disk, and run the command again")
            }
            // Whoever writes lacks the directory, not the file.
            io::ErrorKind::NotFound if ["write", "write to", "create"].contains(&verb) => {
                made.help("its directory does not exist; create it first")
            }
            io::ErrorKind::NotFound => nearby::meant(path).into_iter().fold(made, Self::help),
            _ => made,
        }
    }

    /// A budget that is used up: what is too much, and of which budget.
    pub fn budget(name: &'static str, message: impl fmt::Display) -> Self {
        Self::new(format!("{message} (limit {name})"))
            .of_kind(ErrorKind::Budget(name))
            .help(format!("if that is meant, allow more with `--limit {name}=N`"))
    }

    /// An input would expand to more than a limit allows: where, and which limit.
    pub fn expansion(exceeded: Exceeded, message: impl fmt::Display) -> Self {
        Self::fixed_limit(exceeded, message, "remove what repeats itself")
    }

    fn fixed_limit(exceeded: Exceeded, message: impl fmt::Display, remedy: &str) -> Self {
        let name = exceeded.name();
        Self::new(format!("{message} (limit {name})"))
            .of_kind(ErrorKind::Budget(name))
            .help(format!("the limit is fixed; {remedy}"))
    }

    /// An error with several lines: what stands below the first is shown below it.
    #[must_use]
    pub fn of_lines(text: &str) -> Self {
        let mut lines = text.lines();
        let error = Self::new(lines.next().unwrap_or_default());
        lines.fold(error, |error, line| error.detail(line))
    }

    /// An error for several reasons.
    pub fn of_reasons(reasons: impl IntoIterator<Item = String>) -> Self {
        let mut reasons = reasons.into_iter();
        let error = Self::new(reasons.next().unwrap_or_default());
        reasons.fold(error, |error, reason| error.detail(format!("  and {reason}")))
    }

    /// The same of another kind.
    #[must_use]
    pub fn of_kind(self, kind: ErrorKind) -> Self {
        Self { kind, ..self }
    }

    /// Adds what it follows from.
    #[must_use]
    pub fn because(self, source: impl StdError + Send + Sync + 'static) -> Self {
        Self { source: Some(Arc::new(source)), ..self }
    }

    /// Adds a line below the message.
    #[must_use]
    pub fn detail(mut self, detail: impl Into<String>) -> Self {
        self.details.push(detail.into());
        self
    }

    /// Says what to do next in other words, such as with other names of flags.
    #[must_use]
    pub fn map_help(mut self, words: impl Fn(String) -> String) -> Self {
        self.help = self.help.into_iter().map(words).collect();
        self
    }

    /// Adds what to do next.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Says in front where the error comes from.
    #[must_use]
    pub fn within(mut self, place: &str) -> Self {
        self.message = format!("{place}: {}", self.message);
        self
    }

    /// What it means.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What is wrong and where, without details and help.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Everything in one line, for an error that becomes part of another text.
    #[must_use]
    pub fn line(&self) -> String {
        let mut line = self.message.clone();
        for more in self.details.iter().chain(&self.help) {
            line.push_str("; ");
            line.push_str(more.trim_start());
        }
        line
    }

    /// What is wrong in all its lines, without what to do next.
    #[must_use]
    pub fn message_and_details(&self) -> String {
        let lines: Vec<&str> =
            std::iter::once(self.message.as_str()).chain(self.details.iter().map(String::as_str)).collect();
        lines.join("\n")
    }

    /// Its parts.
    #[must_use]
    pub fn into_parts(mut self) -> Parts {
        // Said only where nobody knows better.
        if self.help.is_empty() && self.kind == ErrorKind::System(io::ErrorKind::NotFound) {
            self.help.push(CHECK_PATH.to_owned());
        }
        Parts { kind: self.kind, message: self.message, details: self.details, help: self.help }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}

impl From<LimitExceeded> for Error {
    fn from(exceeded: LimitExceeded) -> Self {
        match exceeded {
            LimitExceeded::Patterns(patterns) => Self::fixed_limit(
                patterns.exceeded,
                patterns,
                "use fewer and simpler patterns, or move files that are no part of the catalog out of its directory",
            ),
            _ => Self::budget(exceeded.name(), exceeded),
        }
    }
}

impl From<RepositoryTooLarge> for Error {
    fn from(error: RepositoryTooLarge) -> Self {
        match error.part {
            Some(_) => Self::expansion(error.exceeded, &error),
            None => {
                let remedy = format!("name the catalogs in {CONFIGURATION} as `[[catalogs]]`");
                Self::fixed_limit(error.exceeded, &error, &remedy)
            }
        }
    }
}

impl From<WriteError> for Error {
    fn from(error: WriteError) -> Self {
        match error {
            WriteError::Output(error) => {
                Self::new(format!("cannot write the output: {}", system_words(&error)))
                    .of_kind(ErrorKind::System(error.kind()))
            }
            WriteError::Layout { .. } => Self::budget("layout-bytes", error),
            WriteError::Blob { .. } => Self::refusal(error.to_string())
                .help("YAML cannot hold this text; render as JSON, or fix the blob"),
        }
    }
}

/// The words of the system, without its number.
#[must_use]
pub fn system_words(error: &io::Error) -> String {
    let text = error.to_string();
    text.split(" (os error").next().unwrap_or(&text).to_owned()
}
