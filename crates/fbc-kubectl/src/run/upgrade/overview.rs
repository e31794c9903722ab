//! `oc adm upgrade` without a target: what ClusterVersion says (D-CVO-7 to D-CVO-10, D-CVO-20).

use fbc_cluster::object::{Object, ObjectFields};
use fbc_go::text::padded;
use fbc_version::Version;
use serde_json::Value;

use super::{available, conditional, indented, reason_and_message};

/// Standard output and standard error.
pub(super) fn text(version: &Object, with_risks: bool) -> (String, String) {
    let (mut out, mut errors) = (String::new(), String::new());
    let missing = |kind: &str| {
        format!("warning: No current {kind} info, see `oc describe clusterversion` for more details.\n")
    };
    let shown = |kind: &str, condition: &Value, colon: &str| {
        format!("{kind}={}{colon}\n\n{}\n", condition.text(&["status"]), reason_and_message(condition))
    };
    match version.condition("Failing") {
        Some(condition) if condition["status"] != "False" => out.push_str(&shown("Failing", condition, ":")),
        Some(_) => {}
        None => errors.push_str(&missing("Failing")),
    }
    match version.condition("Progressing").filter(|one| !one.text(&["message"]).is_empty()) {
        Some(condition) => {
            let message = indented(condition.text(&["message"]));
            if condition["status"] == "True" {
                out.push_str("info: An upgrade is in progress. ");
            }
            out.push_str(&format!("{message}\n"));
        }
        None => errors.push_str(&missing("Progressing")),
    }
    out.push('\n');
    if let Some(condition) = version.condition("Upgradeable").filter(|one| one["status"] == "False") {
        out.push_str(&shown("Upgradeable", condition, ""));
    }
    if let Some(condition) = version.condition("ReleaseAccepted").filter(|one| one["status"] != "True") {
        out.push_str(&shown("ReleaseAccepted", condition, ""));
    }
    channel(version, &mut out);
    updates(version, &mut out, &mut errors);
    risks(version, with_risks, &mut out);
    (out, errors)
}

fn channel(version: &Object, out: &mut String) {
    let channel = version.text(&["spec", "channel"]);
    if channel.is_empty() {
        return;
    }
    out.push_str(&match version.text(&["spec", "upstream"]) {
        "" => "Upstream is unset, so the cluster will use an appropriate default.\n".to_owned(),
        upstream => format!("Upstream: {upstream}\n"),
    });
    let channels: Vec<&str> =
        version.list(&["status", "desired", "channels"]).iter().filter_map(Value::as_str).collect();
    out.push_str(&match channels.as_slice() {
        [] => format!("Channel: {channel}\n"),
        _ => format!("Channel: {channel} (available channels: {})\n", channels.join(", ")),
    });
}

fn updates(version: &Object, out: &mut String, errors: &mut String) {
    let list = available(version);
    let failed = version.condition("RetrievedUpdates").filter(|one| one["status"] == "False");
    if !list.is_empty() {
        out.push_str("\nRecommended updates:\n\n");
        let rows = list.iter().map(|release| (release.text(&["version"]), release.text(&["image"])));
        let rows: Vec<(&str, &str)> = [("VERSION", "IMAGE")].into_iter().chain(rows).collect();
        let width = rows.iter().map(|(version, _)| version.len() + 3).max().unwrap_or_default().max(14);
        for (version, image) in rows {
            out.push_str(&format!("{}{image}\n", padded(&format!("  {version}"), width)));
        }
        if let Some(condition) = failed {
            errors.push_str(&format!(
                "warning: Cannot refresh available updates:\n{}\n",
                reason_and_message(condition)
            ));
        }
    } else if let Some(condition) = failed {
        errors.push_str(&format!(
            "warning: Cannot display available updates:\n{}\n",
            reason_and_message(condition)
        ));
    } else {
        out.push_str(
            "No updates available. You may still upgrade to a specific release image with --to-image or wait for new updates to be available.\n",
        );
    }
}

