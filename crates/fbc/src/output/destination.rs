//! `-o, --output FORMAT[=FILE]` of commands that write one result in several formats.
//!
//! In every command `--output` names a format and `--output-file` a file. `FORMAT=FILE` writes a format to a file of its
//! own and may be repeated. Scripts that still write `--format json --output report.json`, where `--output` was once the
//! file to write, go on working: what is not a format and looks like a path is the file.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use clap::{Arg, Command, ValueEnum};

use crate::failure::Failure;

/// A value of `--output`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OutputValue<F> {
    /// A format.
    Format(F),
    /// A file, in the old meaning.
    File(PathBuf),
    /// A format with a file of its own.
    FormatToFile(F, PathBuf),
}

/// A format, and where it is written to: a file, or standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Destination<'a, F> {
    pub(crate) format: F,
    pub(crate) file: Option<&'a Path>,
}

impl<F: Copy + Default> OutputValue<F> {
    /// Refuses a second format without a file of its own: only one can go to standard output or `--output-file`.
    pub(crate) fn check(values: &[Self]) -> Result<(), Failure> {
        match values.iter().filter(|value| matches!(value, Self::Format(_))).count() {
            0 | 1 => Ok(()),
            _ => Err(Failure::new("--output names several formats without files")
                .help("write each but one as FORMAT=FILE, such as `-o sarif=report.sarif`")),
        }
    }

    /// What is written where: formats with files of their own, then the one of `--output-file` or standard output, unless
    /// only files are named.
    pub(crate) fn destinations<'a>(
        values: &'a [Self],
        output_file: Option<&'a PathBuf>,
    ) -> Vec<Destination<'a, F>> {
        let own = values.iter().filter_map(|value| match value {
            Self::FormatToFile(format, file) => Some(Destination { format: *format, file: Some(file) }),
            Self::Format(_) | Self::File(_) => None,
        });
        let mut destinations: Vec<_> = own.collect();
        let format = values.iter().rev().find_map(|value| match value {
            Self::Format(format) => Some(*format),
            Self::File(_) | Self::FormatToFile(..) => None,
        });
        let old = values.iter().rev().find_map(|value| match value {
            Self::File(path) => Some(path.as_path()),
            Self::Format(_) | Self::FormatToFile(..) => None,
        });
        let file = output_file.map(PathBuf::as_path).or(old);
        if format.is_some() || file.is_some() || destinations.is_empty() {
            destinations.push(Destination { format: format.unwrap_or_default(), file });
        }
        destinations
    }
}

/// Reads the values of `--output`. Help and errors know the formats alone.
#[derive(Clone, Debug)]
pub(crate) struct OutputParser<F: ValueEnum + Clone + Send + Sync + 'static>(EnumValueParser<F>);

impl<F: ValueEnum + Clone + Send + Sync + 'static> OutputParser<F> {
    pub(crate) fn new() -> Self {
        Self(EnumValueParser::new())
    }
}

impl<F: ValueEnum + Clone + Send + Sync + 'static> TypedValueParser for OutputParser<F> {
    type Value = OutputValue<F>;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Self::Value, clap::Error> {
        let split = value.to_str().and_then(|text| text.split_once('=')).filter(|(_, file)| !file.is_empty());
        if let Some((format, file)) = split
            && let Ok(format) = self.0.parse_ref(command, argument, OsStr::new(format))
        {
            return Ok(OutputValue::FormatToFile(format, PathBuf::from(file)));
        }
        let is_path = value.as_encoded_bytes().iter().any(|byte| matches!(byte, b'/' | b'\\' | b'.'));
        match self.0.parse_ref(command, argument, value) {
            Ok(format) => Ok(OutputValue::Format(format)),
            Err(_) if is_path => Ok(OutputValue::File(PathBuf::from(value))),
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

    use super::{OutputParser, OutputValue};
    use crate::report::Format;

    #[derive(Parser)]
    struct Line {
        #[arg(short, long, alias = "format", value_parser = OutputParser::<Format>::new())]
        output: Vec<OutputValue<Format>>,
        #[arg(long)]
        output_file: Option<PathBuf>,
    }

    /// `Format>file` for each destination.
    fn outcome(words: &[&str]) -> Option<String> {
        let line = Line::try_parse_from([&["fbc"], words].concat()).ok()?;
        OutputValue::check(&line.output).ok()?;
        let destinations = OutputValue::destinations(&line.output, line.output_file.as_ref());
        let shown = destinations.iter().map(|one| {
            let file = one.file.map(|path| path.display().to_string()).unwrap_or_default();
            format!("{:?}>{file}", one.format)
        });
        Some(shown.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn formats_and_files() {
        for (words, expected) in [
            (&[][..], Some("Full>")),
            (&["-o", "json"], Some("Json>")),
            (&["--format=sarif"], Some("Sarif>")),
            (&["-o", "json", "--output-file", "report"], Some("Json>report")),
            (&["--format", "json", "--output", "report.json"], Some("Json>report.json")),
            (&["--output", "out/report"], Some("Full>out/report")),
            (&["-o", "sarif=a.sarif"], Some("Sarif>a.sarif")),
            (&["-o", "sarif=a=b", "-o", "github", "-o", "junit=c"], Some("Sarif>a=b Junit>c Github>")),
            (&["-o", "sarif=a", "--output-file", "b"], Some("Sarif>a Full>b")),
            (&["-o", "sarif", "-o", "json"], None),
            (&["-o", "sarif="], None),
            (&["--output", "jsno"], None),
            (&["--output", "jsno=x"], None),
        ] {
            assert_eq!(outcome(words).as_deref(), expected, "{words:?}");
        }
    }
}
