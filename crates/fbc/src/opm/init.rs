//! `opm init`.

use std::fs::File;
use std::io::Read as _;

use fbc_model::{Catalog, Icon, Package};

use super::arguments::Invocation;
use super::catalog;
use super::error::OpmError;
use super::print;
use crate::failure::words;

pub(super) fn run(invocation: &Invocation) -> Result<(), OpmError> {
    let output = invocation.text("output");
    catalog::check_output(output).map_err(|error| OpmError::Fatal(error.to_string()))?;
    // Both are opened before one is read, as in opm.
    let icon = open(invocation, "icon")?;
    let description = open(invocation, "description")?.map(Opened::read).transpose()?;
    let icon = icon.map(Opened::read).transpose()?;
    let icon = icon.map(Icon::from_image).transpose().map_err(|error| OpmError::Fatal(error.to_string()))?;
    let (description, replacement) = text(&description.unwrap_or_default(), output == "json");
    let package = Package {
        name: invocation.positionals.first().cloned().unwrap_or_default(),
        default_channel: invocation.text("default-channel").to_owned(),
        description,
        icon,
        ..Package::default()
    };
    let all = Catalog { packages: vec![package], ..Catalog::default() };
    match replacement {
        Some(mark) => {
            let text = catalog::text(&all, output, OpmError::Fatal)?;
            print(&text.replace(mark, "\\ufffd"))
        }
        None => catalog::write(&all, output, OpmError::Fatal),
    }
}

/// Opens the file that a flag names.
fn open<'i>(invocation: &'i Invocation, flag: &'static str) -> Result<Option<Opened<'i>>, OpmError> {
    let path = invocation.text(flag);
    if path.is_empty() {
        return Ok(None);
    }
    let file = File::open(path).map_err(|error| {
        OpmError::Fatal(format!("open {flag} file: open {path}: {}", words(&error).to_lowercase()))
    })?;
    Ok(Some(Opened { flag, path, file }))
}

/// A file that a flag names.
struct Opened<'i> {
    flag: &'static str,
    path: &'i str,
    file: File,
}

impl Opened<'_> {
    fn read(mut self) -> Result<Vec<u8>, OpmError> {
        let mut bytes = Vec::new();
        self.file.read_to_end(&mut bytes).map_err(|error| {
            let words = words(&error).to_lowercase();
            OpmError::Fatal(format!("read {}: read {}: {words}", self.flag, self.path))
        })?;
        Ok(bytes)
    }
}

/// Bytes as text. Go takes each byte that is not UTF-8 for a U+FFFD of its own, and its JSON escapes these, but not
/// a U+FFFD that was there: so for JSON they become a mark that the text does not have, to be replaced later.
fn text(bytes: &[u8], is_json: bool) -> (String, Option<char>) {
    let marks = ('\u{f0000}'..'\u{ffffd}').find(|mark| {
        let mut buffer = [0; 4];
        let mark = mark.encode_utf8(&mut buffer).as_bytes();
        !bytes.windows(mark.len()).any(|window| window == mark)
    });
    let mark = marks.filter(|_| is_json).unwrap_or(char::REPLACEMENT_CHARACTER);
    let mut text = String::with_capacity(bytes.len());
    let mut is_clean = true;
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| mark));
        is_clean &= chunk.invalid().is_empty();
    }
    (text, (is_json && !is_clean).then_some(mark))
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn each_broken_byte_is_replaced() {
        assert_eq!(text("gr\u{fc}n".as_bytes(), true), ("gr\u{fc}n".to_owned(), None));
        assert_eq!(text(b"a\xe2\x82b\xff", false), ("a\u{fffd}\u{fffd}b\u{fffd}".to_owned(), None));
        let (marked, mark) = text("a\u{fffd}\u{f0000}".as_bytes(), true);
        assert_eq!((marked.as_str(), mark), ("a\u{fffd}\u{f0000}", None));
        let (marked, mark) = text(b"a\xf3\xb0\x80\x80\xff", true);
        assert_eq!(marked.replace(mark.unwrap(), "!"), "a\u{f0000}!");
    }
}
