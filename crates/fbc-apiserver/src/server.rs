//! Connections to requests, answers to bytes.
//!
//! Limits are those of the real server: bodies of 3 MiB, a minute for a request that is not a watch.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use fbc_serve::listener::Peer;
use futures_util::StreamExt as _;
use http::header::{self, HeaderMap, HeaderName, HeaderValue};
use http::{Method, Response, StatusCode};
use http_body_util::{BodyExt as _, LengthLimitError, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use rustls::pki_types::UnixTime;

use crate::actor::Mailbox;
use crate::answer::{Answer, Content, failure};
use crate::authentication::ClientVerifier;
use crate::body::{AnswerBody, LARGEST_BODY, whole};
use crate::port_forward::PortForwarding;
use crate::present::{json_bytes, list_bytes, object_bytes};
use crate::request::{Credential, Impersonation, Request, unescape};

/// What an answer is while it is made.
pub type Answering = Pin<Box<dyn Future<Output = Result<Response<AnswerBody>, Infallible>> + Send>>;

/// Longer lists are written on threads of their own: those of the connections answer others meanwhile.
const LONG_LIST: usize = 500;
/// How long a client may take for its body.
const BODY_TIME: Duration = Duration::from_secs(60);

/// The front door of a cluster.
#[derive(Clone)]
pub struct Front {
    /// Where requests are put.
    pub mailbox: Mailbox,
    /// Who says whether a certificate is one of the cluster's authority.
    pub verifier: Arc<ClientVerifier>,
    /// The time of the machine, which certificates are judged by.
    pub clock: fn() -> UnixTime,
    /// Connections to ports of pods.
    pub port_forwarding: PortForwarding,
}

impl Front {
    /// Answers a request of a connection.
    pub fn answer(&self, request: http::Request<Incoming>) -> Answering {
        let front = self.clone();
        Box::pin(async move { Ok(front.respond(request).await) })
    }

    async fn respond(self, mut request: http::Request<Incoming>) -> Response<AnswerBody> {
        let is_head = request.method() == Method::HEAD;
        let wants_upgrade = request.headers().contains_key(header::UPGRADE);
        let upgrade = wants_upgrade.then(|| hyper::upgrade::on(&mut request));
        // Only what is passed on to a service, and other protocols, need all of them.
        let needs_headers = wants_upgrade || request.uri().path().contains("/proxy");
        let headers = if needs_headers { request.headers().clone() } else { HeaderMap::new() };
        let answer = match self.read(request).await {
            Ok(request) => self.mailbox.ask(request).await,
            Err(refusal) => *refusal,
        };
        let mut response = match answer.content {
            Content::Forward(forward) => forward.answer(headers).await,
            Content::PortForward(pod) => self
                .port_forwarding
                .answer(pod, &headers, upgrade)
                .unwrap_or_else(|refusal| plain_response(*refusal)),
            Content::List(ref list, _) if list.items.len() > LONG_LIST => long_response(answer).await,
            _ => plain_response(answer),
        };
        if is_head {
            *response.body_mut() = whole(Bytes::new());
        }
        response
    }

    async fn read(&self, request: http::Request<Incoming>) -> Result<Request, Box<Answer>> {
        let (parts, body) = request.into_parts();
        let headers = &parts.headers;
        let credential = self.credential(headers, parts.extensions.get::<Arc<Peer>>());
        let text = |name: &HeaderName| {
            headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned()
        };
        // A header may be given several times; all of them count.
        let accept: Vec<&str> =
            headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
        let accept = accept.join(",");
        let content_type = text(&header::CONTENT_TYPE);
        let content_type = content_type.split(';').next().unwrap_or_default().trim().to_owned();
        let impersonation = impersonation(headers)?;
        let body = match tokio::time::timeout(BODY_TIME, Limited::new(body, LARGEST_BODY).collect()).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                let text = format!("Request entity too large: limit is {LARGEST_BODY}");
                return Err(Box::new(Answer::status(413, "RequestEntityTooLarge", &text)));
            }
            Ok(Err(error)) => return Err(Box::new(Answer::status(400, "BadRequest", &error.to_string()))),
            Err(_) => {
                let text = "the body of the request did not come in time";
                return Err(Box::new(Answer::status(408, "Timeout", text)));
            }
        };
        Ok(Request {
            method: parts.method,
            path: parts.uri.path().to_owned(),
            query: parts.uri.query().unwrap_or_default().to_owned(),
            accept,
            content_type,
            user_agent: text(&header::USER_AGENT),
            if_none_match: text(&header::IF_NONE_MATCH),
            wants_upgrade: parts.headers.contains_key(header::UPGRADE),
            credential,
            impersonation,
            body,
        })
    }

    /// A certificate comes before a token, as in the real server.
    fn credential(&self, headers: &HeaderMap, peer: Option<&Arc<Peer>>) -> Credential {
        let chain = peer.map(|peer| peer.certificates.as_slice()).unwrap_or_default();
        if let Some(user) = self.verifier.user(chain, (self.clock)()) {
            return Credential::Certificate(user);
        }
        let authorization =
            headers.get(header::AUTHORIZATION).map(|value| value.to_str().unwrap_or_default());
        match authorization {
            Some(text) => match text.split_once(' ') {
                Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => {
                    Credential::Token(token.trim().to_owned())
                }
                _ => Credential::Invalid,
            },
            None if chain.is_empty() => Credential::None,
            None => Credential::Invalid,
        }
    }
}

