//! Validation of jobs and of what makes jobs by a schedule.
//!
//! Source: `kubernetes/kubernetes:pkg/apis/batch/validation/validation.go`.

use serde_json::Value;

use super::metadata::validate_labels;
use super::nodes::not_supported;
use super::pods::validate_pod_spec;
use super::workloads::{go_selector, not_negative};
use crate::controllers::schedule::Schedule;
use crate::error::{FieldError, FieldReason};
use crate::object::{Object, ObjectFields};

/// The longest name of a cron job: its jobs add eleven characters.
const LONGEST_NAME: usize = 52;
const MOST_INDEXED: i64 = 100_000;

/// What is wrong with a job specification at a place such as `spec.jobTemplate.spec`.
pub(super) fn validate_job_spec(spec: &Value, place: &str) -> Vec<FieldError> {
    const COUNTS: [&str; 7] = [
        "parallelism",
        "completions",
        "activeDeadlineSeconds",
        "backoffLimit",
        "ttlSecondsAfterFinished",
        "backoffLimitPerIndex",
        "maxFailedIndexes",
    ];
    let mut errors: Vec<FieldError> =
        COUNTS.iter().filter_map(|field| not_negative(spec, field, place)).collect();
    validate_completion_mode(spec, place, &mut errors);
    if let Some(policy) = spec.at(&["podReplacementPolicy"]).and_then(Value::as_str) {
        let has_failures = spec.given(&["podFailurePolicy"]).is_some();
        let known: &[&str] = if has_failures { &["Failed"] } else { &["Failed", "TerminatingOrFailed"] };
        if !known.contains(&policy) {
            errors.push(not_supported(&format!("{place}.podReplacementPolicy"), policy, known));
        }
    }
    let labels = spec.at(&["template", "metadata", "labels"]);
    errors.extend(validate_labels(labels, &format!("{place}.template.metadata.labels")));
    let Some(pod) = spec.at(&["template", "spec"]) else { return errors };
    let of_pod = format!("{place}.template.spec");
    errors.extend(validate_pod_spec(pod, false, &of_pod));
    let of_policy = format!("{of_pod}.restartPolicy");
    match pod.text(&["restartPolicy"]) {
        "Always" | "" => {
            errors.push(FieldError::required(of_policy, "valid values: \"OnFailure\", \"Never\""));
        }
        "OnFailure" if spec.given(&["podFailurePolicy"]).is_some() => {
            let text = "only \"Never\" is supported when podFailurePolicy is specified";
            errors.push(FieldError::invalid_text(of_policy, "OnFailure", text));
        }
        "OnFailure" | "Never" => {}
        other => errors.push(not_supported(&of_policy, other, &["OnFailure", "Never"])),
    }
    errors
}

fn validate_completion_mode(spec: &Value, place: &str, errors: &mut Vec<FieldError>) {
    const MODES: [&str; 2] = ["NonIndexed", "Indexed"];
    let count = |field: &str| spec.number(&[field]);
    let mut refuse = |field: &str, value: i64, text: String| {
        errors.push(FieldError::new(
            format!("{place}.{field}"),
            FieldReason::Invalid,
            value.to_string(),
            text,
        ));
    };
    match spec.text(&["completionMode"]) {
        "Indexed" => {
            let most = |number: Option<i64>| number.filter(|number| *number > MOST_INDEXED);
            if let Some(parallelism) = most(count("parallelism")) {
                let text =
                    format!("must be less than or equal to {MOST_INDEXED} when completion mode is Indexed");
                refuse("parallelism", parallelism, text);
            }
            let (completions, failed) = (count("completions"), count("maxFailedIndexes"));
            if let (Some(completions), Some(failed)) = (completions, failed)
                && failed > completions
            {
                refuse("maxFailedIndexes", failed, "must be less than or equal to completions".to_owned());
            }
            if let Some(failed) = most(failed) {
                refuse("maxFailedIndexes", failed, format!("must be less than or equal to {MOST_INDEXED}"));
            }
            if completions.is_none() {
                let text = "when completion mode is Indexed";
                errors.push(FieldError::required(format!("{place}.completions"), text));
            }
        }
        mode => {
            for field in ["backoffLimitPerIndex", "maxFailedIndexes"] {
                if let Some(number) = count(field) {
                    refuse(field, number, "requires indexed completion mode".to_owned());
                }
            }
            if !mode.is_empty() && !MODES.contains(&mode) {
                errors.push(not_supported(&format!("{place}.completionMode"), mode, &MODES));
            }
        }
    }
}

