//! The recordings of deployments.

use serde_json::{Value, json};

use super::play::{Play, Transition, recorded};
use super::workloads::{differences, essence, play, project};
use crate::api::Propagation;
use crate::object::ObjectFields;

/// What only the API server, which refuses by quota, or `kubectl rollout` brings about.
const NOT_ABOUT_CONTROLLERS: [&str; 1] = ["quota-replica-failure"];

/// The recorded controller wrote no status between making a replica set and seeing its pod, and so saw no progress.
const UPDATED_TWICE: &str = "update-during-update";

/// The recording ends before the last pod has gone.
const CUT_SHORT: &str = "pause-resume-undo";

fn image(play: &mut Play, tag: &str, annotations: Value) {
    let deployment = play.get("Deployment/web").unwrap();
    let mut containers = deployment["spec"]["template"]["spec"]["containers"].clone();
    containers[0]["image"] = json!(format!("registry.example/app:{tag}"));
    let template = json!({"metadata": {"annotations": annotations}, "spec": {"containers": containers}});
    play.patch("Deployment/web", json!({"spec": {"template": template}}));
}

/// Does a step of a recording.
fn step(play: &mut Play, case: &Value, text: &str) {
    let objects = case.list(&["objects"]);
    let number = |text: &str| text.split(' ').find_map(|word| word.parse::<i64>().ok()).unwrap();
    match text {
        "create Deployment with the same selector and template" => {
            let mut deployment = objects[0].clone();
            deployment["kind"] = json!("Deployment");
            deployment["metadata"] = json!({"name": "web"});
            play.create(deployment);
        }
        _ if text.starts_with("create ") => {
            let kind = text.split(' ').nth(1).unwrap();
            let object = objects.iter().find(|object| object.kind() == kind).unwrap();
            play.create(object.clone());
        }
        _ if text.starts_with("scale to") => {
            play.patch("Deployment/web", json!({"spec": {"replicas": number(text)}}));
        }
        "set image :2 with pods that never become ready" | "set image :2, pods never ready" => {
            image(play, "2", json!({"fake/ready": "never", "fake/ready-after": null}));
        }
        "set image :3 with good pods" => {
            image(play, "3", json!({"fake/ready": null, "fake/ready-after": "1"}));
        }
        "set image while paused" => image(play, "2", json!({})),
        _ if text.starts_with("set image") => {
            let tag = text.rsplit(':').next().unwrap();
            image(play, tag, json!({}));
        }
        "pause" | "pause again" => play.patch("Deployment/web", json!({"spec": {"paused": true}})),
        "resume" | "resume again" => play.patch("Deployment/web", json!({"spec": {"paused": null}})),
        "undo" => image(play, "1", json!({})),
        "restart" => {
            let now = play.cluster.now().to_string();
            let annotations = json!({"kubectl.kubernetes.io/restartedAt": now});
            let template = json!({"metadata": {"annotations": annotations}});
            play.patch("Deployment/web", json!({"spec": {"template": template}}));
        }
        "delete one pod" => {
            let pod = pod(play);
            play.delete(&pod, Propagation::Background);
        }
        "overwrite label app of the pod" => {
            let pod = pod(play);
            play.patch(&pod, json!({"metadata": {"labels": {"app": "x"}}}));
        }
        _ => {} // a command that only reads
    }
}

fn pod(play: &Play) -> String {
    format!("Pod/{}", play.cluster.api.all("", "Pod").next().unwrap().name())
}

#[test]
fn rollouts_go_as_recorded() {
    let Some(cases) = recorded("10a-deployments/cases.json") else { return };
    let mut wrong = Vec::new();
    for case in &cases {
        let name = case.text(&["name"]);
        if NOT_ABOUT_CONTROLLERS.contains(&name) {
            continue;
        }
        let mut play = play();
        for one in case.list(&["steps"]) {
            play.run_to(one["at_ms"].as_u64().unwrap());
            step(&mut play, case, one.text(&["do"]));
        }
        play.run_to(case["end_ms"].as_u64().unwrap());
        // The hash of a template with the time of its restart is another one each time.
        let restarted = play.cluster.api.all("apps", "ReplicaSet").find_map(|set| {
            let template = &set["spec"]["template"];
            template.at(&["metadata", "annotations", "kubectl.kubernetes.io/restartedAt"])?;
            Some(set.name().to_owned())
        });
        let case = match restarted {
            Some(name) => serde_json::from_str(&case.to_string().replace("web-7cc444c9", &name)).unwrap(),
            None => case.clone(),
        };
        let expected: Vec<Transition> = case.list(&["transitions"]).iter().map(Transition::read).collect();
        let (mut seen, mut expected) = (essence(&play.transitions(project)), essence(&expected));
        if name == CUT_SHORT {
            for essence in [&mut seen, &mut expected] {
                essence.pods.clear();
                essence.last.values_mut().for_each(|last| {
                    last.remove("status.terminatingReplicas");
                });
            }
        }
        if name == UPDATED_TWICE {
            expected.conditions.clear();
        }
        wrong.extend(differences(&play, &case, &seen, &expected));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
