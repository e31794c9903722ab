//! The recordings of jobs.

use serde_json::{Value, json};

use super::play::{Play, Transition, recorded};
use super::workloads::{differences, essence, play, project};
use crate::api::Propagation;
use crate::object::{Object, ObjectFields};

/// Uids do not count, nor what was still waiting to be counted.
fn projected(object: &Object) -> serde_json::Map<String, Value> {
    let mut fields = project(object);
    for field in ["uncountedTerminatedPods", "startTime", "completionTime"] {
        fields.remove(&format!("status.{field}"));
    }
    fields
}

fn read(value: &Value) -> Transition {
    let mut transition = Transition::read(value);
    if let Some(fields) = transition.fields.as_object_mut() {
        fields.retain(|field, _| !field.starts_with("status.uncounted"));
    }
    transition
}

#[test]
fn jobs_go_as_recorded() {
    let Some(cases) = recorded("10d-jobs/cases.json") else { return };
    let mut wrong = Vec::new();
    for case in &cases {
        let mut play = play();
        for one in case.list(&["steps"]) {
            play.run_to(one["at_ms"].as_u64().unwrap());
            step(&mut play, &case["objects"][0], one.text(&["do"]));
        }
        play.run_to(case["end_ms"].as_u64().unwrap());
        let expected: Vec<Transition> = case.list(&["transitions"]).iter().map(read).collect();
        let (seen, expected) = (essence(&play.transitions(projected)), essence(&expected));
        wrong.extend(differences(&play, case, &seen, &expected));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn step(play: &mut Play, job: &Value, text: &str) {
    match text {
        "create Job j" => {
            play.create(job.clone());
        }
        "suspend=true" => play.patch("Job/j", json!({"spec": {"suspend": true}})),
        "suspend=false" => play.patch("Job/j", json!({"spec": {"suspend": false}})),
        "kubectl delete" => play.delete("Job/j", Propagation::Background),
        _ => {} // a command that only reads
    }
}
