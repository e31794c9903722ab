//! Blobs that are read.

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::str::FromStr as _;

use bytes::Bytes;
use futures_util::stream;
use http::header;
use http::request::Parts;
use http::{Method, Response, StatusCode};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};
use oci_spec::image::Digest;

use super::refusal::Refusal;
use super::{Answer, CONTENT_DIGEST, Registry, bare, insert, text_header};
use crate::error::ImageError;

/// Bytes that are read at a time.
const CHUNK: usize = 256 << 10;

impl Registry {
    /// A blob, or a part of it.
    pub(super) fn blob(&self, digest: &str, head: &Parts) -> Result<Answer, Refusal> {
        let (mut file, size) = self.open_blob(digest)?.ok_or_else(Refusal::blob_unknown)?;
        let range = match text_header(head, &header::RANGE) {
            Some(range) => part(range, size)?,
            None => None,
        };
        let (start, end) = range.unwrap_or((0, size));
        let mut response = if head.method == Method::HEAD {
            bare(StatusCode::OK)
        } else {
            let path = self.folder.as_path();
            file.seek(SeekFrom::Start(start)).map_err(ImageError::io("read", path))?;
            Response::new(StreamBody::new(stream::iter(chunks(file.take(end - start)))).boxed())
        };
        insert(&mut response, header::CONTENT_LENGTH, &(end - start).to_string());
        insert(&mut response, header::CONTENT_TYPE, "application/octet-stream");
        insert(&mut response, header::ACCEPT_RANGES, "bytes");
        insert(&mut response, header::ETAG, &format!("\"{digest}\""));
        insert(&mut response, CONTENT_DIGEST, digest);
        if range.is_some() {
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            let range = format!("bytes {start}-{}/{size}", end.saturating_sub(1));
            insert(&mut response, header::CONTENT_RANGE, &range);
        }
        Ok(response)
    }

    /// The file of a blob and its size in bytes.
    pub(super) fn open_blob(&self, digest: &str) -> Result<Option<(File, u64)>, Refusal> {
        let digest = Digest::from_str(digest).map_err(|error| Refusal::digest_invalid(error.to_string()))?;
        let path = self.blobs.path(&digest);
        match File::open(&path).and_then(|file| Ok((file.metadata()?, file))) {
            Ok((metadata, file)) if metadata.is_file() => Ok(Some((file, metadata.len()))),
            Ok(_) => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(ImageError::io("read", &path)(error).into()),
        }
    }
}

/// The part that a range asks for, as start and end; the whole where it is not understood, as RFC 9110 has it.
fn part(range: &str, size: u64) -> Result<Option<(u64, u64)>, Refusal> {
    let Some((first, last)) = range.strip_prefix("bytes=").and_then(|range| range.split_once('-')) else {
        return Ok(None);
    };
    let (start, end) = match (first.parse::<u64>(), last.parse::<u64>()) {
        (Ok(first), Ok(last)) if last >= first => (first, last.saturating_add(1).min(size)),
        (Ok(first), Err(_)) if last.is_empty() => (first, size),
        (Err(_), Ok(last)) if first.is_empty() => (size.saturating_sub(last), size),
        _ => return Ok(None),
    };
    if start >= end { Err(Refusal::outside_of_blob(size)) } else { Ok(Some((start, end))) }
}

fn chunks(mut file: io::Take<File>) -> impl Iterator<Item = io::Result<Frame<Bytes>>> + Send + Sync {
    std::iter::from_fn(move || {
        let mut chunk = Vec::new();
        match file.by_ref().take(CHUNK as u64).read_to_end(&mut chunk) {
            Ok(0) => None,
            Ok(_) => Some(Ok(Frame::data(Bytes::from(chunk)))),
            Err(error) => Some(Err(error)),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::part;

    #[test]
    fn ranges() {
        for (range, wanted) in [
            ("bytes=0-3", Some(Some((0, 4)))),
            ("bytes=2-", Some(Some((2, 10)))),
            ("bytes=-3", Some(Some((7, 10)))),
            ("bytes=8-99", Some(Some((8, 10)))),
            ("bytes=10-", None),
            ("bytes=3-2", Some(None)),
            ("lines=1-2", Some(None)),
        ] {
            assert_eq!(part(range, 10).ok(), wanted, "{range}");
        }
    }
}
