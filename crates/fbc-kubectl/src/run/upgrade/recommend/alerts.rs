//! What the alerts of a cluster say about an update.
//!
//! Source: `openshift/oc:pkg/cli/admin/upgrade/recommend/alerts.go`.

use crate::alert::Alert;

/// A check of the cluster.
pub(super) struct Check {
    /// Its type.
    pub(super) kind: String,
    pub(super) reason: String,
    pub(super) message: String,
    /// The name under which it is accepted, if it found something.
    pub(super) acceptance: Option<String>,
}

/// A kind of alerts: its name, which alerts belong to it, what they do, and what is said if there are none.
struct Family {
    name: &'static str,
    is_member: fn(&Alert) -> bool,
    effect: &'static str,
    /// Nothing is said of a family without alerts where this is empty.
    none: &'static str,
}

/// An alert belongs to the first that takes it.
const FAMILIES: [Family; 6] = [
    Family {
        name: "CriticalAlerts",
        is_member: |alert| alert.severity() == "critical",
        effect: "suggesting significant cluster issues worth investigating",
        none: "No critical alerts firing.",
    },
    Family {
        name: "PodDisruptionBudgetAlerts",
        is_member: |alert| alert.name() == "PodDisruptionBudgetAtLimit",
        effect: "which might slow node drains",
        none: "No PodDisruptionBudget alerts firing.",
    },
    Family {
        name: "PodImagePullAlerts",
        is_member: |alert| alert.name() == "KubeContainerWaiting",
        effect: "which may slow workload redistribution during rolling node updates",
        none: "No Pod container image pull alerts firing.",
    },
    Family {
        name: "NodeAlerts",
        is_member: |alert| {
            let names = [
                "KubeletHealthState",
                "KubeNodeNotReady",
                "KubeNodeReadinessFlapping",
                "KubeNodeUnreachable",
            ];
            names.contains(&alert.name())
        },
        effect: "which may slow workload redistribution during rolling node updates",
        none: "No Node alerts firing.",
    },
    Family {
        name: "UpdatePrecheckAlerts",
        is_member: |alert| alert.labels.get("openShiftUpdatePrecheck").is_some_and(|label| label == "true"),
        effect: "suggesting issues worth investigating before updating the cluster",
        none: "No alerts with the openShiftUpdatePrecheck label true are firing.",
    },
    Family {
        name: "VirtAlerts",
        is_member: |alert| {
            ["VirtHandlerDaemonSetRolloutFailing", "VMCannotBeEvicted"].contains(&alert.name())
        },
        effect: "which may slow workload redistribution during rolling node updates",
        none: "",
    },
];

/// The checks of all families: first what fires, then the families of which nothing does.
pub(super) fn checks(alerts: &[Alert]) -> Vec<Check> {
    let mut checks = Vec::new();
    let mut silent: Vec<&Family> = FAMILIES.iter().filter(|family| !family.none.is_empty()).collect();
    for alert in alerts.iter().filter(|alert| alert.is_firing && !alert.name().is_empty()) {
        let Some(family) = FAMILIES.iter().find(|family| (family.is_member)(alert)) else { continue };
        checks.push(of_alert(alert, family, checks.len()));
        // A critical alert about budgets counts for both families.
        let speaks_of_budgets = alert.name() == "PodDisruptionBudgetLimit";
        silent.retain(|one| {
            one.name != family.name && !(speaks_of_budgets && one.name == "PodDisruptionBudgetAlerts")
        });
    }
    checks.extend(silent.into_iter().map(|family| Check {
        kind: format!("recommended/{}", family.name),
        reason: "AsExpected".to_owned(),
        message: family.none.to_owned(),
        acceptance: None,
    }));
    checks
}

fn of_alert(alert: &Alert, family: &Family, number: usize) -> Check {
    let name = alert.name();
    Check {
        kind: format!("recommended/{}/{name}/{number}", family.name),
        reason: "Alert:firing".to_owned(),
        message: format!("{} alert {name} firing, {}. {}", alert.severity(), family.effect, details(alert)),
        acceptance: Some(name.to_owned()),
    }
}

/// What the alert itself says: alerts of the simulation have no annotations.
fn details(alert: &Alert) -> String {
    let name = alert.name();
    let about = if name.starts_with("PodDisruptionBudget") {
        let budget = alert.labels.get("poddisruptionbudget").map_or("", String::as_str);
        format!("Namespace={}, PodDisruptionBudget={budget}. ", alert.namespace())
    } else {
        String::new()
    };
    format!("{about}{name}. The alert has no description. <alert does not have a runbook_url annotation>")
}
