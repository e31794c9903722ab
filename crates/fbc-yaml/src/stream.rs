//! A file's bytes to its documents: JSON or YAML, and from one to the other, as the reference
//! decides it.
//!
//! Source of the behaviour: `kubernetes/apimachinery:pkg/util/yaml/decoder.go`
//! (`YAMLOrJSONDecoder`). The reference stops at the first fault; this reader notes it and goes on,
//! so that a user sees every fault in one run.

mod line_ends;
mod utf_16;

use std::ops::Range;

use memchr::memmem;
use rayon::prelude::*;

use crate::document::{Document, MAX_DOCUMENT_BYTES};
use crate::general::{self, YamlError};
use crate::json_reader::{self, JsonError};
use crate::limits::{LimitExceeded, Meter};
use crate::scanner;
use crate::split::{Chunk, chunks};

pub(crate) use line_ends::{CarriageReturns, normalised};

/// How many bytes decide between JSON and YAML.
const PEEK_BYTES: usize = 4096;
/// Below this size a file is read on one thread.
const PARALLEL_BYTES: usize = 128 * 1024;

/// So many documents of a file that begins as JSON may turn out to be YAML; from then on the reference reads JSON alone.
pub const YAML_FALLBACK_DOCUMENTS: usize = 2;

/// How a document is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Syntax {
    /// One JSON value of a sequence.
    Json,
    /// A YAML chunk, which may hold JSON all the same.
    Yaml,
}

/// One document of a file as the caller took it, or what is wrong with it.
#[derive(Clone, Debug)]
pub struct Decoded<T, R> {
    /// Where it lies in the file.
    pub range: Range<usize>,
    /// How it is written.
    pub syntax: Syntax,
    /// What the caller made of the document, or why there is none.
    pub outcome: Result<T, Fault<R>>,
}

/// Why a document is refused. Texts are the reference's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault<R> {
    /// The text is not YAML or JSON, or means what JSON cannot say.
    Malformed {
        /// What is wrong.
        message: String,
        /// The byte of the file where it is wrong.
        byte: usize,
    },
    /// A line begins with `---` and goes on.
    Separator {
        /// What stands behind the dashes.
        rest: String,
        /// The first byte of the line.
        byte: usize,
    },
    /// The caller refused a document that is well-formed.
    Rejected(R),
}

/// What a caller makes of a document, or why it refuses it. Refusing takes part in reading, because
/// the reference falls back from JSON to YAML when a value is refused.
pub type Convert<'a, T, R> = &'a (dyn Fn(Document) -> Result<T, R> + Sync);

/// Reads all documents of a file, in their order. Never fails as a whole: faults are among the
/// documents. Large files are read by several threads of rayon's pool; the result does not depend
/// on their number. A budget that is used up ([`crate::limits::Limits`]) is a fault too, the last one.
#[must_use]
pub fn read<T: Send, R: Send>(bytes: &[u8], convert: Convert<'_, T, R>) -> Vec<Decoded<T, R>> {
    read_within(bytes, &Meter::default(), convert)
}

/// As [`read`], counting what several files read together. What is read is not whole if
/// [`Meter::exceeded`] says so.
#[must_use]
pub fn read_within<T: Send, R: Send>(
    bytes: &[u8],
    meter: &Meter,
    convert: Convert<'_, T, R>,
) -> Vec<Decoded<T, R>> {
    read_as(Reader { meter, general: general::read }, bytes, convert)
}

fn read_as<T: Send, R: Send>(
    reader: Reader<'_>,
    bytes: &[u8],
    convert: Convert<'_, T, R>,
) -> Vec<Decoded<T, R>> {
    if begins_as_json(bytes) {
        read_json(bytes, reader, convert)
    } else {
        read_yaml(bytes, 0, reader, convert)
    }
}

