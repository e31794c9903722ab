//! What goes wrong while a verb runs, and how kubectl says it.
//!
//! Source: `kubernetes/kubectl:pkg/cmd/util/helpers.go`, `checkErr`.

use fbc_cluster::error::{ApiError, Reason};

use crate::command_line::CommandError;
use crate::print::PrintError;

/// One thing that went wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The API server refused.
    Api(Box<ApiError>),
    /// kubectl itself refuses; the text is without `error: `.
    Text(String),
}

impl From<ApiError> for Failure {
    fn from(error: ApiError) -> Self {
        Self::Api(Box::new(error))
    }
}

impl From<Box<ApiError>> for Failure {
    fn from(error: Box<ApiError>) -> Self {
        Self::Api(error)
    }
}

impl From<PrintError> for Failure {
    fn from(error: PrintError) -> Self {
        Self::Text(error.message)
    }
}

impl From<CommandError> for Failure {
    fn from(error: CommandError) -> Self {
        Self::Text(error.text)
    }
}

impl Failure {
    /// What kubectl itself refuses.
    pub(super) fn from_error(error: impl std::fmt::Display) -> Self {
        Self::Text(error.to_string())
    }

    /// A refusal that says which file it is about: `error when creating "x.yaml": …`.
    pub fn of_source(error: ApiError, verb: &str, source: &str) -> Self {
        let message = format!("error when {verb} {}: {}", fbc_go::text::quote(source), error.message);
        Self::Api(Box::new(ApiError { message, ..error }))
    }

    /// The text as one of several.
    fn short(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            Self::Api(error) if error.reason == Reason::Unauthorized => {
                format!("error: You must be logged in to the server ({})", error.message)
            }
            Self::Api(error) => match error.reason_text().as_str() {
                "" => format!("Error from server: {}", error.message),
                reason => format!("Error from server ({reason}): {}", error.message),
            },
        }
    }

    /// The text alone.
    fn text(&self) -> String {
        match self {
            Self::Api(error) if error.reason == Reason::Invalid => invalid(error),
            Self::Text(text) if !text.starts_with("error: ") => format!("error: {text}"),
            other => other.short(),
        }
    }
}

/// `The Widget "w" is invalid: …`, with a list if several fields are wrong.
fn invalid(error: &ApiError) -> String {
    let details = &error.details;
    if details.kind.is_empty() && details.name.is_empty() && details.causes.is_empty() {
        return format!("The request is invalid: {}", error.message);
    }
    let subject = format!("The {} {} is invalid", details.kind, fbc_go::text::quote(&details.name));
    let mut causes: Vec<String> = Vec::new();
    for cause in &details.causes {
        let text = cause.to_string();
        if !causes.contains(&text) {
            causes.push(text);
        }
    }
    match causes.as_slice() {
        [] => subject,
        [only] => format!("{subject}: {only}"),
        several => format!("{subject}: \n* {}", several.join("\n* ")),
    }
}

/// What goes to standard error: one failure with its own words, several in a line each.
pub fn failures_text(failures: &[Failure]) -> String {
    match failures {
        [] => String::new(),
        [only] => as_line(only.text()),
        several => several.iter().map(|failure| as_line(failure.short())).collect(),
    }
}

/// The text with a line end, unless it has one.
fn as_line(text: String) -> String {
    if text.ends_with('\n') { text } else { text + "\n" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fbc_cluster::error::{Cause, FieldError};

    #[test]
    fn texts_of_refusals() {
        let invalid = |causes| Failure::from(ApiError::invalid("example.com", "Widget", "w", causes));
        let size = || FieldError::invalid_text("spec.size", "x", "too small");
        let name = || FieldError::required("spec.name", "");
        let missing = || Failure::from(ApiError::not_found("", "nodes", "n"));
        let denied = || {
            let text = "ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no";
            let mut error = ApiError::forbidden("", "configmaps", "m", text);
            error.reason = Reason::Invalid;
            error.details.causes = vec![Cause::message(text)];
            Failure::from(error)
        };
        for (failures, expected) in [
            (
                vec![denied()],
                "The configmaps \"m\" is invalid: : ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no\n",
            ),
            (
                vec![ApiError::denied(403, "", "admission webhook \"w\" denied the request: no").into()],
                "Error from server: admission webhook \"w\" denied the request: no\n",
            ),
            (
                vec![ApiError::denied(403, "no", "admission webhook \"w\" denied the request: no").into()],
                "Error from server (no): admission webhook \"w\" denied the request: no\n",
            ),
            (
                vec![ApiError::bad_request("admission webhook \"w\" does not support dry run").into()],
                "Error from server (BadRequest): admission webhook \"w\" does not support dry run\n",
            ),
            (vec![missing()], "Error from server (NotFound): nodes \"n\" not found\n"),
            (vec![Failure::Text("no".into())], "error: no\n"),
            (vec![Failure::Text("no\n".into())], "error: no\n"),
            (
                vec![invalid(vec![size()])],
                "The Widget \"w\" is invalid: spec.size: Invalid value: \"x\": too small\n",
            ),
            (
                vec![invalid(vec![size(), name(), name()])],
                "The Widget \"w\" is invalid: \n* spec.size: Invalid value: \"x\": too small\n* spec.name: Required value\n",
            ),
            (
                vec![Failure::Text("no".into()), missing()],
                "no\nError from server (NotFound): nodes \"n\" not found\n",
            ),
            (vec![], ""),
        ] {
            assert_eq!(failures_text(&failures), expected);
        }
    }
}
