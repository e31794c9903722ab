//! Bytes and their digests.

use std::io::{self, Read, Write};
use std::str::FromStr as _;

use oci_spec::image::{Descriptor, Digest, DigestAlgorithm};
use sha2::{Digest as _, Sha256, Sha512};

use crate::error::ImageError;

/// A digest in the making.
#[derive(Clone)]
pub struct Hasher(Algorithm);

#[derive(Clone)]
enum Algorithm {
    Sha256(Sha256),
    Sha512(Sha512),
}

impl Default for Hasher {
    /// SHA-256, the algorithm of everything that is written.
    fn default() -> Self {
        Self(Algorithm::Sha256(Sha256::new()))
    }
}

impl Hasher {
    /// The algorithm of a digest.
    ///
    /// # Errors
    /// If it is neither SHA-256 nor SHA-512.
    pub fn for_digest(digest: &Digest) -> Result<Self, ImageError> {
        match digest.algorithm() {
            DigestAlgorithm::Sha256 => Ok(Self::default()),
            DigestAlgorithm::Sha512 => Ok(Self(Algorithm::Sha512(Sha512::new()))),
            _ => Err(ImageError::UnknownDigest(digest.clone())),
        }
    }

    /// Takes bytes in.
    pub fn update(&mut self, bytes: &[u8]) {
        match &mut self.0 {
            Algorithm::Sha256(hash) => hash.update(bytes),
            Algorithm::Sha512(hash) => hash.update(bytes),
        }
    }

    /// The digest of all bytes.
    #[must_use]
    pub fn finish(self) -> Digest {
        let text = match self.0 {
            Algorithm::Sha256(hash) => format!("sha256:{}", hex(&hash.finalize())),
            Algorithm::Sha512(hash) => format!("sha512:{}", hex(&hash.finalize())),
        };
        match Digest::from_str(&text) {
            Ok(digest) => digest,
            Err(_) => unreachable!("the digits of a hash are a digest"),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |value: u8| DIGITS.get(usize::from(value)).copied().map_or('0', char::from);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The SHA-256 of bytes.
#[must_use]
pub fn digest_of(bytes: &[u8]) -> Digest {
    let mut hasher = Hasher::default();
    hasher.update(bytes);
    hasher.finish()
}

/// A writer that knows the digest and the number of the bytes that went through.
pub(crate) struct HashingWriter<W> {
    pub(crate) inner: W,
    pub(crate) hasher: Hasher,
    pub(crate) written: u64,
}

impl<W: Write> HashingWriter<W> {
    pub(crate) fn new(inner: W, hasher: Hasher) -> Self {
        Self { inner, hasher, written: 0 }
    }
}

impl<W: Write> Write for HashingWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = self.inner.write(bytes)?;
        self.hasher.update(bytes.get(..count).unwrap_or(bytes));
        self.written += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// A reader that fails at the end unless the bytes are those of a descriptor. It never gives more.
pub struct VerifyingReader<R> {
    inner: R,
    hasher: Option<Hasher>,
    digest: Digest,
    size: u64,
    read: u64,
}

impl<R: Read> VerifyingReader<R> {
    /// Reads the content of a descriptor.
    ///
    /// # Errors
    /// If the algorithm of the digest is not known.
    pub fn new(inner: R, descriptor: &Descriptor) -> Result<Self, ImageError> {
        let digest = descriptor.digest().clone();
        let hasher = Some(Hasher::for_digest(&digest)?);
        Ok(Self { inner, hasher, digest, size: descriptor.size(), read: 0 })
    }

    /// Whether all bytes were read and are right.
    pub(crate) fn is_complete(&self) -> bool {
        self.hasher.is_none()
    }
}

impl<R: Read> Read for VerifyingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if buffer.is_empty() {
            return Ok(0);
        }
        let count = self.inner.read(buffer)?;
        self.read += count as u64;
        let wrong_size =
            || ImageError::WrongSize { digest: self.digest.clone(), expected: self.size, found: self.read };
        if self.read > self.size {
            return Err(io::Error::new(io::ErrorKind::InvalidData, wrong_size()));
        }
        if count > 0 {
            if let Some(hasher) = &mut self.hasher {
                hasher.update(buffer.get(..count).unwrap_or_default());
            }
            return Ok(count);
        }
        if self.read < self.size {
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, wrong_size()));
        }
        if let Some(hasher) = self.hasher.take() {
            let found = hasher.finish();
            if found != self.digest {
                let expected = self.digest.clone();
                let error = ImageError::WrongDigest { what: "a blob", expected, found };
                return Err(io::Error::new(io::ErrorKind::InvalidData, error));
            }
        }
        Ok(0)
    }
}

/// The image error within an error of reading, or one that names the blob.
pub(crate) fn read_error(digest: &Digest) -> impl FnOnce(io::Error) -> ImageError {
    let digest = digest.clone();
    move |source| match source.downcast::<ImageError>() {
        Ok(error) => error,
        Err(source) => ImageError::Blob { digest, source },
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use oci_spec::image::MediaType;

    use super::*;

    fn read(bytes: &[u8], size: u64, digest: Digest) -> Result<Vec<u8>, ImageError> {
        let descriptor = Descriptor::new(MediaType::ImageLayer, size, digest.clone());
        let mut out = Vec::new();
        let mut reader = VerifyingReader::new(bytes, &descriptor)?;
        reader.read_to_end(&mut out).map_err(read_error(&digest))?;
        assert!(reader.is_complete());
        Ok(out)
    }

    #[test]
    fn only_what_was_promised() {
        assert_eq!(
            digest_of(b"").to_string(),
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert_eq!(read(b"abc", 3, digest_of(b"abc")).unwrap(), b"abc");
        assert!(matches!(read(b"abd", 3, digest_of(b"abc")), Err(ImageError::WrongDigest { .. })));
        assert!(matches!(read(b"ab", 3, digest_of(b"ab")), Err(ImageError::WrongSize { found: 2, .. })));
        assert!(matches!(read(b"abcd", 3, digest_of(b"abcd")), Err(ImageError::WrongSize { .. })));
        let sha512 = "sha512:ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f";
        assert_eq!(read(b"abc", 3, sha512.parse().unwrap()).unwrap(), b"abc");
        let other = "sha384:cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7";
        assert!(matches!(read(b"abc", 3, other.parse().unwrap()), Err(ImageError::UnknownDigest(_))));
    }
}
