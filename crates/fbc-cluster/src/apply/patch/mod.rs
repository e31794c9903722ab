//! Patches: what the API server makes of an object and a patch, and the patches that `kubectl apply` makes.

mod element_order;
mod json_patch;
mod kubectl_apply;
mod merge_patch;
mod strategic;
mod strategic_diff;

use serde_json::Value;

pub use json_patch::json_patch;
pub use kubectl_apply::{ThreeWay, last_applied, three_way_patch};
pub use merge_patch::{merge_patch, three_way_merge_patch};
pub use strategic::strategic_merge_patch;
pub use strategic_diff::three_way_strategic_patch;

use super::shape::Shape;
use crate::error::{ApiError, Reason};

/// The patches that the API server knows besides server-side apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatchType {
    /// `application/json-patch+json`
    Json,
    /// `application/merge-patch+json`
    Merge,
    /// `application/strategic-merge-patch+json`; only for built-in kinds.
    Strategic,
}

/// Why a patch cannot be applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// It is not a patch of its type. The API server answers 400 with this text.
    #[error("{0}")]
    Malformed(String),
    /// It does not fit the object. The API server answers 422 with a text that does not say why.
    #[error("{0}")]
    Rejected(String),
    /// It asks for more than the API server does. The API server answers 413 with this text.
    #[error("{0}")]
    TooLarge(String),
}

impl From<PatchError> for ApiError {
    /// Source: `kubernetes/apiserver:pkg/endpoints/handlers/patch.go`.
    fn from(error: PatchError) -> Self {
        match error {
            PatchError::Malformed(text) => Self::bad_request(text),
            PatchError::Rejected(_) => {
                Self::other(Reason::Invalid, "the server rejected our request due to an error in our request")
            }
            PatchError::TooLarge(text) => {
                Self::other(Reason::RequestEntityTooLarge, format!("Request entity is too large: {text}"))
            }
        }
    }
}

/// Applies a patch to an object.
///
/// # Errors
/// The patch is malformed, or does not fit the object.
pub fn patch(object: &Value, patch: &Value, of: PatchType, shape: &Shape) -> Result<Value, PatchError> {
    match of {
        PatchType::Json => json_patch(object, patch),
        PatchType::Merge => Ok(merge_patch(object.clone(), patch)),
        PatchType::Strategic => strategic_merge_patch(object, patch, shape),
    }
}
