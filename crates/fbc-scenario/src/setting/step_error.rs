//! Why a step cannot be done.

use fbc_cluster::engine::RunError;
use fbc_cluster::error::ApiError;
use fbc_cluster::object::ObjectName;
use fbc_model::image_reference::ReferenceError;
use fbc_olm::content::PullError;

/// Why a step cannot be done, or an object of the start does not get into its place.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StepError {
    /// The API server refuses.
    #[error(transparent)]
    Api(#[from] ApiError),
    /// The cluster does not come to rest.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Nothing serves the kind of an object.
    #[error("the server doesn't have a resource type {0:?}")]
    UnknownKind(String),
    /// There is no such service account.
    #[error("there is no service account {0}")]
    NoServiceAccount(ObjectName),
    /// Nobody took this service account away.
    #[error("service account {0} is not broken")]
    NotBroken(ObjectName),
    /// The scenario has no such content.
    #[error("there is no content {0}")]
    NoContent(String),
    /// The name of an image is not one.
    #[error("{image}: {error}")]
    Image {
        /// The name.
        image: String,
        /// What is wrong with it.
        error: ReferenceError,
    },
    /// An image cannot be pushed.
    #[error(transparent)]
    Push(#[from] PullError),
    /// The release that the cluster begins with cannot be installed.
    #[error("the release {0} cannot be installed")]
    NotInstalled(String),
    /// There is no operator to start anew.
    #[error("the cluster has no Cluster Version Operator")]
    NoOperator,
    /// The cluster runs another generation of OLM than that of a controller.
    #[error("the cluster has no {0}: it runs `olm: {1}`")]
    OtherGeneration(&'static str, &'static str),
    /// There is no operator that asks update services or metrics.
    #[error("there is no Cluster Version Operator that asks")]
    NobodyAsks,
    /// A command line printed something else.
    #[error("{0}")]
    Command(String),
}
