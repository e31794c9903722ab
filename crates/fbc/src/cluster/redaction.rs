//! A session without what its Secrets hold.
//!
//! Values of Secrets and tokens become placeholders of the same shape, so that the session can be played again: text stays
//! text, base64 stays base64, a JSON object stays one. Equal values have equal placeholders, so that what was changed, and
//! what was not, is the same when it is played. Everything else is written as it was.

use std::collections::BTreeMap;

use fbc_apiserver::request::{BodyFormat, Place, decode_body, place};
use fbc_go::base64;
use serde_json::{Map, Value, json};

/// Where kubectl keeps what was applied, the data of a Secret included.
const LAST_APPLIED: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The placeholders of a session.
#[derive(Debug, Default)]
pub(super) struct Redaction {
    /// The number of each value.
    known: BTreeMap<Vec<u8>, usize>,
}

/// What a body is about by the path of its request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum About {
    Secret,
    TokenReview,
    Other,
}

impl Redaction {
    /// A line of a session with placeholders.
    pub(super) fn line(&mut self, line: &Value) -> Value {
        let mut line = line.clone();
        if line.get("webhook").is_some() {
            self.patch_of_webhook(&mut line["webhook"]);
        } else if line.get("path").is_some() {
            self.request(&mut line);
        }
        line
    }

    fn request(&mut self, line: &mut Value) {
        let about = match place(line["path"].as_str().unwrap_or_default()) {
            Place::Resource(found) if found.group.is_empty() && found.resource == "secrets" => About::Secret,
            Place::Resource(found) if found.resource == "tokenreviews" => About::TokenReview,
            _ => About::Other,
        };
        let body = match (line["body"]["base64"].as_str(), line["body"]["text"].as_str()) {
            (Some(bytes), _) => base64::decode(bytes).unwrap_or_default(),
            (None, text) => text.unwrap_or_default().as_bytes().to_vec(),
        };
        let mentions_one = || body.windows(6).any(|word| word == b"Secret");
        if body.is_empty() || about == About::Other && !mentions_one() {
            return;
        }
        let format = match line["contentType"].as_str().unwrap_or_default() {
            patch if patch.ends_with("+json") => Some(BodyFormat::Json),
            patch if patch.ends_with("+yaml") => Some(BodyFormat::Yaml),
            object => BodyFormat::of_object(object).ok(),
        };
        let decoded = format.and_then(|format| Some((format, decode_body(&body, format).ok()?.0)));
        match decoded {
            Some((format, mut value)) => {
                let before = value.clone();
                self.body(&mut value, about);
                if value != before {
                    line["body"] = json!({ "text": value.to_string() });
                    if format == BodyFormat::Protobuf {
                        line["contentType"] = json!("application/json");
                    }
                }
            }
            // It was refused for what it is, and any other text that is no object is as well.
            None if about != About::Other => line["body"] = json!({"text": "redacted"}),
            None => {}
        }
    }

    /// The answer of a webhook about a Secret may hold changes of it.
    fn patch_of_webhook(&mut self, webhook: &mut Value) {
        let call = webhook["call"].as_str().unwrap_or_default();
        let is_secret = call.rsplit(' ').next().is_some_and(|object| object.starts_with("/secrets/"));
        let Some(patch) = webhook["response"]["patch"].as_str().filter(|_| is_secret) else { return };
        let changes = base64::decode(patch).ok().and_then(|text| serde_json::from_slice(&text).ok());
        let redacted = changes.map(|mut changes: Value| {
            self.body(&mut changes, About::Secret);
            base64::encode(changes.to_string().as_bytes())
        });
        webhook["response"]["patch"] = json!(redacted.unwrap_or_else(|| "redacted".to_owned()));
    }

    fn body(&mut self, body: &mut Value, about: About) {
        match (about, &mut *body) {
            (About::Secret, Value::Array(changes)) => {
                changes.iter_mut().for_each(|change| self.change(change));
            }
            (About::Secret, Value::Object(secret)) => self.secret(secret),
            (About::TokenReview, Value::Object(review)) => self.token_review(review),
            _ => {}
        }
        self.nested(body);
    }

    /// A change of a JSON patch: the value is that of a Secret at its path.
    fn change(&mut self, change: &mut Value) {
        let path = change["path"].as_str().unwrap_or_default().to_owned();
        let Some(value) = change.get_mut("value") else { return };
        let steps = path.split('/').skip(1).map(|step| step.replace("~1", "/").replace("~0", "~"));
        let steps: Vec<String> = steps.collect();
        let mut whole = steps.iter().rev().fold(value.take(), |below, step| json!({ step: below }));
        if let Value::Object(secret) = &mut whole {
            self.secret(secret);
        }
        *value = steps.iter().fold(whole, |above, step| above.get(step).cloned().unwrap_or_default());
    }

