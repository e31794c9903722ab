//! `oc adm upgrade status`: how far an update is.
//!
//! Source: `openshift/oc:pkg/cli/admin/upgrade/status`.

use fbc_cluster::object::{Object, ObjectFields};
use fbc_cluster::time::Moment;

/// Minutes and hours as the client shows them.
fn shown(seconds: u64) -> String {
    match (seconds / 3600, seconds % 3600 / 60) {
        (0, 0) => format!("{seconds}s"),
        (0, minutes) => format!("{minutes}m"),
        (hours, 0) => format!("{hours}h"),
        (hours, minutes) => format!("{hours}h{minutes}m"),
    }
}

/// The text for a cluster.
pub(super) fn text(version: &Object, operators: &[Object], pools: &[Object], now: Moment) -> String {
    let history = version.list(&["status", "history"]);
    let Some(present) = history.first().filter(|_| version.condition_status("Progressing") == "True") else {
        let desired = version.text(&["status", "desired", "version"]);
        return format!("The cluster is not updating.\nCluster version is {desired}\n");
    };
    let target = present.text(&["version"]);
    let done = |operator: &Object| {
        operator
            .list(&["status", "versions"])
            .iter()
            .any(|one| one["name"] == "operator" && one["version"] == target)
    };
    let status = |operator: &Object, kind: &str| operator.condition_status(kind).to_owned();
    let updated = operators.iter().filter(|operator| done(operator)).count();
    let mut text = "= Control Plane =\n".to_owned();
    let assessment = match version.condition_status("Failing") {
        "True" => "Stalled",
        "Unknown" => "Progressing - Slow",
        _ => "Progressing",
    };
    let previous = history.iter().skip(1).find(|entry| entry["state"] == "Completed");
    let from = previous.map(|entry| format!(" (from {})", entry.text(&["version"]))).unwrap_or_default();
    let percent = if operators.is_empty() { 0 } else { updated * 100 / operators.len() };
    text.push_str(&format!("Assessment:      {assessment}\n"));
    text.push_str(&format!("Target Version:  {target}{from}\n"));
    text.push_str(&format!("Completion:      {percent}% ({updated} operators updated, "));
    let updating =
        operators.iter().filter(|operator| !done(operator) && status(operator, "Progressing") == "True");
    let names: Vec<&str> = updating.map(|operator| operator.name()).collect();
    text.push_str(&format!(
        "{} updating, {} waiting)\n",
        names.len(),
        operators.len() - updated - names.len()
    ));
    if let Some(began) = Moment::parse(present.text(&["startedTime"])) {
        text.push_str(&format!("Duration:        {}\n", shown(now.since(began) / 1000)));
    }
    let ill: Vec<String> = [("Available", "False", "unavailable"), ("Degraded", "True", "degraded")]
        .into_iter()
        .filter_map(|(kind, bad, word)| {
            let count = operators.iter().filter(|operator| status(operator, kind) == bad).count();
            (count > 0).then(|| format!("{count} {word}"))
        })
        .collect();
    let health = if ill.is_empty() { format!("{} Healthy", operators.len()) } else { ill.join(", ") };
    text.push_str(&format!("Operator Health: {health}\n"));
    if !names.is_empty() {
        text.push_str(&format!("\nUpdating Cluster Operators: {}\n", names.join(", ")));
    }
    let mut rows = Vec::new();
    for pool in pools {
        let count = |field: &str| pool.number(&["status", field]).unwrap_or_default();
        let (all, ready) = (count("machineCount"), count("updatedMachineCount"));
        let state = match (pool.condition_status("Degraded"), pool.condition_status("Updated")) {
            ("True", _) => "Degraded",
            (_, "True") => "Completed",
            _ if pool.at(&["spec", "paused"]).is_some_and(|paused| paused == true) => "Paused",
            _ => "Progressing",
        };
        let share = if all == 0 { 100 } else { ready * 100 / all };
        rows.push(format!("{:15} {state:12} {share}% ({ready}/{all})\n", pool.name()));
    }
    if !rows.is_empty() {
        text.push_str(&format!(
            "\n= Worker Upgrade =\n\n{:15} {:12} COMPLETION\n{}",
            "WORKER POOL",
            "ASSESSMENT",
            rows.concat()
        ));
    }
    let failing = version.condition("Failing").filter(|one| one["status"] != "False");
    text.push_str("\n= Update Health =\n");
    text.push_str(&match failing {
        Some(condition) => format!(
            "SINCE   LEVEL   IMPACT   MESSAGE\n-       Error   Stalled  {}\n",
            condition.text(&["message"])
        ),
        None => "Update is proceeding well\n".to_owned(),
    });
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_update_on_its_way() {
        let version = json!({"status": {
            "history": [
                {"state": "Partial", "version": "4.19.1", "startedTime": "2024-01-01T00:00:00Z"},
                {"state": "Completed", "version": "4.19.0"},
            ],
            "conditions": [{"type": "Progressing", "status": "True"}, {"type": "Failing", "status": "False"}],
        }});
        let operator = |name: &str, version: &str, progressing: &str| {
            json!({
                "metadata": {"name": name},
                "status": {
                    "versions": [{"name": "operator", "version": version}],
                    "conditions": [{"type": "Available", "status": "True"}, {"type": "Progressing", "status": progressing}],
                },
            })
        };
        let operators = [operator("a", "4.19.1", "False"), operator("b", "4.19.0", "True")];
        let pool =
            json!({"metadata": {"name": "worker"}, "status": {"machineCount": 4, "updatedMachineCount": 1}});
        let now = Moment::parse("2024-01-01T01:10:00Z").unwrap();
        let text = text(&version, &operators, &[pool], now);
        for part in [
            "Target Version:  4.19.1 (from 4.19.0)\n",
            "Completion:      50% (1 operators updated, 1 updating, 0 waiting)\n",
            "Duration:        1h10m\n",
            "Updating Cluster Operators: b\n",
            "worker          Progressing  25% (1/4)\n",
            "Update is proceeding well\n",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert!(
            super::text(&json!({"status": {}}), &[], &[], now).starts_with("The cluster is not updating.")
        );
    }
}
