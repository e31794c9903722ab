//! `oc adm upgrade recommend`: updates with what speaks against them in this cluster.
//!
//! Source: `openshift/oc:pkg/cli/admin/upgrade/recommend`.

mod alerts;
mod releases;

use std::collections::BTreeSet;

use fbc_cluster::object::{Object, ObjectFields};
use fbc_version::Version;
use serde_json::Value;

use super::{Answer, Refusal, indented, refuse};
use crate::alert::Alert;
use crate::command_line::Recommend;
use alerts::Check;
use releases::Update;

/// What is printed, and the text of the refusal that ends it with exit code 1.
pub(super) fn text(version: &Object, recommend: &Recommend, alerts: &[Alert]) -> (Answer, Option<Refusal>) {
    let mut report = Report { accept: &recommend.accept, issues: BTreeSet::new(), answer: Answer::default() };
    report.state(version);
    report.checks(&alerts::checks(alerts));
    report.retrieval(version);
    report.channel(version);
    let updates = releases::updates(version);
    let refusal = match &recommend.version {
        None => {
            releases::list(&updates, recommend.with_outdated, &mut report.answer.stdout);
            None
        }
        Some(wanted) => report.target(&updates, wanted).err(),
    };
    let mut answer = report.answer;
    if recommend.quiet {
        answer = Answer::default();
    }
    (answer, refusal)
}

/// What is printed, with the names of all that speaks against an update.
struct Report<'r> {
    accept: &'r BTreeSet<String>,
    issues: BTreeSet<String>,
    answer: Answer,
}

fn reason_and_message(condition: &Value) -> String {
    format!(
        "  Reason: {}\n  Message: {}\n\n",
        condition.text(&["reason"]),
        indented(condition.text(&["message"]))
    )
}

