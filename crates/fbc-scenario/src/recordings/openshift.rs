//! Recordings of OpenShift's own controllers, which their crate plays itself.

use std::sync::Arc;

use fbc_model::tree::Tree;
use fbc_openshift::{cluster_version, replay};
use serde_json::Value;

use super::{Difference, Verdict};

/// A case of the Machine API or of the Machine Config Operator.
pub(super) fn play(case: &Value) -> Verdict {
    let case = replay::read(case).ok_or("is not a case of the Machine API or the Machine Config Operator")?;
    verdict(replay::play(&case).iter().map(ToString::to_string).collect())
}

/// A case of the Cluster Version Operator.
pub(super) fn play_cluster_version(recordings: &Arc<dyn Tree>, case: &Value) -> Verdict {
    verdict(
        cluster_version::replay::play(recordings, case)
            .map_err(|error| Difference::Unplayable(error.to_string()))?,
    )
}

fn verdict(differences: Vec<String>) -> Verdict {
    if differences.is_empty() { Ok(()) } else { Err(Difference::Several(differences)) }
}
