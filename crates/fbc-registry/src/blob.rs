//! Blobs on their way: where bytes come from, where they go, and whether they are the right ones.

use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream, StreamExt};
use oci_spec::image::{Descriptor, Digest, DigestAlgorithm};
use sha2::Digest as _;

use crate::error::{Problem, RegistryError, Result};
use crate::observer::Observer;

/// The bytes of a blob from some offset on.
pub type BlobStream = BoxStream<'static, Result<Bytes>>;

/// Where a blob comes from. It may be opened several times, after a failure from the middle.
pub trait BlobSource: Send + Sync {
    /// The bytes from an offset, which is at most the size.
    fn open(&self, offset: u64) -> BoxFuture<'_, Result<BlobStream>>;
}

impl BlobSource for Bytes {
    fn open(&self, offset: u64) -> BoxFuture<'_, Result<BlobStream>> {
        let start = usize::try_from(offset).unwrap_or(usize::MAX).min(self.len());
        let rest = self.slice(start..);
        Box::pin(async move { Ok(stream::once(async move { Ok(rest) }).boxed()) })
    }
}

/// A blob in a file of its own.
impl BlobSource for std::path::PathBuf {
    fn open(&self, offset: u64) -> BoxFuture<'_, Result<BlobStream>> {
        let part = FilePart { path: self.clone(), start: 0, length: u64::MAX };
        Box::pin(async move { part.stream(offset) })
    }
}

/// A blob that is a part of a file, as in an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilePart {
    /// The file.
    pub path: std::path::PathBuf,
    /// Where in it the blob begins, in bytes.
    pub start: u64,
    /// The bytes of the blob; a file that ends earlier gives fewer.
    pub length: u64,
}

impl BlobSource for FilePart {
    fn open(&self, offset: u64) -> BoxFuture<'_, Result<BlobStream>> {
        Box::pin(async move { self.stream(offset) })
    }
}

impl FilePart {
    fn stream(&self, offset: u64) -> Result<BlobStream> {
        let path = self.path.clone();
        let failure = move |error: io::Error| RegistryError::new("read", path.display().to_string(), error);
        let mut file = std::fs::File::open(&self.path).map_err(&failure)?;
        file.seek(SeekFrom::Start(self.start.saturating_add(offset))).map_err(&failure)?;
        let file = file.take(self.length.saturating_sub(offset));
        let blocks = stream::unfold(Some((file, vec![0; BLOCK])), move |state| {
            let next = state.and_then(|(mut file, mut buffer)| match file.read(&mut buffer) {
                Ok(0) => None,
                Ok(read) => {
                    let block = Bytes::copy_from_slice(buffer.get(..read).unwrap_or_default());
                    Some((Ok(block), Some((file, buffer))))
                }
                Err(error) => Some((Err(failure(error)), None)),
            });
            async move { next }
        });
        Ok(blocks.boxed())
    }
}

/// What is read of a file at once, in bytes.
const BLOCK: usize = 256 << 10;

/// Where a blob goes to. What was written counts only after the client says that the whole is right.
pub trait BlobTarget: Send {
    /// The file that is written, if it is one.
    fn path(&self) -> Option<&Path> {
        None
    }

    /// Shows the bytes that are there already, from the first on, and says how many; writing goes on behind them.
    ///
    /// # Errors
    /// Of the medium.
    fn resume(&mut self, seen: &mut dyn FnMut(&[u8])) -> io::Result<u64>;

    /// Adds bytes.
    ///
    /// # Errors
    /// Of the medium.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// Forgets what is there.
    ///
    /// # Errors
    /// Of the medium.
    fn restart(&mut self) -> io::Result<()>;
}

impl BlobTarget for Vec<u8> {
    fn resume(&mut self, seen: &mut dyn FnMut(&[u8])) -> io::Result<u64> {
        seen(self);
        Ok(self.len() as u64)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.extend_from_slice(bytes);
        Ok(())
    }

    fn restart(&mut self) -> io::Result<()> {
        self.clear();
        Ok(())
    }
}

/// A file that is open for reading and writing, as a half download of an earlier run is.
impl BlobTarget for std::fs::File {
    fn resume(&mut self, seen: &mut dyn FnMut(&[u8])) -> io::Result<u64> {
        self.rewind()?;
        let (mut buffer, mut length) = (vec![0; 128 * 1024], 0);
        loop {
            let read = Read::read(self, &mut buffer)?;
            if read == 0 {
                return Ok(length);
            }
            seen(buffer.get(..read).unwrap_or_default());
            length += read as u64;
        }
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        io::Write::write_all(self, bytes)
    }