/// How documents are read.
#[derive(Clone, Copy)]
struct Reader<'m> {
    meter: &'m Meter,
    /// The general path: [`general::read`] or [`general::read_for_types`].
    general: fn(&[u8], &Meter) -> Result<Document, YamlError>,
}

/// What the reference gives to who asks for one document: the first, unless the line that ends it is not a proper
/// separator, of which the reference speaks before it looks at the document.
#[must_use]
pub fn read_first<T: Send, R: Send>(bytes: &[u8], convert: Convert<'_, T, R>) -> Option<Decoded<T, R>> {
    first_of(read(bytes, convert))
}

/// As [`read_first`], for a caller that decodes into types: infinity and what is no number are left in YAML documents,
/// because they become text where a type has text. What is left of [`Document::not_numbers`] after that is the caller's
/// to refuse, with [`unsupported_number`].
#[must_use]
pub fn read_first_for_types<T: Send, R: Send>(
    bytes: &[u8],
    convert: Convert<'_, T, R>,
) -> Option<Decoded<T, R>> {
    let meter = Meter::default();
    first_of(read_as(Reader { meter: &meter, general: general::read_for_types }, bytes, convert))
}

/// What the reference says of a number that JSON does not have.
#[must_use]
pub fn unsupported_number(number: f64) -> String {
    general::unsupported(number)
}

fn first_of<T, R>(mut decoded: Vec<Decoded<T, R>>) -> Option<Decoded<T, R>> {
    decoded.truncate(2);
    if decoded.len() == 2 && is_cut_off(decoded.first(), decoded.last()) {
        decoded.pop()
    } else {
        decoded.into_iter().next()
    }
}

/// As [`read_first`], of documents that were read.
fn as_first<T, R>(decoded: &[Decoded<T, R>]) -> Option<&Decoded<T, R>> {
    let (first, second) = (decoded.first(), decoded.get(1));
    if is_cut_off(first, second) { second } else { first }
}

/// Whether a document ends at a line that begins with `---` and goes on, the next item being the fault of that line.
#[must_use]
pub fn is_cut_off<T, R>(document: Option<&Decoded<T, R>>, next: Option<&Decoded<T, R>>) -> bool {
    let (Some(document), Some(next)) = (document, next) else { return false };
    matches!(next.outcome, Err(Fault::Separator { byte, .. }) if document.syntax == Syntax::Yaml && byte == document.range.end)
}

/// Whether the first character that is no white space is `{`.
fn begins_as_json(bytes: &[u8]) -> bool {
    let peeked = bytes.get(..PEEK_BYTES).unwrap_or(bytes);
    String::from_utf8_lossy(peeked).trim_start().starts_with('{')
}

fn read_json<T: Send, R: Send>(
    bytes: &[u8],
    reader: Reader<'_>,
    convert: Convert<'_, T, R>,
) -> Vec<Decoded<T, R>> {
    let mut decoded = Vec::new();
    let mut at = 0;
    let mut may_fall_back = true;
    loop {
        let start = json_reader::skip_space(bytes, at);
        if start >= bytes.len() {
            return decoded;
        }
        if let Err(exceeded) = reader.meter.count_documents(1) {
            decoded.push(refused(start..bytes.len(), Syntax::Json, exceeded));
            return decoded;
        }
        let (fault, end) = match json_reader::read_value(bytes, start) {
            Ok((document, end)) => match convert(document) {
                Ok(value) => {
                    decoded.push(Decoded { range: start..end, syntax: Syntax::Json, outcome: Ok(value) });
                    may_fall_back &= decoded.len() < YAML_FALLBACK_DOCUMENTS;
                    at = end;
                    continue;
                }
                Err(rejection) => (Fault::Rejected(rejection), Some(end)),
            },
            Err(error) => (malformed(error, may_fall_back), None),
        };
        if may_fall_back {
            let mut yaml = read_yaml(bytes, start_of_yaml(bytes, at), reader, convert);
            if as_first(&yaml).is_none_or(|first| first.outcome.is_ok()) {
                decoded.append(&mut yaml);
                return decoded;
            }
        }
        may_fall_back = false;
        let offset = if let Fault::Malformed { byte, .. } = &fault { *byte } else { start };
        // Whatever comes next is read as if this document were gone.
        let next = end.or_else(|| behind_broken_json(bytes, offset));
        let range = start..next.unwrap_or(bytes.len());
        decoded.push(Decoded { range, syntax: Syntax::Json, outcome: Err(fault) });
        match next {
            Some(next) => at = next,
            None => return decoded,
        }
    }
}

