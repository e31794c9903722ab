//! Bodies that nest as deep as limits.md says, and a level more.

use super::*;
use crate::present::{list_bytes, object_bytes};

/// The stack of the threads that own clusters and of those that answer connections, as `fbc cluster` makes them.
const STACK_BYTES: usize = 64 << 20;
const MOST: usize = fbc_go::json::MOST_LEVELS;
const WIDGETS: &str = "/apis/example.com/v1/namespaces/default/widgets";

/// A value of so many levels.
fn nested(levels: usize) -> String {
    format!("{}{{}}{}", "{\"a\":".repeat(levels - 1), "}".repeat(levels - 1))
}

/// A widget of so many levels.
fn widget(name: &str, levels: usize) -> String {
    let spec = nested(levels - 1);
    format!(
        "{{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":{{\"name\":{name:?}}},\"spec\":{spec}}}"
    )
}

fn definition(plural: &str, kind: &str, schema: &str) -> String {
    format!(
        "{{\"apiVersion\":\"apiextensions.k8s.io/v1\",\"kind\":\"CustomResourceDefinition\",\
         \"metadata\":{{\"name\":\"{plural}.example.com\"}},\"spec\":{{\"group\":\"example.com\",\"scope\":\"Namespaced\",\
         \"names\":{{\"plural\":\"{plural}\",\"kind\":\"{kind}\"}},\
         \"versions\":[{{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{{\"openAPIV3Schema\":{schema}}}}}]}}}}"
    )
}

/// Sends a text as a media type, and answers with the code and the message of a refusal, once the answer has become bytes.
fn send(actor: &mut Actor<'_>, line: &str, media_type: &str, body: String) -> (u16, String) {
    let mut request = request(line, &Value::Null);
    request.content_type = media_type.to_owned();
    request.accept = match line.rsplit_once('#') {
        Some((path, accept)) => {
            request.path = path.split_once(' ').unwrap().1.to_owned();
            accept.to_owned()
        }
        None => String::new(),
    };
    request.body = Bytes::from(body);
    let answer = actor.handle(&request);
    let text = match answer.content {
        Content::Json(value) => value["message"].as_str().unwrap_or_default().to_owned(),
        Content::Object(object, presentation) => {
            format!("{} bytes", object_bytes(&object, &presentation).1.len())
        }
        Content::List(list, presentation) => format!("{} bytes", list_bytes(&list, &presentation).1.len()),
        _ => String::new(),
    };
    (answer.code, text)
}

fn on_deep_stack(test: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(STACK_BYTES).spawn(test).unwrap().join().unwrap();
}

const JSON: &str = "application/json";
const YAML: &str = "application/yaml";
const MERGE: &str = "application/merge-patch+json";
const PATCH: &str = "application/json-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

#[test]
fn bodies_nest_as_deep_as_in_go_whatever_is_done_with_them() {
    on_deep_stack(|| {
        let mut cluster = cluster();
        let mut actor = Actor::new(&mut cluster, settings(TimeMode::Still));
        actor.begin();
        let open = "{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}";
        let crds = "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        assert_eq!(send(&mut actor, crds, JSON, definition("widgets", "Widget", open)).0, 201);
        let revision = |levels: usize| {
            format!(
                "{{\"apiVersion\":\"apps/v1\",\"kind\":\"ControllerRevision\",\"metadata\":{{\"name\":\"deep\"}},\
                 \"revision\":1,\"data\":{}}}",
                nested(levels - 1)
            )
        };
        let revisions = "/apis/apps/v1/namespaces/default/controllerrevisions";
        let operation = |levels: usize| {
            format!("[{{\"op\":\"replace\",\"path\":\"/spec\",\"value\":{}}}]", nested(levels - 2))
        };
        let spec = |levels: usize| format!("{{\"spec\":{}}}", nested(levels - 1));
        let data = |levels: usize| format!("{{\"data\":{}}}", nested(levels - 1));
        let post = format!("POST {WIDGETS}");
        let one = format!("{WIDGETS}/json");
        let applied = format!("PATCH {WIDGETS}/applied?fieldManager=me&force=true");
        type Body<'b> = &'b dyn Fn(usize) -> String;
        let cases: [(&str, &str, Body<'_>, u16); 9] = [
            (&post, JSON, &|levels| widget("json", levels), 201),
            (&post, YAML, &|levels| widget("yaml", levels), 201),
            (&format!("PUT {one}"), JSON, &|levels| widget("json", levels), 200),
            (&format!("PATCH {one}"), MERGE, &spec, 200),
            (&format!("PATCH {one}"), PATCH, &operation, 200),
            (&applied, APPLY, &|levels| widget("applied", levels), 201),
            (&applied, APPLY, &|levels| widget("applied", levels), 200),
            (&format!("POST {revisions}"), JSON, &revision, 201),
            (&format!("PATCH {revisions}/deep"), STRATEGIC, &data, 200),
        ];
        for (line, media_type, body, code) in cases {
            let (found, text) = send(&mut actor, line, media_type, body(MOST));
            // What must not change, or names no version, is refused for that, and has been read.
            let is_read =
                ["immutable", "must be specified for an update"].iter().any(|why| text.contains(why));
            assert!(found == code || is_read, "{line} {media_type}: {found} {text}");
            let (found, text) = send(&mut actor, line, media_type, body(MOST + 1));
            assert_eq!(found, 400, "{line} {media_type}: {text}");
            assert!(text.contains("depth"), "{line} {media_type}: {text}");
        }
        for path in [one.as_str(), WIDGETS, revisions] {
            for accept in [JSON, YAML, "application/json;as=Table;v=v1;g=meta.k8s.io"] {
                let (code, text) = send(&mut actor, &format!("GET {path}#{accept}"), JSON, String::new());
                assert_eq!(code, 200, "{path} {accept}: {text}");
            }
        }
        // Values that are put into each other nest no deeper than one that is sent.
        let inner = format!("/spec{}", "/a".repeat(MOST / 2));
        let deeper =
            format!("[{{\"op\":\"add\",\"path\":\"{inner}/b\",\"value\":{}}}]", nested(MOST / 2 + 10));
        let copied = format!("[{{\"op\":\"copy\",\"from\":\"/spec\",\"path\":\"{inner}/b\"}}]");
        let moved = format!("[{{\"op\":\"move\",\"from\":\"/spec\",\"path\":\"/spec{}\"}}]", "/a".repeat(9));
        for operations in [deeper, copied, moved] {
            let (code, text) = send(&mut actor, &format!("PATCH {one}"), PATCH, operations);
            assert_eq!(code, 422, "{text}");
        }
        let (code, text) = send(&mut actor, &format!("DELETE {one}"), JSON, String::new());
        assert_eq!(code, 200, "{text}");
        let (code, text) = send(&mut actor, &format!("DELETE {WIDGETS}"), JSON, String::new());
        assert_eq!(code, 200, "{text}");
    });
}

#[test]
fn definitions_nest_deep() {
    on_deep_stack(|| {
        let mut cluster = cluster();
        let mut actor = Actor::new(&mut cluster, settings(TimeMode::Still));
        actor.begin();
        let crds = "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        // Each property is two levels.
        let schema = |levels: usize| {
            let (open, close) = ("{\"type\":\"object\",\"properties\":{\"a\":", "}}");
            format!("{}{{\"type\":\"string\"}}{}", open.repeat(levels), close.repeat(levels))
        };
        let (code, text) = send(&mut actor, crds, JSON, definition("widgets", "Widget", &schema(1000)));
        assert_eq!(code, 201, "{text}");
        let (code, text) = send(&mut actor, &format!("POST {WIDGETS}"), JSON, widget("deep", 1000));
        assert_eq!(code, 201, "{text}");
        let (code, text) =
            send(&mut actor, crds, JSON, definition("gadgets", "Gadget", &schema(MOST / 2 - 3)));
        assert!(code == 201 || code == 422, "{code} {text}");
        let (code, text) = send(&mut actor, crds, JSON, definition("things", "Thing", &schema(MOST / 2)));
        assert_eq!(code, 400, "{text}");
        assert!(text.contains("exceeded max depth"), "{text}");
    });
}
