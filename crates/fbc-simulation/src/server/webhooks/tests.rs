//! Webhooks at URLs, called on this machine.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};

use fbc_cluster::admission::webhooks::stand_in::{Answer, WebhookBehaviour};
use fbc_cluster::api::ApiServer;
use fbc_cluster::control_plane::api_server;
use fbc_cluster::time::Moment;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::json;

use super::*;

/// A webhook that answers once with this code and body, and the certificate of its authority.
fn webhook(code: u16, body: String) -> (SocketAddr, String) {
    let certified = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let authority = base64::encode(certified.cert.pem().as_bytes());
    let key = rustls::pki_types::PrivateKeyDer::try_from(certified.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certified.cert.der().clone()], key)
        .unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut stream = StreamOwned::new(ServerConnection::new(Arc::new(config)).unwrap(), stream);
        let mut request = Vec::new();
        let mut part = [0; 4096];
        while !request.ends_with(b"}") {
            match stream.read(&mut part) {
                Ok(0) | Err(_) => return,
                Ok(count) => request.extend_from_slice(&part[..count]),
            }
        }
        let head =
            format!("HTTP/1.1 {code} X\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
        let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
        let _ = stream.flush();
    });
    (address, authority)
}

fn called(api: &ApiServer, client: &Value, hosts: &[&str]) -> Result<Value, String> {
    called_as(true, api, client, hosts)
}

fn called_as(is_mutating: bool, api: &ApiServer, client: &Value, hosts: &[&str]) -> Result<Value, String> {
    let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
    let review = json!({
        "apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u1"},
    });
    let call = WebhookCall { webhook: "a.b.c", client, timeout: 5, review: &review, is_mutating, api };
    let webhooks = Webhooks::new(StandIn::default(), hosts, None).unwrap();
    webhooks.call(&call).map_err(|error| error.to_string())
}

fn review(response: Value) -> String {
    json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "response": response}).to_string()
}

#[test]
fn reviews_are_sent_and_answered() {
    let api = api_server(&[], 1, Moment::START);
    let cases = [
        (200, review(json!({"uid": "u1", "allowed": true})), Ok(json!({"uid": "u1", "allowed": true}))),
        (
            200,
            review(json!({"uid": "u2", "allowed": true})),
            Err("received invalid webhook response: expected response.uid=\"u1\", got \"u2\""),
        ),
        (200, "{}".to_owned(), Err("received invalid webhook response: webhook response was absent")),
        (
            200,
            review(json!({"uid": "u1", "allowed": true, "patch": "W10="})),
            Err(
                "received invalid webhook response: webhook returned response.patch but not response.patchType",
            ),
        ),
        (
            200,
            review(json!({"uid": "u1", "allowed": true, "patchType": "JSONPatch"})),
            Err(
                "received invalid webhook response: webhook returned response.patchType but not response.patch",
            ),
        ),
        (
            200,
            json!({"response": {"uid": "u1", "allowed": true}}).to_string(),
            Err(
                "received invalid webhook response: expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got /, Kind=",
            ),
        ),
        (200, "x".to_owned(), Err("failed to call webhook: expected value at line 1 column 1")),
        (404, String::new(), Err("failed to call webhook: the server could not find the requested resource")),
        (
            500,
            "no\n".to_owned(),
            Err(
                "failed to call webhook: an error on the server (\"no\") has prevented the request from succeeding",
            ),
        ),
    ];
    for (code, body, expected) in cases {
        let (address, authority) = webhook(code, body);
        let url = format!("https://localhost:{}/check", address.port());
        let client = json!({"url": url, "caBundle": authority});
        assert_eq!(called(&api, &client, &[]), expected.map_err(str::to_owned));
    }
}

#[test]
fn webhooks_that_validate_change_nothing() {
    let api = api_server(&[], 1, Moment::START);
    for field in ["patch", "patchType"] {
        let mut response = json!({"uid": "u1", "allowed": true});
        response[field] = "JSONPatch".into();
        let (address, authority) = webhook(200, review(response));
        let url = format!("https://LOCALHOST:{}/check", address.port());
        let error = called_as(false, &api, &json!({"url": url, "caBundle": authority}), &[]).unwrap_err();
        let text = format!("validating webhook may not return response.{field}");
        assert_eq!(error, format!("received invalid webhook response: {text}"));
    }
}

#[test]
fn hosts_are_the_same_without_brackets_and_case() {
    let hosts = ["EXAMPLE.org", "2001:db8::1"].map(str::to_owned).to_vec();
    let webhooks = Webhooks::new(StandIn::default(), hosts, None).unwrap();
    for (url, expected) in [
        ("https://Example.org/", true),
        ("https://[2001:DB8::1]/", true),
        ("https://[::1]/", true),
        ("https://example.com/", false),
    ] {
        assert_eq!(webhooks.may_call(&Url::parse(url).unwrap()), expected, "{url}");
    }
}

