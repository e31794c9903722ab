//! Members of one size, compressed side by side, written in order.

use std::io::{self, Write};

use libdeflater::{CompressionLvl, Compressor};
use oci_spec::image::MediaType;
use rayon::prelude::*;

use crate::blob::Hasher;

/// How a layer is compressed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compression {
    /// gzip, which everything reads.
    #[default]
    Gzip,
    /// zstd: smaller and faster; containerd 1.5, Docker 23 and podman 3 or newer read it.
    Zstd,
}

/// Bytes of the archive in a member. Part of what decides digests.
const MEMBER_BYTES: usize = 1 << 20;
/// Level 6 of libdeflate; part of what decides digests.
const GZIP_LEVEL: i32 = 6;
/// Level 3 of zstd; part of what decides digests.
const ZSTD_LEVEL: i32 = 3;

impl Compression {
    /// The media type of layers so compressed.
    #[must_use]
    pub fn media_type(self) -> MediaType {
        match self {
            Self::Gzip => MediaType::ImageLayerGzip,
            Self::Zstd => MediaType::ImageLayerZstd,
        }
    }

    fn member(self, bytes: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Self::Gzip => {
                let level = CompressionLvl::new(GZIP_LEVEL).map_err(|_| io::Error::other("no such level"))?;
                let mut compressor = Compressor::new(level);
                let mut out = vec![0; compressor.gzip_compress_bound(bytes.len())];
                let count = compressor.gzip_compress(bytes, &mut out).map_err(io::Error::other)?;
                out.truncate(count);
                Ok(out)
            }
            Self::Zstd => zstd::bulk::compress(bytes, ZSTD_LEVEL),
        }
    }
}

/// Takes the archive, and writes it compressed.
pub(super) struct MemberWriter<W> {
    out: W,
    compression: Compression,
    diff: Hasher,
    written: u64,
    /// Full members, and at the end the one that is being filled.
    members: Vec<Vec<u8>>,
    /// The number of members that are compressed at a time.
    at_a_time: usize,
}

impl<W: Write> MemberWriter<W> {
    pub(super) fn new(out: W, compression: Compression) -> Self {
        let at_a_time = (2 * rayon::current_num_threads()).clamp(2, 16);
        Self { out, compression, diff: Hasher::default(), written: 0, members: Vec::new(), at_a_time }
    }

    /// The writer below, the digest of the archive, and its bytes.
    pub(super) fn finish(mut self) -> io::Result<(W, Hasher, u64)> {
        self.compress()?;
        Ok((self.out, self.diff, self.written))
    }

    fn compress(&mut self) -> io::Result<()> {
        let Self { members, diff, compression, .. } = self;
        let ((), compressed) = rayon::join(
            || members.iter().for_each(|member| diff.update(member)),
            || members.par_iter().map(|member| compression.member(member)).collect::<io::Result<Vec<_>>>(),
        );
        compressed?.iter().try_for_each(|member| self.out.write_all(member))?;
        self.members.clear();
        Ok(())
    }
}

impl<W: Write> Write for MemberWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let is_full = self.members.last().is_none_or(|member| member.len() == MEMBER_BYTES);
        if is_full {
            if self.members.len() == self.at_a_time {
                self.compress()?;
            }
            self.members.push(Vec::with_capacity(MEMBER_BYTES));
        }
        let Some(member) = self.members.last_mut() else { return Ok(0) };
        let count = bytes.len().min(MEMBER_BYTES - member.len());
        member.extend_from_slice(bytes.get(..count).unwrap_or_default());
        self.written += count as u64;
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        // A member is written when it is full, or at the end.
        Ok(())
    }
}
