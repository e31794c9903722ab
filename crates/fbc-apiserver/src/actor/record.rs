//! Sessions written down, a JSON object for each request that changes something or lets time go by, and read again.

use std::fmt;

use bytes::Bytes;
use fbc_cluster::access::User;
use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::{Milliseconds, Moment};
use fbc_go::base64::{self, Base64Error};
use http::Method;
use serde_json::{Value, json};

use crate::request::{Credential, Request};

/// Where a session is written down.
pub struct Recorder(Box<dyn FnMut(&Value) + Send>);

impl fmt::Debug for Recorder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Recorder")
    }
}

impl Recorder {
    /// Hands every record to a function.
    pub fn new(write: impl FnMut(&Value) + Send + 'static) -> Self {
        Self(Box::new(write))
    }

    pub(super) fn request(&mut self, now: Moment, request: &Request, user: &User, code: u16) {
        let body = match std::str::from_utf8(&request.body) {
            Ok(text) => json!({"text": text}),
            Err(_) => json!({"base64": base64::encode(&request.body)}),
        };
        let mut sender = json!({"name": user.name, "groups": user.groups});
        if !user.uid.is_empty() {
            sender["uid"] = user.uid.as_str().into();
        }
        if !user.extra.is_empty() {
            sender["extra"] = json!(user.extra);
        }
        (self.0)(&json!({
            "at_ms": now.0, "method": request.method.as_str(), "path": request.path, "query": request.query,
            "accept": request.accept, "contentType": request.content_type, "userAgent": request.user_agent,
            "user": sender, "body": body, "code": code,
        }));
    }

    pub(super) fn waiting(&mut self, now: Moment) {
        (self.0)(&json!({"at_ms": now.0, "waiting": true}));
    }

    pub(super) fn time(&mut self, now: Moment, span: Milliseconds) {
        (self.0)(&json!({"at_ms": now.0, "pass_ms": span}));
    }
}

/// A line of a session.
#[derive(Debug, Clone)]
pub enum Recorded {
    /// A request, and the code of its answer.
    Request(Box<Request>, u16),
    /// Time went by.
    Time(Milliseconds),
    /// A client waited for an object.
    Waiting,
}

/// A line of a session that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// The method is not one.
    #[error("{0:?} is not a method")]
    Method(String),
    /// The answer is missing.
    #[error("there is no code")]
    NoCode,
    /// It is not said who asked for what.
    #[error("there is no user or no path")]
    NoUserOrPath,
    /// The body is not base64.
    #[error(transparent)]
    Body(#[from] Base64Error),
}

impl Recorded {
    /// Reads a line.
    ///
    /// # Errors
    /// [`RecordError`]
    pub fn read(line: &Value) -> Result<Self, RecordError> {
        if let Some(span) = line["pass_ms"].as_u64() {
            return Ok(Self::Time(span));
        }
        if line["waiting"] == true {
            return Ok(Self::Waiting);
        }
        let text = |field: &str| line.text(&[field]).to_owned();
        let method = Method::from_bytes(line.text(&["method"]).as_bytes())
            .map_err(|_| RecordError::Method(text("method")))?;
        let code =
            line["code"].as_u64().and_then(|code| u16::try_from(code).ok()).ok_or(RecordError::NoCode)?;
        let name = line.text(&["user", "name"]);
        if name.is_empty() || line.text(&["path"]).is_empty() {
            return Err(RecordError::NoUserOrPath);
        }
        let texts = |list: &[Value]| -> Vec<String> {
            list.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        let extra = line.at(&["user", "extra"]).and_then(Value::as_object).into_iter().flatten();
        let user = User {
            name: name.to_owned(),
            groups: texts(line.list(&["user", "groups"])),
            uid: line.text(&["user", "uid"]).to_owned(),
            extra: extra.map(|(key, values)| (key.clone(), texts(values.list(&[])))).collect(),
        };
        let body = match line.at(&["body", "base64"]).and_then(Value::as_str) {
            Some(text) => base64::decode(text)?,
            None => line.text(&["body", "text"]).as_bytes().to_vec(),
        };
        let request = Request {
            method,
            path: text("path"),
            query: text("query"),
            accept: text("accept"),
            content_type: text("contentType"),
            user_agent: text("userAgent"),
            if_none_match: String::new(),
            wants_upgrade: false,
            credential: Credential::Certificate(user),
            impersonation: None,
            body: Bytes::from(body),
        };
        Ok(Self::Request(Box::new(request), code))
    }
}
