//! Cuts a YAML stream into documents before anything is parsed, as Kubernetes' reader does.
//!
//! Source of the behaviour: `kubernetes/apimachinery:pkg/util/yaml/decoder.go` (`YAMLReader`).

use std::ops::Range;

use memchr::{memchr, memmem};

/// A stretch of the stream that is read as one document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    /// Its bytes. A `---` line with which the chunk begins belongs to it.
    pub range: Range<usize>,
    /// The line that ended the chunk, if it begins with `---` and goes on with something else: its
    /// start, and the text behind the dashes. The reference refuses such a stream.
    pub bad_separator: Option<(usize, String)>,
}

/// The chunks of the stream from `start` on, one after another. `start` must be the start of a line.
///
/// A line that begins with `---` ends a chunk. If the chunk has no bytes yet, the line becomes its
/// first line instead. An empty stream has no chunks.
pub fn chunks(bytes: &[u8], start: usize) -> impl Iterator<Item = Chunk> {
    let mut lines = separator_lines(bytes, start);
    let mut chunk_start = start;
    std::iter::from_fn(move || {
        for line in lines.by_ref() {
            let line_end =
                memchr(b'\n', bytes.get(line..).unwrap_or_default()).map_or(bytes.len(), |at| line + at);
            let rest = String::from_utf8_lossy(bytes.get(line + 3..line_end).unwrap_or_default());
            let rest = rest.trim();
            let is_separator = rest.is_empty() || rest.starts_with('#');
            if is_separator && line <= chunk_start {
                continue;
            }
            let bad_separator = (!is_separator).then(|| (line, rest.to_owned()));
            let range = chunk_start..line;
            chunk_start = bytes.len().min(line_end + 1);
            return Some(Chunk { range, bad_separator });
        }
        let range = chunk_start..bytes.len();
        chunk_start = bytes.len();
        (!range.is_empty()).then_some(Chunk { range, bad_separator: None })
    })
}

/// The starts of the lines that begin with `---`.
fn separator_lines(bytes: &[u8], start: usize) -> impl Iterator<Item = usize> {
    let rest = bytes.get(start..).unwrap_or_default();
    let first = rest.starts_with(b"---").then_some(start);
    first.into_iter().chain(memmem::find_iter(rest, b"\n---").map(move |at| start + at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(stream: &str) -> Vec<String> {
        chunks(stream.as_bytes(), 0)
            .map(|chunk| {
                let text = stream.get(chunk.range).unwrap_or("?").to_owned();
                match chunk.bad_separator {
                    Some((_, rest)) => format!("{text}!{rest}"),
                    None => text,
                }
            })
            .collect()
    }

    #[test]
    fn chunks_as_the_kubernetes_reader() {
        for (stream, expected) in [
            ("", vec![]),
            ("a: 1", vec!["a: 1"]),
            ("a\n---\n", vec!["a\n"]),
            ("a\n---\n---\nb\n", vec!["a\n", "---\nb\n"]),
            ("---\n---\n---\n", vec!["---\n", "---\n"]),
            ("---\na\n--- # note\nb\n", vec!["---\na\n", "b\n"]),
            ("# licence\n---\na\n", vec!["# licence\n", "a\n"]),
            ("\n---\na", vec!["\n", "a"]),
            ("---", vec!["---"]),
            ("a\r\n---\r\nb\r\n", vec!["a\r\n", "b\r\n"]),
            ("a\n---- \nb", vec!["a\n!-", "b"]),
            ("--- {a: b}\nc", vec!["!{a: b}", "c"]),
            ("a\n ---\nb", vec!["a\n ---\nb"]),
        ] {
            assert_eq!(texts(stream), expected, "{stream:?}");
        }
    }
}
