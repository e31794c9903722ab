//! The program that serves a catalog from within its image.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::image::PlatformName;
use crate::layer::{Content, Entries, LayerEntry};

/// Where the server is in the image.
const SERVER: &str = "/bin/opm";

/// A server for one architecture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Server {
    /// The program.
    pub path: PathBuf,
    /// Where it runs, as its header says.
    pub platform: PlatformName,
    bytes: u64,
}

/// A program that cannot be a server.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// It cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// It is not a program for Linux.
    #[error("is not an ELF program; images run programs for Linux")]
    NoProgram,
    /// It is for a machine that is not known.
    #[error("is a program for an unknown architecture (ELF machine {0})")]
    UnknownMachine(u16),
}

impl Server {
    /// Looks at a program.
    ///
    /// # Errors
    /// If it cannot be read, or is not a program for a known architecture of Linux.
    pub fn open(path: &Path) -> Result<Self, ServerError> {
        let mut header = Vec::new();
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(ServerError::NoProgram);
        }
        file.take(20).read_to_end(&mut header)?;
        Ok(Self { path: path.to_path_buf(), platform: platform_of(&header)?, bytes: metadata.len() })
    }

    /// The layer with the server.
    pub(super) fn entries(&self) -> Entries {
        let content = Content::Disk { path: self.path.clone(), bytes: self.bytes };
        let mut entries = Entries::default();
        entries.insert(SERVER, LayerEntry::File { content, is_executable: true });
        entries
    }
}

/// The platform in the header of an ELF file; numbers of `e_machine` as in the System V ABI.
fn platform_of(header: &[u8]) -> Result<PlatformName, ServerError> {
    let [0x7f, b'E', b'L', b'F', class, order, .., low, high] = header else {
        return Err(ServerError::NoProgram);
    };
    if header.len() != 20 {
        return Err(ServerError::NoProgram);
    }
    let is_little = *order == 1;
    let machine =
        if is_little { u16::from_le_bytes([*low, *high]) } else { u16::from_be_bytes([*low, *high]) };
    let architecture = match (machine, class, is_little) {
        (3, ..) => "386",
        (21, _, true) => "ppc64le",
        (21, ..) => "ppc64",
        (22, ..) => "s390x",
        (40, ..) => "arm",
        (62, ..) => "amd64",
        (183, ..) => "arm64",
        (243, 2, _) => "riscv64",
        _ => return Err(ServerError::UnknownMachine(machine)),
    };
    Ok(PlatformName::linux(architecture))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn architectures() {
        let header = |order: u8, machine: [u8; 2]| {
            [&[0x7f, b'E', b'L', b'F', 2, order][..], &[0; 12], &machine[..]].concat()
        };
        for (order, machine, architecture) in
            [(1, [62, 0], "amd64"), (1, [183, 0], "arm64"), (2, [0, 22], "s390x"), (1, [21, 0], "ppc64le")]
        {
            assert_eq!(platform_of(&header(order, machine)).unwrap(), PlatformName::linux(architecture));
        }
        assert!(matches!(platform_of(&header(1, [1, 0])), Err(ServerError::UnknownMachine(1))));
        assert!(matches!(platform_of(b"#!/bin/sh\n"), Err(ServerError::NoProgram)));
    }
}
