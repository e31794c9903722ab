//! Secrets in all forms are hidden, and nothing else is.

use super::*;

fn line(path: &str, content_type: &str, body: &str) -> Value {
    json!({"path": path, "contentType": content_type, "body": {"text": body}, "code": 201})
}

const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";
const SECRETS: &str = "/api/v1/namespaces/a/secrets";
const SECRET: &str = "/api/v1/namespaces/a/secrets/b";

#[test]
fn nothing_of_a_secret_is_left() {
    let hidden = base64::encode(b"hunter2");
    let json_patch = format!(
        r#"[{{"op":"test","path":"/data/p","value":"{hidden}"}},{{"op":"add","path":"/stringData","value":{{"p":"hunter2"}}}},
        {{"op":"add","path":"","value":{{"stringData":{{"p":"hunter2"}}}}}},{{"op":"remove","path":"/data/x"}}]"#
    );
    let applied = format!(r#"{{\"kind\":\"Secret\",\"data\":{{\"p\":\"{hidden}\"}}}}"#);
    let cases = [
        (SECRETS, "application/json", format!(r#"{{"kind":"Secret","data":{{"p":"{hidden}"}}}}"#)),
        (SECRETS, "", r#"{"stringData":{"p":"hunter2"}}"#.to_owned()),
        (SECRETS, "application/yaml", "kind: Secret\nstringData:\n  p: hunter2\n".to_owned()),
        (SECRET, "application/apply-patch+yaml", "stringData: {p: hunter2}".to_owned()),
        (SECRET, "application/merge-patch+json", format!(r#"{{"data":{{"p":"{hidden}","q":null}}}}"#)),
        (
            SECRET,
            "application/strategic-merge-patch+json",
            format!(r#"{{"data":{{"$patch":"replace","p":"{hidden}"}}}}"#),
        ),
        (SECRET, "application/json-patch+json", json_patch),
        (
            SECRET,
            "application/json",
            format!(r#"{{"metadata":{{"annotations":{{"{LAST_APPLIED}":"{applied}"}}}}}}"#),
        ),
        (SECRETS, "application/json", r#"{"data":{"p":"hunter2"},"data":{"p":"eA=="}}"#.to_owned()),
        (SECRETS, "application/yaml", "# hunter2\nkind: Secret\nstringData: {a: b}\n---\nc: hunter2".to_owned()),
        (SECRET, "application/json-patch+json", r#"[{"op":"add","path":"data/p","value":"hunter2"}]"#.to_owned()),
        (SECRET, "application/json-patch+json", r#"{"op":"add","path":"/type","value":"hunter2"}"#.to_owned()),
        (SECRET, "application/json-patch+json", r#"[{"op":"hunter2","path":"/hunter2","from":"hunter2/kind"}]"#.to_owned()),
        (SECRET, "application/json-patch+json", r#"["hunter2",{"path":["hunter2"],"x":"hunter2"}]"#.to_owned()),
        (
            "/api/v1/namespaces/a/configmaps",
            "application/json",
            r#"{"items":[{"kind":"Secret","data":{"p":"hunter2"}}],"items":[{"kind":"Secret","data":{"p":"a"}}]}"#.to_owned(),
        ),
        ("/api/v1/namespaces/a/configmaps", "text/plain", r#"{"kind":"Secret","data":{"p":"hunter2"}}"#.to_owned()),
        (SECRETS, "application/json", "{\"data\": hunter2".to_owned()),
        (SECRETS, "text/plain", "hunter2".to_owned()),
        (SECRETS, "application/vnd.kubernetes.protobuf", "k8s\0hunter2".to_owned()),
        (
            "/apis/example.org/v1/templates",
            "application/json",
            r#"{"objects":[{"kind":"Secret","stringData":{"p":"hunter2"}}]}"#.to_owned(),
        ),
        (
            "/apis/authentication.k8s.io/v1/tokenreviews",
            "application/json",
            r#"{"kind":"TokenReview","spec":{"token":"hunter2"}}"#.to_owned(),
        ),
    ];
    for (path, content_type, body) in cases {
        let redacted = Redaction::default().line(&line(path, content_type, &body)).to_string();
        assert!(!redacted.contains("hunter2") && !redacted.contains(&hidden), "{body}: {redacted}");
        assert!(
            redacted.contains("redacted") || redacted.contains(&base64::encode(b"redacted-1")),
            "{redacted}"
        );
    }
    let patch = base64::encode(format!(r#"[{{"op":"add","path":"/data/p","value":"{hidden}"}}]"#).as_bytes());
    let webhook =
        json!({"webhook": {"call": "a https://b CREATE /secrets//a/b", "response": {"patch": patch}}});
    let redacted = Redaction::default().line(&webhook);
    let changes = base64::decode(redacted["webhook"]["response"]["patch"].as_str().unwrap()).unwrap();
    let placeholder = base64::encode(b"redacted-1");
    assert_eq!(
        serde_json::from_slice::<Value>(&changes).unwrap(),
        json!([{"op": "add", "path": "/data/p", "value": placeholder}])
    );
}

#[test]
fn shapes_and_what_is_equal_stay() {
    let mut redaction = Redaction::default();
    let mut of = |body: Value| {
        let line = redaction.line(&line(SECRETS, "application/json", &body.to_string()));
        serde_json::from_str::<Value>(line["body"]["text"].as_str().unwrap()).unwrap()
    };
    let encoded = |text: &str| base64::encode(text.as_bytes());
    assert_eq!(
        of(
            json!({"data": {"a": encoded("x"), "b": encoded("y"), "c": encoded("{\"auths\":{}}"), "d": "%", "e": ""},
                  "stringData": {"a": "x"}, "type": "Opaque"})
        ),
        json!({"data": {"a": encoded("redacted-1"), "b": encoded("redacted-2"), "c": encoded("{\"redacted\":3}"),
                        "d": "*redacted-4", "e": ""},
               "stringData": {"a": "redacted-1"}, "type": "Opaque"})
    );
    // What is a placeholder already stays one.
    assert_eq!(of(json!({"stringData": {"a": "redacted-9"}})), json!({"stringData": {"a": "redacted-9"}}));
}

/// All values in a value, as pointers.
fn pointers(value: &Value, at: &str) -> Vec<String> {
    let below: Vec<(String, &Value)> = match value {
        Value::Array(items) => items.iter().enumerate().map(|(at, item)| (at.to_string(), item)).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(key, field)| (key.replace('~', "~0").replace('/', "~1"), field)).collect()
        }
        _ => Vec::new(),
    };
    let below = below.into_iter().flat_map(|(step, value)| pointers(value, &format!("{at}/{step}")));
    std::iter::once(at.to_owned()).chain(below).collect()
}

/// The requests by which an object may be sent.
fn requests_with(object: &Value, collection: &str, is_root: bool) -> Vec<(String, &'static str, String)> {
    let text = object.to_string();
    let one = format!("{collection}/b");
    let changes: Vec<Value> = object
        .as_object()
        .into_iter()
        .flatten()
        .map(|(field, value)| json!({"op": "add", "path": format!("/{field}"), "value": value}))
        .collect();
    let mut requests = vec![
        (collection.to_owned(), "application/json", text.clone()),
        (collection.to_owned(), "application/json", text.replacen("\"Secret\"", "\"\\u0053ecret\"", 1)),
        (collection.to_owned(), "application/yaml", format!("# hunter2\n{text}")),
        (one.clone(), "application/apply-patch+yaml", text.clone()),
        (one.clone(), "application/merge-patch+json", text.clone()),
        (one.clone(), "application/json-patch+json", text.clone()),
        (one.clone(), "application/json-patch+json", json!([{"path": "", "value": object}]).to_string()),
        (one, "application/json-patch+json", json!(changes).to_string()),
    ];
    // What it is shows at other places by its kind alone.
    if !is_root {
        let step = json!({"plan": [{"resource": {"kind": "Secret", "name": "b", "manifest": text}}]});
        let elsewhere = [
            text.clone(),
            json!({"kind": "List", "items": [object]}).to_string(),
            json!({"data": {"a.yaml": format!("---\na: b\n---\n{text}\n")}}).to_string(),
            json!({"metadata": {"annotations": {"a": step.to_string()}}}).to_string(),
            step.to_string(),
        ];
        let elsewhere = elsewhere.map(|body| body.replace("\"Secret\"", "\"\\u0053ecret\""));
        requests.extend(
            elsewhere
                .into_iter()
                .map(|body| ("/apis/example.org/v1/things".to_owned(), "application/json", body)),
        );
    }
    requests
}

#[test]
fn a_secret_may_stand_anywhere() {
    let secret = json!({
        "apiVersion": "v1", "kind": "Secret", "type": "Opaque", "immutable": true, "Data": {"p": "x"},
        "data": {"p": "eA=="}, "items": [{"data": {"p": "eA=="}}], "other": ["x", {"y": 1}], "stringData": {"p": "x"},
        "stringdata": {"p": "x"},
        "metadata": {
            "name": "b", "other": "x", "annotations": {"other.io/a": "x", LAST_APPLIED: "x"},
            "managedFields": [{"manager": "a", "other": "x", "fieldsV1": {"f:data": {".": {}, "f:p": {}}, "v:1": "x"}}],
        },
    });
    let review = json!({
        "apiVersion": "authentication.k8s.io/v1", "kind": "TokenReview", "metadata": {"annotations": {"a": "b"}},
        "spec": {"token": "x", "other": "x"}, "status": {"user": {"username": "x"}},
    });
    let entry = "/metadata/managedFields/0";
    let manager = format!("{entry}/manager");
    let shown = ["/apiVersion", "/kind", "/type", "/metadata/name", &manager];
    let known = ["", "/data", "/stringData", "/metadata", "/metadata/annotations", entry, "/spec"];
    let applied = json!({"kind": "Secret", "data": {"p": "hunter2"}, "x": ["hunter2"]});
    let encoded = base64::encode(b"hunter2");
    let shapes = [
        json!("hunter2"),
        json!(encoded),
        json!(["hunter2"]),
        json!({"x": "hunter2", "hunter2": 1}),
        json!({"x": {"hunter2": "x"}}),
        json!(applied.to_string()),
        json!(json!({"other": applied.to_string()}).to_string()),
    ];
    let mut count = 0;
    for (object, collection) in [(secret, SECRETS), (review, "/apis/authentication.k8s.io/v1/tokenreviews")] {
        for pointer in pointers(&object, "").iter().filter(|pointer| !shown.contains(&pointer.as_str())) {
            for shape in &shapes {
                // Fields of what is known have names that are shown.
                let is_known = known.contains(&pointer.as_str());
                if is_known && shape.get("hunter2").is_some() {
                    continue;
                }
                let mut object = object.clone();
                *object.pointer_mut(pointer).unwrap() = shape.clone();
                for (path, content_type, body) in requests_with(&object, collection, pointer.is_empty()) {
                    let redacted = Redaction::default().line(&line(&path, content_type, &body)).to_string();
                    let is_left = redacted.contains("hunter2") || redacted.contains(&encoded);
                    assert!(!is_left, "{path} {content_type} {body}: {redacted}");
                    count += 1;
                }
            }
        }
    }
    assert!(count > 2000, "{count}");
}

#[test]
fn webhooks_say_nothing_of_secrets() {
    let redacted = |call: &str, webhook: Value| {
        let mut webhook = webhook;
        webhook["call"] = json!(call);
        Redaction::default().line(&json!({ "webhook": webhook }))
    };
    let call = "a https://b UPDATE /secrets//a/b";
    let response = json!({
        "uid": "1", "allowed": false, "patchType": "JSONPatch", "patch": "hunter2", "warnings": ["hunter2"],
        "status": {"code": 422, "reason": "Invalid", "message": "hunter2"}, "auditAnnotations": {"a": "hunter2"},
    });
    assert_eq!(
        redacted(call, json!({ "response": response }))["webhook"]["response"],
        json!({
            "uid": "1", "allowed": false, "patchType": "JSONPatch", "patch": "redacted", "warnings": ["redacted-3"],
            "status": {"code": 422, "reason": "Invalid", "message": "redacted-2"}, "auditAnnotations": {"redacted": 1},
        })
    );
    assert_eq!(redacted(call, json!({"noAnswer": "hunter2"}))["webhook"]["noAnswer"], "redacted-1");
    // Of other objects, it is the Secrets in the changes.
    let change =
        json!([{"op": "add", "path": "/spec/a", "value": {"kind": "Secret", "data": {"p": "hunter2"}}}]);
    let response = json!({"patch": base64::encode(change.to_string().as_bytes()), "warnings": ["a"]});
    let redacted = redacted("a https://b CREATE /pods//a/b", json!({ "response": response }));
    let changes = base64::decode(redacted["webhook"]["response"]["patch"].as_str().unwrap()).unwrap();
    assert!(!String::from_utf8(changes).unwrap().contains("hunter2"), "{redacted}");
    assert_eq!(redacted["webhook"]["response"]["warnings"], json!(["a"]));
}

#[test]
fn what_is_no_secret_stays() {
    let metadata = json!({
        "name": "b", "namespace": "a", "labels": {"c": "d"}, "finalizers": ["e.f/g"], "resourceVersion": "7",
        "annotations": {"kubernetes.io/service-account.name": "h"}, "ownerReferences": [{"kind": "A", "name": "b"}],
        "managedFields": [{}, {
            "manager": "kubectl", "operation": "Update", "apiVersion": "v1", "time": "2024-01-01T00:00:00Z",
            "fieldsType": "FieldsV1", "fieldsV1": {
                "f:data": {".": {}, "f:p": {}},
                "f:metadata": {"f:finalizers": {"v:\"e.f/g\"": {}}, "f:ownerReferences": {"k:{\"uid\":\"1\"}": {".": {}}}},
            },
        }],
    });
    let secret = json!({"apiVersion": "v1", "kind": "Secret", "type": "Opaque", "immutable": true, "metadata": metadata});
    let options =
        json!({"kind": "DeleteOptions", "propagationPolicy": "Background", "preconditions": {"uid": "1"}});
    let change = json!([{"op": "remove", "path": "/data/p"}, {"op": "add", "path": "/metadata/labels/c", "value": "e"}]);
    for (method, body) in [("POST", secret), ("DELETE", options), ("PATCH", change)] {
        let mut line = line(SECRET, "application/json", &body.to_string());
        line["method"] = json!(method);
        assert_eq!(Redaction::default().line(&line), line);
    }
}

/// Nothing is at the path, or it is not known whether there is.
#[test]
fn what_is_refused_may_have_been_meant_as_a_secret() {
    for (path, code) in [
        ("/api/v1/namespaces/default/./secrets", 404),
        ("/api/v1/namespaces/default/%2e/Secrets", 403),
        ("/apis/v1/namespaces/default/secrets", 403),
        ("/api/v1/namespaces/default/./sec%72ets/p", 401),
        ("/v1/secrets", 403),
        ("/api/v1/namespaces/default/secret", 404),
        ("/api/authentication.k8s.io/v1/tokenreviews", 403),
        ("/api/v1", 405),
    ] {
        for (content_type, body) in [
            ("application/json", r#"{"stringData":{"p":"hunter2"},"spec":{"token":"hunter2"}}"#),
            ("application/yaml", "stringData: {p: hunter2}"),
            ("application/json-patch+json", r#"[{"op":"add","path":"/stringData/p","value":"hunter2"}]"#),
        ] {
            let mut line = line(path, content_type, body);
            line["code"] = json!(code);
            let redacted = Redaction::default().line(&line).to_string();
            assert!(!redacted.contains("hunter2") && redacted.contains("redacted"), "{redacted}");
        }
    }
    // What says that it is something else, what was done, and what was refused for another reason.
    let configmaps = "/api/v1/namespaces/a/configmaps";
    for (path, code, method, body) in [
        (configmaps, 404, "POST", r#"{"kind":"ConfigMap","data":{"a":"b"}}"#),
        ("/api/v1/namespaces/a/configmaps/secrets", 200, "PATCH", r#"{"data":{"a":"b"}}"#),
        ("/api/v1/namespaces/a/configmaps/b", 422, "PATCH", r#"{"data":{"a":1}}"#),
        ("/api/v1/namespaces/a/configmaps/b", 404, "DELETE", r#"{"propagationPolicy":"Background"}"#),
    ] {
        let mut line = line(path, "application/json", body);
        line["code"] = json!(code);
        line["method"] = json!(method);
        assert_eq!(Redaction::default().line(&line), line);
    }
}

#[test]
fn what_was_written_twice_is_refused_again() {
    let line = line(SECRETS, "application/json", r#"{"data":{"p":"aHVudGVyMg==","p":"eA=="},"type":"a"}"#);
    let redacted = Redaction::default().line(&line);
    let text = redacted["body"]["text"].as_str().unwrap();
    let (value, twice) = decode_body(text.as_bytes(), BodyFormat::Json).unwrap();
    assert_eq!(value, json!({"data": {"p": base64::encode(b"redacted-1")}, "type": "a"}));
    assert_eq!(twice, ["data"]);
}

#[test]
fn what_cannot_be_read_cannot_be_read_in_its_place() {
    for (content_type, body) in [
        ("application/json", "{"),
        ("application/yaml", "a: ["),
        ("application/apply-patch+yaml", "--- --- a\n: ["),
        ("application/vnd.kubernetes.protobuf", "a"),
        ("text/plain", "a"),
    ] {
        let code = |line: &Value| {
            let format = match line["contentType"].as_str().unwrap() {
                "application/apply-patch+yaml" => Ok(BodyFormat::Yaml),
                object => BodyFormat::of_object(object),
            };
            let text = line["body"]["text"].as_str().unwrap();
            format.and_then(|format| decode_body(text.as_bytes(), format)).map_err(|error| error.code())
        };
        let line = line(SECRETS, content_type, body);
        let redacted = Redaction::default().line(&line);
        assert_ne!(redacted["body"], line["body"], "{line}");
        assert!(code(&line).is_err() && code(&redacted) == code(&line), "{line}: {redacted}");
    }
}

#[test]
fn everything_else_is_as_it_was() {
    let configmaps = "/api/v1/namespaces/a/configmaps";
    let reference = json!({"spec": {"resources": [{"kind": "Secret", "name": "hunter2", "version": "v1"}]}});
    for line in [
        line(configmaps, "application/json", "{\"data\": {\"Secret\":  \"hunter2\"}}"),
        line(configmaps, "application/json", "{\"data\": {\"a.yaml\":  \"kind: Pod\\ndata: {a: b} # a\"}}"),
        line("/apis/a/v1/things", "application/json", &reference.to_string()),
        json!({"waiting": true, "at_ms": 1}),
        json!({"image": {"reference": "q.io/a", "digest": "sha256:0"}}),
        json!({"webhook": {"call": "a b CREATE /pods//a/b", "response": {"patch": "W10="}}}),
    ] {
        assert_eq!(Redaction::default().line(&line), line);
    }
}
