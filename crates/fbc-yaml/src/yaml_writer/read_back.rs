//! What reading JSON text as YAML changes or refuses.
//!
//! Sources of the behaviour: `go-yaml/yaml:scannerc.go` (branch v2) for quoted scalars and for simple
//! keys. JSON escapes every character that YAML treats specially but one: U+0085 stands raw in JSON
//! text, and YAML 1.1 folds it like a newline.

use super::WriteError;
use crate::json_writer;

/// YAML's "next line".
const NEXT_LINE: char = '\u{85}';

/// Characters of its JSON text, quotes included, that a key may have (`yaml_simple_key_is_valid`).
const LONGEST_READ_KEY: usize = 1024;

/// Whether go-yaml finds the `:` behind the JSON text of a key that holds no line break.
pub(super) fn is_readable_key(key: &str) -> bool {
    // JSON takes six characters at most for a byte, as in `\u0001`.
    if key.len() * 6 + 2 <= LONGEST_READ_KEY {
        return true;
    }
    let mut json = String::with_capacity(key.len() + 2);
    json_writer::write_string(&mut json, key);
    json.chars().count() <= LONGEST_READ_KEY
}

/// The text that go-yaml reads from the JSON text of one with U+0085: in each run of spaces and
/// U+0085 one break becomes a space, and more breaks become one newline less than there are.
pub(super) fn fold_next_lines(text: &str) -> Result<String, WriteError> {
    let mut read = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find([' ', NEXT_LINE]) {
        let (before, tail) = rest.split_at(at);
        let after = tail.trim_start_matches([' ', NEXT_LINE]);
        let run = tail.strip_suffix(after).unwrap_or_default();
        read.push_str(before);
        match run.matches(NEXT_LINE).count() {
            0 => read.push_str(run),
            1 => read.push(' '),
            breaks => read.extend(std::iter::repeat_n('\n', breaks - 1)),
        }
        if run.ends_with(NEXT_LINE) && is_document_indicator(after) {
            return Err(WriteError::DocumentIndicator);
        }
        rest = after;
    }
    read.push_str(rest);
    Ok(read)
}

fn is_document_indicator(line: &str) -> bool {
    let rest = line.strip_prefix("---").or_else(|| line.strip_prefix("..."));
    rest.is_some_and(|rest| rest.starts_with([' ', NEXT_LINE]))
}
