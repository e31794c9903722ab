//! Bodies of answers, and how large one of a request may be.

use std::io;

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt as _, Full};

/// The body of an answer.
pub type AnswerBody = UnsyncBoxBody<Bytes, io::Error>;

/// The largest body of a request.
///
/// Source: `kubernetes/apiserver:pkg/server/config.go` (`MaxRequestBodyBytes`).
pub(crate) const LARGEST_BODY: usize = 3 * 1024 * 1024;

/// A body of some bytes.
pub fn whole(bytes: impl Into<Bytes>) -> AnswerBody {
    Full::new(bytes.into()).map_err(|never| match never {}).boxed_unsync()
}
