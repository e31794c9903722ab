//! What became of an installation, and who refused it.

use fbc_cluster::object::{Object, ObjectFields};

use super::needs::Need;
use crate::obstacles::Obstacle;

/// What became of a bundle. A refusal comes with its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It is installed and runs.
    Installs,
    /// Its objects are there, and pods of it cannot run.
    CannotRun(String),
    /// OLM refuses it by its own rules: what it does not support, or a definition that it does not dare to change.
    RefusedByOlm(String),
    /// The cluster does not serve a kind that it needs.
    LacksKinds(String),
    /// The API server refuses an object of it.
    RefusedByApi(String),
    /// Something else keeps it from being installed.
    Unsettled(String),
}

impl Verdict {
    /// The verdict in one word, for tables and programs.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Installs => "installs",
            Self::CannotRun(_) => "cannot run",
            Self::RefusedByOlm(_) => "refused by OLM",
            Self::LacksKinds(_) => "lacks kinds",
            Self::RefusedByApi(_) => "refused by the API",
            Self::Unsettled(_) => "unsettled",
        }
    }

    /// All words in the order of tables.
    pub const WORDS: [&'static str; 6] =
        ["installs", "refused by OLM", "lacks kinds", "refused by the API", "cannot run", "unsettled"];

    /// The text; empty for a bundle that installs.
    pub fn message(&self) -> &str {
        match self {
            Self::Installs => "",
            Self::CannotRun(text)
            | Self::RefusedByOlm(text)
            | Self::LacksKinds(text)
            | Self::RefusedByApi(text)
            | Self::Unsettled(text) => text,
        }
    }
}

/// What the API server says before its reason.
const API_REFUSALS: [&str; 8] = [
    "is invalid:",
    "is forbidden:",
    "cannot be handled as a",
    "already exists",
    "admission webhook",
    "failed calling webhook",
    "strict decoding error",
    "denied the request",
];

/// What OLM says of bundles that break its own rules.
const OLM_REFUSALS: [&str; 4] = [
    // What its definition of revisions does not hold, such as more objects in a phase than it allows.
    "creating new Revision: ",
    // An object that a bundle holds twice.
    "revision validation error: ",
    "validating upgrade for CRD",
    "CustomResourceDefinitionUpgradeSafety",
];

/// What became of an extension that wants a version. `fault` stopped the run, `refusal` is why the bundle was not
/// rendered, `failure` what operator-controller failed with the last time, `needs` are kinds that the cluster does not
/// serve.
pub(super) fn judge(
    extension: Option<&Object>,
    version: &str,
    fault: Option<String>,
    refusal: Option<String>,
    failure: Option<&str>,
    needs: &[Need],
    obstacles: &[Obstacle],
) -> Verdict {
    if let Some(text) = fault {
        return Verdict::Unsettled(text);
    }
    let Some(extension) = extension else { return Verdict::Unsettled("the extension is gone".to_owned()) };
    if let Some(text) = refusal {
        return Verdict::RefusedByOlm(text);
    }
    // The conditions say what was said before.
    if let Some(text) = failure.filter(|text| text.contains("error updating status: ")) {
        // Only what OLM says of definitions is longer than a condition may be.
        let is_too_long = text.contains("message: Too long: ");
        let verdict = if is_too_long { Verdict::RefusedByOlm } else { Verdict::Unsettled };
        return verdict(text.to_owned());
    }
    let message = |condition: &str| {
        extension.condition(condition).map(|condition| condition.text(&["message"])).unwrap_or_default()
    };
    let progressing = extension.condition("Progressing");
    let reason = progressing.map(|condition| condition.text(&["reason"])).unwrap_or_default();
    let is_installed = extension.text(&["status", "install", "bundle", "version"]) == version
        && extension.condition_status("Installed") == "True"
        && reason == "Succeeded";
    let waits = matches!(reason, "Succeeded" | "RollingOut");
    if let Some(obstacle) = obstacles.first().filter(|_| waits) {
        return Verdict::CannotRun(format!("{}: {}", obstacle.workload, obstacle.message));
    }
    if is_installed {
        return Verdict::Installs;
    }
    let text = message("Progressing").to_owned();
    if text.contains("no matches for kind") || text.contains("could not find the requested resource") {
        // Helm wants the kinds of all objects before it makes any, those that the bundle defines itself as well.
        if needs.is_empty() { Verdict::RefusedByOlm(text) } else { Verdict::LacksKinds(text) }
    } else if OLM_REFUSALS.iter().any(|part| text.contains(part)) {
        Verdict::RefusedByOlm(text)
    } else if API_REFUSALS.iter().any(|part| text.contains(part)) {
        Verdict::RefusedByApi(text)
    } else {
        let text = if text.is_empty() { message("Installed").to_owned() } else { text };
        Verdict::Unsettled(text)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The word for an extension that has a version installed and says this of its progress.
    fn word(reason: &str, message: &str, failure: Option<&str>) -> &'static str {
        let extension = json!({
            "status": {
                "install": {"bundle": {"version": "1.0.0"}},
                "conditions": [
                    {"type": "Installed", "status": "True"},
                    {"type": "Progressing", "status": "True", "reason": reason, "message": message},
                ],
            },
        });
        judge(Some(&extension), "1.1.0", None, None, failure, &[], &[]).word()
    }

    #[test]
    fn who_refuses_follows_from_what_is_said() {
        for (message, expected) in [
            ("validating upgrade for CRD \"a\": x", "refused by OLM"),
            ("revision validation error: duplicate object found in phases: deploy", "refused by OLM"),
            ("no matches for kind \"A\" in version \"v1\"", "refused by OLM"),
            ("Deployment.apps \"a\" is invalid: spec.selector", "refused by the API"),
            ("something else", "unsettled"),
        ] {
            assert_eq!(word("Retrying", message, None), expected, "{message}");
        }
    }

    #[test]
    fn a_status_that_cannot_be_written_says_what_was_said_before() {
        let status =
            "error updating status: ClusterExtension \"a\" is invalid: status.conditions[0].message: ";
        let too_long = format!("{status}Too long: may not be more than 32768 bytes");
        assert_eq!(word("Succeeded", "desired state reached", Some(&too_long)), "refused by OLM");
        let other = format!("{status}Required value");
        assert_eq!(word("Succeeded", "desired state reached", Some(&other)), "unsettled");
        assert_eq!(word("Retrying", "validating upgrade for CRD", Some("no")), "refused by OLM");
    }
}
