//! A session without what its Secrets hold.
//!
//! Values of Secrets and tokens become placeholders of the same shape, so that the session can be played again: text stays
//! text, base64 stays base64, a JSON object stays one. Equal values have equal placeholders, so that what was changed, and
//! what was not, is the same when it is played. What stays in a Secret is listed in `parts`; everything else in it is
//! hidden, whatever it is. A body is kept byte for byte only if its text holds nothing but what was read of it, and that is
//! about other objects.

mod parts;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use fbc_apiserver::request::{BodyFormat, Place, decode_body, place};
use fbc_go::base64;
use serde_json::{Value, json};

use self::parts::{Part, part_at, part_of_object, steps};

/// In the place of a body that cannot be read: it cannot be read in any format either.
const UNREADABLE: &str = "{redacted";

/// The placeholders of a session.
#[derive(Debug, Default)]
pub(super) struct Redaction {
    /// The number of each value.
    known: BTreeMap<Vec<u8>, usize>,
}

impl Redaction {
    /// A line of a session with placeholders.
    pub(super) fn line(&mut self, line: &Value) -> Value {
        let mut line = line.clone();
        if let Some(webhook) = line.get_mut("webhook") {
            self.webhook(webhook);
        } else if line.get("path").is_some() {
            self.request(&mut line);
        }
        line
    }

    fn request(&mut self, line: &mut Value) {
        let body = match (line["body"]["base64"].as_str(), line["body"]["text"].as_str()) {
            (Some(bytes), _) => base64::decode(bytes).unwrap_or_default(),
            (None, text) => text.unwrap_or_default().as_bytes().to_vec(),
        };
        if body.is_empty() {
            return;
        }
        let format = match line["contentType"].as_str().unwrap_or_default() {
            patch if patch.ends_with("+json") => Ok(BodyFormat::Json),
            patch if patch.ends_with("+yaml") => Ok(BodyFormat::Yaml),
            object => BodyFormat::of_object(object),
        };
        let read = format.and_then(|format| Ok((format, decode_body(&body, format)?)));
        match read {
            Ok((format, (mut value, twice))) => {
                let part = part_of_request(line).or_else(|| part_of_failure(line, &value));
                let is_hidden = self.body(&mut value, part);
                // Comments, further documents and what is written twice are in the text alone.
                if !is_hidden && twice.is_empty() && format != BodyFormat::Yaml {
                    return;
                }
                line["body"] = json!({ "text": written(&value, !twice.is_empty()) });
                if format == BodyFormat::Protobuf {
                    line["contentType"] = json!("application/json");
                }
            }
            Err(error) => {
                line["body"] = json!({ "text": UNREADABLE });
                // Of protocol buffers it is their content that may be unsupported.
                if error.code() == 415 {
                    line["contentType"] = json!("text/plain");
                }
            }
        }
    }

    /// The answer of a webhook about a Secret may hold changes of it, and speak of what it holds.
    fn webhook(&mut self, webhook: &mut Value) {
        let is_secret = webhook["call"].as_str().is_some_and(|call| call.contains(" /secrets/"));
        let part = is_secret.then_some(Part::Secret);
        let patch = webhook["response"]["patch"].as_str().map(|patch| {
            let changes = base64::decode(patch).ok().and_then(|text| serde_json::from_slice(&text).ok());
            match changes.map(|mut changes: Value| (self.body(&mut changes, part), changes)) {
                Some((true, changes)) => base64::encode(changes.to_string().as_bytes()),
                None if is_secret && !patch.is_empty() => "redacted".to_owned(),
                _ => patch.to_owned(),
            }
        });
        let Value::Object(fields) = webhook else { return };
        for (_, value) in fields.iter_mut().filter(|(field, _)| *field != "call") {
            if is_secret {
                self.hide(value, Part::Response);
            }
            if let (Value::Object(response), Some(patch)) = (value, &patch) {
                response.insert("patch".to_owned(), json!(patch));
            }
        }
    }

