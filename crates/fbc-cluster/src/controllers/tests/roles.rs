//! Aggregated cluster roles.

use serde_json::{Value, json};

use super::play::Play;
use crate::controllers::roles::RoleAggregation;

fn role(name: &str, label: Option<&str>, rules: Value) -> Value {
    json!({
        "apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole",
        "metadata": {"name": name, "labels": label.map(|label| json!({ label: "true" }))}, "rules": rules,
    })
}

#[test]
fn rules_follow_the_selected_roles() {
    let rule = |resource: &str| json!({"apiGroups": [""], "resources": [resource], "verbs": ["get"]});
    let mut play = Play::new(vec![Box::new(RoleAggregation::default())]);
    play.create(role("one", Some("to-view"), json!([rule("pods"), rule("secrets")])));
    let mut view = role("view", None, json!([]));
    view["aggregationRule"] = json!({"clusterRoleSelectors": [{"matchLabels": {"to-view": "true"}}]});
    play.create(view);
    play.create(role("a", Some("to-view"), json!([rule("nodes"), rule("pods")])));
    play.create(role("other", Some("to-edit"), json!([rule("jobs")])));
    play.run_to(100);
    let rules = |play: &Play| play.get("ClusterRole/view").unwrap()["rules"].clone();
    assert_eq!(rules(&play), json!([rule("nodes"), rule("pods"), rule("secrets")]));
    play.patch("ClusterRole/one", json!({"metadata": {"labels": null}}));
    play.run_to(200);
    assert_eq!(rules(&play), json!([rule("nodes"), rule("pods")]));
}
