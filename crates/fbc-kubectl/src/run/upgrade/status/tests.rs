//! What `oc adm upgrade status` says of updates under way.

use serde_json::json;

use super::*;

fn at(time: &str) -> Moment {
    Moment::parse(&format!("2024-01-01T{time}Z")).unwrap()
}

fn condition(kind: &str, status: &str, since: &str) -> Value {
    json!({"type": kind, "status": status, "reason": "Why", "message": format!("{kind} is {status}"), "lastTransitionTime": at(since).to_string()})
}

fn operator(name: &str, version: &str, conditions: [Value; 3]) -> Object {
    json!({
        "metadata": {"name": name, "annotations": {"include.release.openshift.io/self-managed-high-availability": "true"}},
        "status": {"versions": [{"name": "operator", "version": version}], "conditions": conditions},
    })
}

fn node(name: &str, role: &str, current: &str, desired: &str, state: &str) -> Object {
    let key = |name: &str| format!("machineconfiguration.openshift.io/{name}");
    json!({
        "metadata": {
            "name": name, "labels": {format!("node-role.kubernetes.io/{role}"): ""},
            "annotations": {
                key("currentConfig"): format!("{role}-{current}"), key("desiredConfig"): format!("{role}-{desired}"),
                key("state"): state, key("desiredDrain"): format!("drain-{role}-{desired}"),
                key("lastAppliedDrain"): format!("drain-{role}-{desired}"), key("reason"): if state == "Degraded" { "disk full" } else { "" },
            },
        },
        "status": {"conditions": [condition("Ready", "True", "00:00:00")]},
    })
}

fn pool(name: &str, is_paused: bool) -> Object {
    json!({
        "metadata": {"name": name},
        "spec": {
            "configuration": {"name": format!("{name}-new")}, "paused": is_paused,
            "nodeSelector": {"matchLabels": {format!("node-role.kubernetes.io/{name}"): ""}},
        },
    })
}

fn text_of(
    version: &Object,
    operators: &[Object],
    pools: &[Object],
    nodes: &[Object],
    details: Details,
) -> String {
    let configs = ["master-old", "master-new", "worker-old", "worker-new"].map(|name| {
        let version = if name.ends_with("new") { "4.19.1" } else { "4.19.0" };
        json!({"metadata": {"name": name, "annotations": {"machineconfiguration.openshift.io/release-image-version": version}}})
    });
    let facts = Facts {
        version,
        operators,
        pools,
        nodes,
        machine_configs: &configs,
        operator_image: "",
        alerts: &[],
        now: at("01:10:00"),
    };
    text(&facts, details).unwrap()
}

fn version(progressing: &str) -> Object {
    json!({
        "metadata": {"name": "version"},
        "status": {
            "desired": {"version": "4.19.1"},
            "history": [
                {"state": if progressing == "True" { "Partial" } else { "Completed" }, "version": "4.19.1",
                 "startedTime": at("00:00:00").to_string(), "completionTime": at("01:00:00").to_string()},
                {"state": "Completed", "version": "4.19.0"},
            ],
            "conditions": [condition("Progressing", progressing, "00:00:00"), condition("Failing", "False", "00:00:00")],
        },
    })
}

