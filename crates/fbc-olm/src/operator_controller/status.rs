//! What the status of a ClusterExtension says, apart from deprecations.
//!
//! Source: `operator-framework/operator-controller:internal/operator-controller/controllers/common_controller.go`.

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::Moment;
use serde_json::json;

use super::applier::{RevisionMetadata, RevisionStates};
use crate::Target;
use crate::conditions::{self, Condition};

/// The condition that says how a change is going.
pub const PROGRESSING: &str = "Progressing";
/// The condition that says what is installed.
pub const INSTALLED: &str = "Installed";

/// Why a reconciliation ended early.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// The text for the user.
    pub message: String,
    /// What becomes of it.
    pub kind: FailureKind,
}

/// What becomes of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// It comes again after a back-off.
    Retry,
    /// It stays until something changes.
    Blocked,
    /// It stays until `spec.config` changes.
    InvalidConfiguration,
}

impl Failure {
    /// A failure that may go away by itself.
    pub fn retry(message: impl Into<String>) -> Self {
        Self { message: message.into(), kind: FailureKind::Retry }
    }

    /// A failure that stays until something changes.
    pub fn blocked(message: impl Into<String>) -> Self {
        Self { message: message.into(), kind: FailureKind::Blocked }
    }

    /// True if nobody should try again before something changes.
    pub fn is_terminal(&self) -> bool {
        self.kind != FailureKind::Retry
    }

    /// The failure with the bundle that was to be installed in its text.
    pub fn of_bundle(mut self, bundle: &RevisionMetadata, target: Target) -> Self {
        let (name, version) = (&bundle.name, &bundle.version);
        self.message = match target {
            Target::Ocp419 => {
                format!("{} for resolved bundle {name:?} with version {version:?}", self.message)
            }
            _ => format!("error for resolved bundle {name:?} with version {version:?}: {}", self.message),
        };
        self
    }
}

/// The status of an extension while it is reconciled.
pub struct Status<'e> {
    /// The extension.
    pub extension: &'e mut Object,
    /// Whose words.
    pub target: Target,
    /// The present moment.
    pub now: Moment,
}

impl Status<'_> {
    /// Sets a condition.
    pub fn set(
        &mut self,
        condition_type: &'static str,
        status: &'static str,
        reason: impl Into<String>,
        message: &str,
    ) {
        let message = match self.target {
            Target::Ocp50 | Target::Latest => cut(message),
            _ => message.to_owned(),
        };
        conditions::set(self.extension, &Condition::new(condition_type, status, reason, message), self.now);
    }

    /// Everything is as it should be.
    pub fn succeeded(&mut self) {
        let text = match self.target {
            Target::Ocp419 | Target::Ocp420 => "desired state reached",
            _ => "Desired state reached",
        };
        self.set(PROGRESSING, "True", "Succeeded", text);
    }

    /// Something failed.
    pub fn failed(&mut self, failure: &Failure) {
        let message = without_connections(&failure.message);
        let (status, reason) = match failure.kind {
            FailureKind::Retry => ("True", "Retrying"),
            FailureKind::InvalidConfiguration if self.target >= Target::Ocp421 => {
                ("False", "InvalidConfiguration")
            }
            FailureKind::Blocked | FailureKind::InvalidConfiguration => ("False", "Blocked"),
        };
        let prefix = if status == "False" && self.target == Target::Ocp419 { "terminal error: " } else { "" };
        self.set(PROGRESSING, status, reason, &format!("{prefix}{message}"));
    }

    /// What is installed cannot be told.
    pub fn installed_unknown(&mut self, message: &str) {
        self.set(INSTALLED, "Unknown", "Failed", message);
    }

    /// Says what is installed.
    pub fn installed(&mut self, states: &RevisionStates) {
        if let Some(installed) = &states.installed {
            self.extension.set(&["status", "install"], json!({"bundle": installed.to_bundle()}));
            let text = format!("Installed bundle {} successfully", installed.image);
            self.set(INSTALLED, "True", "Succeeded", &text);
            return;
        }
        self.extension.remove(&["status", "install"]);
        let newest = states.rolling_out.last();
        let is_retrying = newest
            .and_then(|newest| newest.condition(PROGRESSING))
            .is_some_and(|condition| condition["reason"] == "Retrying");
        let reason = if newest.is_none() || is_retrying { "Failed" } else { "Absent" };
        self.set(INSTALLED, "False", reason, "No bundle installed");
    }
}

