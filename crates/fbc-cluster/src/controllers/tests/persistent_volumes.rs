//! Claims and volumes.

use serde_json::{Value, json};

use super::play::Play;
use crate::api::Propagation;
use crate::controllers::persistent_volumes::PersistentVolumes;
use crate::object::{Object, ObjectFields};
use crate::time::SECOND;

fn volume(name: &str, storage: &str, more: Value) -> Object {
    let mut volume = json!({
        "apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": name},
        "spec": {"capacity": {"storage": storage}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/data"}},
    });
    for (field, value) in more.as_object().unwrap() {
        volume.set(&["spec", field], value.clone());
    }
    volume
}

fn claim(name: &str, more: Value) -> Object {
    let mut claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name},
        "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    });
    for (field, value) in more.as_object().unwrap() {
        claim.set(&["spec", field], value.clone());
    }
    claim
}

fn play() -> Play {
    Play::new(vec![Box::new(PersistentVolumes::default())])
}

/// The phase of an object, and what it is bound to.
fn state(play: &Play, name: &str) -> (String, String) {
    let object = play.get(name).unwrap();
    let bound = [&["spec", "volumeName"][..], &["spec", "claimRef", "name"]].map(|path| object.text(path));
    (object.text(&["status", "phase"]).to_owned(), bound.concat())
}

fn events(play: &Play) -> Vec<String> {
    let events = play.cluster.api.all("", "Event");
    events.map(|event| format!("{} {}", event.text(&["reason"]), event.text(&["message"]))).collect()
}

#[track_caller]
fn assert_state(play: &Play, name: &str, phase: &str, bound: &str) {
    assert_eq!(state(play, name), (phase.to_owned(), bound.to_owned()), "{name}");
}

#[test]
fn a_claim_gets_the_smallest_volume_that_fits() {
    let mut play = play();
    for (name, storage, more) in [
        ("a-too-small", "500Mi", json!({})),
        ("b-large", "3Gi", json!({})),
        ("c-class", "1Gi", json!({"storageClassName": "fast"})),
        ("d-modes", "1Gi", json!({"accessModes": ["ReadOnlyMany"]})),
        ("e-block", "1Gi", json!({"volumeMode": "Block"})),
        ("f-fits", "2048Mi", json!({})),
    ] {
        play.create(volume(name, storage, more));
    }
    play.run_to(SECOND);
    assert_state(&play, "PersistentVolume/f-fits", "Available", "");
    play.create(claim("data", json!({})));
    play.run_to(2 * SECOND);
    assert_state(&play, "PersistentVolumeClaim/data", "Bound", "f-fits");
    assert_state(&play, "PersistentVolume/f-fits", "Bound", "data");
    let claim = play.get("PersistentVolumeClaim/data").unwrap();
    assert_eq!(claim["status"]["capacity"], json!({"storage": "2Gi"}));
    assert_eq!(
        claim["metadata"]["annotations"],
        json!({"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"})
    );
    // The volume stays, and belongs to nobody.
    play.delete("PersistentVolumeClaim/data", Propagation::Background);
    play.run_to(3 * SECOND);
    assert_state(&play, "PersistentVolume/f-fits", "Released", "data");
}

#[test]
fn both_sides_may_name_the_other() {
    let mut play = play();
    play.create(volume("by-volume", "1Gi", json!({"claimRef": {"namespace": "ns", "name": "named"}})));
    play.create(volume("by-claim", "1Gi", json!({})));
    play.create(volume("small", "1Mi", json!({})));
    play.run_to(SECOND);
    assert_state(&play, "PersistentVolume/by-volume", "Available", "named");
    for (name, more) in [
        ("named", json!({})),
        ("naming", json!({"volumeName": "by-claim"})),
        ("misfit", json!({"volumeName": "small"})),
        ("late", json!({"volumeName": "later"})),
        ("second", json!({"volumeName": "by-claim"})),
    ] {
        play.create(claim(name, more));
    }
    play.run_to(2 * SECOND);
    assert_state(&play, "PersistentVolumeClaim/named", "Bound", "by-volume");
    assert_state(&play, "PersistentVolumeClaim/naming", "Bound", "by-claim");
    assert_state(&play, "PersistentVolumeClaim/misfit", "Pending", "small");
    assert_state(&play, "PersistentVolumeClaim/second", "Pending", "by-claim");
    assert_state(&play, "PersistentVolumeClaim/late", "Pending", "later");
    let misfit = r#"VolumeMismatch Cannot bind to requested volume "small": requested PV is too small"#;
    assert_eq!(events(&play), [misfit]);
    play.create(volume("later", "1Gi", json!({})));
    play.run_to(3 * SECOND);
    assert_state(&play, "PersistentVolumeClaim/late", "Bound", "later");
    play.delete("PersistentVolume/later", Propagation::Background);
    play.run_to(4 * SECOND);
    assert_state(&play, "PersistentVolumeClaim/late", "Lost", "later");
}

#[test]
fn claims_say_what_they_wait_for() {
    let mut play = play();
    for (name, mode) in [("late", "WaitForFirstConsumer"), ("slow", "Immediate")] {
        play.create(json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": name},
            "provisioner": "disks.example.com", "volumeBindingMode": mode,
        }));
    }
    for (class, message) in [
        (None, "FailedBinding no persistent volumes available for this claim and no storage class is set"),
        (Some("none"), "ProvisioningFailed storageclass.storage.k8s.io \"none\" not found"),
        (Some("late"), "WaitForFirstConsumer waiting for first consumer to be created before binding"),
        (
            Some("slow"),
            "ExternalProvisioning Waiting for a volume to be created either by the external provisioner 'disks.example.com'",
        ),
    ] {
        let name = class.unwrap_or("any");
        play.create(claim(name, class.map_or(json!({}), |class| json!({"storageClassName": class}))));
        play.run_to(play.elapsed() + SECOND);
        assert_state(&play, &format!("PersistentVolumeClaim/{name}"), "Pending", "");
        let events = events(&play);
        assert!(events.iter().any(|event| event.starts_with(message)), "{events:?}");
    }
}
