//! The API as clients see it, without connections.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::sync::Arc;

use bytes::Bytes;
use fbc_cluster::access::User;
use fbc_cluster::control_plane;
use fbc_cluster::controllers::set::{Workloads, controllers};
use fbc_cluster::engine::Cluster;
use fbc_cluster::time::Moment;
use http::Method;
use serde_json::{Value, json};
use tokio::sync::mpsc::error::TryRecvError;

use crate::actor::{Actor, MOST_WATCHES, Recorded, RecordedInput, Recorder, Settings, Stillness, TimeMode};
use crate::answer::{Answer, Content};
use crate::authentication::TokenAuthority;
use crate::present::{EventKind, WatchStream, list_bytes, object_bytes};
use crate::request::{Credential, Request};

pub(crate) fn cluster() -> Cluster {
    let mut cluster = Cluster::new(control_plane::api_server(&[], 1, Moment::START));
    let workloads =
        Workloads::Pods { virtual_node: Some("node".to_owned()), behaviours: Vec::new(), older_texts: false };
    for controller in controllers(workloads, 1) {
        cluster.add_controller(controller);
    }
    cluster
}

pub(crate) fn settings(time: TimeMode) -> Settings {
    let key = rcgen::KeyPair::generate_for(&rcgen::PKCS_ED25519).unwrap().serialize_der();
    Settings {
        address: "127.0.0.1:6443".to_owned(),
        time,
        stillness: Stillness::default(),
        tokens: TokenAuthority::new(&key).unwrap().into(),
        anonymous: false,
        openshift: false,
        stop: tokio::sync::watch::channel(false).1,
        recorder: None,
    }
}

/// A request of the administrator: `GET /path?query`.
pub(crate) fn request(line: &str, body: &Value) -> Request {
    let (method, rest) = line.split_once(' ').unwrap();
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let content_type = match method {
        "PATCH" => "application/merge-patch+json",
        _ => "application/json",
    };
    Request {
        method: Method::from_bytes(method.as_bytes()).unwrap(),
        path: path.to_owned(),
        query: query.to_owned(),
        accept: String::new(),
        content_type: content_type.to_owned(),
        user_agent: "test/1".to_owned(),
        if_none_match: String::new(),
        wants_upgrade: false,
        credential: Credential::Certificate(User::administrator()),
        impersonation: None,
        body: if body.is_null() { Bytes::new() } else { Bytes::from(body.to_string()) },
    }
}

/// Code and JSON of an answer.
pub(crate) fn read(answer: Answer) -> (u16, Value) {
    let bytes = match answer.content {
        Content::Json(value) => return (answer.code, value),
        Content::Text(text) => return (answer.code, text.into()),
        Content::Bytes(_, bytes) => bytes,
        Content::Object(object, presentation) => object_bytes(&object, &presentation).1,
        Content::List(list, presentation) => list_bytes(&list, &presentation).1,
        Content::Watch(watch) => {
            let kinds: Vec<String> = watch.initial.iter().map(|event| format!("{:?}", event.kind)).collect();
            return (answer.code, json!(kinds));
        }
        Content::Forward(forward) => return (answer.code, json!(format!("{forward:?}"))),
        Content::PortForward(pod) => return (answer.code, json!(format!("{pod:?}"))),
        Content::Later(later) => return (answer.code, json!(format!("{later:?}"))),
    };
    (answer.code, serde_json::from_slice(&bytes).unwrap_or_default())
}

pub(crate) fn ask(actor: &mut Actor<'_>, line: &str, body: Value) -> (u16, Value) {
    read(actor.handle(&request(line, &body)))
}

pub(crate) fn config_map(name: &str) -> Value {
    json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"a": "b"}})
}

pub(crate) fn deployment(replicas: u32) -> Value {
    json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"},
        "spec": {
            "replicas": replicas, "selector": {"matchLabels": {"app": "web"}},
            "template": {
                "metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "a", "image": "b"}]},
            },
        },
    })
}

mod depth;
mod rights;

const MAPS: &str = "/api/v1/namespaces/default/configmaps";

