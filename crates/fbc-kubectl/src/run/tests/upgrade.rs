//! `oc adm upgrade` with a target: wishes, refusals and warnings.

use fbc_cluster::object::{ObjectFields as _, ObjectName};
use serde_json::{Value, json};

use super::super::memory::Memory;
use super::super::server::Server as _;
use super::{Outcome, line, parse, split};

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
                "risks": [{"name": "Slow", "message": "It is slow."}],
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

fn wanted(version: &str, digest: &str, force: bool) -> Value {
    json!({"architecture": "", "version": version, "image": image(digest), "force": force})
}

/// Runs a line; one that cannot be read is an outcome as well.
fn lenient_line(server: &mut Memory, text: &str) -> Outcome {
    match parse(&split(text).unwrap()) {
        Ok(_) => line(server, text, ""),
        Err(error) => Outcome { stderr: error.text + "\n", exit_code: 1, ..Outcome::default() },
    }
}

/// Shows D-CVO-4
#[test]
fn a_target_is_asked_for() {
    for (text, stdout, stderr, wanted) in [
        ("--to 4.19.0", "info: Cluster is already at version 4.19.0\n", "", Value::Null),
        ("--to 4.19.1", "Requested update to 4.19.1\n", "", wanted("4.19.1", "1", false)),
        ("--to-latest", "Requested update to 4.19.1\n", "", wanted("4.19.1", "1", false)),
        (
            "--to-latest --allow-not-recommended",
            "Requested update to 4.20.0\n",
            "warning: with --allow-not-recommended you have accepted the risks with 4.20.0 and bypassed Recommended=False Slow: It is slow.\n",
            wanted("4.20.0", "2", false),
        ),
        (
            "--to 4.20.0",
            "",
            "error: the update 4.20.0 is not one of the recommended updates, but is available as a conditional update. To accept the Recommended=False risk and to proceed with update use --allow-not-recommended.\n  Reason: Slow\n  Message: It is slow.\n",
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
            "",
            "error: 4.18.9 is less than the current target 4.19.0 and matches the cluster's previous version, but rollbacks that change major or minor versions are not recommended.\n",
            Value::Null,
        ),
        (
            "--to-latest --clear",
            "",
            "error: --clear may not be specified with any other flags\n",
            Value::Null,
        ),
        (
            "--to-multi-arch",
            "Requested update to multi cluster architecture\n",
            "",
            json!({"architecture": "Multi", "version": "4.19.0", "image": "", "force": false}),
        ),
        (
            "--to-image example.com/release:4.19.1 --force --allow-explicit-upgrade",
            "Requested update to release image example.com/release:4.19.1\n",
            "warning: Using by-tag pull specs is dangerous, and while we still allow it in combination with --force for backward compatibility, it would be much safer to pass a by-digest pull spec instead\n\
             warning: The requested upgrade image is not one of the available updates. You have used --allow-explicit-upgrade for the update to proceed anyway\n\
             warning: --force overrides cluster verification of your supplied release image and waives any update precondition failures. Only use this if you are testing unsigned release images or you are working around a known bug in the cluster-version operator and you have verified the authenticity of the provided image yourself.\n",
            json!({"architecture": "", "version": "", "image": "example.com/release:4.19.1", "force": true}),
        ),
        (
            "--to-image release",
            "",
            "error: --to-image must be a valid image pull spec: no registry or repository specified\n",
            Value::Null,
        ),
        (
            "accept Slow,Old",
            "info: Accept risks are [Old, Slow]\n",
            "",
            json!({"acceptRisks": [{"name": "Old"}, {"name": "Slow"}]}),
        ),
        ("accept Slow-", "info: Accept risks are not changed\n", "", Value::Null),
        (
            "accept Slow,Slow-",
            "",
            "error: requested risks with both Risk and Risk-: Slow\nSee 'oc adm upgrade accept -h' for help and examples\n",
            Value::Null,
        ),
        (
            "accept",
            "",
            "error: no positional arguments given\nSee 'oc adm upgrade accept -h' for help and examples\n",
            Value::Null,
        ),
        (
            "soon",
            "",
            "error: unknown command \"soon\"\nSee 'oc adm upgrade -h' for help and examples\n",
            Value::Null,
        ),
        (
            "channel fast-4.19",
            "",
            "error: the requested channel \"fast-4.19\" is not one of the available channels (stable-4.19, stable-4.20), you must pass --allow-explicit-channel to continue\n",
            Value::Null,
        ),
        ("channel stable-4.19", "info: Cluster is already in stable-4.19 (no change)\n", "", Value::Null),
        (
            "channel",
            "",
            "error: You are requesting to clear the update channel. The current channel \"stable-4.19\" is one of the available channels, you must pass --allow-explicit-channel to continue\n",
            Value::Null,
        ),
        (
            "channel --allow-explicit-channel",
            "",
            "warning: Clearing channel \"stable-4.19\"; cluster will no longer request available update recommendations.\n",
            Value::Null,
        ),
        (
            "channel fast-4.19 --allow-explicit-channel",
            "",
            "warning: The requested channel \"fast-4.19\" is not one of the available channels (stable-4.19, stable-4.20). You have used --allow-explicit-channel to proceed anyway. Setting the update channel to \"fast-4.19\".\n",
            Value::Null,
        ),
    ] {
        let mut server = server("False");
        let outcome = lenient_line(&mut server, &format!("oc adm upgrade {text}"));
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), (stdout, stderr), "{text}");
        assert_eq!(wish(&server), wanted, "{text}");
    }
}

