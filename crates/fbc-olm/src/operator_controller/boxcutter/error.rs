//! Why a bundle does not become a revision.

use fbc_cluster::error::ApiError;

use super::super::helm::HistoryError;
use super::super::preflight::{MissingRights, UnsafeUpgrade};
use super::secrets::PackError;

/// Why neither the bundle nor a release of Helm becomes a revision.
#[derive(Debug, thiserror::Error)]
pub enum BoxcutterError {
    /// There is nothing to apply, and nothing to keep.
    #[error("catalog content unavailable and no revision installed")]
    NothingToKeep,
    /// The service account lacks rights.
    #[error("creating new Revision: {0}")]
    MissingRights(#[from] MissingRights),
    /// Definitions must not become what the bundle says.
    #[error(transparent)]
    Definitions(#[from] UnsafeUpgrade),
    /// The objects do not fit into Secrets.
    #[error("{doing}: {error}")]
    Pack {
        /// What was being done.
        doing: &'static str,
        /// Why it cannot be.
        error: PackError,
    },
    /// The API server refuses.
    #[error("{doing}: {error}")]
    Api {
        /// What was being done.
        doing: String,
        /// Its answer.
        error: ApiError,
    },
    /// The API server refuses the revision that a release becomes.
    #[error(transparent)]
    Migration(ApiError),
    /// The releases of Helm cannot be read.
    #[error(transparent)]
    Releases(#[from] HistoryError),
}

impl BoxcutterError {
    /// The API server refuses what was being done.
    pub(super) fn during(doing: impl Into<String>) -> impl FnOnce(ApiError) -> Self {
        move |error| Self::Api { doing: doing.into(), error }
    }
}
