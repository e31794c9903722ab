//! The updates of a cluster by minor version, each with what speaks against it.

use fbc_cluster::object::{Object, ObjectFields};
use fbc_go::text::padded;
use fbc_version::Version;
use serde_json::Value;

use super::super::indented;

/// Why an update is not recommended.
pub(super) struct Against {
    pub(super) status: String,
    pub(super) reason: String,
    pub(super) message: String,
}

/// A release that the cluster can update to.
pub(super) struct Update {
    pub(super) version: Version,
    pub(super) release: Value,
    pub(super) against: Option<Against>,
}

impl Update {
    /// Its version, as the cluster writes it.
    pub(super) fn name(&self) -> &str {
        self.release.text(&["version"])
    }
}

/// All updates, newest first.
pub(super) fn updates(version: &Object) -> Vec<Update> {
    let conditional = version.list(&["status", "conditionalUpdates"]);
    let is_conditional = |release: &Value| {
        conditional.iter().any(|update| update.text(&["release", "image"]) == release.text(&["image"]))
    };
    let plain = version.list(&["status", "availableUpdates"]).iter().filter(|one| !is_conditional(one));
    let mut updates: Vec<Update> = conditional
        .iter()
        .map(|update| (&update["release"], against(update)))
        .chain(plain.map(|release| (release, None)))
        .filter_map(|(release, against)| {
            let version = Version::parse(release.text(&["version"])).ok()?;
            Some(Update { version, release: release.clone(), against })
        })
        .collect();
    updates.sort_by(|one, other| other.version.compare_precedence(&one.version));
    if let Some(condition) = version.condition("Upgradeable").filter(|one| one["status"] == "False")
        && let Ok(current) = Version::parse(version.text(&["status", "desired", "version"]))
    {
        let is_far = |update: &&mut Update| {
            (update.version.major(), update.version.minor()) > (current.major(), current.minor())
        };
        let risks = |image: &str| {
            let update = conditional.iter().find(|update| update.text(&["release", "image"]) == image);
            update.map(|update| update.list(&["risks"])).unwrap_or_default()
        };
        for update in updates.iter_mut().filter(is_far) {
            let (reason, message) = (condition.text(&["reason"]), condition.text(&["message"]));
            let mut known = risks(update.release.text(&["image"])).iter();
            if known.any(|risk| risk.text(&["message"]).contains(message)) {
                continue;
            }
            update.against = Some(match update.against.take() {
                None => Against {
                    status: "False".to_owned(),
                    reason: reason.to_owned(),
                    message: message.to_owned(),
                },
                Some(against) => Against {
                    status: "False".to_owned(),
                    reason: "MultipleReasons".to_owned(),
                    message: format!("{message}\n\n{}", against.message),
                },
            });
        }
    }
    updates
}

/// What speaks against a conditional update.
fn against(update: &Value) -> Option<Against> {
    let risks = update.list(&["risks"]);
    if risks.is_empty() {
        return None;
    }
    match update.list(&["conditions"]).iter().find(|one| one["type"] == "Recommended") {
        Some(condition) if condition["status"] == "True" => None,
        Some(condition) => Some(Against {
            status: condition.text(&["status"]).to_owned(),
            reason: condition.text(&["reason"]).to_owned(),
            message: condition.text(&["message"]).to_owned(),
        }),
        None => {
            // Go makes a list with room for all names, and adds them behind the room.
            let mut names: Vec<&str> = risks.iter().map(|_| "").collect();
            names.extend(risks.iter().map(|risk| risk.text(&["name"])));
            names.sort_unstable();
            Some(Against {
                status: "Unknown".to_owned(),
                reason: "NoConditions".to_owned(),
                message: format!(
                    "Conditional update to {} has risks ({}), but no conditions.",
                    update.text(&["release", "version"]),
                    names.join(", ")
                ),
            })
        }
    }
}

/// Lists the updates, the newest two of each minor version unless all are wanted.
pub(super) fn list(updates: &[Update], with_outdated: bool, out: &mut String) {
    if updates.is_empty() {
        out.push_str(
            "No updates available. You may still upgrade to a specific release image with --to-image or wait for new updates to be available.\n",
        );
        return;
    }
    let series = |update: &Update| (update.version.major(), update.version.minor());
    for bucket in updates.chunk_by(|one, other| series(one) == series(other)) {
        let Some((major, minor)) = bucket.first().map(series) else { continue };
        out.push_str(&format!("\nUpdates to {major}.{minor}:\n"));
        if with_outdated {
            table(bucket, out);
        } else {
            newest(bucket, (major, minor), out);
        }
    }
}

const NO_ISSUES: &str = "no known issues relevant to this cluster";
const HEADER: (&str, &str) = ("VERSION", "ISSUES");

fn rows(rows: &[(&str, &str)], out: &mut String) {
    let width = rows.iter().map(|(version, _)| version.len() + 3).max().unwrap_or_default().max(14);
    for (version, issues) in rows {
        out.push_str(&format!("{}{issues}\n", padded(&format!("  {version}"), width)));
    }
}

fn table(bucket: &[Update], out: &mut String) {
    let cell =
        |update: &'_ Update| update.against.as_ref().map_or(NO_ISSUES, |against| &against.reason).to_owned();
    let cells: Vec<String> = bucket.iter().map(cell).collect();
    let mut list = vec![HEADER];
    list.extend(bucket.iter().zip(&cells).map(|(update, cell)| (update.name(), cell.as_str())));
    rows(&list, out);
}

fn newest(bucket: &[Update], (major, minor): (u64, u64), out: &mut String) {
    let (mut was_long, mut has_header) = (false, false);
    for (index, update) in bucket.iter().enumerate() {
        if was_long || update.against.is_some() {
            out.push('\n');
        }
        if was_long && update.against.is_none() {
            has_header = false;
        }
        was_long = false;
        if index == 2 {
            out.push_str(&format!(
                "And {} older {major}.{minor} updates you can see with '--show-outdated-releases' or '--version VERSION'.\n",
                bucket.len() - 2
            ));
            return;
        }
        match &update.against {
            None => {
                let row = (update.name(), NO_ISSUES);
                if has_header {
                    rows(&[row], out)
                } else {
                    rows(&[HEADER, row], out)
                }
                has_header = true;
            }
            Some(against) => {
                out.push_str(&format!(
                    "  Version: {}\n  Image: {}\n  Reason: {}\n  Message: {}\n",
                    update.name(),
                    update.release.text(&["image"]),
                    against.reason,
                    indented(against.message.trim())
                ));
                was_long = true;
            }
        }
    }
}
