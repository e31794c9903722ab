//! One cause of a refusal.

use std::fmt;

use serde_json::{Map, Value};

use super::{FieldError, FieldReason};

/// `StatusCause`: what is said of a refusal beyond its message.
///
/// Source: `kubernetes/apimachinery:pkg/apis/meta/v1/types.go`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// What is wrong, for programs.
    pub reason: Option<CauseReason>,
    /// What is wrong, for people.
    pub message: String,
    /// The path of the field that is meant.
    pub field: Option<String>,
}

/// The reason of a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CauseReason {
    /// A field is wrong.
    Field(FieldReason),
    /// Somebody else owns the field.
    ManagerConflict,
    /// The namespace is on its way out.
    NamespaceTerminating,
    /// A disruption budget does not allow it.
    DisruptionBudget,
    /// The resource version has not come yet.
    TooLargeVersion,
}

impl CauseReason {
    /// The reason as a `Status` has it.
    pub fn code(self) -> &'static str {
        match self {
            Self::Field(reason) => reason.code(),
            Self::ManagerConflict => "FieldManagerConflict",
            Self::NamespaceTerminating => "NamespaceTerminating",
            Self::DisruptionBudget => "DisruptionBudget",
            Self::TooLargeVersion => "ResourceVersionTooLarge",
        }
    }
}

impl Cause {
    /// A cause that has a message alone.
    pub fn message(message: impl Into<String>) -> Self {
        Self { reason: None, message: message.into(), field: None }
    }

    /// A cause with a reason that is not about a field.
    pub fn new(reason: CauseReason, message: impl Into<String>) -> Self {
        Self { reason: Some(reason), ..Self::message(message) }
    }

    /// The cause, about a field.
    #[must_use]
    pub fn at(self, field: impl Into<String>) -> Self {
        Self { field: Some(field.into()), ..self }
    }

    /// The cause as a `Status` has it, without what is absent.
    pub fn to_json(&self) -> Value {
        let mut cause = Map::new();
        if let Some(reason) = self.reason {
            cause.insert("reason".to_owned(), reason.code().into());
        }
        cause.insert("message".to_owned(), self.message.as_str().into());
        if let Some(field) = &self.field {
            cause.insert("field".to_owned(), field.as_str().into());
        }
        cause.into()
    }
}

impl From<FieldError> for Cause {
    fn from(error: FieldError) -> Self {
        let cause = Self::new(CauseReason::Field(error.reason), error.message());
        if error.field.is_empty() { cause } else { cause.at(error.field) }
    }
}

/// As kubectl prints causes: what is before the colon is empty without a field.
impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.field.as_deref().unwrap_or_default(), self.message)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn causes_have_what_is_known() {
        for (cause, status, text) in [
            (Cause::message("no"), json!({"message": "no"}), ": no"),
            (
                Cause::new(CauseReason::DisruptionBudget, "no"),
                json!({"reason": "DisruptionBudget", "message": "no"}),
                ": no",
            ),
            (
                FieldError::required("spec.a", "why").into(),
                json!({"reason": "FieldValueRequired", "message": "Required value: why", "field": "spec.a"}),
                "spec.a: Required value: why",
            ),
        ] {
            assert_eq!(cause.to_json(), status);
            assert_eq!(cause.to_string(), text);
        }
    }
}
