//! What keeps a case from going as it was recorded.

use fbc_cluster::engine::RunError;
use fbc_cluster::error::ApiError;

use crate::Verdict;

/// Why a case does not go as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Difference {
    /// Something was seen otherwise.
    #[error("{what}\n      seen     {seen}\n      recorded {recorded}")]
    Seen {
        /// What is compared.
        what: String,
        /// What was seen.
        seen: String,
        /// What was recorded.
        recorded: String,
    },
    /// Several things were, in the words of who compared them.
    #[error("{}", .0.join("\n    "))]
    Several(Vec<String>),
    /// What a step is about is not there, or not as it must be.
    #[error("{0}")]
    Missing(&'static str),
    /// There is no such node.
    #[error("there is no node {0}")]
    NoNode(String),
    /// The player does not know a step.
    #[error("unknown step {0:?}")]
    UnknownStep(String),
    /// The player does not know the case.
    #[error("unknown case {0:?}")]
    UnknownCase(String),
    /// What the case needs cannot be read.
    #[error("{0}")]
    Unplayable(String),
    /// A flag of the program has no such value.
    #[error("bad flag {0}")]
    BadFlag(String),
    /// The API server refuses what was accepted.
    #[error(transparent)]
    Api(#[from] ApiError),
    /// The cluster does not come to rest.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl From<&'static str> for Difference {
    fn from(missing: &'static str) -> Self {
        Self::Missing(missing)
    }
}

/// A verdict of what differs in the words of who compared.
pub(crate) fn several(differences: Vec<String>) -> Verdict {
    if differences.is_empty() { Ok(()) } else { Err(Difference::Several(differences)) }
}
