//! What admission policies say about themselves.

use serde_json::json;

use super::play::Play;
use crate::controllers::admission_policies::AdmissionPolicies;

#[test]
fn policies_say_which_generation_counts() {
    let mut play = Play::new(vec![Box::new(AdmissionPolicies)]);
    play.create(json!({
        "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
        "metadata": {"name": "p"}, "spec": {"validations": [{"expression": "true"}]},
    }));
    play.run_to(100);
    let observed = |play: &Play| {
        play.get("ValidatingAdmissionPolicy/p").unwrap()["status"]["observedGeneration"].clone()
    };
    assert_eq!(observed(&play), 1);
    play.patch("ValidatingAdmissionPolicy/p", json!({"spec": {"failurePolicy": "Ignore"}}));
    play.run_to(200);
    assert_eq!(observed(&play), 2);
}
