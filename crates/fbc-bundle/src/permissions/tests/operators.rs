//! The rights of operators, which of them are dangerous, and roles for users.

use std::collections::BTreeSet;

use super::super::operator_rights::{Change, Danger, Rights, dangerous, dangers, differences, rights};
use super::super::user_roles::{Grant, Grantee, Level, user_roles};
use super::*;

#[test]
fn dangers_of_rules() {
    for (rule, expected) in [
        (Rule::new(&["*"], &["*"], &["*"]), vec![Danger::Everything]),
        (Rule::new(&[""], &["secrets"], &["get"]), vec![Danger::ReadSecrets]),
        (Rule::new(&[""], &["secrets"], &["get"]).named(["one"]), vec![Danger::ReadSecrets]),
        (Rule::new(&[""], &["secrets"], &["create"]), vec![]),
        (Rule::new(&[""], &["pods/exec"], &["create"]), vec![Danger::PodExec]),
        (Rule::new(&[""], &["pods"], &["get"]), vec![]),
        (Rule::new(&[""], &["serviceaccounts/token"], &["create"]), vec![Danger::Tokens]),
        (Rule::new(&[RBAC_GROUP], &["roles"], &["escalate", "bind"]), vec![Danger::Escalate, Danger::Bind]),
        (Rule::new(&["g.io"], &["*"], &["get"]), vec![Danger::Wildcard]),
        (Rule::new(&[""], &["nodes/proxy"], &["get"]), vec![Danger::NodeProxy]),
    ] {
        assert_eq!(dangers(&rule), expected.into_iter().collect::<BTreeSet<_>>(), "{rule}");
    }
}

#[test]
fn the_worst_comes_first_and_foreign_roles_count() {
    let rights = rights(&installed(&harbour(), Target::Latest), NAMESPACE);
    let found: Vec<Danger> = dangerous(&rights).iter().map(|right| right.danger).collect();
    assert_eq!(found[..3], [Danger::Escalate, Danger::Bind, Danger::Impersonate]);
    assert!(found.is_sorted());
    let all: Vec<&Rule> = rights.values().flatten().collect();
    assert!(all.iter().any(|rule| rule.resources == ["tokenreviews"]), "of system:auth-delegator");
}

