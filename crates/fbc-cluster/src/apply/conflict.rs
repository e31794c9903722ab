//! Why a configuration cannot be applied, in the API server's words.
//!
//! Source: `kubernetes/apimachinery:pkg/util/managedfields/internal/conflict.go`.

use std::collections::BTreeMap;
use std::fmt;

use super::managed::Manager;
use crate::error::{ApiError, Cause, CauseReason, Details, Reason};

/// A field that another manager owns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conflict {
    /// The owner.
    pub manager: Manager,
    /// The field, such as `.spec.replicas`.
    pub field: String,
}

/// Why a configuration cannot be applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApplyError {
    /// Others own fields that it changes.
    Conflicts(Vec<Conflict>),
    /// It does not fit the kind; the whole text of the API server.
    TypeMismatch(String),
}

impl From<ApplyError> for ApiError {
    fn from(error: ApplyError) -> Self {
        let message = error.to_string();
        let (reason, causes) = match error {
            ApplyError::TypeMismatch(_) => (Reason::Unknown, Vec::new()),
            ApplyError::Conflicts(conflicts) => {
                let cause = |conflict: Conflict| {
                    let words = format!("conflict with {}", conflict.manager);
                    Cause::new(CauseReason::ManagerConflict, words).at(conflict.field)
                };
                (Reason::Conflict, conflicts.into_iter().map(cause).collect())
            }
        };
        Self { reason, message, details: Box::new(Details { causes, ..Details::default() }) }
    }
}

impl fmt::Display for ApplyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let conflicts = match self {
            Self::TypeMismatch(text) => return formatter.write_str(text),
            Self::Conflicts(conflicts) => conflicts,
        };
        if let [conflict] = conflicts.as_slice() {
            let Conflict { manager, field } = conflict;
            return write!(formatter, "Apply failed with 1 conflict: conflict with {manager}: {field}");
        }
        let mut of_manager: BTreeMap<&Manager, Vec<&str>> = BTreeMap::new();
        for conflict in conflicts {
            of_manager.entry(&conflict.manager).or_default().push(&conflict.field);
        }
        let mut lines = Vec::new();
        for (manager, fields) in of_manager {
            lines.push(format!("conflicts with {manager}:"));
            lines.extend(fields.into_iter().map(|field| format!("- {field}")));
        }
        write!(formatter, "Apply failed with {} conflicts: {}", conflicts.len(), lines.join("\n"))
    }
}

impl std::error::Error for ApplyError {}
