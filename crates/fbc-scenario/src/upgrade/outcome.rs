//! What became of an installed version.

use fbc_cluster::object::ObjectFields as _;
use fbc_resolve::CatalogIndex;

use super::scenario::FOLLOW;
use super::stranded::{Stranded, stranded};
use super::{Installed, UpgradeOptions};
use crate::obstacles::{Obstacle, obstacles};
use crate::play::Run;

/// Stands for the version of what is not installed.
pub const NOT_INSTALLED: &str = "-";

/// What became of an installed version.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The package.
    pub package: String,
    /// The version that was installed.
    pub installed: String,
    /// The version in the end, or [`NOT_INSTALLED`].
    pub after: String,
    /// The reason of the condition `Progressing`.
    pub progressing: String,
    /// Its message.
    pub message: String,
    /// Whether all went as it should.
    pub is_success: bool,
    /// Why it stays below the newest version, if it does.
    pub stranded: Option<Stranded>,
    /// What keeps workloads from running.
    pub obstacles: Vec<Obstacle>,
    /// The whole run, if it is to be written, as compact JSON: thousands of clusters take too much memory.
    pub run: Option<String>,
}

impl Outcome {
    /// What a run came to.
    pub(super) fn from_run(
        (package, version): &Installed,
        run: &Run,
        new: &CatalogIndex,
        options: &UpgradeOptions,
    ) -> Self {
        let extension = run.state.iter().find(|object| object["kind"] == "ClusterExtension");
        let condition = |wanted: &str, field: &str| {
            let condition = extension.and_then(|object| object.condition(wanted));
            condition.map(|condition| condition.text(&[field])).unwrap_or_default().to_owned()
        };
        let after = extension.map(|object| object.text(&["status", "install", "bundle", "version"]));
        let after = after.filter(|version| !version.is_empty()).unwrap_or(NOT_INSTALLED).to_owned();
        let reason = condition("Progressing", "reason");
        // A cluster that refuses the channels leaves the extension where it is.
        let refused = run.steps.iter().find(|step| step.name == FOLLOW).and_then(|step| step.fault.clone());
        let stranded = stranded(new, package, &options.channels, &after)
            .filter(|_| after != NOT_INSTALLED)
            .map(|one| Stranded { reason: refused.unwrap_or(one.reason), ..one });
        let is_success =
            run.is_success() && reason == "Succeeded" && condition("Installed", "status") == "True";
        Self {
            package: package.clone(),
            installed: version.to_owned(),
            stranded,
            obstacles: obstacles(&run.state),
            after,
            is_success,
            message: condition("Progressing", "message"),
            progressing: reason,
            run: options.keeps_runs.then(|| run.to_json_text()),
        }
    }

    /// Whether the version came to the newest one, and runs.
    #[must_use]
    pub fn is_fine(&self) -> bool {
        self.is_success && self.stranded.is_none() && self.obstacles.is_empty()
    }
}
