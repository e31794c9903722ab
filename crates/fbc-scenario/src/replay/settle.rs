//! When a step is over: no status changes any more, or a minute has gone by.

use std::sync::Arc;

use fbc_cluster::api::ApiServer;
use fbc_cluster::engine::{Cluster, RunError};
use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::store::Change;
use fbc_cluster::time::{Milliseconds, SECOND};
use fbc_olm::names::{CLUSTER_CATALOG, CLUSTER_EXTENSION, CLUSTER_OBJECT_SET, GROUP};

use super::ReplayError;

/// The kinds that the recordings look at.
pub(super) const OBSERVED: [&str; 3] = [CLUSTER_CATALOG, CLUSTER_EXTENSION, CLUSTER_OBJECT_SET];

/// How long nothing must change.
const QUIET: Milliseconds = 8 * SECOND;
/// The same when everything says that it is done.
const QUIET_WHEN_DONE: Milliseconds = 4 * SECOND;
/// The longest wait.
const LONGEST: Milliseconds = 60 * SECOND;
/// The wait for catalogs that poll every minute.
const POLL: Milliseconds = 75 * SECOND;

/// Runs until the step is over.
pub(super) fn settle(cluster: &mut Cluster, waits_for_poll: bool, file: &str) -> Result<(), ReplayError> {
    let failed = |error: RunError| ReplayError::new(file, error.to_string());
    let start = cluster.now();
    if waits_for_poll {
        return cluster.run_until(start + POLL).map_err(failed);
    }
    let end = start + LONGEST;
    let mut seen = cluster.api.store().revision();
    let mut last = start;
    loop {
        let quiet = if is_done(&cluster.api) { QUIET_WHEN_DONE } else { QUIET };
        let due = (last + quiet).min(end);
        let went_on = due > cluster.now() && cluster.step(due).map_err(failed)?;
        if status_changed(&cluster.api, seen) {
            last = cluster.now();
        }
        seen = cluster.api.store().revision();
        if !went_on {
            return cluster.run_until(due).map_err(failed);
        }
    }
}

/// All observed objects.
pub(super) fn observed(api: &ApiServer) -> impl Iterator<Item = &Arc<Object>> {
    OBSERVED.iter().flat_map(|kind| api.all(GROUP, kind))
}

/// True if every observed object says that its present generation is done.
fn is_done(api: &ApiServer) -> bool {
    observed(api).all(|object| {
        object.condition("Progressing").is_some_and(|condition| {
            condition["reason"] == "Succeeded" && condition["observedGeneration"] == object.generation()
        })
    })
}

fn status_changed(api: &ApiServer, since: u64) -> bool {
    let Some(changes) = api.store().changes_since(since) else { return true };
    let is_observed = |change: &&Change| {
        let kind = api.registry().get(change.key.kind);
        kind.is_some_and(|kind| kind.group == GROUP && OBSERVED.contains(&kind.kind.as_str()))
    };
    let status = |object: &Option<Arc<Object>>| object.as_ref().map(|object| object["status"].clone());
    changes.filter(is_observed).any(|change| status(&change.before) != status(&change.after))
}