/// Longer messages are refused by the API server.
const LONGEST_MESSAGE: usize = 32_768;
const CUT_SUFFIX: &str = "\n\n... [message truncated]";

/// Cuts a message that is too long, at a border of characters.
fn cut(message: &str) -> String {
    if message.len() <= LONGEST_MESSAGE {
        return message.to_owned();
    }
    let mut end = LONGEST_MESSAGE - CUT_SUFFIX.len();
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}{CUT_SUFFIX}", message.get(..end).unwrap_or_default())
}

/// Leaves out ports of connections (`read tcp 10.0.0.1:4711->10.0.0.2:443: `), which differ with every try.
fn without_connections(message: &str) -> String {
    let mut out = String::new();
    let mut rest = message;
    while let Some((at, length)) = connection(rest) {
        out.push_str(rest.get(..at).unwrap_or_default());
        rest = rest.get(at + length..).unwrap_or_default();
    }
    out.push_str(rest);
    out
}

/// Where the first connection begins and how long its text is.
fn connection(text: &str) -> Option<(usize, usize)> {
    const VERBS: [&str; 4] = ["read tcp ", "read udp ", "write tcp ", "write udp "];
    let mut found: Vec<(usize, usize)> = Vec::new();
    for verb in VERBS {
        for (at, _) in text.match_indices(verb) {
            let addresses = text.get(at + verb.len()..).unwrap_or_default();
            let end = addresses.find(": ").filter(|end| {
                let pair = addresses.get(..*end).unwrap_or_default();
                pair.contains("->") && !pair.contains(char::is_whitespace)
            });
            if let Some(end) = end {
                found.push((at, verb.len() + end + 2));
            }
        }
    }
    found.into_iter().min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_are_cut() {
        assert_eq!(cut("short"), "short");
        let text = cut(&"ä".repeat(20_000));
        assert!(text.len() <= LONGEST_MESSAGE && text.len() > LONGEST_MESSAGE - 2);
        assert!(text.ends_with(CUT_SUFFIX));
    }

    #[test]
    fn connections_are_left_out() {
        for (message, left) in [
            ("get: read tcp 10.0.0.1:4711->10.0.0.2:443: connection reset", "get: connection reset"),
            ("a: write udp [::1]:1->[::1]:53: x: read tcp 1->2: y", "a: x: y"),
            ("read tcp stream: fine", "read tcp stream: fine"),
        ] {
            assert_eq!(without_connections(message), left);
        }
    }

    #[test]
    fn what_is_installed() {
        let mut extension = json!({"metadata": {"generation": 2}});
        let bundle = RevisionMetadata {
            name: "a.v1".into(),
            version: "1.0.0".into(),
            image: "i".into(),
            ..RevisionMetadata::default()
        };
        let mut say = |states: &RevisionStates| {
            Status { extension: &mut extension, target: Target::Latest, now: Moment::START }
                .installed(states);
            let condition = extension.condition(INSTALLED).cloned().unwrap_or_default();
            let text = |field: &str| condition[field].as_str().unwrap_or_default().to_owned();
            (text("status"), text("reason"), extension.at(&["status", "install"]).is_some())
        };
        let mut states = RevisionStates { installed: Some(bundle.clone()), rolling_out: Vec::new() };
        assert_eq!(say(&states), ("True".into(), "Succeeded".into(), true));
        states.installed = None;
        assert_eq!(say(&states), ("False".into(), "Failed".into(), false));
        states.rolling_out.push(bundle);
        assert_eq!(say(&states), ("False".into(), "Absent".into(), false));
        states.rolling_out[0].conditions.push(json!({"type": "Progressing", "reason": "Retrying"}));
        assert_eq!(say(&states), ("False".into(), "Failed".into(), false));
    }
}