/// Where the next value may begin after one of JSON that is broken at a byte: at the next line that begins an object.
#[must_use]
pub fn behind_broken_json(bytes: &[u8], broken_at: usize) -> Option<usize> {
    let rest = bytes.get(broken_at..).unwrap_or_default();
    memmem::find(rest, b"}\n{").map(|found| broken_at + found + 2)
}

/// How a file is written: as JSON values, or as YAML, which may begin with a JSON value.
#[must_use]
pub fn syntax_of(bytes: &[u8]) -> Syntax {
    if !begins_as_json(bytes) {
        return Syntax::Yaml;
    }
    let mut at = 0;
    for _ in 0..YAML_FALLBACK_DOCUMENTS {
        match json_reader::read_value(bytes, at) {
            Ok((_, end)) if json_reader::skip_space(bytes, end) < bytes.len() => at = end,
            Ok(_) => return Syntax::Json,
            Err(_) => {
                let mut chunks = chunks(bytes, start_of_yaml(bytes, at));
                let first = chunks.find(|chunk| !chunk.range.is_empty() || chunk.bad_separator.is_some());
                let reader = Reader { meter: &Meter::default(), general: general::read };
                let is_yaml = first.is_none_or(|chunk| {
                    chunk.bad_separator.is_none()
                        && read_yaml_document(bytes.get(chunk.range).unwrap_or_default(), reader).is_ok()
                });
                return if is_yaml { Syntax::Yaml } else { Syntax::Json };
            }
        }
    }
    Syntax::Json
}

/// The rest of a file for which a budget has nothing left.
fn refused<T, R>(range: Range<usize>, syntax: Syntax, exceeded: LimitExceeded) -> Decoded<T, R> {
    let byte = range.start;
    Decoded { range, syntax, outcome: Err(Fault::Malformed { message: exceeded.to_string(), byte }) }
}

fn malformed<R>(error: JsonError, names_offset: bool) -> Fault<R> {
    let JsonError { message, offset, is_syntax } = error;
    // The early end of input has no offset in Go.
    let message = if names_offset && is_syntax && message != "unexpected EOF" {
        format!("json: offset {}: {message}", offset + 1)
    } else {
        message
    };
    Fault::Malformed { message, byte: offset }
}

/// After JSON was given up: white space up to and including the first line break is dropped.
fn start_of_yaml(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' => return at + 1,
            b' ' | b'\t' | b'\r' => at += 1,
            _ => return at,
        }
    }
    at
}

fn read_yaml<T: Send, R: Send>(
    bytes: &[u8],
    start: usize,
    reader: Reader<'_>,
    convert: Convert<'_, T, R>,
) -> Vec<Decoded<T, R>> {
    let affordable = usize::try_from(reader.meter.documents_left()).unwrap_or(usize::MAX);
    let chunks: Vec<Chunk> = chunks(bytes, start).take(affordable.saturating_add(1)).collect();
    if let Err(exceeded) = reader.meter.count_documents(chunks.len() as u64) {
        return vec![refused(start..bytes.len(), Syntax::Yaml, exceeded)];
    }
    let read = |chunk: &Chunk| -> Vec<Decoded<T, R>> {
        let separator = chunk.bad_separator.as_ref().map(|(line, rest)| Decoded {
            range: *line..*line + 3,
            syntax: Syntax::Yaml,
            outcome: Err(Fault::Separator { rest: rest.clone(), byte: *line }),
        });
        let document = (!chunk.range.is_empty()).then(|| Decoded {
            range: chunk.range.clone(),
            syntax: Syntax::Yaml,
            outcome: read_chunk(bytes, chunk.range.clone(), reader, convert),
        });
        document.into_iter().chain(separator).collect()
    };
    if bytes.len() - start < PARALLEL_BYTES {
        chunks.iter().flat_map(read).collect()
    } else {
        chunks.par_iter().with_max_len(4).flat_map_iter(read).collect()
    }
}

