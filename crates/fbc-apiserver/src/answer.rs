//! An answer as data; bytes are made of it on the thread of the connection.

use std::sync::Arc;

use bytes::Bytes;
use fbc_cluster::error::{ApiError, Cause, Reason};
use fbc_cluster::object::Object;
use serde_json::{Map, Value, json};

use crate::later::Later;
use crate::port_forward::pod::ForwardedPod;
use crate::present::{Listed, Presentation, WatchStream};
use crate::service::Forward;

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// The code of HTTP.
    pub code: u16,
    /// Texts of `Warning` headers.
    pub warnings: Vec<String>,
    /// Further headers.
    pub headers: Vec<(&'static str, String)>,
    /// What it holds.
    pub content: Content,
}

/// What an answer holds.
#[derive(Debug)]
pub enum Content {
    /// Text.
    Text(String),
    /// Bytes of a media type.
    Bytes(&'static str, Bytes),
    /// JSON of any kind.
    Json(Value),
    /// An object.
    Object(Arc<Object>, Presentation),
    /// Objects.
    List(Listed, Presentation),
    /// Changes as they come.
    Watch(WatchStream),
    /// What a service in the cluster answers; it has its own code and headers.
    Forward(Forward),
    /// A connection that goes on with another protocol, to ports of a pod.
    PortForward(ForwardedPod),
    /// Nothing yet: more is to be done than may be at a time. The actor puts the answer in its place.
    Later(Later),
}

impl Answer {
    /// An answer with a code.
    pub(crate) fn new(code: u16, content: Content) -> Self {
        Self { code, warnings: Vec::new(), headers: Vec::new(), content }
    }

    /// `200 OK` with JSON.
    pub(crate) fn json(value: Value) -> Self {
        Self::new(200, Content::Json(value))
    }

    /// `200 OK` with text.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self::new(200, Content::Text(text.into()))
    }

    /// A refusal.
    pub fn refusal(error: &ApiError) -> Self {
        let mut answer = Self::new(error.code(), Content::Json(status_of(error)));
        if let Some(seconds) = retry_after(error) {
            answer.headers.push(("retry-after", seconds.to_string()));
        }
        answer
    }

    /// A `Status` of a code that [`Reason`] does not have.
    pub fn status(code: u16, reason: &str, message: &str) -> Self {
        Self::new(code, Content::Json(failure(code, reason, message)))
    }

    /// Adds warnings.
    pub(crate) fn with_warnings(mut self, warnings: Vec<String>) -> Self {
        self.warnings.extend(warnings);
        self
    }
}

/// The `Status` of a failure; the reason may be empty.
pub(crate) fn failure(code: u16, reason: &str, message: &str) -> Value {
    let mut status = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": message, "code": code,
    });
    if !reason.is_empty() {
        status["reason"] = reason.into();
    }
    status
}

/// After how many seconds a client should come again.
fn retry_after(error: &ApiError) -> Option<u32> {
    let is_processed = |cause: &Cause| cause.message.ends_with("is still being processed by the server.");
    match error.reason {
        Reason::TooManyRequests if error.details.causes.iter().any(is_processed) => Some(10),
        _ => error.details.retry_after,
    }
}

/// The `Status` of a refusal, without what is empty.
pub fn status_of(error: &ApiError) -> Value {
    let mut details = Map::new();
    let parts =
        [("name", &error.details.name), ("group", &error.details.group), ("kind", &error.details.kind)];
    for (name, text) in parts.into_iter().filter(|(_, text)| !text.is_empty()) {
        details.insert(name.to_owned(), text.as_str().into());
    }
    let causes: Vec<Value> = error.details.causes.iter().map(Cause::to_json).collect();
    if !causes.is_empty() {
        details.insert("causes".to_owned(), causes.into());
    }
    if let Some(seconds) = retry_after(error) {
        details.insert("retryAfterSeconds".to_owned(), seconds.into());
    }
    let mut status = json!({
        "kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": error.message,
        "code": error.code(),
    });
    let reason = error.reason_text();
    if !reason.is_empty() {
        status["reason"] = reason.into();
    }
    if !details.is_empty() {
        status["details"] = details.into();
    }
    status
}

/// The `Status` of something that was done.
pub(crate) fn success() -> Value {
    json!({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": 201})
}