#[test]
fn a_rollback_leads_to_the_patch_before() {
    let version = |progressing: &str| {
        let entry = |version: &str, digest: &str| json!({"version": version, "image": image(digest)});
        let condition =
            json!({"type": "Progressing", "status": progressing, "reason": "Why", "message": "Because"});
        json!({
            "apiVersion": "config.openshift.io/v1", "kind": "ClusterVersion", "metadata": {"name": "version"},
            "status": {
                "desired": entry("4.19.2", "2"), "conditions": [condition],
                "history": [entry("4.19.2", "2"), entry("4.19.1", "1"), entry("4.18.9", "9")],
            },
        })
    };
    for (progressing, stdout, stderr, wanted) in [
        ("False", "Requested rollback from 4.19.2 to 4.19.1\n", "", wanted("4.19.1", "1", false)),
        (
            "True",
            "",
            "error: unable to rollback while an update is Progressing=True: Why: Because.\n",
            Value::Null,
        ),
    ] {
        let mut server = Memory::new();
        line(&mut server, "oc create -f f", &version(progressing).to_string());
        let outcome = line(&mut server, "oc adm upgrade rollback", "");
        assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), (stdout, stderr));
        assert_eq!(wish(&server), wanted);
    }
}

#[test]
fn recommendations_say_what_speaks_against_an_update() {
    let mut server = server("False");
    let outcome = line(&mut server, "oc adm upgrade recommend", "");
    let expected = "The following conditions found no cause for concern in updating this cluster to later releases: \
        recommended/CriticalAlerts (AsExpected), recommended/NodeAlerts (AsExpected), \
        recommended/PodDisruptionBudgetAlerts (AsExpected), recommended/PodImagePullAlerts (AsExpected), \
        recommended/UpdatePrecheckAlerts (AsExpected)\n\n\
        Upstream update service is unset, so the cluster will use an appropriate default.\n\
        Channel: stable-4.19 (available channels: stable-4.19, stable-4.20)\n\n\
        Updates to 4.20:\n\n\
        \x20 Version: 4.20.0\n\x20 Image: example.com/release@sha256:2\n\x20 Reason: Slow\n\x20 Message: It is slow.\n\n\
        Updates to 4.19:\n\
        \x20 VERSION     ISSUES\n\x20 4.19.1      no known issues relevant to this cluster\n";
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), (expected, ""));
    for (text, end, stderr) in [
        (
            "--version 4.19.1",
            "\nUpdate to 4.19.1 has no known issues relevant to this cluster.\nImage: example.com/release@sha256:1\nRelease URL: \n",
            "",
        ),
        (
            "--version 4.20.0",
            "Reason: Slow\nMessage: It is slow.\n",
            "error: issues that apply to this cluster but which were not included in --accept: ConditionalUpdateRisk\n",
        ),
        (
            "--version 4.20.0 --accept ConditionalUpdateRisk",
            "Reason: accepted Slow via ConditionalUpdateRisk\nMessage: It is slow.\nUpdate to 4.20.0 has no known issues relevant to this cluster other than the accepted ConditionalUpdateRisk.\n",
            "",
        ),
        ("--version 4.20.0 --accept ConditionalUpdateRisk --quiet", "", ""),
        (
            "--version 4.21.0 --quiet",
            "",
            "error: no updates to 4.21 available, so cannot display context for the requested release 4.21.0\n",
        ),
        (
            "--show-outdated-releases",
            "  VERSION     ISSUES\n  4.19.1      no known issues relevant to this cluster\n",
            "",
        ),
    ] {
        let outcome = line(&mut server, &format!("oc adm upgrade recommend {text}"), "");
        assert!(outcome.stdout.ends_with(end), "{text}: {}", outcome.stdout);
        assert_eq!(outcome.stderr, stderr, "{text}");
        assert_eq!(outcome.exit_code, u8::from(!stderr.is_empty()), "{text}");
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
    assert_eq!(wish(&server), wanted("4.19.1", "1", true));
    let outcome = line(&mut server, "oc adm upgrade --clear", "");
    assert_eq!(outcome.stdout, "Cancelled requested upgrade to 4.19.1\n");
}
