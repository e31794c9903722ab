//! Where the lines of a store lie: in a file without a name, or in memory.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bytes::{Bytes, BytesMut};

/// The most bytes that are read at once. A client that does not read costs a few times as much.
pub(super) const CHUNK: usize = 32 << 10;

/// A file to which texts are added, in any order and by many threads.
#[derive(Debug)]
pub(super) struct Spool {
    file: File,
    end: AtomicU64,
}

impl Spool {
    pub(super) fn new(file: File) -> Self {
        Self { file, end: AtomicU64::new(0) }
    }
}

/// A text that does not change.
#[derive(Debug, Clone)]
pub(super) enum Text {
    Memory(Bytes),
    Spooled { spool: Arc<Spool>, begin: u64, size: usize },
}

impl Text {
    /// Keeps a text in a spool; in memory if there is none, or if it takes no more.
    pub(super) fn keep(text: Vec<u8>, spool: Option<&Arc<Spool>>) -> Self {
        if let Some(spool) = spool {
            let begin = spool.end.fetch_add(text.len() as u64, Ordering::Relaxed);
            if spool.file.write_all_at(&text, begin).is_ok() {
                return Self::Spooled { spool: Arc::clone(spool), begin, size: text.len() };
            }
        }
        Self::Memory(Bytes::from(text))
    }

    /// True if the other is the very same text.
    pub(super) fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Memory(one), Self::Memory(other)) => one.as_ptr() == other.as_ptr(),
            (Self::Spooled { begin: one, .. }, Self::Spooled { begin: other, .. }) => one == other,
            _ => false,
        }
    }

    pub(super) fn size(&self) -> usize {
        match self {
            Self::Memory(bytes) => bytes.len(),
            Self::Spooled { size, .. } => *size,
        }
    }
}

/// A stretch of a text.
#[derive(Debug, Clone)]
pub(super) struct Piece {
    pub(super) text: Text,
    pub(super) range: Range<usize>,
}

impl Piece {
    pub(super) fn whole(text: &Text) -> Self {
        Self { text: text.clone(), range: 0..text.size() }
    }

    /// Its bytes.
    ///
    /// # Errors
    /// The file cannot be read.
    pub(super) fn read(&self) -> io::Result<Bytes> {
        if let Text::Memory(bytes) = &self.text {
            return Ok(bytes.slice(self.range.clone()));
        }
        let mut buffer = BytesMut::zeroed(self.range.len());
        self.read_into(&mut buffer)?;
        Ok(buffer.freeze())
    }

    fn read_into(&self, buffer: &mut [u8]) -> io::Result<()> {
        match &self.text {
            Text::Memory(bytes) => {
                buffer.copy_from_slice(bytes.get(self.range.clone()).unwrap_or_default());
                Ok(())
            }
            Text::Spooled { spool, begin, .. } => {
                spool.file.read_exact_at(buffer, begin + self.range.start as u64)
            }
        }
    }
}

/// Reads pieces chunk by chunk: small pieces together, large ones in parts.
///
/// What is read was written by this process, so that it lies in memory of the system as long as there is room; reading it
/// takes no longer than copying it.
#[derive(Debug)]
pub(super) struct Chunks {
    pieces: std::vec::IntoIter<Piece>,
    /// The rest of a piece of which a part was read.
    rest: Option<Piece>,
}

impl Chunks {
    pub(super) fn new(pieces: Vec<Piece>) -> Self {
        Self { pieces: pieces.into_iter(), rest: None }
    }

    /// The next stretch of a piece, of at most so many bytes.
    fn stretch(&mut self, most: usize) -> Option<Piece> {
        let piece = self.rest.take().or_else(|| self.pieces.next())?;
        let middle = piece.range.end.min(piece.range.start + most);
        if middle < piece.range.end {
            self.rest = Some(Piece { text: piece.text.clone(), range: middle..piece.range.end });
        }
        Some(Piece { text: piece.text, range: piece.range.start..middle })
    }
}

impl Iterator for Chunks {
    type Item = io::Result<Bytes>;

    fn next(&mut self) -> Option<io::Result<Bytes>> {
        let first = self.stretch(CHUNK)?;
        if matches!(first.text, Text::Memory(_)) || first.range.len() == CHUNK {
            return Some(first.read());
        }
        let mut buffer = BytesMut::zeroed(CHUNK);
        let mut filled = 0;
        let mut next = Some(first);
        while let Some(piece) = next {
            let end = filled + piece.range.len();
            if let Some(Err(error)) = buffer.get_mut(filled..end).map(|room| piece.read_into(room)) {
                return Some(Err(error));
            }
            filled = end;
            next = if filled < CHUNK { self.stretch(CHUNK - filled) } else { None };
        }
        buffer.truncate(filled);
        Some(Ok(buffer.freeze()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(spool: Option<&Arc<Spool>>) -> (Vec<Piece>, Vec<u8>) {
        let sizes = [3, 0, CHUNK, 2 * CHUNK + 5, 1, 1, CHUNK - 1, 7];
        let texts: Vec<Vec<u8>> =
            sizes.iter().enumerate().map(|(number, size)| vec![b'a' + number as u8; *size]).collect();
        let all = texts.concat();
        (texts.into_iter().map(|text| Piece::whole(&Text::keep(text, spool))).collect(), all)
    }

    #[test]
    fn chunks_are_the_pieces_in_their_order() {
        let spool = Arc::new(Spool::new(tempfile::tempfile().unwrap()));
        for spool in [None, Some(&spool)] {
            let (pieces, all) = texts(spool);
            let chunks: Vec<Bytes> = Chunks::new(pieces.clone()).map(Result::unwrap).collect();
            assert!(chunks.iter().all(|chunk| chunk.len() <= CHUNK));
            assert_eq!(chunks.concat(), all);
            assert_eq!(pieces.iter().map(|piece| piece.read().unwrap()).collect::<Vec<_>>().concat(), all);
        }
    }

    #[test]
    fn a_file_that_takes_nothing_leaves_the_text_in_memory() {
        let place = tempfile::NamedTempFile::new().unwrap();
        let read_only = File::open(place.path()).unwrap();
        let spool = Arc::new(Spool::new(read_only));
        let text = Text::keep(b"abc".to_vec(), Some(&spool));
        assert!(matches!(text, Text::Memory(_)));
        assert_eq!(Piece { text, range: 1..3 }.read().unwrap(), "bc");
    }

    #[test]
    fn a_file_that_got_shorter_is_an_error() {
        let file = tempfile::tempfile().unwrap();
        let spool = Arc::new(Spool::new(file.try_clone().unwrap()));
        let text = Text::keep(b"abc".to_vec(), Some(&spool));
        file.set_len(1).unwrap();
        assert!(Piece::whole(&text).read().is_err());
        assert!(Chunks::new(vec![Piece::whole(&text)]).next().unwrap().is_err());
    }
}