/// What is wrong with a cron job that is created, or changed from an older one.
pub(super) fn validate_cron_job(old: Option<&Object>, new: &Object) -> Vec<FieldError> {
    const POLICIES: [&str; 3] = ["Allow", "Forbid", "Replace"];
    let spec = &new["spec"];
    let zone = |cron: &Object| cron.at(&["spec", "timeZone"]).and_then(Value::as_str).map(str::to_owned);
    let mut errors = Vec::new();
    let names_zone = old.is_some_and(|old| old.text(&["spec", "schedule"]).contains("TZ"));
    validate_schedule(spec.text(&["schedule"]), names_zone, zone(new).is_some(), &mut errors);
    errors.extend(not_negative(spec, "startingDeadlineSeconds", "spec"));
    if let Some(name) = zone(new)
        && old.is_none_or(|old| zone(old).as_deref() != Some(&name))
        && let Some(text) = zone_fault(&name)
    {
        errors.push(FieldError::invalid_text("spec.timeZone", &name, text));
    }
    match spec.text(&["concurrencyPolicy"]) {
        "" => errors.push(FieldError::required("spec.concurrencyPolicy", "")),
        known if POLICIES.contains(&known) => {}
        other => errors.push(not_supported("spec.concurrencyPolicy", other, &POLICIES)),
    }
    let job = &spec["jobTemplate"]["spec"];
    errors.extend(validate_job_spec(job, "spec.jobTemplate.spec"));
    if let Some(selector) = job.given(&["selector"]) {
        let place = "spec.jobTemplate.spec.selector";
        let text = "`selector` will be auto-generated";
        errors.push(FieldError::new(place, FieldReason::Invalid, go_selector(selector), text));
    }
    if job.at(&["manualSelector"]) == Some(&Value::Bool(true)) {
        errors.push(FieldError::new(
            "spec.jobTemplate.spec.manualSelector",
            FieldReason::NotSupported,
            "true",
            "supported values: \"nil\", \"false\"",
        ));
    }
    for field in ["successfulJobsHistoryLimit", "failedJobsHistoryLimit"] {
        errors.extend(not_negative(spec, field, "spec"));
    }
    if old.is_none() && new.name().len() > LONGEST_NAME {
        let text = format!("must be no more than {LONGEST_NAME} characters");
        errors.push(FieldError::invalid_text("metadata.name", new.name(), text));
    }
    errors
}

fn validate_schedule(schedule: &str, may_name_zone: bool, has_zone: bool, errors: &mut Vec<FieldError>) {
    let mut refuse = |text: &str| errors.push(FieldError::invalid_text("spec.schedule", schedule, text));
    if schedule.is_empty() {
        return errors.push(FieldError::required("spec.schedule", ""));
    }
    let is_zone = |text: &str| ["TZ=", "CRON_TZ="].iter().any(|start| text.starts_with(start));
    let times = match schedule.split_once(' ') {
        Some((zone, times)) if is_zone(zone) => times,
        _ => schedule,
    };
    if let Err(error) = Schedule::parse(times) {
        refuse(&error.to_string());
    }
    match (may_name_zone, schedule.contains("TZ")) {
        (true, true) if has_zone => refuse("cannot use both timeZone field and TZ or CRON_TZ in schedule"),
        (false, true) => refuse("cannot use TZ or CRON_TZ in schedule, use timeZone field instead"),
        _ => {}
    }
}

/// What is wrong with the name of a time zone, as far as it can be told without the list of all.
fn zone_fault(name: &str) -> Option<String> {
    let is_part = |part: &str| {
        let is_free = |byte: u8| byte.is_ascii_alphanumeric() || b".-_+".contains(&byte);
        part != "."
            && part != ".."
            && !part.starts_with('-')
            && (1..=14).contains(&part.len())
            && part.bytes().all(is_free)
    };
    match name {
        "" => Some("timeZone must be nil or non-empty string".to_owned()),
        name if !name.split('/').all(is_part) => Some(format!("unknown time zone {name}")),
        name if name.eq_ignore_ascii_case("local") => Some(
            "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones".to_owned(),
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn cron_job(change: impl FnOnce(&mut Value)) -> Object {
        let pod = json!({
            "restartPolicy": "Never", "dnsPolicy": "Default",
            "containers": [{
                "name": "c", "image": "i", "imagePullPolicy": "Always", "terminationMessagePolicy": "File",
            }],
        });
        let mut cron = json!({
            "apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "c", "namespace": "default"},
            "spec": {
                "schedule": "* * * * *", "concurrencyPolicy": "Allow",
                "jobTemplate": {"spec": {"template": {"spec": pod}}},
            },
        });
        change(&mut cron);
        cron
    }

    #[test]
    fn cron_jobs_and_what_is_wrong_with_them() {
        let texts = |change: &dyn Fn(&mut Value)| -> Vec<String> {
            let errors = validate_cron_job(None, &cron_job(|cron| change(cron)));
            errors.iter().map(ToString::to_string).collect()
        };
        assert_eq!(texts(&|_| {}), [""; 0]);
        for (path, value, expected) in [
            (
                "/spec/schedule",
                json!("* *"),
                "spec.schedule: Invalid value: \"* *\": expected exactly 5 fields, found 2: [* *]",
            ),
            (
                "/spec/schedule",
                json!("TZ=UTC 0 0 * * *"),
                "spec.schedule: Invalid value: \"TZ=UTC 0 0 * * *\": cannot use TZ or CRON_TZ in schedule, use timeZone field instead",
            ),
            (
                "/spec/concurrencyPolicy",
                json!("Never"),
                "spec.concurrencyPolicy: Unsupported value: \"Never\": supported values: \"Allow\", \"Forbid\", \"Replace\"",
            ),
            (
                "/spec/jobTemplate/spec/template/spec/restartPolicy",
                json!("Always"),
                "spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\"",
            ),
            (
                "/spec/jobTemplate/spec/template/spec/containers/0/name",
                json!(""),
                "spec.jobTemplate.spec.template.spec.containers[0].name: Required value",
            ),
        ] {
            assert_eq!(texts(&|cron| *cron.pointer_mut(path).unwrap() = value.clone()), [expected], "{path}");
        }
        assert_eq!(
            texts(&|cron| cron["spec"]["timeZone"] = "local".into()),
            [
                "spec.timeZone: Invalid value: \"local\": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
            ]
        );
        assert_eq!(
            texts(&|cron| cron["metadata"]["name"] = "c".repeat(53).into()),
            [format!(
                "metadata.name: Invalid value: {:?}: must be no more than 52 characters",
                "c".repeat(53)
            )]
        );
        assert_eq!(
            texts(&|cron| cron["spec"]["jobTemplate"]["spec"]["backoffLimit"] = (-1).into()),
            ["spec.jobTemplate.spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0"]
        );
    }
}