impl Report<'_> {
    /// Notes an issue; `accepted ` if the administrator accepts it.
    fn issue(&mut self, name: &str) -> &'static str {
        self.issues.insert(name.to_owned());
        if self.accept.contains(name) { "accepted " } else { "" }
    }

    fn state(&mut self, version: &Object) {
        match version.condition("Failing") {
            Some(condition) if condition["status"] == "False" => {}
            Some(condition) => {
                let accepted = self.issue("Failing");
                let status = condition.text(&["status"]);
                self.answer
                    .stdout
                    .push_str(&format!("{accepted}Failing={status}:\n\n{}", reason_and_message(condition)));
            }
            None => {
                let accepted = self.issue("Failing");
                self.answer.stderr.push_str(&format!(
                    "{accepted}warning: No current Failing info, see `oc describe clusterversion` for more details.\n"
                ));
            }
        }
        let progressing = version.condition("Progressing").filter(|one| one["status"] == "True");
        let message = progressing.map(|one| one.text(&["message"])).unwrap_or_default();
        if !message.is_empty() {
            let accepted = self.issue("Progressing");
            self.answer.stdout.push_str(&format!(
                "{accepted}info: An update is in progress.  You may wish to let this update complete before requesting a new \
                 update.\n  {}\n\n",
                indented(message)
            ));
        }
    }

    fn checks(&mut self, checks: &[Check]) {
        let (mut happy, mut accepted, mut unhappy) = (Vec::new(), Vec::new(), Vec::new());
        for check in checks {
            match &check.acceptance {
                None => happy.push(format!("{} ({})", check.kind, check.reason)),
                Some(name) if self.issue(name).is_empty() => unhappy.push(check.kind.clone()),
                Some(_) => accepted.push(check.kind.clone()),
            }
        }
        for (mut list, text) in [
            (happy, "found no cause for concern in updating this cluster to later releases"),
            (
                accepted,
                "found cause for concern in updating this cluster to later releases, but were explicitly accepted via \
                 --accept",
            ),
            (unhappy.clone(), "found cause for concern in updating this cluster to later releases"),
        ] {
            if !list.is_empty() {
                list.sort_unstable();
                let list = list.join(", ");
                self.answer.stdout.push_str(&format!("The following conditions {text}: {list}\n\n"));
            }
        }
        if unhappy.is_empty() {
            return;
        }
        for check in checks.iter().filter(|check| check.acceptance.is_some()) {
            self.answer.stdout.push_str(&format!(
                "{}=False:\n\n  Reason: {}\n  Message: {}\n\n",
                check.kind,
                check.reason,
                indented(&check.message)
            ));
        }
    }

    fn retrieval(&mut self, version: &Object) {
        if let Some(condition) = version.condition("RetrievedUpdates").filter(|one| one["status"] != "True") {
            self.issue("CannotRetrieveUpdates");
            self.answer.stderr.push_str(&format!(
                "warning: Cannot refresh available updates:\n{}",
                reason_and_message(condition)
            ));
        }
    }

    fn channel(&mut self, version: &Object) {
        let channel = version.text(&["spec", "channel"]);
        if channel.is_empty() {
            return;
        }
        let out = &mut self.answer.stdout;
        out.push_str(&match version.text(&["spec", "upstream"]) {
            "" => "Upstream update service is unset, so the cluster will use an appropriate default.\n"
                .to_owned(),
            upstream => format!("Upstream update service: {upstream}\n"),
        });
        let channels: Vec<&str> =
            version.list(&["status", "desired", "channels"]).iter().filter_map(Value::as_str).collect();
        out.push_str(&match channels.as_slice() {
            [] => format!("Channel: {channel}\n"),
            _ => format!("Channel: {channel} (available channels: {})\n", channels.join(", ")),
        });
    }

    /// What is known of one release.
    fn target(&mut self, updates: &[Update], wanted: &Version) -> Result<(), Refusal> {
        let (major, minor) = (wanted.major(), wanted.minor());
        let none = |what: &str| {
            refuse(format!(
                "no updates{what} available, so cannot display context for the requested release {wanted}"
            ))
        };
        if updates.is_empty() {
            return none("");
        }
        if !updates.iter().any(|update| update.version.major() == major) {
            return none(&format!(" to {major}"));
        }
        if !updates.iter().any(|update| (update.version.major(), update.version.minor()) == (major, minor)) {
            return none(&format!(" to {major}.{minor}"));
        }
        let text = wanted.to_string();
        let Some(update) = updates.iter().find(|update| update.name() == text) else {
            return refuse(format!(
                "no update to {wanted} available, so cannot display context for the requested release"
            ));
        };
        let (image, url) = (update.release.text(&["image"]), update.release.text(&["url"]));
        let told = match &update.against {
            None => format!(
                "\nUpdate to {wanted} has no known issues relevant to this cluster.\nImage: {image}\nRelease URL: {url}\n"
            ),
            Some(against) => {
                let reason = match self.issue("ConditionalUpdateRisk") {
                    "" => against.reason.clone(),
                    _ => format!("accepted {} via ConditionalUpdateRisk", against.reason),
                };
                format!(
                    "\nUpdate to {wanted} Recommended={}:\nImage: {image}\nRelease URL: {url}\nReason: {reason}\nMessage: {}\n",
                    against.status,
                    indented(&against.message)
                )
            }
        };
        self.answer.stdout.push_str(&told);
        let open: Vec<&str> = self.issues.difference(self.accept).map(String::as_str).collect();
        if !open.is_empty() {
            return refuse(format!(
                "issues that apply to this cluster but which were not included in --accept: {}",
                open.join(",")
            ));
        }
        if !self.issues.is_empty() {
            let issues: Vec<&str> = self.issues.iter().map(String::as_str).collect();
            self.answer.stdout.push_str(&format!(
                "Update to {wanted} has no known issues relevant to this cluster other than the accepted {}.\n",
                issues.join(",")
            ));
        }
        Ok(())
    }
}
