//! `oc adm upgrade` with a target, `--to-multi-arch` or `--clear`: the wish for a release.
//!
//! Source: `openshift/oc:pkg/cli/admin/upgrade/upgrade.go` (`Run`).

use fbc_cluster::object::{Object, ObjectFields};
use serde_json::{Value, json};

use super::{Refusal, available, by_version, conditional, indented, refuse, wish};
use crate::command_line::Upgrade;

const FORCED: &str = "warning: --force overrides cluster verification of your supplied release image and waives any update precondition failures. Only use this if you are testing unsigned release images or you are working around a known bug in the cluster-version operator and you have verified the authenticity of the provided image yourself.\n";
const BY_TAG: &str = "warning: Using by-tag pull specs is dangerous, and while we still allow it in combination with --force for backward compatibility, it would be much safer to pass a by-digest pull spec instead\n";

/// What is printed, and what comes of it: standard output with the change of ClusterVersion, or the text of a refusal.
pub(super) struct Requested {
    pub(super) stderr: String,
    pub(super) outcome: Result<(String, Option<Value>), Refusal>,
}

/// A release to update to.
struct Target {
    version: String,
    image: String,
}

impl Target {
    fn of(release: &Value) -> Self {
        let text = |field: &str| release.text(&[field]).to_owned();
        Self { version: text("version"), image: text("image") }
    }
}

/// Asks for a release, or for none any more.
pub(super) fn patch(version: &Object, upgrade: &Upgrade) -> Requested {
    let mut stderr = String::new();
    let outcome = if upgrade.clear {
        Ok(clear(version))
    } else if upgrade.to_multi_arch {
        to_multi_arch(version, upgrade, &mut stderr)
    } else {
        to_release(version, upgrade, &mut stderr)
    };
    Requested { stderr, outcome }
}

fn clear(version: &Object) -> (String, Option<Value>) {
    let wanted = &version["spec"]["desiredUpdate"];
    if !wanted.is_object() {
        return ("info: No update in progress\n".to_owned(), None);
    }
    let desired = &version["status"]["desired"];
    let shown = |release: &Value| match (release.text(&["version"]), release.text(&["image"])) {
        ("", "") => "<unknown>".to_owned(),
        ("", image) => image.to_owned(),
        (version, _) => version.to_owned(),
    };
    let is_same = ["image", "version"].into_iter().find_map(|field| {
        let (wanted, desired) = (wanted.text(&[field]), desired.text(&[field]));
        (!wanted.is_empty() && !desired.is_empty()).then(|| wanted == desired)
    });
    let text = if is_same.unwrap_or_default() {
        format!("Cleared the update field, still at {}\n", shown(desired))
    } else {
        format!("Cancelled requested upgrade to {}\n", shown(wanted))
    };
    let left = match wanted.get("acceptRisks") {
        Some(risks) if !risks.is_null() => {
            json!({"architecture": "", "version": "", "image": "", "force": false, "acceptRisks": risks})
        }
        _ => Value::Null,
    };
    (text, Some(json!({"spec": {"desiredUpdate": left}})))
}

fn to_multi_arch(
    version: &Object,
    upgrade: &Upgrade,
    stderr: &mut String,
) -> Result<(String, Option<Value>), Refusal> {
    if version.text(&["spec", "desiredUpdate", "architecture"]) == "Multi" {
        return refuse("info: Update to multi cluster architecture has already been requested".to_owned());
    }
    check_conditions(version, upgrade, stderr)?;
    if upgrade.force {
        stderr.push_str(FORCED);
    }
    let mut patch = wish(version.text(&["status", "desired", "version"]), "", upgrade.force);
    patch.set(&["spec", "desiredUpdate", "architecture"], "Multi");
    Ok(("Requested update to multi cluster architecture\n".to_owned(), Some(patch)))
}

fn to_release(
    version: &Object,
    upgrade: &Upgrade,
    stderr: &mut String,
) -> Result<(String, Option<Value>), Refusal> {
    let desired = &version["status"]["desired"];
    let (present, image) = (desired.text(&["version"]), desired.text(&["image"]));
    if upgrade.to_image.as_ref().is_some_and(|image| !image.contains('@')) {
        stderr.push_str(BY_TAG);
    }
    if upgrade.to.as_deref() == Some(present) {
        return Ok((format!("info: Cluster is already at version {present}\n"), None));
    }
    if upgrade.to_image.as_deref().is_some_and(|wanted| wanted == image) {
        return Ok((format!("info: Cluster is already at {image}\n"), None));
    }
    let Some(target) = target(version, upgrade, stderr)? else {
        return Ok((format!("info: Cluster is already at the latest available version {present}\n"), None));
    };
    if upgrade.force {
        stderr.push_str(FORCED);
    }
    check_conditions(version, upgrade, stderr)?;
    let text = match target.version.as_str() {
        "" => format!("Requested update to release image {}\n", target.image),
        version => format!("Requested update to {version}\n"),
    };
    Ok((text, Some(wish(&target.version, &target.image, upgrade.force))))
}

