//! Sparse files: which of their bytes are in the archive, and the zeros between these.
//!
//! Formats: the manual of GNU tar, "Storing Sparse Files": the old one in headers of type `S`, and 0.0, 0.1 and 1.0 in pax
//! records. Which one it is, and what a map must be, as in `golang/go:src/archive/tar/reader.go`.

use std::io::{self, Read};

/// The parts of a file that are in the archive, in their order.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SparseMap {
    parts: Vec<Part>,
    /// Bytes of the file with its zeros.
    size: u64,
}

#[derive(Debug, PartialEq, Eq)]
struct Part {
    start: u64,
    end: u64,
}

impl SparseMap {
    /// A map of offsets and lengths; nothing if parts overlap, go back or lie behind the end of the file.
    pub(super) fn new(parts: impl IntoIterator<Item = (u64, u64)>, size: u64) -> Option<Self> {
        let mut known: Vec<Part> = Vec::new();
        for (start, length) in parts {
            let end = start.checked_add(length).filter(|end| *end <= size)?;
            if known.last().is_some_and(|last| start < last.end) {
                return None;
            }
            known.push(Part { start, end });
        }
        Some(Self { parts: known, size })
    }

    /// A map of numbers, offsets and lengths by turns.
    fn of_numbers(numbers: &[u64], size: u64) -> Option<Self> {
        let (pairs, []) = numbers.as_chunks::<2>() else { return None };
        Self::new(pairs.iter().map(|[offset, length]| (*offset, *length)), size)
    }

    /// Bytes of the file that are not in the archive.
    pub(super) fn zeros(&self) -> u64 {
        self.size - self.parts.iter().map(|part| part.end - part.start).sum::<u64>()
    }
}

/// What pax records say of a sparse file.
#[derive(Default)]
pub(super) struct SparseRecords {
    major: Option<u64>,
    minor: Option<u64>,
    /// The path of the file; that of the header is made up.
    pub(super) name: Option<Vec<u8>>,
    size: Option<u64>,
    /// Offsets and lengths by turns.
    numbers: Vec<u64>,
}

/// Where the map of a sparse file is.
pub(super) enum MapPlace {
    /// It is known.
    Here(SparseMap),
    /// It comes before the content, which is of a file with so many bytes.
    BeforeContent(u64),
}

/// A sparse file that cannot be read.
pub(super) struct BrokenMap;

impl SparseRecords {
    /// Takes a record, by what stands behind `GNU.sparse.` in its key.
    pub(super) fn take(&mut self, key: &[u8], value: &[u8]) -> Result<(), BrokenMap> {
        match key {
            b"major" => self.major = Some(number(value)?),
            b"minor" => self.minor = Some(number(value)?),
            b"name" => self.name = Some(value.to_vec()),
            b"size" | b"realsize" => self.size = Some(number(value)?),
            b"offset" | b"numbytes" => {
                // They come by turns.
                if self.numbers.len() % 2 != usize::from(key == b"numbytes") {
                    return Err(BrokenMap);
                }
                self.numbers.push(number(value)?);
            }
            b"map" => {
                let numbers = value.split(|byte| *byte == b',').filter(|text| !text.is_empty()).map(number);
                self.numbers = numbers.collect::<Result<_, _>>()?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Where the map is; nothing if the file is not sparse.
    pub(super) fn map(&self) -> Result<Option<MapPlace>, BrokenMap> {
        let here = || SparseMap::of_numbers(&self.numbers, self.size.ok_or(BrokenMap)?).ok_or(BrokenMap);
        match (self.major, self.minor) {
            (Some(0), Some(0 | 1)) => Ok(Some(MapPlace::Here(here()?))),
            (None, None) if !self.numbers.is_empty() => Ok(Some(MapPlace::Here(here()?))),
            (Some(1), Some(0)) => Ok(Some(MapPlace::BeforeContent(self.size.ok_or(BrokenMap)?))),
            (None, None) if self.name.is_none() && self.size.is_none() => Ok(None),
            _ => Err(BrokenMap),
        }
    }
}

/// Reads the map of format 1.0: the number of parts, then offset and length of each, a line for each number, in whole
/// blocks. `block` gives the next one.
pub(super) fn leading_map<E>(
    size: u64,
    mut block: impl FnMut() -> Result<Vec<u8>, E>,
) -> Result<Result<SparseMap, BrokenMap>, E> {
    let (mut count, mut numbers, mut line) = (None, Vec::new(), Vec::new());
    loop {
        for byte in block()? {
            if byte != b'\n' {
                line.push(byte);
                continue;
            }
            let Ok(read) = number(&line) else { return Ok(Err(BrokenMap)) };
            line.clear();
            match count {
                None => count = Some(read),
                Some(_) => numbers.push(read),
            }
            if count.is_some_and(|count| count.checked_mul(2) == Some(numbers.len() as u64)) {
                return Ok(SparseMap::of_numbers(&numbers, size).ok_or(BrokenMap));
            }
        }
    }
}

fn number(text: &[u8]) -> Result<u64, BrokenMap> {
    std::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).ok_or(BrokenMap)
}

/// A sparse file with its zeros.
pub(super) struct SparseContent<'m, R> {
    map: &'m SparseMap,
    /// The parts, one behind the other.
    stored: R,
    position: u64,
    /// The part at hand.
    part: usize,
}

impl<'m, R: Read> SparseContent<'m, R> {
    pub(super) fn new(map: &'m SparseMap, stored: R) -> Self {
        Self { map, stored, position: 0, part: 0 }
    }
}

impl<R: Read> Read for SparseContent<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.map.parts.get(self.part).is_some_and(|part| part.end <= self.position) {
            self.part += 1;
        }
        let part = self.map.parts.get(self.part);
        let (is_stored, end) = match part {
            Some(part) if part.start <= self.position => (true, part.end),
            Some(part) => (false, part.start),
            None => (false, self.map.size),
        };
        let most = usize::try_from(end - self.position).unwrap_or(usize::MAX).min(buffer.len());
        let Some(wanted) = buffer.get_mut(..most).filter(|wanted| !wanted.is_empty()) else { return Ok(0) };
        let count = if is_stored {
            match self.stored.read(wanted)? {
                0 => return Err(io::Error::from(io::ErrorKind::UnexpectedEof)),
                count => count,
            }
        } else {
            wanted.fill(0);
            most
        };
        self.position += count as u64;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_are_in_order_and_within_the_file() {
        for (parts, size, zeros) in [
            (&[][..], 0, Some(0)),
            (&[], 7, Some(7)),
            (&[(0, 2), (2, 0), (4, 1)], 9, Some(6)),
            (&[(0, 2), (1, 1)], 9, None),
            (&[(4, 1), (0, 2)], 9, None),
            (&[(8, 2)], 9, None),
            (&[(u64::MAX, 2)], 9, None),
        ] {
            let map = SparseMap::new(parts.iter().copied(), size);
            assert_eq!(map.map(|map| map.zeros()), zeros, "{parts:?}");
        }
    }

    #[test]
    fn zeros_lie_between_the_parts() {
        let map = SparseMap::new([(1, 2), (3, 0), (5, 1)], 8).unwrap();
        let mut read = Vec::new();
        SparseContent::new(&map, &b"abc"[..]).read_to_end(&mut read).unwrap();
        assert_eq!(read, b"\0ab\0\0c\0\0");
        assert!(SparseContent::new(&map, &b"ab"[..]).read_to_end(&mut Vec::new()).is_err());
    }
}
