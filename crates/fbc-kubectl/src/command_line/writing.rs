//! Flags of verbs that write: how much happens, and what becomes of fields that nobody knows.

use super::flags::Arguments;
use super::{CommandError, Parsed};

/// `--dry-run`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DryRun {
    /// The command does what it says.
    #[default]
    None,
    /// Nothing is sent.
    Client,
    /// The server answers and stores nothing.
    Server,
}

impl DryRun {
    /// What stands behind the words about what was done.
    pub(crate) fn suffix(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Client => " (dry run)",
            Self::Server => " (server dry run)",
        }
    }
}

/// `--validate`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Validation {
    /// Objects with unknown fields are refused.
    #[default]
    Strict,
    /// Unknown fields are told, and dropped.
    Warn,
    /// Unknown fields are dropped.
    Ignore,
}

/// Reads `--dry-run`.
pub(super) fn dry_run(arguments: &Arguments) -> Parsed<DryRun> {
    match arguments.value("dry-run") {
        None | Some("none") => Ok(DryRun::None),
        Some("client") => Ok(DryRun::Client),
        Some("server") => Ok(DryRun::Server),
        Some("unchanged") => Err(CommandError::error(
            "--dry-run flag without a value was specified. A value must be set: \"none\", \"server\", or \"client\".",
        )),
        Some(other) => Err(CommandError::error(format!(
            "Invalid dry-run value ({other}). Must be \"none\", \"server\", or \"client\"."
        ))),
    }
}

/// Reads `--validate`.
pub(super) fn validation(arguments: &Arguments) -> Parsed<Validation> {
    match arguments.value("validate") {
        None | Some("strict" | "true") => Ok(Validation::Strict),
        Some("warn") => Ok(Validation::Warn),
        Some("ignore" | "false") => Ok(Validation::Ignore),
        Some(other) => Err(CommandError::error(format!(
            "invalid - validate option {}; must be one of: strict (or true), warn, ignore (or false)",
            fbc_go::text::quote(other)
        ))),
    }
}
