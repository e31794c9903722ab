//! `oc adm upgrade` with a target: wishes, refusals and warnings.

use fbc_cluster::object::{ObjectFields as _, ObjectName};
use serde_json::{Value, json};

use super::super::memory::Memory;
use super::super::server::Server as _;
use super::line;

fn image(digest: &str) -> String {
    format!("example.com/release@sha256:{digest}")
}

/// A server with a ClusterVersion at 4.19.0.
fn server(progressing: &str) -> Memory {
    let version = json!({
        "apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"},
        "spec": {"channel": "stable-4.19"},
        "status": {
            "desired": {"version": "4.19.0", "image": image("0"), "channels": ["stable-4.19", "stable-4.20"]},
            "history": [{"state": "Completed", "version": "4.19.0", "image": image("0")}, {"state": "Completed", "version": "4.18.9", "image": image("9")}],
            "availableUpdates": [{"version": "4.19.1", "image": image("1")}],
            "conditionalUpdates": [{
                "release": {"version": "4.20.0", "image": image("2")},
                "conditions": [{"type": "Recommended", "status": "False", "reason": "Slow", "message": "It is slow."}],
            }],
            "conditions": [
                {"type": "Failing", "status": "False"},
                {"type": "Progressing", "status": progressing, "reason": "Why", "message": "Working towards 4.19.0"},
            ],
        },
    });
    let mut server = Memory::new();
    let outcome = line(&mut server, "oc create -f f", &version.to_string());
    assert_eq!(outcome.exit_code, 0, "{}", outcome.stderr);
    server
}

fn wish(server: &Memory) -> Value {
    let (kind, _) = server.kinds().find("config.openshift.io", "ClusterVersion").unwrap();
    let version = &server.objects[&(kind, ObjectName::cluster("version"))];
    version.at(&["spec", "desiredUpdate"]).cloned().unwrap_or_default()
}

/// Shows D-CVO-4
#[test]
fn a_target_is_asked_for() {
    for (text, stdout, stderr, wanted) in [
        ("--to 4.19.0", "info: Cluster is already at version 4.19.0\n", "", Value::Null),
        (
            "--to 4.19.1",
            "Requested update to 4.19.1\n",
            "",
            json!({"version": "4.19.1", "image": image("1")}),
        ),
        (
            "--to-latest",
            "Requested update to 4.19.1\n",
            "",
            json!({"version": "4.19.1", "image": image("1")}),
        ),
        (
            "--to-latest --allow-not-recommended",
            "Requested update to 4.20.0\n",
            "warning: with --allow-not-recommended you have accepted the risks with 4.20.0 and bypassed Recommended=False Slow: It is slow.\n",
            json!({"version": "4.20.0", "image": image("2")}),
        ),
        (
            "--to 4.20.0",
            "",
            "error: the update 4.20.0 is not one of the recommended updates, but is available as a conditional update. To accept the Recommended=False risk and to proceed with update use --allow-not-recommended.\n  Reason: Slow\n  Message: It is slow.\n\n",
            Value::Null,
        ),
        (
            "--to 4.19.7",
            "",
            "error: the update is not one of the possible targets: 4.19.1. specify --to-image to continue with the update.\n",
            Value::Null,
        ),
        ("--clear", "info: No update in progress\n", "", Value::Null),
        (
            "rollback",
            "Requested rollback from 4.19.0 to 4.18.9\n",
            "",
            json!({"architecture": "", "force": false, "version": "4.18.9", "image": image("9")}),
        ),
        (
            "channel fast-4.19",
            "",
            "error: the requested channel \"fast-4.19\" is not one of the available channels (stable-4.19, stable-4.20), you must pass --allow-explicit-channel to continue\n",
            Value::Null,
        ),
        ("channel stable-4.19", "info: Cluster is already in stable-4.19 (no change)\n", "", Value::Null),
    ] {
        let mut server = server("False");
        let outcome = line(&mut server, &format!("oc adm upgrade {text}"), "");
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), (stdout, stderr), "{text}");
        assert_eq!(wish(&server), wanted, "{text}");
    }
}

#[test]
fn a_cluster_on_its_way_is_left_alone() {
    let mut server = server("True");
    let outcome = line(&mut server, "oc adm upgrade --to 4.19.1", "");
    assert!(
        outcome.stderr.contains("the cluster is already upgrading:\n\n  Reason: Why\n"),
        "{}",
        outcome.stderr
    );
    assert_eq!(wish(&server), Value::Null);
    let outcome = line(&mut server, "oc adm upgrade --to 4.19.1 --allow-upgrade-with-warnings --force", "");
    assert_eq!(outcome.stdout, "Requested update to 4.19.1\n");
    assert_eq!(wish(&server), json!({"version": "4.19.1", "image": image("1"), "force": true}));
    let outcome = line(&mut server, "oc adm upgrade --clear", "");
    assert_eq!(outcome.stdout, "Cancelled requested upgrade to 4.19.1\n");
}
