//! `oc adm upgrade channel`.
//!
//! Source: `openshift/oc:pkg/cli/admin/upgrade/channel/channel.go`.

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Value, json};

use super::{Answer, Refusal, refuse};

/// Changes the channel; `any` is fine with one that the cluster does not know. An error is the text of a refusal.
pub(super) fn patch(version: &Object, channel: &str, any: bool) -> Result<Answer, Refusal> {
    let present = version.text(&["spec", "channel"]);
    if channel == present {
        let stdout = match channel {
            "" => "info: Cluster channel is already clear (no change)\n".to_owned(),
            _ => format!("info: Cluster is already in {channel} (no change)\n"),
        };
        return Ok(Answer { stdout, ..Answer::default() });
    }
    let known: Vec<&str> =
        version.list(&["status", "desired", "channels"]).iter().filter_map(Value::as_str).collect();
    let list = known.join(", ");
    let mut stderr = String::new();
    match (known.is_empty(), channel) {
        (true, "") => {}
        (true, _) => {
            let current = version.text(&["status", "desired", "version"]);
            stderr.push_str(&format!(
                "warning: No channels known to be compatible with the current version {current:?}; unable to validate \
                 {channel:?}. Setting the update channel to {channel:?} anyway.\n"
            ));
        }
        (false, "") if known.contains(&present) && !any => {
            return refuse(format!(
                "You are requesting to clear the update channel. The current channel {present:?} is one of the available \
                 channels, you must pass --allow-explicit-channel to continue"
            ));
        }
        (false, "") => {}
        (false, _) if known.contains(&channel) => {}
        (false, _) if !any => {
            return refuse(format!(
                "the requested channel {channel:?} is not one of the available channels ({list}), you must pass \
                 --allow-explicit-channel to continue"
            ));
        }
        (false, _) => stderr.push_str(&format!(
            "warning: The requested channel {channel:?} is not one of the available channels ({list}). You have used \
             --allow-explicit-channel to proceed anyway. Setting the update channel to {channel:?}.\n"
        )),
    }
    if channel.is_empty() {
        stderr.push_str(&format!(
            "warning: Clearing channel {present:?}; cluster will no longer request available update recommendations.\n"
        ));
    }
    Ok(Answer { stderr, patch: Some(json!({"spec": {"channel": channel}})), ..Answer::default() })
}