    /// Hides what is in a body; false if there is nothing to hide.
    fn body(&mut self, body: &mut Value, part: Option<Part>) -> bool {
        match (part, body) {
            (Some(Part::Secret), Value::Array(changes)) => {
                changes.iter_mut().for_each(|change| self.change(change));
                true
            }
            (Some(part), body) => {
                self.hide(body, part);
                true
            }
            (None, body) => self.nested(body, true),
        }
    }

    /// Hides what is in the Secrets of other objects, also in those that are written as a text; false if there are none.
    fn nested(&mut self, value: &mut Value, is_whole: bool) -> bool {
        match value {
            Value::String(text) => match self.manifest(text) {
                Some(hidden) => {
                    *text = hidden;
                    true
                }
                None => false,
            },
            Value::Array(values) => {
                values.iter_mut().fold(false, |found, value| self.nested(value, false) | found)
            }
            Value::Object(fields) => match part_of_object(fields, is_whole) {
                Some(part) => {
                    self.hide(value, part);
                    true
                }
                None => fields.values_mut().fold(false, |found, value| self.nested(value, false) | found),
            },
            _ => false,
        }
    }

    /// A text of objects, if there are Secrets in them.
    fn manifest(&mut self, text: &str) -> Option<String> {
        if !text.contains(':') || !text.contains(['{', '\n']) {
            return None;
        }
        let mut found = false;
        let documents: Vec<String> = documents(text)
            .into_iter()
            .map(|document| {
                let mut document = document.unwrap_or_else(|| json!("redacted"));
                found |= self.nested(&mut document, true);
                document.to_string()
            })
            .collect();
        found.then(|| documents.join("\n---\n"))
    }

    /// A change of a JSON patch: the value is that of a Secret at its path.
    fn change(&mut self, change: &mut Value) {
        let Value::Object(fields) = change else { return self.hide(change, Part::Hidden) };
        let part = fields.get("path").and_then(Value::as_str).map_or(Part::Hidden, part_at);
        for (field, value) in fields.iter_mut() {
            match (field.as_str(), value) {
                ("op", value) => self.hide(value, Part::Word),
                ("path" | "from", Value::String(path)) => *path = self.pointer(path),
                ("value", value) => self.hide(value, part),
                (_, value) => self.hide(value, Part::Hidden),
            }
        }
    }

    /// A path, if what it begins with is a field of Secrets.
    fn pointer(&mut self, path: &str) -> String {
        match steps(path).next() {
            Some(first) if Part::Secret.below(&first) == Part::Hidden => {
                format!("/{}", self.placeholder(path.as_bytes()))
            }
            _ => path.find('/').and_then(|at| path.get(at..)).unwrap_or_default().to_owned(),
        }
    }

    /// Puts placeholders in the place of all that may be secret in a part of an object.
    fn hide(&mut self, value: &mut Value, part: Part) {
        match value {
            Value::Null | Value::Bool(_) => {}
            _ if part == Part::Harmless => {}
            Value::String(text) if part.keeps(text) => {}
            Value::String(text) => {
                *text = match part {
                    Part::Encoded => self.encoded(text),
                    Part::Annotation => self.annotation(text),
                    _ => self.placeholder(text.as_bytes()),
                }
            }
            Value::Number(_) => *value = json!(0),
            Value::Object(fields) if part.has_fields() => {
                let shown = std::mem::take(fields).into_iter().map(|(field, mut value)| {
                    self.hide(&mut value, part.below(&field));
                    let is_shown = part.shows(&field);
                    (
                        if is_shown { field } else { format!("f:{}", self.placeholder(field.as_bytes())) },
                        value,
                    )
                });
                *fields = shown.collect();
            }
            Value::Array(items) if part == Part::ManagedFields => {
                items.iter_mut().for_each(|item| self.hide(item, Part::ManagedFieldsEntry));
            }
            Value::Array(items) if items.is_empty() => {}
            Value::Object(fields) if fields.is_empty() => {}
            Value::Array(_) => *value = json!([format!("redacted-{}", self.number(value.to_string()))]),
            Value::Object(_) => *value = json!({ "redacted": self.number(value.to_string()) }),
        }
    }