#[test]
fn only_what_really_grew_is_told() {
    let one =
        |rules: Vec<Rule>, namespace: &str| Rights::from([(("a".to_owned(), namespace.to_owned()), rules)]);
    let old =
        one(vec![Rule::new(&[""], &["pods"], &["get", "list"]), Rule::new(&["apps"], &["*"], &["get"])], "");
    let new = one(
        vec![
            Rule::new(&[""], &["pods"], &["list", "get", "watch"]),
            Rule::new(&["apps"], &["deployments"], &["get"]),
            Rule::new(&[""], &["secrets"], &["get"]),
        ],
        "",
    );
    let found: Vec<(Change, String)> =
        differences(&old, &new).into_iter().map(|change| (change.change, change.rule.to_string())).collect();
    assert_eq!(
        found,
        [
            (Change::Added, r#"{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}"#.to_owned()),
            (Change::Widened, r#"{APIGroups:[""], Resources:["pods"], Verbs:["watch"]}"#.to_owned()),
            (Change::Narrowed, r#"{APIGroups:["apps"], Resources:["*"], Verbs:["get"]}"#.to_owned()),
        ]
    );
    // From a namespace to the whole cluster is growth; the other way round it is not.
    let pods = || vec![Rule::new(&[""], &["pods"], &["get"])];
    assert_eq!(differences(&one(pods(), "n"), &one(pods(), ""))[0].change, Change::Widened);
    assert!(
        differences(&one(pods(), ""), &one(pods(), "n")).iter().all(|found| found.change == Change::Narrowed)
    );
    assert!(differences(&new, &new).is_empty());
}

/// D-ACC-2, D-ACC-5: roles and their verbs; D-ACC-7 and X-26: one binding for users and groups.
#[test]
fn d_acc_5_and_7_roles_for_users() {
    let levels = BTreeSet::from([Level::View, Level::Edit, Level::Admin]);
    let to = vec![Grantee::User("ann".to_owned()), Grantee::Group("crew".to_owned())];
    let manifests = user_roles(&harbour(), "harbour", &levels, &Grant::Bound { to, namespace: None });
    let names: Vec<&str> =
        manifests.iter().map(|manifest| manifest["metadata"]["name"].as_str().unwrap()).collect();
    assert_eq!(
        names,
        [
            "view-harbour",
            "view-harbour-binding",
            "edit-harbour",
            "edit-harbour-binding",
            "admin-harbour",
            "admin-harbour-binding"
        ]
    );
    let rule = &manifests[0]["rules"][0];
    assert_eq!(rule["apiGroups"], serde_json::json!(["harbour.example.com"]));
    assert_eq!(rule["resources"], serde_json::json!(["harbours", "piers"]));
    assert_eq!(rule["verbs"], serde_json::json!(["get", "list", "watch"]));
    assert_eq!(
        manifests[2]["rules"][0]["verbs"],
        serde_json::json!(["get", "list", "watch", "create", "update", "patch", "delete"])
    );
    assert_eq!(manifests[4]["rules"][0]["verbs"], serde_json::json!(["*"]));
    assert_eq!(manifests[1]["kind"], "ClusterRoleBinding");
    assert_eq!(manifests[1]["subjects"].as_array().unwrap().len(), 2);
}

/// D-ACC-8, X-26: a role binding gives the cluster role in one namespace only.
#[test]
fn d_acc_8_in_one_namespace() {
    let to = vec![Grantee::User("ann".to_owned())];
    let grant = Grant::Bound { to, namespace: Some("docks".to_owned()) };
    let manifests = user_roles(&harbour(), "harbour", &BTreeSet::from([Level::Edit]), &grant);
    assert_eq!(manifests[1]["kind"], "RoleBinding");
    assert_eq!(manifests[1]["metadata"]["namespace"], "docks");
    assert_eq!(manifests[1]["roleRef"]["kind"], "ClusterRole");
}

/// D-ACC-9, D-ACC-10: labels by which the default roles take the rules over.
#[test]
fn d_acc_10_aggregated() {
    let levels = BTreeSet::from([Level::View, Level::Edit]);
    let manifests = user_roles(&harbour(), "harbour", &levels, &Grant::Aggregated);
    assert_eq!(manifests.len(), 2);
    assert_eq!(manifests[0]["metadata"]["name"], "view-harbour-aggregated");
    assert_eq!(
        manifests[1]["metadata"]["labels"],
        serde_json::json!({ "rbac.authorization.k8s.io/aggregate-to-edit": "true" })
    );
    assert_eq!(manifests[0]["rules"][0]["verbs"], serde_json::json!(["get", "list", "watch"]));
}

/// D-ACC-1, D-ACC-6: once the roles are created users may do what they say, and could not before.
#[test]
fn d_acc_6_created_roles_give_access() {
    let ann = Account { namespace: "crew".to_owned(), name: "ann".to_owned() };
    let read = |verb| Request::Resource {
        verb,
        group: "harbour.example.com",
        resource: "piers",
        subresource: "",
        name: "p",
    };
    assert!(!Access::default().rules_for(&ann, "docks").allow(read("get")));
    let to = vec![Grantee::ServiceAccount("crew".to_owned(), "ann".to_owned())];
    let grant = Grant::Bound { to, namespace: Some("docks".to_owned()) };
    let text: String = user_roles(&harbour(), "harbour", &BTreeSet::from([Level::View]), &grant)
        .iter()
        .map(|manifest| format!("---\n{manifest}\n"))
        .collect();
    let access = access(&text);
    assert!(access.rules_for(&ann, "docks").allow(read("list")));
    assert!(!access.rules_for(&ann, "docks").allow(read("delete")));
    assert!(!access.rules_for(&ann, "elsewhere").allow(read("list")), "in one namespace only");
}