fn read_chunk<T, R>(
    bytes: &[u8],
    range: Range<usize>,
    reader: Reader<'_>,
    convert: Convert<'_, T, R>,
) -> Result<T, Fault<R>> {
    let chunk = bytes.get(range.clone()).unwrap_or_default();
    let document = read_yaml_document(chunk, reader).map_err(|error| Fault::Malformed {
        message: format!("error converting YAML to JSON: {}", error.message),
        byte: range.start + error.byte.map_or(0, |byte| CarriageReturns::new(chunk).original(byte)),
    })?;
    convert(document).map_err(Fault::Rejected)
}

/// Reads one value from bytes that are JSON or YAML: the whole is one document, of which the first
/// node counts.
///
/// # Errors
/// What is wrong with it, in the reference's words.
pub fn read_one(bytes: &[u8]) -> Result<Document, YamlError> {
    read_one_as(bytes, general::read)
}

/// As [`read_one`], with the numbers of [`read_first_for_types`].
///
/// # Errors
/// What is wrong with it, in the reference's words.
pub fn read_one_for_types(bytes: &[u8]) -> Result<Document, YamlError> {
    read_one_as(bytes, general::read_for_types)
}

fn read_one_as(
    bytes: &[u8],
    general: fn(&[u8], &Meter) -> Result<Document, YamlError>,
) -> Result<Document, YamlError> {
    if begins_as_json(bytes)
        && let Ok((document, end)) = json_reader::read_value(bytes, 0)
        && json_reader::skip_space(bytes, end) == bytes.len()
    {
        return Ok(document);
    }
    let meter = Meter::default();
    read_yaml_document(bytes, Reader { meter: &meter, general }).map_err(|error| {
        // Go's line is that of the bytes as they are; only streams end with a line.
        let as_written = general(bytes, &meter).err().filter(|_| utf_16::decode(bytes).is_none());
        as_written.unwrap_or(error)
    })
}

fn read_yaml_document(chunk: &[u8], reader: Reader<'_>) -> Result<Document, YamlError> {
    if chunk.len() > MAX_DOCUMENT_BYTES {
        return Err(YamlError { message: "document is larger than 1 GiB".to_owned(), byte: None });
    }
    let chunk = normalised(chunk);
    if let Some(text) = utf_16::decode(&chunk) {
        // Places in the text are not places in the file.
        return (reader.general)(&text, reader.meter)
            .map_err(|error| YamlError { message: utf_16::message(&error.message), byte: None });
    }
    match std::str::from_utf8(&chunk).ok().and_then(scanner::scan) {
        Some(document) => Ok(document),
        None => (reader.general)(&chunk, reader.meter),
    }
}

#[cfg(feature = "compare")]
/// Both ways to read a YAML document, for the test that compares them.
pub mod compare {
    use crate::document::Document;

    /// The fast path; nothing if it gives up.
    #[must_use]
    pub fn fast(text: &str) -> Option<Document> {
        crate::scanner::scan(text)
    }

    /// The general path.
    ///
    /// # Errors
    /// The reference's text.
    pub fn general(text: &str) -> Result<Document, crate::YamlError> {
        crate::general::read(text.as_bytes(), &crate::limits::Meter::default())
    }
}

#[cfg(test)]
mod tests;
