//! What Go's `net/http` makes of headers.

use std::ops::Range;

/// The bytes of a file that a request asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ByteRange {
    /// All of them.
    Whole,
    /// Some, at least one.
    Part(Range<u64>),
    /// None that the file has.
    Outside,
}

impl ByteRange {
    /// Reads the header `Range` of a request for a file of so many bytes.
    ///
    /// An empty file has no parts: Go ignores the header. Several ranges, and what is malformed, count as no range, which
    /// RFC 9110 leaves to servers and every client takes; Go answers them with several parts, and with an error.
    ///
    /// Source: `golang/go:src/net/http/fs.go` (`parseRange`, `serveContent`).
    pub fn read(header: &str, size: u64) -> Self {
        if size == 0 {
            return Self::Whole;
        }
        let Some((first, last)) = header.strip_prefix("bytes=").and_then(|range| range.split_once('-'))
        else {
            return Self::Whole;
        };
        match (first.trim(), last.trim()) {
            ("", last) => match last.parse::<u64>() {
                Ok(0) => Self::Outside,
                Ok(count) => Self::Part(size.saturating_sub(count)..size),
                Err(_) => Self::Whole,
            },
            (first, last) => match (first.parse::<u64>(), last.parse::<u64>()) {
                (Ok(first), Ok(last)) if last < first => Self::Whole,
                (Ok(_), Err(_)) if !last.is_empty() => Self::Whole,
                (Ok(first), _) if first >= size => Self::Outside,
                (Ok(first), Ok(last)) => Self::Part(first..last.saturating_add(1).min(size)),
                (Ok(first), Err(_)) => Self::Part(first..size),
                (Err(_), _) => Self::Whole,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ByteRange::{self, Outside, Part, Whole};

    #[test]
    fn ranges_of_ten_bytes() {
        for (header, wanted) in [
            ("bytes=0-3", Part(0..4)),
            ("bytes= 0 - 3 ", Part(0..4)),
            ("bytes=2-", Part(2..10)),
            ("bytes=-3", Part(7..10)),
            ("bytes=-99", Part(0..10)),
            ("bytes=8-99", Part(8..10)),
            ("bytes=8-18446744073709551615", Part(8..10)),
            ("bytes=10-", Outside),
            ("bytes=10-12", Outside),
            ("bytes=-0", Outside),
            ("bytes=3-2", Whole),
            ("bytes=30-20", Whole),
            ("bytes=0-1,4-5", Whole),
            ("bytes=a-5", Whole),
            ("bytes=-", Whole),
            ("bytes=5", Whole),
            ("lines=1-2", Whole),
        ] {
            assert_eq!(ByteRange::read(header, 10), wanted, "{header}");
        }
        assert_eq!(ByteRange::read("bytes=0-", 0), Whole);
        assert_eq!(ByteRange::read("bytes=-5", 0), Whole);
    }
}