#[test]
fn requests_and_their_answers() {
    let mut cluster = cluster();
    let mut actor = Actor::new(&mut cluster, settings(TimeMode::Still));
    actor.begin();
    for (line, body, code, path, expected) in [
        (format!("POST {MAPS}"), config_map("a"), 201, "/metadata/namespace", json!("default")),
        (format!("POST {MAPS}"), config_map("a"), 409, "/reason", json!("AlreadyExists")),
        (format!("POST {MAPS}?dryRun=All"), config_map("b"), 201, "/metadata/name", json!("b")),
        (format!("GET {MAPS}/b"), Value::Null, 404, "/details/kind", json!("configmaps")),
        (format!("GET {MAPS}/a"), Value::Null, 200, "/data/a", json!("b")),
        (format!("PATCH {MAPS}/a"), json!({"data": {"c": "d"}}), 200, "/data/c", json!("d")),
        (format!("PUT {MAPS}/x"), config_map("a"), 400, "/reason", json!("BadRequest")),
        (format!("POST {MAPS}"), json!([]), 400, "/reason", json!("BadRequest")),
        ("POST /api/v1/configmaps".to_owned(), config_map("a"), 405, "/reason", json!("MethodNotAllowed")),
        (
            format!("POST {MAPS}?fieldValidation=Strict"),
            json!({"x": 1, "metadata": {"name": "z"}}),
            400,
            "/reason",
            json!("BadRequest"),
        ),
        (format!("GET {MAPS}?fieldSelector=data.a%3Db"), Value::Null, 400, "/reason", json!("BadRequest")),
        (format!("GET {MAPS}?resourceVersion=999999"), Value::Null, 504, "/reason", json!("Timeout")),
        ("GET /api/v1/nothing".to_owned(), Value::Null, 404, "", json!("404 page not found\n")),
        (format!("DELETE {MAPS}/a"), Value::Null, 200, "/details/name", json!("a")),
        ("GET /version".to_owned(), Value::Null, 200, "/major", json!("1")),
        ("GET /apis/apps".to_owned(), Value::Null, 200, "/preferredVersion/version", json!("v1")),
        ("GET /openapi/v3/apis/apps/v1".to_owned(), Value::Null, 200, "/openapi", json!("3.0.0")),
    ] {
        let (found, value) = ask(&mut actor, &line, body);
        assert_eq!(found, code, "{line}: {value}");
        assert_eq!(value.pointer(path), Some(&expected), "{line}: {value}");
    }
}

