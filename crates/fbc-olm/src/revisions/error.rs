//! What keeps a revision from rolling out, in the words of its conditions.

use base64::DecodeError;
use fbc_cluster::error::ApiError;
use fbc_cluster::object::ObjectName;
use fbc_cluster::selector::SelectorError;

use super::content::LARGEST_OBJECT;

/// Why a revision does not roll out, or is not taken away.
#[derive(Debug, thiserror::Error)]
pub(super) enum RevisionError {
    #[error(
        "the following secrets are not immutable (referenced secrets must have immutable set to true): {0}"
    )]
    MutableSecrets(String),
    #[error("object in phase {phase:?} has neither object nor ref")]
    NoObject { phase: String },
    #[error("resolving ref in phase {phase:?}: {error}")]
    Reference { phase: String, error: ReferenceError },
    #[error("number of phases has changed (expected {expected} phases, got {found})")]
    PhaseCount { expected: usize, found: usize },
    #[error(
        "resolved content of {} phase(s) has changed: {}; a referenced object source may have been deleted and recreated \
         with different content",
        .0.len(), .0.join("; ")
    )]
    PhasesChanged(Vec<String>),
    #[error("invalid label selector in progressionProbe ({selector}): {error}")]
    Selector { selector: String, error: SelectorError },
    #[error("unknown progressionProbe selector type: {0}")]
    SelectorType(String),
    #[error("unknown progressionProbe assertion probe type: {0}")]
    AssertionType(String),
    #[error("revision {0:?} is missing required annotations")]
    NoAnnotations(String),
    #[error("revision {revision:?} is missing ServiceAccount {what} annotation")]
    NoAccountAnnotation { revision: String, what: &'static str },
    #[error(
        "service account {:?} not found in namespace {:?}: unable to authenticate with the Kubernetes cluster.",
        .0.name, .0.namespace
    )]
    NoAccount(ObjectName),
    #[error("establish watch: {0}")]
    Watch(ApiError),
    #[error("revision {revision:?} ({number}): {}", errors.join(", "))]
    Invalid { revision: String, number: i64, errors: Vec<String> },
    /// Objects that the API server would not take.
    #[error("validating: {}", .0.join("\n"))]
    Refused(Vec<String>),
    /// Objects that are not as they should be.
    #[error("{}", .0.join("\n"))]
    Objects(Vec<String>),
    #[error("reconciling object: {0}")]
    RollOut(Box<Self>),
    #[error("teardown phase: teardown {object}: {error}")]
    TearDown { object: String, error: Box<Self> },
    #[error("diverge check: API accessor: GroupVersion ({0}) not found as OpenAPI V3 path")]
    UnknownVersion(String),
    #[error("getting revision of object: strconv.ParseInt: parsing {0:?}: invalid syntax")]
    Number(String),
    #[error("{doing}: {error}")]
    Api { doing: &'static str, error: ApiError },
    #[error(transparent)]
    Request(#[from] ApiError),
}

impl RevisionError {
    /// The API server refuses what was being done.
    pub(super) fn during(doing: &'static str) -> impl FnOnce(ApiError) -> Self {
        move |error| Self::Api { doing, error }
    }
}

/// Why there is no object behind a reference to an entry of a Secret.
#[derive(Debug, thiserror::Error)]
pub(super) enum ReferenceError {
    #[error("getting Secret {0}: Secret {name:?} not found", name = .0.name)]
    NoSecret(ObjectName),
    #[error("key {key:?} not found in Secret {secret}")]
    NoKey { key: String, secret: ObjectName },
    #[error("decoding {place}: {error}")]
    Base64 { place: String, error: DecodeError },
    #[error("decompressing {place}: {error}")]
    Compression { place: String, error: std::io::Error },
    #[error("decompressed data for {0} exceeds maximum size ({LARGEST_OBJECT} bytes)")]
    TooLarge(String),
    #[error("unmarshaling object from {place}: {error}")]
    Json { place: String, error: serde_json::Error },
    #[error("unmarshaling object from {0}: no object")]
    NoObject(String),
}
