//! What stands for `graphql` in a build without it: nobody discovers a schema, and no question is answered, as in a catalogd without the
//! feature gate.

use std::sync::Arc;

use bytes::Bytes;
use fbc_yaml::Node;

use super::request::Rejection;
use super::store::Store;

/// The schemas of a catalog, which nobody asks for.
#[derive(Debug)]
pub(super) enum Discovery {}

impl Discovery {
    pub(super) fn if_wanted(_is_wanted: bool) -> Option<Self> {
        None
    }

    pub(super) fn add(&mut self, _schema: &str, _blob: Node<'_>) {
        match *self {}
    }

    pub(super) fn append(&mut self, later: Self) {
        match later {}
    }
}

/// The schema of a catalog, which none has.
#[derive(Debug)]
pub(super) enum GraphqlSchema {}

impl GraphqlSchema {
    pub(super) fn new(discovery: Discovery) -> Result<Self, SchemaFault> {
        match discovery {}
    }
}

/// Why the blobs of a catalog have no schema in GraphQL; nothing is wrong with them in this build.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SchemaFault {}

/// A question, which nobody reads.
#[derive(Debug)]
pub(super) enum Asked {}

/// Refuses the body of a request.
pub(super) async fn read<B>(_body: B) -> Result<Asked, Rejection> {
    Err(Rejection::unknown_path())
}

/// Answers a question.
pub(super) async fn answer(_store: Arc<Store>, asked: Asked) -> Bytes {
    match asked {}
}
