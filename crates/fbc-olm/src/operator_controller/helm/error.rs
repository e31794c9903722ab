//! What goes wrong with releases, in the words of Helm and of operator-controller.

use fbc_cluster::apply::patch::PatchError;
use fbc_cluster::error::ApiError;

use super::super::preflight::{MissingRights, UnsafeUpgrade};
use super::release::{HistoryError, RecordError};

/// Why a release cannot be installed, upgraded or kept.
#[derive(Debug, thiserror::Error)]
pub(super) enum HelmError {
    /// The service account lacks rights.
    #[error(transparent)]
    MissingRights(#[from] MissingRights),
    #[error(transparent)]
    Definitions(#[from] UnsafeUpgrade),
    #[error("catalog content unavailable and no release installed")]
    NothingToKeep,
    #[error("{0:?} has no deployed releases")]
    NotDeployed(String),
    /// Kinds of objects that are not served, each in a sentence of its own.
    #[error("{}", bracketed(.0))]
    Unmapped(Vec<String>),
    #[error(
        "error while running post render on files: postrenderer[0] (*client.ownerPostRenderer) failed: {0}"
    )]
    PostRender(Box<Self>),
    #[error("failed to get release state using server-side dry-run: {0}")]
    DryRun(Box<Self>),
    /// What is there keeps Helm from going on.
    #[error("Unable to continue with {with}: {error}")]
    Continue { with: &'static str, error: Box<Self> },
    /// An object belongs to somebody else.
    #[error(
        "{kind} {name:?} in namespace {namespace:?} exists and cannot be imported into the current release: invalid \
         ownership metadata; {reasons}"
    )]
    Foreign { kind: String, name: String, namespace: String, reasons: String },
    /// The same in the words of operator-controller.
    ///
    /// Source: `operator-framework/operator-controller:internal/operator-controller/action/error/errors.go`.
    #[error(
        "{kind} '{name}' already exists in namespace '{namespace}' and cannot be managed by operator-controller"
    )]
    Unmanageable { kind: String, name: String, namespace: String },
    #[error("no {kind} with the name {name:?} found")]
    NotInRelease { kind: String, name: String },
    #[error("{doing}: {error}")]
    Api { doing: String, error: ApiError },
    #[error("{doing}: {error}")]
    Patch { doing: &'static str, error: PatchError },
    /// Objects that cannot be made.
    ///
    /// Source: `hashicorp/go-multierror:format.go`.
    #[error("{} {} occurred:\n\t* {}\n\n", .0.len(), noun(.0), .0.join("\n\t* "))]
    NotMade(Vec<String>),
    /// Objects that cannot be patched.
    #[error("{}", .0.join(" && "))]
    NotPatched(Vec<String>),
    #[error(transparent)]
    History(#[from] HistoryError),
    #[error(transparent)]
    Record(#[from] RecordError),
}

fn bracketed(texts: &[String]) -> String {
    match texts {
        [only] => only.clone(),
        many => format!("[{}]", many.join(", ")),
    }
}

fn noun(errors: &[String]) -> &'static str {
    if errors.len() == 1 { "error" } else { "errors" }
}

impl HelmError {
    /// The API server refuses what was being done.
    pub(super) fn during(doing: impl Into<String>) -> impl FnOnce(ApiError) -> Self {
        move |error| Self::Api { doing: doing.into(), error }
    }

    /// What is there keeps Helm from an installation or an update.
    pub(super) fn to_continue(with: &'static str) -> impl FnOnce(Self) -> Self {
        move |error| Self::Continue { with, error: Box::new(error) }
    }

    /// An object that is somebody else's keeps Helm from installing: operator-controller has its own words for that.
    pub(super) fn translated(self) -> Self {
        match self {
            Self::Continue { with: INSTALL, error } => match *error {
                Self::Foreign { kind, name, namespace, .. } => Self::Unmanageable { kind, name, namespace },
                other => Self::to_continue(INSTALL)(other),
            },
            other => other,
        }
    }
}

/// What Helm calls an installation.
pub(super) const INSTALL: &str = "install";