#[test]
fn the_control_plane_updates_first() {
    let well = || condition("Degraded", "False", "00:00:00");
    let available = || condition("Available", "True", "00:00:00");
    let operators = [
        operator("a", "4.19.1", [available(), condition("Progressing", "False", "00:40:00"), well()]),
        operator("b", "4.19.0", [available(), condition("Progressing", "True", "00:41:00"), well()]),
        operator(
            "c",
            "4.19.0",
            [
                available(),
                condition("Progressing", "False", "00:00:00"),
                condition("Degraded", "True", "00:05:00"),
            ],
        ),
    ];
    let pools = [pool("master", false), pool("worker", true)];
    let nodes = [
        node("m-0", "master", "old", "old", "Done"),
        node("w-0", "worker", "old", "old", "Done"),
        node("w-1", "worker", "old", "new", "Degraded"),
    ];
    let out = text_of(&version("True"), &operators, &pools, &nodes, Details::None);
    assert_eq!(
        out,
        "= Control Plane =\n\
         Assessment:      Progressing\n\
         Target Version:  4.19.1 (from 4.19.0)\n\
         Updating:        b\n\
         Completion:      33% (1 operators updated, 1 updating, 1 waiting)\n\
         Duration:        1h10m (Est. Time Remaining: 42m)\n\
         Operator Health: 2 Healthy, 1 Available but degraded\n\
         \nControl Plane Nodes\n\
         NAME   ASSESSMENT   PHASE     VERSION   EST   MESSAGE\n\
         m-0    Outdated     Pending   4.19.0    ?     \n\
         \n= Worker Upgrade =\n\
         \nWORKER POOL   ASSESSMENT   COMPLETION   STATUS\n\
         worker        Degraded     0% (0/2)     2 Available, 0 Progressing, 0 Draining, 1 Excluded, 1 Degraded\n\
         \nWorker Pool Nodes: worker\n\
         NAME   ASSESSMENT   PHASE      VERSION   EST   MESSAGE\n\
         w-1    Degraded     Updating   4.19.0    ?     disk full\n\
         w-0    Excluded     Paused     4.19.0    -     \n\
         \n= Update Health =\n\
         SINCE   LEVEL     IMPACT             MESSAGE\n\
         1h5m    Error     API Availability   Cluster Operator c is degraded (Why)\n\
         -       Error     Update Stalled     Node w-1 is degraded\n\
         -       Warning   Update Stalled     Outdated nodes in a paused pool 'worker' will not be updated\n\
         \nRun with --details=health for additional description and links to related online documentation\n"
    );
    let out = text_of(&version("True"), &operators, &pools, &nodes, Details::All);
    for part in [
        "\nUpdating Cluster Operators\nNAME   SINCE   REASON   MESSAGE\nb      29m     Why      Progressing is True\n",
        "Message: Node w-1 is degraded\n  Since:       -\n  Level:       Error\n  Impact:      Update Stalled\n",
        "  Resources:\n    nodes: w-1\n  Description: disk full\n",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
}

#[test]
fn workers_follow_and_then_it_is_over() {
    let operators = [operator(
        "a",
        "4.19.1",
        [
            condition("Available", "True", "00:00:00"),
            condition("Progressing", "False", "00:40:00"),
            condition("Degraded", "False", "00:00:00"),
        ],
    )];
    let pools = [pool("master", false), pool("worker", false)];
    let nodes = |state: &str| {
        let mut nodes = vec![node("m-0", "master", "new", "new", "Done")];
        let current = if state == "Done" { "new" } else { "old" };
        nodes.extend((10..22).map(|number| node(&format!("w-{number}"), "worker", current, "new", state)));
        nodes
    };
    let out = text_of(&version("False"), &operators, &pools, &nodes("Rebooting"), Details::None);
    for part in [
        "Update to 4.19.1 successfully completed at 2024-01-01T01:00:00Z (duration: 1h)\n\n\
         All control plane nodes successfully updated to 4.19.1\n",
        "worker        Progressing   0% (0/12)    0 Available, 12 Progressing, 0 Draining\n",
        "w-10   Progressing   Rebooting   4.19.0    +5m   \n",
        "...\nOmitted additional 2 Total, 0 Completed, 0 Available, 2 Progressing, 2 Outdated, 0 Draining, 0 Excluded, and 0 Degraded nodes.\n",
        "1h10m   Info    None     Update is proceeding well\n",
    ] {
        assert!(out.contains(part), "{part}: {out}");
    }
    let out = text_of(&version("False"), &operators, &pools, &nodes("Done"), Details::None);
    assert_eq!(out, "The cluster is not updating.\n");
}

#[test]
fn alerts_that_fire_are_told() {
    let alert = |name: &str, severity: &str, is_firing, since: &str| Alert {
        labels: [("alertname", name), ("namespace", "ns"), ("severity", severity)]
            .map(|(label, value)| (label.to_owned(), value.to_owned()))
            .into(),
        is_firing,
        since: at(since),
    };
    let told: Vec<_> = alerts::assess(
        &[
            alert("New", "critical", true, "00:30:00"),
            alert("Old", "critical", true, "00:10:00"),
            alert("PodDisruptionBudgetAtLimit", "warning", true, "00:10:00"),
            alert("Pending", "critical", false, "00:30:00"),
            alert("Harmless", "info", true, "00:30:00"),
        ],
        at("00:20:00"),
    )
    .collect();
    let out = health::text(told, at("00:20:00"), at("01:00:00"), true);
    assert_eq!(
        out,
        "= Update Health =\n\
         Message: Alert is firing: New\n  Since:       30m\n  Level:       Critical\n  Impact:      Unknown\n  \
         Reference:   <alert does not have a runbook_url annotation>\n  Resources:\n    \
         alerts.config.openshift.io: ns/New\n  \
         Description: Alert started firing during the update. The alert has no description.\n\n\
         Message: Alert is firing: PodDisruptionBudgetAtLimit\n  Since:       50m\n  Level:       Warning\n  \
         Impact:      Unknown\n  Reference:   <alert does not have a runbook_url annotation>\n  Resources:\n    \
         alerts.config.openshift.io: ns/PodDisruptionBudgetAtLimit\n  \
         Description: Alert known to affect updates has been firing since before the update started. The alert has no \
         description.\n"
    );
}
