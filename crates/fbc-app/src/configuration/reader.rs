//! Reads values of a TOML table, and keeps what is wrong with them, each with its place.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use fbc_yaml::locate::line_and_column;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use fbc_model::closest::closest;
use fbc_source::Error;

/// A value with its place in the file, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct At<T> {
    /// The value.
    pub(super) value: T,
    /// Its place.
    pub(super) place: Range<usize>,
}

/// Something that is wrong in the file.
#[derive(Debug)]
pub struct Fault {
    /// The bytes.
    pub place: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

/// Collects what is wrong.
#[derive(Debug, Default)]
pub(super) struct Reader {
    faults: Vec<Fault>,
}

impl Reader {
    /// Parses a file.
    pub(super) fn parse<'t>(&mut self, text: &'t str) -> DeTable<'t> {
        let (table, errors) = DeTable::parse_recoverable(text);
        for error in errors {
            self.fault(error.span().unwrap_or(0..0), error.message(), "the file is not valid TOML");
        }
        table.into_inner()
    }

    /// Notes something that is wrong.
    pub(super) fn fault(&mut self, place: Range<usize>, message: impl Into<String>, help: impl Into<String>) {
        self.faults.push(Fault { place, message: message.into(), help: help.into() });
    }

    /// Notes the keys of a table that are not known.
    pub(super) fn check_keys(&mut self, table: &DeTable<'_>, of: &str, known: &[&str]) {
        for key in table.keys().filter(|key| !known.contains(&key.get_ref().as_ref())) {
            let help = match closest(key.get_ref(), known.iter().copied()) {
                Some(known) => format!("did you mean `{known}`?"),
                None => format!("there are {}", known.join(", ")),
            };
            self.fault(key.span(), format!("unknown key `{}` {of}", key.get_ref()), help);
        }
    }

    /// A value of a table, read by a function that gives nothing where it does not fit.
    pub(super) fn value<'v, T>(
        &mut self,
        table: &'v DeTable<'_>,
        key: &str,
        wanted: &str,
        read: impl FnOnce(&'v DeValue<'v>) -> Option<T>,
    ) -> Option<At<T>> {
        let value = table.get(key)?;
        self.read(value, &format!("`{key}`"), wanted, read)
    }

    /// A value, read by a function that gives nothing where it does not fit.
    pub(super) fn read<'v, T>(
        &mut self,
        value: &'v Spanned<DeValue<'_>>,
        name: &str,
        wanted: &str,
        read: impl FnOnce(&'v DeValue<'v>) -> Option<T>,
    ) -> Option<At<T>> {
        let place = value.span();
        match read(value.get_ref()) {
            Some(value) => Some(At { value, place }),
            None => {
                self.fault(place, format!("{name} is not {wanted}"), format!("write {wanted}"));
                None
            }
        }
    }

    /// What is wrong in the whole file, in the order of the places.
    pub(super) fn finish(mut self) -> Result<(), Vec<Fault>> {
        self.faults.sort_by_key(|fault| fault.place.start);
        if self.faults.is_empty() { Ok(()) } else { Err(self.faults) }
    }
}

/// The failure of a command whose configuration has faults.
pub(super) fn failure(path: &Path, text: &str, faults: &[Fault]) -> Error {
    let lines = faults.iter().map(|fault| {
        let (line, column) = line_and_column(text.as_bytes(), fault.place.start.min(text.len()));
        let help = if fault.help.is_empty() { Cow::from("") } else { format!(" ({})", fault.help).into() };
        format!("{}:{line}:{column}: {}{help}", path.display(), fault.message)
    });
    Error::of_reasons(lines)
        .help("fix the file, name another with `--config`, or use none with `--no-config`")
}

/// A text.
pub(super) fn text(value: &DeValue<'_>) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// A list of texts of which none is empty.
pub(super) fn texts(value: &DeValue<'_>) -> Option<Vec<String>> {
    let items = value.as_array()?.iter().map(|item| text(item.get_ref()).filter(|text| !text.is_empty()));
    items.collect()
}