fn risks(version: &Object, with_risks: bool, out: &mut String) {
    let list = conditional(version);
    if !with_risks {
        if list.is_empty() {
            return;
        }
        let unknown = list.iter().any(|(_, condition)| condition["status"] == "Unknown");
        let or = if unknown { ", or where the recommended status is \"Unknown\"," } else { "" };
        out.push_str(&format!(
            "\nAdditional updates which are not recommended{or} for your cluster configuration are available, to view those re-run the command with --include-not-recommended.\n"
        ));
        return;
    }
    if list.is_empty() {
        out.push_str(
            "\nNo updates which are not recommended based on your cluster configuration are available.\n",
        );
        return;
    }
    // Clients before 4.17 name them as the product documents do.
    let present = Version::parse(version.text(&["status", "desired", "version"]));
    let is_old = present.is_ok_and(|version| (version.major(), version.minor()) < (4, 17));
    out.push_str(if is_old {
        "\nSupported but not recommended updates:\n"
    } else {
        "\nUpdates with known issues:\n"
    });
    for (release, condition) in list {
        out.push_str(&format!(
            "\n  Version: {}\n  Image: {}\n",
            release.text(&["version"]),
            release.text(&["image"])
        ));
        if is_old {
            out.push_str(&format!("  Recommended: {}\n", condition.text(&["status"])));
        }
        out.push_str(&reason_and_message(condition));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn cluster(version: &str) -> Object {
        let image = |digest: char| {
            format!("quay.io/openshift-release-dev/ocp-release@sha256:{}", digest.to_string().repeat(4))
        };
        let release = |version: &str, digest: char| json!({"version": version, "image": image(digest)});
        json!({
            "spec": {"channel": "fast-4.11"},
            "status": {
                "desired": {"version": version, "channels": ["candidate-4.10", "fast-4.11"]},
                "availableUpdates": [release("4.10.24", 'b'), release("4.10.26", 'a')],
                "conditionalUpdates": [{
                    "release": release("4.11.0", 'c'),
                    "conditions": [{
                        "type": "Recommended", "status": "False", "reason": "RPMOSTreeTimeout",
                        "message": "Nodes with substantial numbers of containers may time out. https://example.com/risk",
                    }],
                }],
                "conditions": [
                    {"type": "Failing", "status": "False"},
                    {"type": "Progressing", "status": "False", "message": format!("Cluster version is {version}")},
                ],
            },
        })
    }

    /// D-CVO-7, D-CVO-8, D-CVO-9, D-CVO-10, D-CVO-20; vector 9
    #[test]
    fn the_example_of_the_document() {
        let (out, errors) = text(&cluster("4.10.22"), true);
        assert_eq!(errors, "");
        assert_eq!(
            out,
            "Cluster version is 4.10.22\n\n\
             Upstream is unset, so the cluster will use an appropriate default.\n\
             Channel: fast-4.11 (available channels: candidate-4.10, fast-4.11)\n\n\
             Recommended updates:\n\n\
             \x20 VERSION     IMAGE\n\
             \x20 4.10.26     quay.io/openshift-release-dev/ocp-release@sha256:aaaa\n\
             \x20 4.10.24     quay.io/openshift-release-dev/ocp-release@sha256:bbbb\n\n\
             Supported but not recommended updates:\n\n\
             \x20 Version: 4.11.0\n\
             \x20 Image: quay.io/openshift-release-dev/ocp-release@sha256:cccc\n\
             \x20 Recommended: False\n\
             \x20 Reason: RPMOSTreeTimeout\n\
             \x20 Message: Nodes with substantial numbers of containers may time out. https://example.com/risk\n"
        );
    }

    #[test]
    fn words_of_today() {
        let (out, _) = text(&cluster("4.19.2"), true);
        assert!(out.contains("\nUpdates with known issues:\n\n  Version: 4.11.0\n"), "{out}");
        assert!(!out.contains("Recommended: False"), "{out}");
        let (out, _) = text(&cluster("4.19.2"), false);
        assert!(out.ends_with("re-run the command with --include-not-recommended.\n"), "{out}");
        let (out, errors) = text(&json!({"status": {}}), true);
        assert!(
            out.contains("No updates available.") && errors.contains("No current Failing info"),
            "{out}{errors}"
        );
    }
}