#[test]
fn a_list_in_pieces_shows_one_moment() {
    let mut cluster = cluster();
    let mut actor = Actor::new(&mut cluster, settings(TimeMode::Still));
    for name in ["a", "b", "c"] {
        ask(&mut actor, &format!("POST {MAPS}"), config_map(name));
    }
    let (_, first) = ask(&mut actor, &format!("GET {MAPS}?limit=2"), Value::Null);
    let names = |list: &Value| -> Vec<String> {
        let items = list["items"].as_array().cloned().unwrap_or_default();
        items.iter().map(|item| item["metadata"]["name"].as_str().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(names(&first), ["a", "b"]);
    ask(&mut actor, &format!("DELETE {MAPS}/c"), Value::Null);
    ask(&mut actor, &format!("POST {MAPS}"), config_map("bb"));
    let token = first["metadata"]["continue"].as_str().unwrap();
    let (code, second) = ask(&mut actor, &format!("GET {MAPS}?limit=2&continue={token}"), Value::Null);
    let expected = ["c", "kube-root-ca.crt"].map(str::to_owned).to_vec();
    assert_eq!((code, names(&second)), (200, expected), "what came later is not in it");
    assert_eq!(second["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"]);
}

#[test]
fn time_runs_until_the_cluster_is_still_or_stands() {
    let path = "/apis/apps/v1/namespaces/default/deployments";
    for (mode, ready) in [(TimeMode::Still, json!(2)), (TimeMode::Paused, Value::Null)] {
        let mut cluster = cluster();
        let mut actor = Actor::new(&mut cluster, settings(mode));
        actor.begin();
        assert_eq!(ask(&mut actor, &format!("POST {path}"), deployment(2)).0, 201);
        let (_, found) = ask(&mut actor, &format!("GET {path}/web"), Value::Null);
        assert_eq!(found["status"]["readyReplicas"], ready, "{mode:?}");
        let (_, time) = ask(&mut actor, "POST /fbc/time?advance=60000", Value::Null);
        assert!(time["now"].as_str().unwrap() >= "2026-01-01T00:01:00Z");
        let (_, found) = ask(&mut actor, &format!("GET {path}/web"), Value::Null);
        assert_eq!(found["status"]["readyReplicas"], 2, "{mode:?}");
    }
}

#[test]
fn watches_begin_with_what_is_there_or_with_a_version() {
    let mut cluster = cluster();
    let mut actor = Actor::new(&mut cluster, settings(TimeMode::Paused));
    ask(&mut actor, &format!("POST {MAPS}"), config_map("a"));
    let (_, list) = ask(&mut actor, &format!("GET {MAPS}"), Value::Null);
    let version = list["metadata"]["resourceVersion"].as_str().unwrap().to_owned();
    ask(&mut actor, &format!("PATCH {MAPS}/a"), json!({"data": {"a": "c"}}));
    ask(&mut actor, &format!("DELETE {MAPS}/a"), Value::Null);
    let mut watch = |query: &str| ask(&mut actor, &format!("GET {MAPS}?watch=true&{query}"), Value::Null).1;
    assert_eq!(watch(&format!("resourceVersion={version}")), json!(["Modified", "Deleted"]));
    assert_eq!(watch(""), json!([]));
    let initial = "sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan";
    assert_eq!(watch(initial), json!(["InitialEnd"]));
}

/// A watch of all config maps that goes on.
fn watch(actor: &mut Actor<'_>) -> Result<WatchStream, u16> {
    let answer = actor.handle(&request(&format!("GET {MAPS}?watch=true"), &Value::Null));
    match answer.content {
        Content::Watch(watch) => Ok(watch),
        _ => Err(answer.code),
    }
}

#[test]
fn an_event_is_made_once_for_all_watches() {
    let mut cluster = cluster();
    let mut actor = Actor::new(&mut cluster, settings(TimeMode::Paused));
    let mut watches = [watch(&mut actor).unwrap(), watch(&mut actor).unwrap()];
    ask(&mut actor, &format!("POST {MAPS}"), config_map("a"));
    ask(&mut actor, &format!("DELETE {MAPS}/a"), Value::Null);
    actor.hand_out();
    for kind in [EventKind::Added, EventKind::Deleted] {
        let [one, other] = watches.each_mut().map(|watch| watch.events.try_recv().unwrap());
        assert_eq!((one.kind, other.kind), (kind, kind));
        assert!(Arc::ptr_eq(&one.object, &other.object));
    }
}

#[test]
fn a_watch_that_lags_behind_the_log_of_changes_is_cut_off() {
    let mut cluster = cluster();
    let mut actor = Actor::new(&mut cluster, settings(TimeMode::Paused));
    let (mut slow, mut fast) = (watch(&mut actor).unwrap(), watch(&mut actor).unwrap());
    let large = "x".repeat(900_000);
    for number in 0..80 {
        let mut map = config_map(&format!("a{number}"));
        map["data"]["a"] = json!(large);
        assert_eq!(ask(&mut actor, &format!("POST {MAPS}"), map).0, 201);
        actor.hand_out();
        while fast.events.try_recv().is_ok() {}
    }
    while slow.events.try_recv().is_ok() {}
    assert_eq!(slow.events.try_recv().err(), Some(TryRecvError::Disconnected));
    assert_eq!(fast.events.try_recv().err(), Some(TryRecvError::Empty));
}

#[test]
fn there_are_no_more_watches_than_a_limit() {
    let mut cluster = cluster();
    let mut actor = Actor::new(&mut cluster, settings(TimeMode::Paused));
    let mut watches: Vec<_> = (0..MOST_WATCHES).map(|_| watch(&mut actor).unwrap()).collect();
    assert_eq!(watch(&mut actor).err(), Some(429));
    watches.pop();
    assert!(watch(&mut actor).is_ok());
}

#[test]
fn tokens_stand_for_accounts_until_they_end() {
    let mut cluster = cluster();
    let mut actor = Actor::new(&mut cluster, settings(TimeMode::Still));
    actor.begin();
    let asked = json!({"spec": {"audiences": [], "expirationSeconds": 600}});
    let path = "/api/v1/namespaces/default/serviceaccounts/default/token";
    let (code, answer) = ask(&mut actor, &format!("POST {path}"), asked);
    assert_eq!(code, 201, "{answer}");
    let token = answer["status"]["token"].as_str().unwrap().to_owned();
    let who = |token: &str, actor: &mut Actor<'_>| {
        let line = "POST /apis/authentication.k8s.io/v1/selfsubjectreviews";
        let credential = Credential::Token(token.to_owned());
        let answer = actor.handle(&Request { credential, ..request(line, &json!({})) });
        let (code, value) = read(answer);
        (code, value["status"]["userInfo"]["username"].as_str().unwrap_or_default().to_owned())
    };
    let account = "system:serviceaccount:default:default".to_owned();
    assert_eq!(who(&token, &mut actor), (201, account));
    assert_eq!(who(&token.replace('.', "x"), &mut actor).0, 401);
    ask(&mut actor, "POST /fbc/time?advance=700000", Value::Null);
    assert_eq!(who(&token, &mut actor).0, 401, "it has ended");
}

#[test]
fn a_session_that_was_written_down_can_be_played_again() {
    let (sender, lines) = std::sync::mpsc::channel();
    let mut first = cluster();
    let recorder = Recorder::new(move |line| drop(sender.send(line.clone())));
    let mut actor =
        Actor::new(&mut first, Settings { recorder: Some(recorder), ..settings(TimeMode::Still) });
    ask(&mut actor, &format!("POST {MAPS}"), config_map("a"));
    ask(&mut actor, &format!("GET {MAPS}/a"), Value::Null);
    ask(&mut actor, &format!("DELETE {MAPS}/nothing"), Value::Null);
    let objects: Vec<Value> = actor.objects().cloned().collect();
    drop(actor);
    let mut second = cluster();
    let mut actor = Actor::new(&mut second, settings(TimeMode::Still));
    let mut codes = Vec::new();
    for line in lines.try_iter() {
        let recorded = Recorded::read(&line).unwrap();
        let RecordedInput::Request(_, code) = recorded.input else { panic!("{line}") };
        actor.catch_up(&recorded);
        assert_eq!(actor.play(&recorded), Some(code));
        codes.push(code);
    }
    actor.rest();
    assert_eq!(codes, [201, 404]);
    assert_eq!(actor.objects().cloned().collect::<Vec<_>>(), objects);
}

#[test]
fn policies_warn_whose_requests_they_are_about() {
    let mut cluster = cluster();
    let mut actor = Actor::new(&mut cluster, settings(TimeMode::Still));
    actor.begin();
    let group = "apis/admissionregistration.k8s.io/v1";
    for (name, action) in [("a", "Warn"), ("b", "Deny")] {
        let policy = json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicy",
            "metadata": {"name": name},
            "spec": {
                "matchConstraints": {"resourceRules": [{
                    "apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["configmaps"],
                }]},
                "validations": [{"expression": format!("!object.metadata.name.contains('{name}')"), "message": "no"}],
            },
        });
        let binding = json!({
            "apiVersion": "admissionregistration.k8s.io/v1", "kind": "ValidatingAdmissionPolicyBinding",
            "metadata": {"name": name}, "spec": {"policyName": name, "validationActions": [action]},
        });
        assert_eq!(ask(&mut actor, &format!("POST /{group}/validatingadmissionpolicies"), policy).0, 201);
        assert_eq!(
            ask(&mut actor, &format!("POST /{group}/validatingadmissionpolicybindings"), binding).0,
            201
        );
    }
    let warning = "Validation failed for ValidatingAdmissionPolicy 'a' with binding 'a': no";
    for (line, body, code, warnings) in [
        (format!("POST {MAPS}"), config_map("a"), 201, vec![warning]),
        (format!("POST {MAPS}"), config_map("ab"), 422, vec![warning]),
        (format!("POST {MAPS}"), config_map("b"), 422, vec![]),
        (format!("POST {MAPS}?dryRun=All"), config_map("aa"), 201, vec![warning]),
        (format!("GET {MAPS}/a"), Value::Null, 200, vec![]),
    ] {
        let answer = actor.handle(&request(&line, &body));
        assert_eq!(answer.code, code, "{line}");
        assert_eq!(answer.warnings, warnings, "{line}");
    }
}
