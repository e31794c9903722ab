//! The recordings of stateful sets and daemon sets.

use serde_json::{Value, json};

use super::play::{Play, Transition, recorded};
use super::workloads::{differences, essence, play, project};
use crate::api::Propagation;
use crate::object::ObjectFields;

/// Does a step of a recording.
fn step(play: &mut Play, object: &Value, text: &str) {
    let name = format!("{}/{}", object.kind(), object.name());
    if text.starts_with("create ") {
        play.create(object.clone());
    } else if let Some(tag) = text.strip_prefix("set image :") {
        let mut containers = object["spec"]["template"]["spec"]["containers"].clone();
        containers[0]["image"] = json!(format!("registry.example/app:{tag}"));
        play.patch(&name, json!({"spec": {"template": {"spec": {"containers": containers}}}}));
    } else if let Some(replicas) = text.strip_prefix("scale to ") {
        play.patch(&name, json!({"spec": {"replicas": replicas.parse::<i64>().unwrap()}}));
    } else if let Some(number) = text.strip_prefix("partition ") {
        let strategy = json!({"rollingUpdate": {"partition": number.parse::<i64>().unwrap()}});
        play.patch(&name, json!({"spec": {"updateStrategy": strategy}}));
    } else if let Some(pod) = text.strip_prefix("delete ") {
        play.delete(&format!("Pod/{pod}"), Propagation::Background);
    }
}

fn replay(file: &str) {
    let Some(cases) = recorded(file) else { return };
    let mut wrong = Vec::new();
    for case in &cases {
        // The recording of this case is that of a stateful set.
        if case["objects"][0]["kind"] == "DaemonSet" && case["name"] == "on-delete" {
            continue;
        }
        let mut play = play();
        for one in case.list(&["steps"]) {
            play.run_to(one["at_ms"].as_u64().unwrap());
            step(&mut play, &case["objects"][0], one.text(&["do"]));
        }
        play.run_to(case["end_ms"].as_u64().unwrap());
        let expected: Vec<Transition> = case.list(&["transitions"]).iter().map(Transition::read).collect();
        let (seen, expected) = (essence(&play.transitions(project)), essence(&expected));
        wrong.extend(differences(&play, case, &seen, &expected));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn stateful_sets_go_as_recorded() {
    replay("10b-statefulsets/cases.json");
}

#[test]
fn daemon_sets_go_as_recorded() {
    replay("10c-daemonsets/cases.json");
}
