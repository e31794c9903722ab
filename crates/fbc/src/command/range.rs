//! `fbc range`: what a range means, and which versions match it.

use std::io::{self, BufRead, Write};

use clap::{Args, ValueEnum};
use fbc_app::ranges::{Answer, Match, answer, document};
use fbc_version::{Grammar, Range, Target};
use rayon::prelude::*;
use serde_json::json;

use crate::failure::{CLEAN, FINDINGS, Failure, words};
use crate::output::file::write_standard_output;
use crate::settings::Settings;
use crate::terminal;

/// Explain a version range, and match versions against it
///
/// Exits with 1 if the range is refused or a version does not match.
#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 the range is valid and holds every version, 1 not, 2 could not run.")]
pub(crate) struct Arguments {
    /// The range
    #[arg(required_unless_present = "batch", conflicts_with = "batch")]
    range: Option<String>,
    /// Versions to match
    #[arg(value_name = "VERSION")]
    versions: Vec<String>,
    /// Whose grammar: masterminds for ClusterExtensions, blang for skipRange and olm.package.required
    #[arg(long, default_value = "masterminds", value_name = "GRAMMAR", value_parser = ["masterminds", "blang"])]
    grammar: String,
    /// The release whose behavior applies
    #[arg(long, default_value = "latest", value_name = "TARGET", value_parser = Target::NAMES)]
    target: String,
    /// Read questions from standard input, JSON lines of `{"range","version"}`, and answer each with a line
    #[arg(long)]
    batch: bool,
    /// The format to write
    #[arg(
        short,
        long,
        alias = "format",
        value_enum,
        default_value_t,
        value_name = "FORMAT",
        conflicts_with = "batch"
    )]
    output: RangeFormat,
}

/// The formats of explanations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum RangeFormat {
    /// Sentences
    #[default]
    Text,
    /// A JSON object
    Json,
}

/// Questions that are answered at a time, in parallel.
const BATCH: usize = 8_192;

pub(crate) fn run(arguments: &Arguments, _settings: &Settings) -> Result<u8, Failure> {
    let unknown = |error: fbc_version::UnknownName| Failure::new(error.to_string());
    let grammar: Grammar = arguments.grammar.parse().map_err(unknown)?;
    let target: Target = arguments.target.parse().map_err(unknown)?;
    if arguments.batch {
        return answer_all(grammar, target);
    }
    let text = arguments.range.as_deref().unwrap_or_default();
    let range = match Range::parse(grammar, target, text) {
        Ok(range) => range,
        Err(error) => return refuse(arguments, grammar, text, &error.to_string()),
    };
    let matches: Vec<Match<'_>> =
        arguments.versions.iter().map(|version| Match::new(&range, version)).collect();
    write_standard_output(|out| match arguments.output {
        RangeFormat::Text => Ok(write_text(&range, &matches, &mut terminal::text_to(out, None))?),
        RangeFormat::Json => Ok(fbc_app::output::json_document::write(out, &document(&range, &matches))?),
    })?;
    Ok(if matches.iter().all(|version| version.outcome == Ok(true)) { CLEAN } else { FINDINGS })
}

fn refuse(arguments: &Arguments, grammar: Grammar, text: &str, error: &str) -> Result<u8, Failure> {
    if arguments.output == RangeFormat::Json {
        let document = json!({ "range": text, "grammar": grammar.to_string(), "error": error });
        write_standard_output(|out| Ok(fbc_app::output::json_document::write(out, &document)?))?;
        return Ok(FINDINGS);
    }
    let failure = Failure::refusal(format!("{text:?} is not a {grammar} range: {error}"));
    let other = match grammar {
        Grammar::Masterminds => Grammar::Blang,
        Grammar::Blang => Grammar::Masterminds,
    };
    Err(match Range::parse(other, Target::Latest, text) {
        Ok(_) => failure.help(format!("it is one in the other grammar: `--grammar {other}`")),
        Err(_) => failure.help("ranges look like `>=1.2.0 <2.0.0`; `fbc range --help` has examples"),
    })
}

fn write_text(range: &Range, matches: &[Match<'_>], out: &mut dyn Write) -> io::Result<()> {
    let explanation = range.explain();
    writeln!(out, "{} ({})", explanation.text, explanation.grammar)?;
    for line in explanation.to_string().lines() {
        writeln!(out, "  {line}")?;
    }
    writeln!(out, "  intervals: {}", explanation.versions)?;
    if !matches.is_empty() {
        writeln!(out)?;
    }
    for Match { version, outcome } in matches {
        match outcome {
            Ok(true) => writeln!(out, "{version} matches")?,
            Ok(false) => writeln!(out, "{version} does not match")?,
            Err(error) => writeln!(out, "{version} is not a version: {error}")?,
        }
    }
    Ok(())
}

/// Answers one line for each line, whatever it holds.
fn answer_all(grammar: Grammar, target: Target) -> Result<u8, Failure> {
    let mut input = io::stdin().lock();
    let mut out = terminal::stdout();
    let mut lines: Vec<Vec<u8>> = Vec::with_capacity(BATCH);
    loop {
        lines.clear();
        while lines.len() < BATCH {
            let mut line = Vec::new();
            let length = input.read_until(b'\n', &mut line).map_err(|error| {
                Failure::new(format!("cannot read questions from standard input: {}", words(&error)))
            })?;
            if length == 0 {
                break;
            }
            if !line.trim_ascii().is_empty() {
                lines.push(line);
            }
        }
        if lines.is_empty() {
            break;
        }
        let answers: Vec<Answer> = lines.par_iter().map(|line| answer(grammar, target, line)).collect();
        for answer in &answers {
            serde_json::to_writer(&mut out, answer).map_err(io::Error::from)?;
            out.write_all(b"\n")?;
        }
    }
    out.flush()?;
    Ok(CLEAN)
}