    fn restart(&mut self) -> io::Result<()> {
        self.set_len(0)?;
        self.rewind()
    }
}

/// Computes a digest while bytes pass.
pub(crate) enum Verifier {
    Sha256(sha2::Sha256),
    Sha384(sha2::Sha384),
    Sha512(sha2::Sha512),
}

impl Verifier {
    pub(crate) fn new(digest: &Digest) -> std::result::Result<Self, Problem> {
        Ok(match digest.algorithm() {
            DigestAlgorithm::Sha256 => Self::Sha256(sha2::Sha256::new()),
            DigestAlgorithm::Sha384 => Self::Sha384(sha2::Sha384::new()),
            DigestAlgorithm::Sha512 => Self::Sha512(sha2::Sha512::new()),
            other => return Err(Problem::Algorithm(other.to_string())),
        })
    }

    pub(crate) fn update(&mut self, bytes: &[u8]) {
        match self {
            Self::Sha256(hash) => hash.update(bytes),
            Self::Sha384(hash) => hash.update(bytes),
            Self::Sha512(hash) => hash.update(bytes),
        }
    }

    /// Compares with what is expected.
    pub(crate) fn check(self, expected: &Digest) -> std::result::Result<(), Problem> {
        let (name, sum): (_, Vec<u8>) = match self {
            Self::Sha256(hash) => ("sha256", hash.finalize().to_vec()),
            Self::Sha384(hash) => ("sha384", hash.finalize().to_vec()),
            Self::Sha512(hash) => ("sha512", hash.finalize().to_vec()),
        };
        let hex: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
        let text = format!("{name}:{hex}");
        if text == expected.as_ref() {
            return Ok(());
        }
        let actual = text.parse().map_err(|_| Problem::Algorithm(name.to_owned()))?;
        Err(Problem::Digest { expected: expected.clone(), actual })
    }
}

/// The SHA-256 digest of bytes.
pub(crate) fn sha256(bytes: &[u8]) -> std::result::Result<Digest, Problem> {
    let hex: String = sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}").parse().map_err(|_| Problem::Algorithm("sha256".to_owned()))
}

/// What a request carries.
pub(crate) enum Payload<'a> {
    Nothing,
    Bytes(Bytes),
    /// A part of a blob, read while it is sent.
    Part(Part<'a>),
}

/// A part of a blob.
pub(crate) struct Part<'a> {
    pub(crate) source: &'a dyn BlobSource,
    pub(crate) descriptor: &'a Descriptor,
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) observer: Arc<dyn Observer>,
    /// What went wrong in reading, which the sender does not tell.
    pub(crate) error: Arc<Mutex<Option<Box<RegistryError>>>>,
    /// How many bytes the sender has taken in this attempt.
    pub(crate) taken: Arc<AtomicU64>,
}

impl Payload<'_> {
    /// The length and the bytes, anew for each attempt.
    pub(crate) async fn open(&self) -> Result<Option<(u64, reqwest::Body)>> {
        Ok(match self {
            Payload::Nothing => None,
            Payload::Bytes(bytes) => Some((bytes.len() as u64, bytes.clone().into())),
            Payload::Part(part) => Some((part.length, part.body().await?)),
        })
    }

    /// The reading error of the last attempt.
    pub(crate) fn take_error(&self) -> Option<Box<RegistryError>> {
        match self {
            Payload::Part(part) => part.error.lock().unwrap_or_else(PoisonError::into_inner).take(),
            _ => None,
        }
    }
}

impl Part<'_> {
    /// How many bytes are on their way.
    pub(crate) fn moved(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }

    async fn body(&self) -> Result<reqwest::Body> {
        let blocks = self.source.open(self.offset).await?;
        let (observer, errors) = (Arc::clone(&self.observer), Arc::clone(&self.error));
        let taken = Arc::clone(&self.taken);
        taken.store(0, Ordering::Relaxed);
        let (digest, size) = (self.descriptor.digest().clone(), self.descriptor.size());
        let (mut position, end) = (self.offset, self.offset + self.length);
        let sent = blocks.map(move |block| match block {
            Ok(mut block) => {
                let left = usize::try_from(end - position).unwrap_or(usize::MAX);
                block.truncate(left);
                position += block.len() as u64;
                taken.fetch_add(block.len() as u64, Ordering::Relaxed);
                observer.blob_moved(&digest, position, size);
                Ok(block)
            }
            Err(error) => {
                let text = error.to_string();
                *errors.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                Err(io::Error::other(text))
            }
        });
        Ok(reqwest::Body::wrap_stream(sent))
    }
}
