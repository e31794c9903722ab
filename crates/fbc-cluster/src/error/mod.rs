//! What the API server answers when it refuses: a `Status` with code, reason, message and causes.

mod cause;
mod field;

use std::fmt;

pub use cause::{Cause, CauseReason};
pub use field::{FieldError, FieldReason, aggregate};
use serde_json::{Value, json};

/// A refusal of the API server.
///
/// Source: `kubernetes/apimachinery:pkg/api/errors/errors.go`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ApiError {
    /// The reason, which decides the code.
    pub reason: Reason,
    /// The whole text.
    pub message: String,
    /// The object that was meant.
    pub details: Box<Details>,
}

/// The object that a refusal is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Details {
    /// The API group, empty for the core group.
    pub group: String,
    /// The kind or the resource, as the API server names it in that place.
    pub kind: String,
    /// The name of the object, if there is one.
    pub name: String,
    /// What is said beyond the message, such as one for each field that is wrong.
    pub causes: Vec<Cause>,
    /// The words of the admission webhook that denied the request, which clients see in place of the reason.
    pub denied: Option<Denied>,
    /// After how many seconds the same request may be answered otherwise.
    pub retry_after: Option<u32>,
}

/// What an admission webhook gives as the reason of a denial.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Denied {
    /// The code of the answer, 400 or more.
    pub code: u16,
    /// A text of its own, often none.
    pub reason: String,
}

/// Why the API server refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// 400
    BadRequest,
    /// 401
    Unauthorized,
    /// 403
    Forbidden,
    /// 404
    NotFound,
    /// 405
    MethodNotAllowed,
    /// 406
    NotAcceptable,
    /// 409
    AlreadyExists,
    /// 409
    Conflict,
    /// 410
    Expired,
    /// 413
    RequestEntityTooLarge,
    /// 415
    UnsupportedMediaType,
    /// 422
    Invalid,
    /// 429
    TooManyRequests,
    /// 500
    InternalError,
    /// 503
    ServiceUnavailable,
    /// 504
    Timeout,
    /// 507
    InsufficientStorage,
    /// 500, of which the answer names no reason
    Unknown,
}

impl Reason {
    /// The code of the HTTP answer.
    pub fn code(self) -> u16 {
        match self {
            Self::BadRequest => 400,
            Self::Unauthorized => 401,
            Self::Forbidden => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::NotAcceptable => 406,
            Self::AlreadyExists | Self::Conflict => 409,
            Self::Expired => 410,
            Self::RequestEntityTooLarge => 413,
            Self::UnsupportedMediaType => 415,
            Self::Invalid => 422,
            Self::TooManyRequests => 429,
            Self::InternalError | Self::Unknown => 500,
            Self::ServiceUnavailable => 503,
            Self::Timeout => 504,
            Self::InsufficientStorage => 507,
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => Ok(()),
            named => fmt::Debug::fmt(named, formatter),
        }
    }
}

impl ApiError {
    fn new(reason: Reason, group: &str, kind: &str, name: &str, message: String) -> Self {
        let details =
            Details { group: group.into(), kind: kind.into(), name: name.into(), ..Details::default() };
        Self { reason, message, details: Box::new(details) }
    }

    /// `deployments.apps "web" not found`
    pub fn not_found(group: &str, resource: &str, name: &str) -> Self {
        let message = format!("{} {name:?} not found", qualified(resource, group));
        Self::new(Reason::NotFound, group, resource, name, message)
    }

    /// `deployments.apps "web" already exists`
    pub fn already_exists(group: &str, resource: &str, name: &str) -> Self {
        let message = format!("{} {name:?} already exists", qualified(resource, group));
        Self::new(Reason::AlreadyExists, group, resource, name, message)
    }

    /// `Operation cannot be fulfilled on deployments.apps "web": …`
    pub fn conflict(group: &str, resource: &str, name: &str, cause: &str) -> Self {
        let message =
            format!("Operation cannot be fulfilled on {} {name:?}: {cause}", qualified(resource, group));
        Self::new(Reason::Conflict, group, resource, name, message)
    }

    /// `deployments.apps "web" is forbidden: …`, or without a name `deployments.apps is forbidden: …`
    pub fn forbidden(group: &str, resource: &str, name: &str, cause: &str) -> Self {
        let quoted = if name.is_empty() { String::new() } else { format!(" {name:?}") };
        let message = format!("{}{quoted} is forbidden: {cause}", qualified(resource, group));
        Self::new(Reason::Forbidden, group, resource, name, message)
    }

