//! Sessions written down, a JSON object for each request that changes something or lets time go by, and read again.

use std::fmt;

use bytes::Bytes;
use fbc_cluster::access::User;
use fbc_cluster::object::ObjectFields;
use fbc_cluster::time::{Milliseconds, Moment};
use fbc_go::base64::{self, Base64Error};
use http::Method;
use serde_json::{Value, json};

use super::Actor;
use super::task::Begun;
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

    pub(super) fn request(&mut self, request: &Request, begun: &Begun, user: &User, code: u16) {
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
        self.write(begun.steps, json!({
            "at_ms": begun.now.0, "method": request.method.as_str(), "path": request.path, "query": request.query,
            "accept": request.accept, "contentType": request.content_type, "userAgent": request.user_agent,
            "user": sender, "body": body, "code": code,
        }));
    }

    pub(super) fn waiting(&mut self, now: Moment) {
        self.write(None, json!({"at_ms": now.0, "waiting": true}));
    }

    pub(super) fn time(&mut self, now: Moment, span: Milliseconds, steps: Option<u64>) {
        self.write(steps, json!({"at_ms": now.0, "pass_ms": span}));
    }

    fn write(&mut self, steps: Option<u64>, mut line: Value) {
        if let Some(steps) = steps {
            line["steps"] = steps.into();
        }
        (self.0)(&line);
    }
}

/// A line of a session.
#[derive(Debug, Clone)]
pub struct Recorded {
    /// How many things the cluster did since the line before; none if it had come to rest.
    pub steps: Option<u64>,
    /// What came then.
    pub input: RecordedInput,
}

/// What comes from outside.
#[derive(Debug, Clone)]
pub enum RecordedInput {
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
        Ok(Self { steps: line["steps"].as_u64(), input: RecordedInput::read(line)? })
    }
}

impl RecordedInput {
    fn read(line: &Value) -> Result<Self, RecordError> {
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

impl Actor<'_> {
    /// Does what the cluster did before a line of a session.
    pub fn catch_up(&mut self, recorded: &Recorded) {
        let Some(steps) = recorded.steps else { return self.rest() };
        for _ in 0..steps {
            if !self.step() {
                return;
            }
        }
    }

    /// Plays a line of a session again, after [`Actor::catch_up`]; the code of the answer, if it is a request.
    pub fn play(&mut self, recorded: &Recorded) -> Option<u16> {
        match &recorded.input {
            RecordedInput::Request(request, _) => return Some(self.answer_whole(request).code),
            RecordedInput::Time(span) => self.begin_pass(*span, false),
            RecordedInput::Waiting => self.await_change(),
        }
        None
    }
}