/// The release that is meant; none if the cluster is at the latest already.
fn target(version: &Object, upgrade: &Upgrade, stderr: &mut String) -> Result<Option<Target>, Refusal> {
    let recommended = available(version);
    let risky = conditional(version);
    if let Some(release) = recommended.iter().find(|release| is_named(release, upgrade)) {
        let mut target = Target::of(release);
        if let Some(image) = &upgrade.to_image {
            target.image.clone_from(image);
        }
        return Ok(Some(target));
    }
    if let Some((release, condition)) = risky.iter().find(|(release, _)| is_named(release, upgrade)) {
        if !upgrade.allow_not_recommended {
            return refuse(format!(
                "the update {} is not one of the recommended updates, but is available as a conditional update. To accept \
                 the Recommended={} risk and to proceed with update use --allow-not-recommended.\n  Reason: {}\n  Message: {}\n",
                release.text(&["version"]),
                condition.text(&["status"]),
                condition.text(&["reason"]),
                indented(condition.text(&["message"]))
            ));
        }
        stderr.push_str(&accepted(release, condition));
        return Ok(Some(Target::of(release)));
    }
    if let Some(image) = upgrade.to_image.as_ref().filter(|_| upgrade.allow_explicit_upgrade) {
        stderr.push_str("warning: The requested upgrade image is not one of the available updates. You have used --allow-explicit-upgrade for the update to proceed anyway\n");
        return Ok(Some(Target { version: String::new(), image: image.clone() }));
    }
    let mut possible: Vec<(&Value, Option<&Value>)> =
        recommended.into_iter().map(|release| (release, None)).collect();
    if upgrade.allow_not_recommended {
        possible.extend(risky.into_iter().map(|(release, condition)| (release, Some(condition))));
    }
    possible.sort_by(|(one, _), (other, _)| by_version(one.text(&["version"]), other.text(&["version"])));
    if let Some((release, condition)) = possible.first().filter(|_| upgrade.to_latest) {
        if let Some(condition) = condition {
            stderr.push_str(&accepted(release, condition));
        }
        return Ok(Some(Target::of(release)));
    }
    let names: Vec<&str> = possible.iter().map(|(release, _)| release.text(&["version"])).collect();
    unknown(version, upgrade, &names)
}

/// Whether a command line names a release; the digest of an image is enough.
fn is_named(release: &Value, upgrade: &Upgrade) -> bool {
    if upgrade.to.as_deref().is_some_and(|to| to == release.text(&["version"])) {
        return true;
    }
    let digest = |image: &str| image.split_once('@').map(|(_, digest)| digest.to_owned());
    let image = release.text(&["image"]);
    upgrade
        .to_image
        .as_deref()
        .is_some_and(|wanted| image == wanted || digest(wanted).is_some() && digest(image) == digest(wanted))
}

fn accepted(release: &Value, condition: &Value) -> String {
    format!(
        "warning: with --allow-not-recommended you have accepted the risks with {} and bypassed Recommended={} {}: {}\n",
        release.text(&["version"]),
        condition.text(&["status"]),
        condition.text(&["reason"]),
        condition.text(&["message"])
    )
}

/// What is said of an update that the cluster does not know.
fn unknown(version: &Object, upgrade: &Upgrade, possible: &[&str]) -> Result<Option<Target>, Refusal> {
    let option = if upgrade.to_image.is_some() { "--allow-explicit-upgrade" } else { "--to-image" };
    let article = if upgrade.to_latest { "an" } else { "the" };
    let next = format!("{option} to continue with {article} update");
    if let Some(condition) = version.condition("RetrievedUpdates").filter(|one| one["status"] != "True") {
        return refuse(format!(
            "cannot refresh available updates:\n  Reason: {}\n  Message: {}\n\nspecify {next}.",
            condition.text(&["reason"]),
            indented(condition.text(&["message"]))
        ));
    }
    match possible {
        [] if upgrade.allow_not_recommended => refuse(format!(
            "no recommended or conditional updates, specify {next} or wait for new updates to be available."
        )),
        [] if upgrade.to_latest => Ok(None),
        [] => {
            refuse(format!("no recommended updates, specify {next} or wait for new updates to be available."))
        }
        names => refuse(format!(
            "the update is not one of the possible targets: {}. specify {next}.",
            names.join(", ")
        )),
    }
}

/// Refuses an update of a cluster that is not well or on its way already.
fn check_conditions(version: &Object, upgrade: &Upgrade, stderr: &mut String) -> Result<(), Refusal> {
    let desired = &version["status"]["desired"];
    let present = match (desired.text(&["version"]), desired.text(&["image"])) {
        ("", "") => "ClusterVersion status.desired has neither a version nor image; please open a bug",
        ("", image) => image,
        (version, _) => version,
    };
    let lines = [
        (
            "Invalid",
            "the cluster version object is invalid, you must correct the invalid state first".to_owned(),
        ),
        ("Failing", format!("the cluster is experiencing an error reconciling {present:?}")),
        ("Progressing", "the cluster is already upgrading".to_owned()),
    ];
    let texts: Vec<String> = lines
        .into_iter()
        .filter_map(|(kind, text)| {
            let condition = version.condition(kind).filter(|one| one["status"] == "True")?;
            let (reason, message) = (condition.text(&["reason"]), indented(condition.text(&["message"])));
            Some(format!("{text}:\n\n  Reason: {reason}\n  Message: {message}"))
        })
        .collect();
    if texts.is_empty() {
        return Ok(());
    }
    let text = texts.join("\n\n");
    if !upgrade.allow_upgrade_with_warnings {
        return refuse(format!(
            "{text}\n\nIf you want to upgrade anyway, use --allow-upgrade-with-warnings."
        ));
    }
    stderr.push_str(&format!("warning: --allow-upgrade-with-warnings is bypassing: {text}\n"));
    Ok(())
}