/// As whom a client wants to act.
fn impersonation(headers: &HeaderMap) -> Result<Option<Impersonation>, Box<Answer>> {
    let all = |name: &str| -> Vec<String> {
        headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).map(str::to_owned).collect()
    };
    let (user, groups) = (all("impersonate-user").into_iter().next(), all("impersonate-group"));
    let uid = all("impersonate-uid").into_iter().next().unwrap_or_default();
    // Names of headers are in lower case, which the keys are as well.
    let keys = headers.keys().filter_map(|name| name.as_str().strip_prefix("impersonate-extra-"));
    let extra =
        keys.map(|key| (unescape(key).to_lowercase(), all(&format!("impersonate-extra-{key}")))).collect();
    let has_more = headers.keys().any(|name| name.as_str().starts_with("impersonate-"));
    match user {
        Some(user) => Ok(Some(Impersonation { user, groups, uid, extra })),
        None if has_more => {
            let text = "Internal error occurred: requested [...] without impersonating a user";
            Err(Box::new(Answer::status(500, "InternalError", text)))
        }
        None => Ok(None),
    }
}

/// The bytes of a long answer, made on another thread.
async fn long_response(answer: Answer) -> Response<AnswerBody> {
    let written = tokio::task::spawn_blocking(move || plain_response(answer)).await;
    written.unwrap_or_else(|_| {
        plain_response(Answer::status(500, "InternalError", "the answer cannot be written"))
    })
}

/// The bytes of an answer that this server makes itself.
/// A refusal of the listener as a `Status`, whose message clients show.
pub fn listener_refusal(code: StatusCode, message: &str) -> Response<Bytes> {
    let reason = match code {
        StatusCode::BAD_REQUEST => "BadRequest",
        StatusCode::FORBIDDEN => "Forbidden",
        StatusCode::SERVICE_UNAVAILABLE => "ServiceUnavailable",
        // Kubernetes has none for other codes.
        _ => "",
    };
    let status = failure(code.as_u16(), reason, message);
    let mut response = Response::new(Bytes::from(format!("{status}\n")));
    *response.status_mut() = code;
    insert(response.headers_mut(), header::CONTENT_TYPE, "application/json");
    response
}

fn plain_response(answer: Answer) -> Response<AnswerBody> {
    let (media_type, body): (&str, AnswerBody) = match answer.content {
        Content::Text(text) => ("text/plain; charset=utf-8", whole(text)),
        Content::Bytes(media_type, bytes) => (media_type, whole(bytes)),
        Content::Json(value) => ("application/json", whole(json_bytes(&value))),
        Content::Object(object, presentation) => {
            let (media_type, bytes) = object_bytes(&object, &presentation);
            (media_type, whole(bytes))
        }
        Content::List(list, presentation) => {
            let (media_type, bytes) = list_bytes(&list, &presentation);
            (media_type, whole(bytes))
        }
        Content::Watch(watch) => {
            let frames = watch.into_bytes().map(|bytes| Ok::<_, io::Error>(Frame::data(bytes)));
            ("application/json", StreamBody::new(frames).boxed_unsync())
        }
        // What answers there makes the whole response.
        Content::Forward(_) | Content::PortForward(_) | Content::Later(_) => {
            ("text/plain; charset=utf-8", whole(""))
        }
    };
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(answer.code).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    insert(headers, header::CONTENT_TYPE, media_type);
    insert(headers, header::CACHE_CONTROL, "no-cache, private");
    for (name, value) in answer.headers {
        insert(headers, HeaderName::from_static(name), &value);
    }
    for warning in answer.warnings {
        if let Ok(value) = HeaderValue::from_str(&format!("299 - {}", quoted(&warning))) {
            headers.append(header::WARNING, value);
        }
    }
    response
}

fn insert(headers: &mut HeaderMap, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// A text in quotes as headers have it; what a header cannot hold becomes a space.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => quoted.extend(['\\', character]),
            _ if character.is_control() => quoted.push(' '),
            _ => quoted.push(character),
        }
    }
    quoted.push('"');
    quoted
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn refusals_of_the_listener_are_objects() {
        for (code, reason) in [(400, "BadRequest"), (403, "Forbidden"), (503, "ServiceUnavailable")] {
            let response = listener_refusal(StatusCode::from_u16(code).unwrap(), "why");
            assert_eq!(
                (response.status().as_u16(), &response.headers()["content-type"]),
                (code, &"application/json".parse().unwrap())
            );
            let status: Value = serde_json::from_slice(response.body()).unwrap();
            assert_eq!(
                (&status["kind"], &status["reason"], &status["message"]),
                (&json!("Status"), &json!(reason), &json!("why"))
            );
        }
        let other = listener_refusal(StatusCode::MISDIRECTED_REQUEST, "why");
        let status: Value = serde_json::from_slice(other.body()).unwrap();
        assert_eq!((&status["code"], status.get("reason")), (&json!(421), None));
    }
}
