//! A refusal in kubectl's words.
//!
//! Source: `kubernetes/kubectl:pkg/cmd/util/helpers.go` (`StandardErrorMessage`, `checkErr`).

use crate::error::{ApiError, Reason};

/// What kubectl prints of a refusal, with the line end. `during` says what it was doing, such as
/// `error when creating "STDIN": `, and is empty where kubectl does not say.
pub fn kubectl_text(error: &ApiError, during: &str) -> String {
    if error.reason != Reason::Invalid {
        return format!("Error from server ({}): {during}{}\n", error.reason, error.message);
    }
    let subject = match error.details.kind.as_str() {
        "" => "The request is invalid".to_owned(),
        kind => format!("The {kind} {:?} is invalid", error.details.name),
    };
    let mut causes: Vec<String> = Vec::new();
    for cause in &error.details.causes {
        let text = cause.to_string();
        if !causes.contains(&text) {
            causes.push(text);
        }
    }
    match causes.as_slice() {
        [] => format!("{subject}: {}\n", error.message),
        [only] => format!("{subject}: {only}\n"),
        several => {
            let lines: Vec<String> = several.iter().map(|cause| format!("* {cause}\n")).collect();
            format!("{subject}: \n{}", lines.concat())
        }
    }
}
