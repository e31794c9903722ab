//! A request as data, independent of connections, so that it can be recorded and played again.

mod body;
mod options;
mod path;
mod protobuf;

use std::collections::BTreeMap;

use bytes::Bytes;
use fbc_cluster::access::User;
use http::Method;

pub(crate) use body::unsupported;
pub use body::{BodyFormat, decode_body};
pub use options::{ListQuery, Match, Query, WriteQuery, delete_options};
pub use path::{Place, Resource, place};

/// How a client says who it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Credential {
    /// It says nothing.
    None,
    /// A certificate of the cluster's authority.
    Certificate(User),
    /// A bearer token.
    Token(String),
    /// What it shows is worth nothing.
    Invalid,
}

/// As whom a client wants to act.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Impersonation {
    /// The user.
    pub user: String,
    /// The groups; without any, those that follow from the user.
    pub groups: Vec<String>,
    /// The uid; empty for none.
    pub uid: String,
    /// What else is said of the user, by lower-case keys.
    pub extra: BTreeMap<String, Vec<String>>,
}

/// A request.
#[derive(Debug, Clone)]
pub struct Request {
    /// The method.
    pub method: Method,
    /// The path, still escaped.
    pub path: String,
    /// What follows `?`.
    pub query: String,
    /// `Accept`
    pub accept: String,
    /// `Content-Type` without parameters.
    pub content_type: String,
    /// `User-Agent`
    pub user_agent: String,
    /// `If-None-Match`
    pub if_none_match: String,
    /// True if it asks for another protocol.
    pub wants_upgrade: bool,
    /// Who asks.
    pub credential: Credential,
    /// As whom.
    pub impersonation: Option<Impersonation>,
    /// The body.
    pub body: Bytes,
}

/// Undoes `%41` and the like; what is not UTF-8 afterwards is replaced.
pub(crate) fn unescape(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let escaped = tail.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let code = escaped.and_then(|two| u8::from_str_radix(two, 16).ok());
        match (first, code) {
            (b'%', Some(code)) => {
                bytes.push(code);
                rest = tail.get(2..).unwrap_or_default();
            }
            _ => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