    fn secret(&mut self, secret: &mut Map<String, Value>) {
        for (field, is_encoded) in [("data", true), ("stringData", false)] {
            let Some(Value::Object(values)) = secret.get_mut(field) else { continue };
            // What begins with a dollar sign says how a patch is meant.
            for (_, value) in values.iter_mut().filter(|(key, _)| !key.starts_with('$')) {
                match value {
                    Value::String(text) => *text = self.value(text, is_encoded),
                    Value::Null => {}
                    other => *other = json!(0),
                }
            }
        }
        if let Some(applied) =
            secret.get_mut("metadata").and_then(|at| at.get_mut("annotations")?.get_mut(LAST_APPLIED))
        {
            let text = applied.as_str().unwrap_or_default();
            *applied = match serde_json::from_str(text) {
                Ok(Value::Object(mut before)) => {
                    self.secret(&mut before);
                    json!(Value::Object(before).to_string())
                }
                _ if text.is_empty() => return,
                _ => json!(self.placeholder(text.as_bytes())),
            };
        }
    }

    fn token_review(&mut self, review: &mut Map<String, Value>) {
        if let Some(Value::String(token)) = review.get_mut("spec").and_then(|spec| spec.get_mut("token")) {
            *token = self.placeholder(token.as_bytes());
        }
    }

    /// Secrets in other objects.
    fn nested(&mut self, value: &mut Value) {
        match value {
            Value::Array(values) => values.iter_mut().for_each(|value| self.nested(value)),
            Value::Object(fields) => {
                if fields.get("kind").is_some_and(|kind| kind == "Secret") {
                    self.secret(fields);
                }
                fields.values_mut().for_each(|value| self.nested(value));
            }
            _ => {}
        }
    }

    fn value(&mut self, text: &str, is_encoded: bool) -> String {
        if !is_encoded {
            return self.placeholder(text.as_bytes());
        }
        match base64::decode(text) {
            Ok(bytes) => base64::encode(self.placeholder(&bytes).as_bytes()),
            // What was no base64 is none.
            Err(_) => format!("*{}", self.placeholder(text.as_bytes())),
        }
    }

    fn placeholder(&mut self, value: &[u8]) -> String {
        if value.is_empty() || is_placeholder(value) {
            return String::from_utf8_lossy(value).into_owned();
        }
        let next = self.known.len() + 1;
        let number = *self.known.entry(value.to_vec()).or_insert(next);
        match serde_json::from_slice(value) {
            Ok(Value::Object(_)) => format!("{{\"redacted\":{number}}}"),
            _ => format!("redacted-{number}"),
        }
    }
}

/// Whether a value is a placeholder, of this session or one that was played again.
fn is_placeholder(value: &[u8]) -> bool {
    let text = std::str::from_utf8(value).unwrap_or_default();
    let number = text
        .strip_prefix("redacted-")
        .or_else(|| text.strip_prefix("{\"redacted\":").and_then(|rest| rest.strip_suffix('}')));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(path: &str, content_type: &str, body: &str) -> Value {
        json!({"path": path, "contentType": content_type, "body": {"text": body}, "code": 201})
    }

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
        let patch =
            base64::encode(format!(r#"[{{"op":"add","path":"/data/p","value":"{hidden}"}}]"#).as_bytes());
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
        assert_eq!(
            of(json!({"stringData": {"a": "redacted-9"}})),
            json!({"stringData": {"a": "redacted-9"}})
        );
    }

    #[test]
    fn everything_else_is_as_it_was() {
        for line in [
            line(
                "/api/v1/namespaces/a/configmaps",
                "application/json",
                "{\"data\": {\"Secret\":  \"hunter2\"}}",
            ),
            line("/api/v1/namespaces/a/pods", "application/yaml", "a: b # Secret"),
            line(SECRET, "application/json", "{\"metadata\":  {}}"),
            json!({"waiting": true, "at_ms": 1}),
            json!({"image": {"reference": "q.io/a", "digest": "sha256:0"}}),
            json!({"webhook": {"call": "a b CREATE /pods//a/b", "response": {"patch": "W10="}}}),
        ] {
            assert_eq!(Redaction::default().line(&line), line);
        }
    }
}
