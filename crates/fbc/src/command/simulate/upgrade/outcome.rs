//! What became of an installed version.

use fbc_cluster::object::ObjectFields as _;
use fbc_resolve::CatalogIndex;
use fbc_scenario::{Obstacle, Run, obstacles};

use super::stranded::{Stranded, stranded};
use super::{Arguments, Installed};

/// Stands for the version of what is not installed.
pub(super) const NOT_INSTALLED: &str = "-";

/// What became of an installed version.
#[derive(Clone)]
pub(super) struct Outcome {
    pub(super) package: String,
    pub(super) installed: String,
    pub(super) after: String,
    pub(super) progressing: String,
    pub(super) message: String,
    pub(super) is_success: bool,
    pub(super) stranded: Option<Stranded>,
    pub(super) obstacles: Vec<Obstacle>,
    /// The whole run, if it is to be written, as compact JSON: thousands of clusters take too much memory.
    pub(super) run: Option<String>,
}

impl Outcome {
    /// What a run came to.
    pub(super) fn of(
        (package, version): &Installed,
        run: &Run,
        new: &CatalogIndex,
        arguments: &Arguments,
    ) -> Self {
        let extension = run.state.iter().find(|object| object["kind"] == "ClusterExtension");
        let condition = |wanted: &str, field: &str| {
            let condition = extension.and_then(|object| object.condition(wanted));
            condition.map(|condition| condition.text(&[field])).unwrap_or_default().to_owned()
        };
        let after = extension.map(|object| object.text(&["status", "install", "bundle", "version"]));
        let after = after.filter(|version| !version.is_empty()).unwrap_or(NOT_INSTALLED).to_owned();
        let reason = condition("Progressing", "reason");
        let is_success =
            run.is_success() && reason == "Succeeded" && condition("Installed", "status") == "True";
        Self {
            package: package.clone(),
            installed: version.to_owned(),
            stranded: stranded(new, package, &arguments.channels, &after),
            obstacles: obstacles(&run.state),
            after,
            is_success,
            message: condition("Progressing", "message"),
            progressing: reason,
            run: arguments.shows_runs().then(|| run.to_json_text()),
        }
    }

    /// Whether the version came to the newest one, and runs.
    pub(super) fn is_fine(&self) -> bool {
        self.is_success && self.stranded.is_none() && self.obstacles.is_empty()
    }
}
