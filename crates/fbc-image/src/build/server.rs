//! The program that serves a catalog from within its image.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
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
    /// The program that loads it and its libraries; nothing for one that is linked statically.
    pub interpreter: Option<String>,
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
        let mut file = File::open(path)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() {
            return Err(ServerError::NoProgram);
        }
        let header = Header::read(&mut file)?;
        let platform = header.platform()?;
        let interpreter = header.interpreter(&mut file)?;
        Ok(Self { path: path.to_path_buf(), platform, interpreter, bytes: metadata.len() })
    }

    /// The layer with the server; without a base, with the directory for files of the moment that programs expect.
    pub(super) fn entries(&self, has_base: bool) -> Entries {
        let content = Content::Disk { path: self.path.clone(), bytes: self.bytes };
        let mut entries = Entries::default();
        entries.insert(SERVER, LayerEntry::File { content, is_executable: true });
        if !has_base {
            entries.insert("/tmp", LayerEntry::SharedFolder);
        }
        entries
    }
}

/// The header of an ELF file, as the System V ABI has it.
struct Header {
    bytes: Vec<u8>,
    is_wide: bool,
    is_little: bool,
}

/// The kind of a segment that names the interpreter.
const INTERPRETER: u64 = 3;

/// Bytes of the table of segments that are looked at: programs have a dozen segments.
const LARGEST_TABLE: u64 = 1 << 20;

/// Names of interpreters are paths.
const LONGEST_NAME: u64 = 4096;

impl Header {
    fn read(file: &mut File) -> Result<Self, ServerError> {
        let mut bytes = Vec::new();
        file.take(64).read_to_end(&mut bytes)?;
        let (class, order) = match bytes.as_slice() {
            [0x7f, b'E', b'L', b'F', class @ (1 | 2), order @ (1 | 2), ..] => (*class, *order),
            _ => return Err(ServerError::NoProgram),
        };
        let header = Self { is_wide: class == 2, is_little: order == 1, bytes };
        if header.bytes.len() < if header.is_wide { 64 } else { 52 } {
            return Err(ServerError::NoProgram);
        }
        Ok(header)
    }

    /// The number of so many bytes at a place; 0 beyond the end.
    fn number(&self, bytes: &[u8], at: usize, count: usize) -> u64 {
        let digits = bytes.get(at..at + count).unwrap_or_default().iter();
        let join = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
        if self.is_little { digits.rev().fold(0, join) } else { digits.fold(0, join) }
    }

    /// Numbers of machines are those of `e_machine`.
    fn platform(&self) -> Result<PlatformName, ServerError> {
        let machine = self.number(&self.bytes, 18, 2);
        let architecture = match (machine, self.is_wide, self.is_little) {
            (3, ..) => "386",
            (21, _, true) => "ppc64le",
            (21, ..) => "ppc64",
            (22, ..) => "s390x",
            (40, ..) => "arm",
            (62, ..) => "amd64",
            (183, ..) => "arm64",
            (243, true, _) => "riscv64",
            _ => return Err(ServerError::UnknownMachine(u16::try_from(machine).unwrap_or_default())),
        };
        Ok(PlatformName::linux(architecture))
    }

    /// The name in the segment `PT_INTERP`.
    fn interpreter(&self, file: &mut File) -> Result<Option<String>, ServerError> {
        // Places of: the table, the size and the number of its rows; in a row, the place and the size of the segment.
        let ([table, size, count], [place, length], width) =
            if self.is_wide { ([32, 54, 56], [8, 32], 8) } else { ([28, 42, 44], [4, 16], 4) };
        let table = self.number(&self.bytes, table, width);
        let [size, count] = [size, count].map(|at| self.number(&self.bytes, at, 2));
        let mut rows = Vec::new();
        file.seek(SeekFrom::Start(table))?;
        file.take((size * count).min(LARGEST_TABLE)).read_to_end(&mut rows)?;
        let step = usize::try_from(size).unwrap_or_default().max(1);
        let Some(row) = rows.chunks(step).find(|row| self.number(row, 0, 4) == INTERPRETER) else {
            return Ok(None);
        };
        let mut name = Vec::new();
        file.seek(SeekFrom::Start(self.number(row, place, width)))?;
        file.take(self.number(row, length, width).min(LONGEST_NAME)).read_to_end(&mut name)?;
        Ok(Some(String::from_utf8_lossy(&name).trim_end_matches('\0').to_owned()))
    }
}

#[cfg(test)]
pub(super) mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// A program of 64 bits for a machine, little end first or not, and perhaps with an interpreter.
    pub(in crate::build) fn program(is_little: bool, machine: u16, interpreter: Option<&str>) -> Vec<u8> {
        let number = |value: u64, count: usize| {
            let bytes = value.to_le_bytes().into_iter().take(count);
            if is_little { bytes.collect::<Vec<u8>>() } else { bytes.rev().collect() }
        };
        let name = interpreter.map(|name| format!("{name}\0")).unwrap_or_default();
        let rows = u64::from(interpreter.is_some());
        let mut bytes = [&[0x7f, b'E', b'L', b'F', 2, if is_little { 1 } else { 2 }][..], &[0; 12]].concat();
        bytes.extend(number(machine.into(), 2));
        bytes.resize(32, 0);
        bytes.extend(number(64, 8));
        bytes.resize(54, 0);
        bytes.extend([number(56, 2), number(rows, 2)].concat());
        bytes.resize(64, 0);
        if interpreter.is_some() {
            bytes.extend([number(INTERPRETER, 4), number(0, 4), number(120, 8)].concat());
            bytes.resize(96, 0);
            bytes.extend(number(name.len() as u64, 8));
            bytes.resize(120, 0);
            bytes.extend(name.as_bytes());
        }
        bytes
    }

    fn opened(bytes: &[u8]) -> Result<Server, ServerError> {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("program");
        std::fs::write(&path, bytes).unwrap();
        Server::open(&path)
    }

    #[test]
    fn architectures_and_interpreters() {
        for (is_little, machine, architecture) in
            [(true, 62, "amd64"), (true, 183, "arm64"), (false, 22, "s390x"), (true, 21, "ppc64le")]
        {
            for interpreter in [None, Some("/lib/ld.so.1")] {
                let server = opened(&program(is_little, machine, interpreter)).unwrap();
                assert_eq!(server.platform, PlatformName::linux(architecture));
                assert_eq!(server.interpreter.as_deref(), interpreter, "{architecture}");
            }
        }
        assert!(matches!(opened(&program(true, 1, None)), Err(ServerError::UnknownMachine(1))));
        let whole = program(true, 62, Some("/lib/ld.so.1"));
        for bytes in [&b"#!/bin/sh\n"[..], b"", &whole[..40]] {
            assert!(matches!(opened(bytes), Err(ServerError::NoProgram)), "{bytes:?}");
        }
        // What is cut off in the middle of its table has no segments that could be read.
        assert_eq!(opened(&whole[..80]).unwrap().interpreter.as_deref(), Some(""));
    }
}
