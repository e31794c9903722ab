//! What a write asks for besides the object, and the part of the object that it is for.

use super::Caller;
use crate::admission::request::RequestOptions;

/// What a write may ask for besides the object.
#[derive(Debug, Clone, Copy, Default)]
pub struct WriteOptions {
    /// Answer as if, and store nothing.
    pub dry_run: bool,
    /// What becomes of fields that the kind does not have.
    pub validation: FieldValidation,
    /// The request names its field manager; else the name follows from that of the program.
    pub names_manager: bool,
}

impl WriteOptions {
    /// What admission sees of the options.
    pub(super) fn seen(self, caller: &Caller) -> RequestOptions<'_> {
        let manager = if self.names_manager { caller.manager.as_str() } else { "" };
        RequestOptions::Write(manager, self.validation)
    }
}

/// What becomes of fields that a kind does not have, and of fields that are there twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FieldValidation {
    /// They are dropped.
    #[default]
    Ignore,
    /// They are dropped, with a warning.
    Warn,
    /// The request is refused.
    Strict,
}

/// The part of an object that a write is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Subresource {
    /// The object without its status.
    #[default]
    None,
    /// The status alone.
    Status,
    /// The number of replicas alone.
    Scale,
    /// The node of a pod, and the condition that says so.
    Binding,
    /// The conditions by which a request for a certificate is approved or denied.
    Approval,
    /// The containers that are added to a pod to look into it.
    EphemeralContainers,
    /// What the containers of a pod ask for.
    Resize,
    /// The finalizers of a namespace.
    Finalize,
}

impl Subresource {
    /// True if a write means what is wanted of the object.
    pub(super) fn is_about_wishes(self) -> bool {
        matches!(self, Self::None | Self::Scale | Self::EphemeralContainers | Self::Resize)
    }

    /// The name in requests and rules; empty for the object itself.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "",
            Self::Status => "status",
            Self::Scale => "scale",
            Self::Binding => "binding",
            Self::Approval => "approval",
            Self::EphemeralContainers => "ephemeralcontainers",
            Self::Resize => "resize",
            Self::Finalize => "finalize",
        }
    }
}
