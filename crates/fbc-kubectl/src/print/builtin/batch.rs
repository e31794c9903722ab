//! Jobs and cron jobs.

use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::Moment;
use serde_json::Value;

use super::workloads::containers;
use super::{Column, Definition, always, count, name, object_age, text_or, wide};
use crate::age::{age, human_duration, seconds_between};
use crate::print::{NONE, none_if_empty, selector_text};

pub(super) const TABLES: &[Definition] = &[
    Definition { group: "batch", kind: "Job", columns: JOB, cells: job },
    Definition { group: "batch", kind: "CronJob", columns: CRON_JOB, cells: cron_job },
];

const JOB: &[Column] = &[
    always("NAME"),
    always("STATUS"),
    always("COMPLETIONS"),
    always("DURATION"),
    always("AGE"),
    wide("CONTAINERS"),
    wide("IMAGES"),
    wide("SELECTOR"),
];

const CRON_JOB: &[Column] = &[
    always("NAME"),
    always("SCHEDULE"),
    always("TIMEZONE"),
    always("SUSPEND"),
    always("ACTIVE"),
    always("LAST SCHEDULE"),
    always("AGE"),
    wide("CONTAINERS"),
    wide("IMAGES"),
    wide("SELECTOR"),
];

fn job_status(job: &Value) -> &'static str {
    let has = |condition: &str| job.condition_status(condition) == "True";
    match () {
        () if has("Complete") => "Complete",
        () if has("Failed") => "Failed",
        () if job.is_terminating() => "Terminating",
        () if has("Suspended") => "Suspended",
        () if has("FailureTarget") => "FailureTarget",
        () if has("SuccessCriteriaMet") => "SuccessCriteriaMet",
        () => "Running",
    }
}

fn job(object: &Value, now: Moment) -> Vec<String> {
    let succeeded = count(object, &["status", "succeeded"]);
    let parallelism = object.number(&["spec", "parallelism"]).unwrap_or_default();
    let completions = match object.number(&["spec", "completions"]) {
        Some(completions) => format!("{succeeded}/{completions}"),
        None if parallelism > 1 => format!("{succeeded}/1 of {parallelism}"),
        None => format!("{succeeded}/1"),
    };
    let start = Moment::parse(object.text(&["status", "startTime"]));
    let end = Moment::parse(object.text(&["status", "completionTime"])).unwrap_or(now);
    let duration = start.map(|start| human_duration(seconds_between(start, end))).unwrap_or_default();
    let [names, images] = containers(&object["spec"]["template"]);
    let selector = none_if_empty(selector_text(&object["spec"]["selector"]));
    let status = job_status(object).to_owned();
    vec![name(object), status, completions, duration, object_age(object, now), names, images, selector]
}

fn cron_job(object: &Value, now: Moment) -> Vec<String> {
    let last = object.text(&["status", "lastScheduleTime"]);
    let suspend = match object["spec"]["suspend"].as_bool() {
        Some(true) => "True",
        Some(false) => "False",
        None => "<unset>",
    };
    let [names, images] = containers(&object["spec"]["jobTemplate"]["spec"]["template"]);
    vec![
        name(object),
        object.text(&["spec", "schedule"]).to_owned(),
        text_or(object, &["spec", "timeZone"], NONE),
        suspend.to_owned(),
        object.list(&["status", "active"]).len().to_string(),
        if last.is_empty() { NONE.to_owned() } else { age(last, now) },
        object_age(object, now),
        names,
        images,
        none_if_empty(selector_text(&object["spec"]["jobTemplate"]["spec"]["selector"])),
    ]
}
