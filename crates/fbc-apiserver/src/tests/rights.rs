//! Every place of the API server where a write, or a request, needs more than the right that its verb says, and what is
//! done here: one row each, so that none is forgotten. Rows without a request say why there is nothing to ask.
//!
//! The places are the uses of an authorizer, and of the identity of the requester, in `kubernetes/kubernetes`: `pkg/registry`,
//! `plugin/pkg/admission`, `pkg/certauthorization`, `staging/src/k8s.io/apiserver/pkg/{endpoints,admission}`.

mod objects;
mod rows;

use std::collections::BTreeMap;

use self::objects::*;
use self::rows::rows;
use super::*;
use crate::request::Impersonation;

/// A place of the reference, and a request that shows that it is here too.
struct Row {
    place: &'static str,
    /// The user, or `user as other`, with `/uid` behind the other for a uid.
    user: &'static str,
    line: String,
    body: Value,
    code: u16,
    /// A part of the message of a refusal.
    text: &'static str,
}

/// What is not here, with the reason.
const ABSENT: [(&str, &str); 17] = [
    ("plugin/pkg/auth/authorizer/node", "nodes have no identity of their own: one actor plays all kubelets"),
    ("plugin/pkg/admission/noderestriction", "as above; the group `system:nodes` has no rights here"),
    ("pkg/registry/core/serviceaccount/storage/token.go: audiences of nodes", "as above"),
    (
        "pkg/registry/core/node/rest: nodes/proxy and what kubelets ask",
        "nodes have no subresource but their status",
    ),
    ("plugin/pkg/admission/certificates/ctbattest", "ClusterTrustBundles are not served"),
    ("pkg/registry/certificates/podcertificaterequest", "PodCertificateRequests are not served"),
    (
        "pkg/registry/resource/{resourceclaim,resourceclaimtemplate}: adminAccess",
        "ResourceClaims are not served",
    ),
    ("pkg/registry/storagemigration", "StorageVersionMigrations are not served"),
    (
        "pkg/registry/*/strategy.go: AllowCreateOnUpdate",
        "PUT makes nothing: an object that is not there is 404",
    ),
    (
        "apiserver/pkg/endpoints/handlers/delete.go: unsafe-delete-ignore-read-errors",
        "everything stored can be read",
    ),
    ("apiserver/pkg/admission/plugin/policy: the variable `authorizer`", "expressions do not have it"),
    ("plugin/pkg/admission/security/podsecurity", "pods run nothing; the plugin judges objects, not rights"),
    ("plugin/pkg/admission/serviceaccount: mirror pods", "files of nodes make no pods here"),
    ("plugin/pkg/admission/serviceaccount: enforce-mountable-secrets", "deprecated; pods mount nothing here"),
    (
        "pkg/registry/core/persistentvolumeclaim: sources in other namespaces",
        "claims are not filled from others",
    ),
    ("pkg/registry/networking/ingressclass: parameters in namespaces", "nobody reads the parameters"),
    ("kube-aggregator: proxied requests", "APIServices lead nowhere"),
];

fn asked(actor: &mut Actor<'_>, row: &Row) -> (u16, Value) {
    let (line, is_apply) = match row.line.strip_suffix("#apply") {
        Some(line) => (line, true),
        None => (row.line.as_str(), false),
    };
    let mut request = request(line, &row.body);
    if is_apply {
        request.content_type = "application/apply-patch+yaml".to_owned();
    }
    let (user, other) = row.user.split_once(" as ").unwrap_or((row.user, ""));
    let groups: &[&str] = if user == "admin" { &["system:masters"] } else { &[] };
    request.credential = Credential::Certificate(User::new(user, groups));
    if !other.is_empty() {
        let (user, uid) = other.split_once('/').unwrap_or((other, ""));
        let (user, uid) = (user.to_owned(), uid.to_owned());
        request.impersonation = Some(Impersonation { user, groups: Vec::new(), uid, extra: BTreeMap::new() });
    }
    read(actor.handle(&request))
}

#[test]
fn every_place_where_the_reference_asks_for_more_rights_asks_here() {
    let mut cluster = cluster();
    let mut actor = Actor::new(&mut cluster, settings(TimeMode::Still));
    actor.begin();
    prepared(&mut actor);
    let mut wrong = Vec::new();
    for row in rows() {
        let (code, answer) = asked(&mut actor, &row);
        let message = answer["message"].as_str().unwrap_or_default();
        if code != row.code || !message.contains(row.text) {
            wrong.push(format!("{}: {} by {}: {code} {message}", row.place, row.line, row.user));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (place, _) in ABSENT {
        assert!(!rows().iter().any(|row| row.place == place), "{place} is both");
    }
}

#[test]
fn a_request_for_a_certificate_is_that_of_its_sender() {
    let mut cluster = cluster();
    let mut actor = Actor::new(&mut cluster, settings(TimeMode::Still));
    actor.begin();
    prepared(&mut actor);
    let request = certificate_request("evil", "example.com/signer", &[]);
    let row = |user, line: String, body: Value| Row { place: "", user, line, body, code: 0, text: "" };
    let (code, made) = asked(&mut actor, &row("low", format!("POST {REQUESTS}"), request.clone()));
    assert_eq!(code, 201, "{made}");
    let sender = |object: &Value| {
        let spec = &object["spec"];
        [&spec["username"], &spec["groups"], &spec["uid"], &spec["extra"]].map(Value::clone)
    };
    let expected = [json!("low"), json!(["system:authenticated"]), Value::Null, Value::Null];
    assert_eq!(sender(&made), expected);
    // Whoever decides on it changes nothing else, and says when.
    let path = format!("PUT {REQUESTS}/evil/approval");
    let (code, approved) = asked(&mut actor, &row("approver", path, decided(&request, "Approved")));
    assert_eq!((code, sender(&approved)), (200, expected));
    let condition = &approved["status"]["conditions"][0];
    assert_eq!(condition["type"], "Approved");
    assert!(
        condition["lastUpdateTime"].is_string() && condition["lastTransitionTime"].is_string(),
        "{condition}"
    );
}

#[test]
fn expressions_in_selectors_do_not_give_all_rules() {
    let mut cluster = cluster();
    let mut actor = Actor::new(&mut cluster, settings(TimeMode::Still));
    actor.begin();
    let selector = json!({"matchExpressions": [{"key": "taken", "operator": "In", "values": ["yes"]}]});
    let role = rbac("ClusterRole", "sum", json!({"aggregationRule": {"clusterRoleSelectors": [selector]}}));
    for (path, object) in
        [("clusterroles", role), ("clusterrolebindings", binding("ClusterRoleBinding", "sum", "sum", "low"))]
    {
        assert_eq!(ask(&mut actor, &format!("POST {RBAC}/{path}"), object).0, 201);
    }
    let row =
        Row { place: "", user: "low", line: format!("GET {MAPS}"), body: Value::Null, code: 0, text: "" };
    assert_eq!(asked(&mut actor, &row).0, 403);
    let mut part = rbac("ClusterRole", "part", rules(&[""], &["configmaps"], &["list"]));
    part["metadata"]["labels"] = json!({"taken": "yes"});
    assert_eq!(ask(&mut actor, &format!("POST {RBAC}/clusterroles"), part).0, 201);
    assert_eq!(asked(&mut actor, &row).0, 200);
}
