//! Admission webhooks of products that are part of the cluster: they are asked without a request over the network.

use crate::error::ApiError;
use crate::kind::Kind;
use crate::object::Object;

/// Why an admission webhook denies a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Denial {
    /// The code of the answer.
    pub code: u16,
    /// The reason, empty where the webhook gives none.
    pub reason: &'static str,
    /// What the webhook says.
    pub message: String,
}

impl Denial {
    /// The refusal of the API server that asks the webhook of that name.
    pub(super) fn into_refusal(self, name: &str) -> ApiError {
        let Self { code, reason, message } = self;
        ApiError::denied(code, reason, format!("admission webhook {name:?} denied the request: {message}"))
    }
}

/// Changes objects on their way in, as mutating admission webhooks do.
pub trait Mutator: Send + Sync {
    /// Changes an object that is created or updated.
    ///
    /// # Errors
    /// [`Denial`]
    fn mutate(&self, kind: &Kind, object: &mut Object) -> Result<(), Denial>;
    /// What refusals name: the webhook.
    fn name(&self) -> &str;
}

/// Refuses changes of objects, as validating admission webhooks do.
pub trait Validator: Send + Sync {
    /// Looks at what an object is to become; a new object has no state before.
    ///
    /// # Errors
    /// [`Denial`]
    fn validate(&self, kind: &Kind, before: Option<&Object>, object: &Object) -> Result<(), Denial>;
    /// What refusals name: the webhook.
    fn name(&self) -> &str;
}
