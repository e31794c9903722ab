//! Recorded cases of the real programs, played on a simulated cluster and compared with what was recorded.
//!
//! Tests and `cargo xtask recordings` call the same players. A suite is one row of [`SUITES`]: where its cases lie, and
//! the function that plays one. A player answers with what differs; tolerances are those of the README of the
//! recordings.

mod compare;
mod daemon_pods;
mod draining;
mod evictions;
mod no_execute;
mod node_conditions;
mod node_loss;
mod scheduling;
mod taint_command;
#[cfg(test)]
mod tests;
mod waking;
mod world;
mod zones;

use std::path::Path;

use fbc_model::tree::Tree;
use serde_json::Value;

use fbc_cluster::object::ObjectFields;

/// What came of a case: nothing, or what differs from the recording.
pub type Verdict = Result<(), String>;

/// Plays one case.
type Play = fn(&Value) -> Verdict;

/// A suite of recorded cases.
#[derive(Debug, Clone, Copy)]
pub struct Suite {
    /// The name on command lines; several files may make up one suite.
    pub name: &'static str,
    /// The file with the cases, below the folder of the recordings: a list, or one case.
    pub file: &'static str,
    play: Play,
}

const fn suite(name: &'static str, file: &'static str, play: Play) -> Suite {
    Suite { name, file, play }
}

/// All suites that can be played.
pub const SUITES: &[Suite] = &[
    suite("kube/01", "kube/01-taint-cli/cases.json", taint_command::play),
    suite("kube/03", "kube/03-scheduling/matrix.json", scheduling::play_matrix),
    suite("kube/03", "kube/03-scheduling/clusters.json", scheduling::play_cluster),
    suite("kube/03", "kube/03-scheduling/conditions.json", scheduling::play_conditions),
    suite("kube/03", "kube/03-scheduling/requeue.json", waking::play),
    suite("kube/04", "kube/04-noexecute/cases.json", no_execute::play),
    suite("kube/05", "kube/05-automatic-tolerations/daemonset-pods.json", daemon_pods::play),
    suite("kube/06", "kube/06-node-conditions/cases.json", node_conditions::play),
    suite("kube/07", "kube/07-taint-based-eviction/cases.json", node_loss::play),
    suite("kube/08", "kube/08-zones/cases.json", zones::play),
    suite("kube/09", "kube/09-drain/cases.json", draining::play),
    suite("kube/09b", "kube/09b-eviction-api/cases.json", evictions::play),
];

/// A case that was played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// The name of the case.
    pub name: String,
    /// What differs.
    pub verdict: Verdict,
}

impl Suite {
    /// Plays all cases of the suite.
    ///
    /// # Errors
    /// The file cannot be read, or is no JSON.
    pub fn play(&self, recordings: &dyn Tree) -> Result<Vec<Played>, String> {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", self.file);
        let bytes = recordings.read(Path::new(self.file)).map_err(|error| failed(&error))?;
        let value: Value = serde_json::from_slice(&bytes).map_err(|error| failed(&error))?;
        let cases = match value {
            Value::Array(cases) => cases,
            case => vec![case],
        };
        let played =
            |case: &Value| Played { name: case.text(&["name"]).to_owned(), verdict: (self.play)(case) };
        Ok(cases.iter().map(played).collect())
    }
}