    /// What was applied is a Secret as well.
    fn annotation(&mut self, text: &str) -> String {
        match serde_json::from_str(text) {
            Ok(mut applied @ Value::Object(_)) => {
                self.hide(&mut applied, Part::Secret);
                applied.to_string()
            }
            _ => self.placeholder(text.as_bytes()),
        }
    }

    fn encoded(&mut self, text: &str) -> String {
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
        let number = self.number(value);
        match serde_json::from_slice(value) {
            Ok(Value::Object(_)) => format!("{{\"redacted\":{number}}}"),
            _ => format!("redacted-{number}"),
        }
    }

    fn number(&mut self, value: impl Into<Vec<u8>>) -> usize {
        let next = self.known.len() + 1;
        *self.known.entry(value.into()).or_insert(next)
    }
}

/// What the body of a request is about by its path; nothing if that is another object.
fn part_of_request(line: &Value) -> Option<Part> {
    let Place::Resource(found) = place(line["path"].as_str().unwrap_or_default()) else { return None };
    match found.resource.to_ascii_lowercase().as_str() {
        "secrets" => Some(part_of_method(line)),
        "tokenreviews" => Some(Part::TokenReview),
        _ => None,
    }
}

/// As the body about a Secret, what was refused and may have been meant as one: its path leads to nothing, or has the name
/// of such a resource at another place, and it does not say what it is itself.
fn part_of_failure(line: &Value, body: &Value) -> Option<Part> {
    let code = line["code"].as_u64().unwrap_or_default();
    let is_lost = code == 404
        || match place(line["path"].as_str().unwrap_or_default()) {
            Place::Resource(found) => {
                let named = [found.group, found.version, found.resource, found.name, found.subresource];
                let is_secret = |name: &String| {
                    name.eq_ignore_ascii_case("secrets") || name.eq_ignore_ascii_case("tokenreviews")
                };
                named.iter().chain(&found.rest).any(is_secret)
            }
            _ => true,
        };
    (!(200..300).contains(&code) && is_lost && !body["kind"].is_string()).then(|| part_of_method(line))
}

fn part_of_method(line: &Value) -> Part {
    if line["method"] == "DELETE" { Part::DeleteOptions } else { Part::Secret }
}

/// A body that has a field twice, as what is strict refuses, if it had one.
fn written(body: &Value, is_twice: bool) -> String {
    let text = body.to_string();
    match body.as_object().and_then(|fields| fields.iter().next()).filter(|_| is_twice) {
        Some((field, value)) => format!("{{{}:{value},{}", json!(field), text.get(1..).unwrap_or_default()),
        None => text,
    }
}

/// The documents of a text in JSON or YAML; nothing for those that cannot be read or are but text.
fn documents(text: &str) -> Vec<Option<Value>> {
    if let Ok(value) = serde_json::from_str(text) {
        return vec![Some(value)];
    }
    let convert =
        |document: fbc_yaml::Document| Ok::<_, String>(fbc_yaml::json_writer::compact(document.root()));
    let read = fbc_yaml::stream::read(text.as_bytes(), &convert).into_iter();
    read.map(|read| serde_json::from_str(&read.outcome.ok()?).ok().filter(|value: &Value| !value.is_string()))
        .collect()
}

/// Whether a value is a placeholder, of this session or one that was played again.
fn is_placeholder(value: &[u8]) -> bool {
    let text = std::str::from_utf8(value).unwrap_or_default();
    let number = text
        .strip_prefix("redacted-")
        .or_else(|| text.strip_prefix("{\"redacted\":").and_then(|rest| rest.strip_suffix('}')));
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}