    /// `Deployment.apps "web" is invalid: …` with all causes.
    pub fn invalid(group: &str, kind: &str, name: &str, causes: Vec<FieldError>) -> Self {
        let text = aggregate(&causes);
        let message = format!("{} {name:?} is invalid: {text}", qualified(kind, group));
        let mut error = Self::new(Reason::Invalid, group, kind, name, message);
        error.details.causes = causes.into_iter().map(Cause::from).collect();
        error
    }

    /// A refusal with a text of its own.
    pub fn other(reason: Reason, message: impl Into<String>) -> Self {
        Self::new(reason, "", "", "", message.into())
    }

    /// A request that cannot be understood.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Self::new(Reason::BadRequest, "", "", "", message.into())
    }

    /// Something the API server itself could not do.
    pub fn internal(message: impl Into<String>) -> Self {
        let message = format!("Internal error occurred: {}", message.into());
        Self::new(Reason::InternalError, "", "", "", message)
    }

    /// The refusal of an admission webhook, in its words; a code below 400 is 400.
    ///
    /// Source: `kubernetes/apiserver:pkg/admission/plugin/webhook/errors/statuserror.go`.
    pub fn denied(code: u16, reason: &str, message: impl Into<String>) -> Self {
        let code = code.max(400);
        let class = match code {
            403 => Reason::Forbidden,
            404 => Reason::NotFound,
            409 => Reason::Conflict,
            422 => Reason::Invalid,
            429 => Reason::TooManyRequests,
            500.. => Reason::InternalError,
            _ => Reason::BadRequest,
        };
        let mut error = Self::other(class, message);
        error.details.denied = Some(Denied { code, reason: reason.to_owned() });
        error
    }

    /// The code of the HTTP answer.
    pub fn code(&self) -> u16 {
        self.details.denied.as_ref().map_or(self.reason.code(), |denied| denied.code)
    }

    /// The reason in the answer; empty where it names none.
    pub fn reason_text(&self) -> String {
        self.details.denied.as_ref().map_or_else(|| self.reason.to_string(), |denied| denied.reason.clone())
    }

    /// True if the object, or its kind, does not exist.
    pub fn is_not_found(&self) -> bool {
        self.reason == Reason::NotFound
    }

    /// True if another object has the name already.
    pub fn is_already_exists(&self) -> bool {
        self.reason == Reason::AlreadyExists
    }

    /// The `Status` object of the answer.
    pub fn to_status(&self) -> Value {
        let causes: Vec<Value> = self.details.causes.iter().map(Cause::to_json).collect();
        json!({
            "apiVersion": "v1", "kind": "Status", "metadata": {}, "status": "Failure",
            "message": self.message, "reason": self.reason_text(), "code": self.code(),
            "details": {
                "name": self.details.name, "group": self.details.group, "kind": self.details.kind, "causes": causes,
            },
        })
    }
}

/// `deployments.apps`, or `pods` in the core group.
fn qualified(resource: &str, group: &str) -> String {
    if group.is_empty() { resource.to_owned() } else { format!("{resource}.{group}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn denials_keep_the_words_of_the_webhook() {
        for (code, reason, expected) in [
            (0, "", (400, "", Reason::BadRequest)),
            (200, "no", (400, "no", Reason::BadRequest)),
            (403, "", (403, "", Reason::Forbidden)),
            (418, "Teapot", (418, "Teapot", Reason::BadRequest)),
            (503, "", (503, "", Reason::InternalError)),
        ] {
            let error = ApiError::denied(code, reason, "denied");
            assert_eq!((error.code(), error.reason_text().as_str(), error.reason), expected);
        }
    }

    #[test]
    fn texts_of_refusals() {
        for (error, code, text) in [
            (ApiError::not_found("apps", "deployments", "web"), 404, r#"deployments.apps "web" not found"#),
            (ApiError::not_found("", "pods", "a"), 404, r#"pods "a" not found"#),
            (ApiError::forbidden("", "pods", "", "no"), 403, "pods is forbidden: no"),
            (
                ApiError::invalid(
                    "apps",
                    "Deployment",
                    "web",
                    vec![FieldError::required("spec.selector", "")],
                ),
                422,
                r#"Deployment.apps "web" is invalid: spec.selector: Required value"#,
            ),
            (
                ApiError::invalid(
                    "",
                    "Pod",
                    "a",
                    vec![FieldError::required("spec.a", ""), FieldError::invalid_text("spec.b", "x", "bad")],
                ),
                422,
                r#"Pod "a" is invalid: [spec.a: Required value, spec.b: Invalid value: "x": bad]"#,
            ),
        ] {
            assert_eq!(error.to_string(), text);
            assert_eq!(error.code(), code);
        }
    }
}
