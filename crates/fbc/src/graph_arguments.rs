//! Whose understanding of the edges of an upgrade graph counts.

use clap::ValueEnum;

/// Whose understanding of the edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Semantics {
    /// OLM v0: updates follow the replaces chain from the head of a channel, past what is skipped
    V0,
    /// OLM v1: every edge counts, and the highest version wins
    #[default]
    V1,
}

impl From<Semantics> for fbc_graph::Semantics {
    fn from(semantics: Semantics) -> Self {
        match semantics {
            Semantics::V0 => Self::V0,
            Semantics::V1 => Self::V1,
        }
    }
}
