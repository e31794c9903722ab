//! What is said of an update, wherever it is shown.

use fbc_openshift::cluster_update::{BarKind, Fate, QuorumLoss, Report};
use fbc_scenario::duration_text;

/// What a bar of the timeline is of.
#[must_use]
pub fn word(kind: BarKind) -> &'static str {
    match kind {
        BarKind::Operator => "operator",
        BarKind::Pool => "pool",
        BarKind::Node => "node",
    }
}

/// A duration in whole seconds.
pub fn shown(milliseconds: u64) -> String {
    duration_text(milliseconds / 1000 * 1000)
}

/// What became of an operator from a catalog.
pub fn fate_text(fate: &Fate) -> String {
    let Fate { name, before, after, trouble } = fate;
    let state = match after.as_str() {
        "" => format!("operator {name} {before} is not installed"),
        after if after == before => {
            format!("operator {name} stays at {after}, to which its ClusterExtension is pinned")
        }
        after => format!("operator {name} moves from {before} to {after}"),
    };
    trouble
        .as_ref()
        .map_or_else(|| state.clone(), |trouble| format!("{state}: {}", trouble.replace('\n', " ")))
}

/// Whether the cluster gets through, and how long it takes.
pub fn verdict(report: &Report) -> String {
    match (report.control_plane, report.nodes, given_up(report)) {
        (Some(control_plane), Some(nodes), _) => {
            format!("the control plane takes {}, all nodes {}", shown(control_plane), shown(nodes))
        }
        (Some(control_plane), None, Some(given_up)) => {
            format!(
                "the control plane takes {}, and the nodes are not done: {given_up}",
                shown(control_plane)
            )
        }
        (None, _, Some(given_up)) => format!("the update is not done: {given_up}"),
        _ => "the update does not get through".to_owned(),
    }
}

/// What etcd does when too many masters are away at once, and what to do about it.
pub fn quorum_text(loss: QuorumLoss) -> String {
    let QuorumLoss { unavailable, masters } = loss;
    format!(
        "etcd loses its quorum: {unavailable} of {masters} masters are unavailable at once, and {} are needed; leave \
         maxUnavailable of the pool master at 1",
        loss.quorum()
    )
}

/// That the time was up, and who said so: more of it may be all that is needed.
pub fn given_up(report: &Report) -> Option<String> {
    report.given_up.map(|limit| format!("given up after {} (--give-up-after)", shown(limit)))
}
