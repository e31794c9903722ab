//! Cuts a text into documents, each with what stands before it, as the loader cuts files.

use fbc_yaml::{json_reader, stream};

use super::TextFault;

/// Whether a text is cut into JSON values. Where the loader takes one of the first two for YAML and drops all behind it,
/// only that one is taken for broken.
pub(super) fn is_json(text: &str) -> bool {
    let has_separator = || memchr::memmem::find(text.as_bytes(), b"\n---").is_some();
    stream::syntax_of(text.as_bytes()) == stream::Syntax::Json
        || text.trim_start().starts_with('{') && !has_separator() && ends_of_values(text).len() > 1
}

/// Why a text is not JSON values alone.
pub(super) fn fault_of_values(text: &str) -> Option<TextFault> {
    let mut at = 0;
    while json_reader::skip_space(text.as_bytes(), at) < text.len() {
        match json_reader::read_value(text.as_bytes(), at) {
            Ok((_, end)) => at = end,
            Err(error) => return Some(TextFault { message: error.message, byte: error.offset }),
        }
    }
    None
}

/// The documents of a text: JSON values, or what stands between lines that begin with `---`.
pub(super) fn documents(text: &str, is_json: bool) -> Vec<&str> {
    let ends = if is_json { ends_of_values(text) } else { ends_of_chunks(text) };
    let mut start = 0;
    let document = |end| {
        let document = text.get(start..end);
        start = end;
        document
    };
    ends.into_iter().filter_map(document).collect()
}

fn ends_of_chunks(text: &str) -> Vec<usize> {
    let separators = memchr::memmem::find_iter(text.as_bytes(), b"\n---").map(|at| at + 1);
    let mut ends: Vec<usize> = separators.collect();
    if ends.last().copied().unwrap_or_default() < text.len() {
        ends.push(text.len());
    }
    ends
}

/// A value that something else than a value of a catalog follows is broken, as one that cannot be read; what is broken ends
/// where the loader goes on. White space at the end belongs to the last value.
fn ends_of_values(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let mut ends = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let broken_at = match json_reader::read_value(bytes, at) {
            Err(error) => error.offset,
            Ok((_, end)) => match bytes.get(json_reader::skip_space(bytes, end)) {
                Some(b'{') => {
                    at = end;
                    ends.push(end);
                    continue;
                }
                None => bytes.len(),
                Some(_) => end,
            },
        };
        at = stream::behind_broken_json(bytes, broken_at).unwrap_or(bytes.len());
        ends.push(at);
    }
    ends
}
