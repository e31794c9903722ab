//! Recorded cases of the real programs, played on a simulated cluster and compared with what was recorded.
//!
//! Only tests and `cargo xtask recordings` use this crate; no part of it is in `fbc`. A suite is one row of [`SUITES`]:
//! where its cases lie, and the function that plays one. A player answers with what differs; tolerances are those of the
//! README of the recordings.
//!
//! | module | the programs that were recorded |
//! |---|---|
//! | `kube` | scheduler, controllers of nodes and pods, kubectl |
//! | `controllers` | Machine API, Machine Config Operator |
//! | `cluster_version` | Cluster Version Operator |
//! | `olm_v0` | catalog-operator, olm-operator, package-server |

mod cluster_version;
mod controllers;
mod difference;
mod kube;
mod olm_v0;
#[cfg(test)]
mod tests;

pub use difference::Difference;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_cluster::object::ObjectFields;
use fbc_model::tree::Tree;
use serde_json::Value;

use kube::{
    daemon_pods, draining, evictions, no_execute, node_conditions, node_loss, scheduling, taint_command,
    waking, zones,
};

/// What came of a case: nothing, or what differs from the recording.
pub type Verdict = Result<(), Difference>;

/// Plays one case.
#[derive(Debug, Clone, Copy)]
enum Player {
    /// All that counts is in the case.
    Alone(fn(&Value) -> Verdict),
    /// The case speaks of other files of the recordings.
    WithFiles(fn(&Arc<dyn Tree>, &Value) -> Verdict),
    /// A case is a directory with a scenario of OLM v0.
    Scenario,
}

/// A suite of recorded cases.
#[derive(Debug, Clone, Copy)]
pub struct Suite {
    /// The name on command lines; several files may make up one suite.
    pub name: &'static str,
    /// Where the cases lie below the directory of the recordings: a file with a list of cases or one case, or a directory with
    /// files at any depth.
    pub path: &'static str,
    player: Player,
}

const fn suite(name: &'static str, path: &'static str, play: fn(&Value) -> Verdict) -> Suite {
    Suite { name, path, player: Player::Alone(play) }
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
    suite("machines/lifecycle", "machines/lifecycle/cases.json", controllers::verdict),
    suite("machines/deletion", "machines/deletion/cases.json", controllers::verdict),
    suite("machines/machineset", "machines/machineset/cases.json", controllers::verdict),
    suite("machines/real", "machines/real/cases.json", controllers::verdict),
    suite("machines/healthcheck", "machines/healthcheck/cases.json", controllers::verdict),
    suite("machines/nodelink", "machines/nodelink/cases.json", controllers::verdict),
    suite("machines/controlplane", "machines/controlplane/cases.json", controllers::verdict),
    suite("mco/rollout", "mco/rollout/cases.json", controllers::verdict),
    suite("mco/drain", "mco/drain/cases.json", controllers::verdict),
    Suite { name: "cvo", path: "cvo/cases", player: Player::WithFiles(cluster_version::verdict) },
    Suite { name: "olmv0", path: "olmv0", player: Player::Scenario },
];

/// A case that was played.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Played {
    /// The name of the case.
    pub name: String,
    /// What differs.
    pub verdict: Verdict,
}

/// A file of recorded cases that cannot be played.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("{}: {error}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: std::io::Error,
    },
    /// It is not JSON.
    #[error("{}: {error}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        error: serde_json::Error,
    },
}

impl Suite {
    /// Plays the cases of the suite whose names hold a text.
    ///
    /// # Errors
    /// [`FileError`]
    pub fn play(&self, recordings: &Arc<dyn Tree>, part_of_name: &str) -> Result<Vec<Played>, FileError> {
        let mut played = Vec::new();
        if matches!(self.player, Player::Scenario) {
            for folder in olm_v0::scenarios(recordings.as_ref(), Path::new(self.path)) {
                let fallback = || folder.display().to_string();
                let name = olm_v0::name(recordings, &folder).unwrap_or_else(|_| fallback());
                if name.contains(part_of_name) {
                    played.push(Played { verdict: olm_v0::verdict(recordings, &folder), name });
                }
            }
            return Ok(played);
        }
        for path in files(recordings.as_ref(), Path::new(self.path)) {
            for case in cases(recordings.as_ref(), &path)? {
                let name = name(&case);
                if name.contains(part_of_name) {
                    let verdict = match self.player {
                        Player::Alone(play) => play(&case),
                        Player::WithFiles(play) => play(recordings, &case),
                        Player::Scenario => continue,
                    };
                    played.push(Played { name, verdict });
                }
            }
        }
        Ok(played)
    }
}

/// The cases in a file: a list of them, or one.
fn cases(recordings: &dyn Tree, file: &Path) -> Result<Vec<Value>, FileError> {
    let path = || file.to_path_buf();
    let bytes = recordings.read(file).map_err(|error| FileError::Read { path: path(), error })?;
    let value = serde_json::from_slice(&bytes).map_err(|error| FileError::Json { path: path(), error })?;
    Ok(match value {
        Value::Array(cases) => cases,
        case => vec![case],
    })
}

/// The name of a case, with its topic if it has one.
fn name(case: &Value) -> String {
    let parts = [case.text(&["topic"]), case.text(&["name"])];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
}

/// The file, or all files below the directory.
fn files(tree: &dyn Tree, path: &Path) -> Vec<PathBuf> {
    match tree.list(path) {
        Ok(entries) => entries.iter().flat_map(|entry| files(tree, &path.join(&entry.name))).collect(),
        Err(_) => vec![path.to_owned()],
    }
}
