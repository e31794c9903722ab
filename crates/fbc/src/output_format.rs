//! `-o, --output FORMAT` of commands where `--output` was once the file to write.
//!
//! In every command `--output` names a format and `--output-file` a file. Scripts that still write
//! `--format json --output report.json` go on working: what is not a format and looks like a path is the file.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Command, ValueEnum};

/// A value of `--output`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FormatOrFile<F> {
    /// A format.
    Format(F),
    /// A file, in the old meaning.
    File(PathBuf),
}

impl<F: Copy + Default> FormatOrFile<F> {
    /// The format that was chosen last; the default if none was.
    pub(crate) fn format(values: &[Self]) -> F {
        let chosen = values.iter().rev().find_map(|value| match value {
            Self::Format(format) => Some(*format),
            Self::File(_) => None,
        });
        chosen.unwrap_or_default()
    }

    /// The file to write: that of `--output-file`, else one in the old spelling.
    pub(crate) fn file<'a>(values: &'a [Self], output_file: Option<&'a PathBuf>) -> Option<&'a Path> {
        let old = values.iter().rev().find_map(|value| match value {
            Self::File(path) => Some(path.as_path()),
            Self::Format(_) => None,
        });
        output_file.map(PathBuf::as_path).or(old)
    }
}

/// Reads the values of `--output`. Help and errors know the formats alone.
#[derive(Clone, Debug)]
pub(crate) struct FormatOrFileParser<F: ValueEnum + Clone + Send + Sync + 'static>(EnumValueParser<F>);

impl<F: ValueEnum + Clone + Send + Sync + 'static> FormatOrFileParser<F> {
    pub(crate) fn new() -> Self {
        Self(EnumValueParser::new())
    }
}

impl<F: ValueEnum + Clone + Send + Sync + 'static> TypedValueParser for FormatOrFileParser<F> {
    type Value = FormatOrFile<F>;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        let is_path = value.as_encoded_bytes().iter().any(|byte| matches!(byte, b'/' | b'\\' | b'.'));
        match self.0.parse_ref(command, argument, value) {
            Ok(format) => Ok(FormatOrFile::Format(format)),
            Err(_) if is_path => Ok(FormatOrFile::File(PathBuf::from(value))),
            Err(error) => Err(error),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        self.0.possible_values()
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use clap::Parser;

    use super::{FormatOrFile, FormatOrFileParser};
    use crate::report::Format;

    #[derive(Parser)]
    struct Line {
        #[arg(short, long, alias = "format", value_parser = FormatOrFileParser::<Format>::new())]
        output: Vec<FormatOrFile<Format>>,
        #[arg(long)]
        output_file: Option<PathBuf>,
    }

    fn outcome(words: &[&str]) -> Option<(Format, Option<String>)> {
        let line = Line::try_parse_from([&["fbc"], words].concat()).ok()?;
        let file = FormatOrFile::file(&line.output, line.output_file.as_ref());
        Some((FormatOrFile::format(&line.output), file.map(|path| path.display().to_string())))
    }

    #[test]
    fn old_and_new_spellings() {
        let file = |name: &str| Some(name.to_owned());
        for (words, expected) in [
            (&[][..], Some((Format::Full, None))),
            (&["-o", "json"], Some((Format::Json, None))),
            (&["--format=sarif"], Some((Format::Sarif, None))),
            (&["-o", "json", "--output-file", "report"], Some((Format::Json, file("report")))),
            (&["--format", "json", "--output", "report.json"], Some((Format::Json, file("report.json")))),
            (&["--output", "out/report"], Some((Format::Full, file("out/report")))),
            (&["--output", "jsno"], None),
        ] {
            assert_eq!(outcome(words), expected, "{words:?}");
        }
    }
}
