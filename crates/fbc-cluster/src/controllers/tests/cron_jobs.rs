//! Jobs by schedules, in a cluster with all controllers.

use serde_json::{Value, json};

use super::play::Play;
use crate::controllers::set::{Workloads, controllers};
use crate::object::ObjectFields;
use crate::time::MINUTE;

fn play(policy: &str, seconds: u64) -> Play {
    let behaviours = json!([{"kind": "Job", "outcome": "complete", "after": seconds * 1000}]);
    let behaviours = crate::controllers::behaviour::read_all(behaviours.as_array().unwrap()).unwrap();
    let workloads = Workloads::Pods { virtual_node: Some("node".into()), behaviours, older_texts: false };
    let mut play = Play::new(controllers(workloads, 1));
    play.create(json!({
        "apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "c"},
        "spec": {
            "schedule": "* * * * *", "concurrencyPolicy": policy, "successfulJobsHistoryLimit": 2,
            "jobTemplate": {"spec": {"template": {"spec": {
                "restartPolicy": "Never", "containers": [{"name": "c", "image": "x"}],
            }}}},
        },
    }));
    play
}

/// Names of jobs as minutes, with whether they are complete.
fn jobs(play: &Play) -> Vec<(u64, bool)> {
    let start = crate::time::Moment::START.0 / MINUTE;
    let jobs = play.cluster.api.all("batch", "Job");
    jobs.map(|job| {
        let minute: u64 = job.name().rsplit('-').next().unwrap().parse().unwrap();
        (minute - start, job.condition_status("Complete") == "True")
    })
    .collect()
}

#[test]
fn a_job_is_made_each_minute_and_the_last_are_kept() {
    let mut play = play("Allow", 5);
    play.run_to(MINUTE + 30_000);
    assert_eq!(jobs(&play), [(1, true)]);
    play.run_to(5 * MINUTE + 30_000);
    assert_eq!(jobs(&play), [(4, true), (5, true)]);
    let cron: Value = play.get("CronJob/c").unwrap().clone();
    assert_eq!(cron["status"]["lastScheduleTime"], "2026-01-01T00:05:00Z");
    assert!(cron.at(&["status", "active"]).is_none());
}

#[test]
fn jobs_that_still_run_may_forbid_others() {
    let mut forbidding = play("Forbid", 90);
    forbidding.run_to(2 * MINUTE + 10_000);
    assert_eq!(jobs(&forbidding), [(1, false)]);
    let mut replacing = play("Replace", 90);
    replacing.run_to(2 * MINUTE + 10_000);
    assert_eq!(jobs(&replacing), [(2, false)]);
}
