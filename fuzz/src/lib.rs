//! What several targets share.

use bytes::Bytes;
use fbc_model::tree::MemoryTree;
use http::Request;
use http_body_util::{BodyExt, Full};
use tempfile::TempDir;

/// A line that lies between the parts of an input.
pub const SEPARATOR: &str = "=======\n";

/// The parts of an input, with a line `=======` between them; parts that are missing are empty.
#[must_use]
pub fn parts<const COUNT: usize>(text: &str) -> [&str; COUNT] {
    let mut parts = text.splitn(COUNT, SEPARATOR);
    std::array::from_fn(|_| parts.next().unwrap_or_default())
}

/// A directory with one file.
#[must_use]
pub fn directory(name: &str, text: &str) -> MemoryTree {
    MemoryTree::from_iter([(name, text)])
}

/// A request as it is written: a line `METHOD TARGET`, a line `name: value` for each header, an empty line, and the body.
/// Nothing if it is not one.
#[must_use]
pub fn request(text: &str) -> Option<Request<Full<Bytes>>> {
    let (head, body) = text.split_once("\n\n").unwrap_or((text, ""));
    let mut lines = head.lines();
    let (method, target) = lines.next()?.split_once(' ')?;
    let mut request = Request::builder().method(method).uri(target);
    for (name, value) in lines.filter_map(|line| line.split_once(": ")) {
        request = request.header(name, value);
    }
    request.body(Full::new(Bytes::copy_from_slice(body.as_bytes()))).ok()
}

/// The bytes of the body of an answer; nothing if it breaks off.
pub async fn collected<B: BodyExt>(body: B) -> Option<Bytes> {
    body.collect().await.ok().map(|collected| collected.to_bytes())
}

/// Where something is written for code that reads files; a new one for each process.
#[must_use]
pub fn scratch() -> TempDir {
    tempfile::tempdir().expect("a directory")
}
