//! Blobs that are read.

use std::fs::File;
use std::io::{self, Read, Seek as _, SeekFrom};
use std::ops::Range;

use bytes::Bytes;
use fbc_go::http::ByteRange;
use fbc_image::ImageError;
use futures_util::stream;
use http::header;
use http::request::Parts;
use http::{Method, Response, StatusCode};
use http_body::Frame;
use http_body_util::{BodyExt as _, StreamBody};
use oci_spec::image::Digest;

use super::refusal::Refusal;
use super::{Answer, CONTENT_DIGEST, Registry, bare, insert, text_header};

/// Bytes that are read at a time.
const CHUNK: usize = 256 << 10;

impl Registry {
    /// A blob, or a part of it.
    pub(super) fn blob(&self, digest: &Digest, head: &Parts) -> Result<Answer, Refusal> {
        let (mut file, size) = self.open_blob(digest)?.ok_or_else(Refusal::blob_unknown)?;
        let wanted = text_header(head, &header::RANGE);
        let wanted = wanted.map_or(ByteRange::Whole, |range| ByteRange::read(range, size));
        let Range { start, end } = match &wanted {
            ByteRange::Whole => 0..size,
            ByteRange::Part(part) => part.clone(),
            ByteRange::Outside => return Err(Refusal::outside_of_blob(size)),
        };
        let mut response = if head.method == Method::HEAD {
            bare(StatusCode::OK)
        } else {
            file.seek(SeekFrom::Start(start)).map_err(ImageError::io("read", &self.directory))?;
            Response::new(StreamBody::new(stream::iter(chunks(file.take(end - start)))).boxed())
        };
        insert(&mut response, header::CONTENT_LENGTH, &(end - start).to_string());
        insert(&mut response, header::CONTENT_TYPE, "application/octet-stream");
        insert(&mut response, header::ACCEPT_RANGES, "bytes");
        insert(&mut response, header::ETAG, &format!("\"{digest}\""));
        insert(&mut response, CONTENT_DIGEST, digest.as_ref());
        if let ByteRange::Part(_) = wanted {
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            let range = format!("bytes {start}-{}/{size}", end - 1);
            insert(&mut response, header::CONTENT_RANGE, &range);
        }
        Ok(response)
    }

    /// The file of a blob and its size in bytes.
    pub(super) fn open_blob(&self, digest: &Digest) -> Result<Option<(File, u64)>, Refusal> {
        let path = self.blobs.path(digest);
        match File::open(&path).and_then(|file| Ok((file.metadata()?, file))) {
            Ok((metadata, file)) if metadata.is_file() => Ok(Some((file, metadata.len()))),
            Ok(_) => Ok(None),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(ImageError::io("read", &path)(error).into()),
        }
    }
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
