//! Conditions of definitions, and the end of their objects.

use serde_json::json;

use super::play::Play;
use crate::api::Propagation;
use crate::controllers::definitions::Definitions;
use crate::object::{Object, ObjectFields};

fn definition(plural: &str) -> Object {
    json!({
        "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
        "metadata": {"name": format!("{plural}.example.com")},
        "spec": {
            "group": "example.com", "scope": "Namespaced", "names": {"kind": "Gadget", "plural": plural},
            "versions": [{
                "name": "v1", "served": true, "storage": true,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}},
            }],
        },
    })
}

#[test]
fn names_that_are_given_back_go_to_who_waits() {
    let mut play = Play::new(vec![Box::new(Definitions::default())]);
    play.create(definition("aaas"));
    play.run_to(100);
    play.create(definition("bbbs"));
    play.run_to(200);
    let second = "CustomResourceDefinition/bbbs.example.com";
    assert_eq!(play.get(second).unwrap().condition_status("NamesAccepted"), "False");
    play.delete("CustomResourceDefinition/aaas.example.com", Propagation::Background);
    play.run_to(300);
    assert!(play.get("CustomResourceDefinition/aaas.example.com").is_none());
    assert_eq!(play.get(second).unwrap().condition_status("Established"), "True");
}

#[test]
fn objects_go_before_their_definition() {
    let mut play = Play::new(vec![Box::new(Definitions::default())]);
    let name = "CustomResourceDefinition/gadgets.example.com";
    play.create(definition("gadgets"));
    play.create(json!({
        "apiVersion": "example.com/v1", "kind": "Gadget",
        "metadata": {"name": "g1", "finalizers": ["example.com/hold"]},
    }));
    play.run_to(100);
    play.begin();
    play.delete(name, Propagation::Background);
    play.run_to(2000);
    let terminating =
        |play: &Play| play.get(name).unwrap().condition("Terminating").unwrap()["reason"].clone();
    assert_eq!(terminating(&play), "InstanceDeletionInProgress");
    assert!(play.get("Gadget/g1").unwrap().is_terminating());
    play.patch("Gadget/g1", json!({"metadata": {"finalizers": null}}));
    play.run_to(4900);
    assert!(play.get(name).is_some(), "objects are counted every five seconds");
    play.run_to(5100);
    assert!(play.get(name).is_none());
}

#[test]
fn a_definition_says_when_objects_do_not_go() {
    let mut play = Play::new(vec![Box::new(Definitions::default())]);
    let name = "CustomResourceDefinition/gadgets.example.com";
    play.create(definition("gadgets"));
    play.create(json!({
        "apiVersion": "example.com/v1", "kind": "Gadget",
        "metadata": {"name": "g1", "finalizers": ["example.com/hold"]},
    }));
    play.run_to(100);
    play.delete(name, Propagation::Background);
    play.run_to(90_000);
    let condition = play.get(name).unwrap().condition("Terminating").unwrap().clone();
    assert_eq!(condition["reason"], "InstanceDeletionCheck");
}
