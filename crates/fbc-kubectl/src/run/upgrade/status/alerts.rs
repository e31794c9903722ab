//! Alerts that fire during an update.
//!
//! Those of metrics have no annotations: no summary, no description, no address of a runbook.
//!
//! Source: `openshift/oc:pkg/cli/admin/upgrade/status/alerts.go`.

use fbc_cluster::time::Moment;

use super::health::{Insight, Level, UNKNOWN};
use crate::alert::Alert;

/// Alerts that concern updates even if they fire since before.
const KNOWN_TO_AFFECT: [&str; 2] = ["PodDisruptionBudgetLimit", "PodDisruptionBudgetAtLimit"];

/// What the alerts of a cluster say about an update that began at a moment.
pub(super) fn assess(alerts: &[Alert], started: Moment) -> impl Iterator<Item = Insight> {
    alerts.iter().filter(|alert| alert.is_firing).filter_map(move |alert| {
        let level = match alert.severity() {
            "warning" => Level::Warning,
            "critical" => Level::Critical,
            _ => return None,
        };
        let told = match (KNOWN_TO_AFFECT.contains(&alert.name()), started < alert.since) {
            (true, true) => "Alert known to affect updates started firing during the update.",
            (true, false) => "Alert known to affect updates has been firing since before the update started.",
            (false, true) => "Alert started firing during the update.",
            (false, false) => return None,
        };
        let name = match alert.namespace() {
            "" => alert.name().to_owned(),
            namespace => format!("{namespace}/{}", alert.name()),
        };
        Some(Insight {
            since: Some(alert.since),
            level,
            impact: UNKNOWN,
            summary: format!("Alert is firing: {}", alert.name()),
            description: format!("{told} The alert has no description."),
            reference: "<alert does not have a runbook_url annotation>",
            about: ("alerts.config.openshift.io", name),
        })
    })
}