#[test]
fn what_cannot_be_reached_is_told_in_the_words_of_the_client() {
    let api = api_server(&[], 1, Moment::START);
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let refused = format!("https://127.0.0.1:{free}/x");
    assert_eq!(
        called(&api, &json!({"url": refused}), &[]),
        Err(format!(
            "failed to call webhook: Post \"{refused}?timeout=5s\": dial tcp 127.0.0.1:{free}: connect: connection refused"
        ))
    );
    let (address, _) = webhook(200, String::new());
    let other = base64::encode(
        rcgen::generate_simple_self_signed(vec!["other".to_owned()]).unwrap().cert.pem().as_bytes(),
    );
    let url = format!("https://localhost:{}/", address.port());
    let error = called(&api, &json!({"url": url, "caBundle": other}), &[]).unwrap_err();
    assert!(error.ends_with(UNKNOWN_AUTHORITY), "{error}");
    let error = called(&api, &json!({"url": "https://example.com/"}), &["example.org"]).unwrap_err();
    assert!(error.ends_with("called with `--webhook-host example.com` only"), "{error}");
}

#[test]
fn answers_are_written_down_and_given_again() {
    let api = api_server(&[], 1, Moment::START);
    let file = tempfile::NamedTempFile::new().unwrap();
    let trace =
        Trace::begin(file.path(), &json!({"session": {}}), false, &fbc_app::settings::Settings::default())
            .unwrap();
    let review_of = |name: &str| {
        let request = json!({
            "uid": "u1", "operation": "CREATE", "resource": {"group": "", "resource": "pods"}, "name": name,
        });
        json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request})
    };
    let (first, second) = (review_of("a"), review_of("b"));
    let called = |caller: &dyn WebhookCaller, client: &Value, review: &Value| {
        let call =
            WebhookCall { webhook: "a.b.c", client, timeout: 5, review, is_mutating: false, api: &api };
        caller.call(&call)
    };
    let webhooks = Webhooks::new(StandIn::default(), Vec::new(), Some(trace)).unwrap();
    let (address, authority) =
        webhook(200, review(json!({"uid": "u1", "allowed": false, "status": {"message": "no"}})));
    let client = json!({"url": format!("https://localhost:{}/", address.port()), "caBundle": authority});
    let denied = called(&webhooks, &client, &first);
    assert_eq!(denied.as_ref().unwrap()["status"]["message"], "no");
    // It answers once only.
    let unanswered = called(&webhooks, &client, &first);
    assert!(matches!(unanswered, Err(CallError::NoAnswer(_))), "{unanswered:?}");
    let (address, authority) = webhook(200, "{}".to_owned());
    let other = json!({"url": format!("https://localhost:{}/", address.port()), "caBundle": authority});
    let invalid = called(&webhooks, &other, &first);
    assert!(matches!(invalid, Err(CallError::Invalid(_))), "{invalid:?}");
    // What stands in for services is the same when it is played again, and not written down.
    let service = json!({"service": {"name": "s", "namespace": "n"}});
    assert!(called(&webhooks, &service, &first).is_err());

    let mut again = RecordedWebhooks::default();
    let lines = std::fs::read_to_string(file.path()).unwrap();
    let taken: Vec<bool> =
        lines.lines().map(|line| again.take(&serde_json::from_str(line).unwrap()).unwrap()).collect();
    assert_eq!(taken, [false, true, true, true]);
    let allow = vec![WebhookBehaviour { webhook: String::new(), answer: Answer::Allow }];
    let again = again.with_services(StandIn::new(allow));
    assert_eq!(called(&again, &client, &first), denied);
    assert_eq!(called(&again, &client, &first), unanswered);
    assert_eq!(called(&again, &client, &first), unanswered, "the last answer stays");
    assert_eq!(called(&again, &other, &first), invalid);
    assert_eq!(called(&again, &service, &first).unwrap()["allowed"], true);
    let unknown = called(&again, &client, &second).unwrap_err().to_string();
    assert!(unknown.ends_with("the webhook was not called so in the session"), "{unknown}");
}

#[test]
fn lines_about_webhooks_that_say_too_little_or_too_much_are_refused() {
    for line in [
        json!(5),
        json!({"response": {}}),
        json!({"call": "a"}),
        json!({"call": "a", "response": {}, "noAnswer": "b"}),
    ] {
        assert!(RecordedWebhooks::default().take(&json!({ "webhook": line })).is_err(), "{line}");
    }
}

#[test]
fn broken_answers_are_read_or_refused() {
    let api = api_server(&[], 1, Moment::START);
    let review =
        json!({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": {"uid": "u1"}});
    let client = json!({"url": "https://localhost/"});
    let call = WebhookCall {
        webhook: "a.b.c",
        client: &client,
        timeout: 5,
        review: &review,
        is_mutating: true,
        api: &api,
    };
    let answer = r#"{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"u1","allowed":true,"patch":"W10=","patchType":"JSONPatch"}}"#;
    assert!(response_of(answer.as_bytes(), &call).is_ok());
    for broken in fbc_testing::broken_variants(answer) {
        if let Ok(response) = response_of(broken.as_bytes(), &call) {
            assert_eq!(response["uid"], "u1", "{broken}");
        }
    }
}
