//! What goes wrong with a set of machines of the control plane, in the words of its conditions.

use fbc_cluster::error::ApiError;
use fbc_cluster::selector::SelectorError;

use super::OPERATOR;

/// What a set reports of its machines begins with this.
const INFO: &str = "error fetching machine info: could not generate machine info for machine";
/// What it reports of their replacement begins with this.
const UPDATES: &str = "error reconciling machines: error reconciling machine updates";

/// Why a set cannot be looked after.
#[derive(Debug, thiserror::Error)]
pub(super) enum SetError {
    #[error("could not convert label selector to selector: {0}")]
    Selector(#[from] SelectorError),
    #[error("spec.replicas is unset: replicas is required")]
    NoReplicas,
    #[error("{INFO} {0}: could not determine machine index: could not determine machine index")]
    NoIndex(String),
    #[error(
        "{INFO} {machine}: error checking machine readiness: failed to get Node {node:?}: Node {node:?} not found"
    )]
    NoNode { machine: String, node: String },
    #[error("{UPDATES}: error creating new Machine for index {index}: {error}")]
    Name { index: i64, error: MissingLabel },
    #[error("{UPDATES}: error creating new Machine for index {index}: cannot create machine: {error}")]
    Creation { index: i64, error: ApiError },
    #[error("{UPDATES}: error deleting Machine {object}: {doing}: {error}")]
    Deletion { object: String, doing: String, error: ApiError },
    #[error(
        "unable to reconcile cluster operator status: failed to sync status for cluster operator {OPERATOR}, {0}"
    )]
    Status(ApiError),
    #[error("{doing}: {error}")]
    Api { doing: String, error: ApiError },
}

impl SetError {
    /// The API server refuses what was being done.
    pub(super) fn during(doing: impl Into<String>) -> impl FnOnce(ApiError) -> Self {
        move |error| Self::Api { doing: doing.into(), error }
    }
}

/// A label of the template that names of machines are made of.
#[derive(Debug, thiserror::Error)]
#[error("could not generate machine name: missing required label on machine template metadata: {0}")]
pub(super) struct MissingLabel(pub(super) &'static str);
