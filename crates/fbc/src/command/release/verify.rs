//! `fbc release verify`: what would make a cluster refuse a payload or stumble over it.

use std::io::{self, Write};

use anstyle::Style;
use clap::Args;
use fbc_app::count::counted;
use fbc_app::escape::Lines;
use fbc_openshift::release::Payload;
use fbc_openshift::release::check::{Finding, check};
use fbc_simulation::input::payload::PayloadSource;
use serde_json::{Value, json};

use super::{ClusterArguments, Format, PayloadArguments};
use crate::failure::{CLEAN, ERROR, FINDINGS, Failure, HELP, STRONG, WARNING};
use crate::output::file::write_output;
use crate::settings::Settings;
use crate::terminal;

/// Check a payload as a cluster would
///
/// Every manifest is loaded, ordered and given to an API server in memory, in the order of an update. Signatures are
/// not checked.
#[derive(Args, Debug)]
#[command(
    after_help = "Exit codes: 0 no errors, 1 a cluster would refuse the payload or could not get through it, 2 could not run."
)]
pub(super) struct Arguments {
    #[command(flatten)]
    cluster: ClusterArguments,
    /// The format to write
    #[arg(short, long, alias = "format", value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
    #[command(flatten)]
    payload: PayloadArguments,
}

pub(super) fn run(arguments: &Arguments, settings: &Settings) -> Result<u8, Failure> {
    let source = arguments.payload.open(settings)?;
    let (findings, payload) = check(&source.tree, source.image(), &arguments.cluster.inclusion());
    arguments.cluster.check_profile(&payload)?;
    write_output(settings, None, |out| match arguments.output {
        Format::Text => {
            let has_color = terminal::stdout_has_color();
            Ok(write_text(&findings, payload.as_ref(), &source, &mut Lines::new(out, has_color), has_color)?)
        }
        Format::Json => {
            let findings: Vec<Value> = findings.iter().map(|finding| as_json(finding, &source)).collect();
            let release = payload.as_ref().map(|payload| payload.release.to_value());
            let manifests = payload.as_ref().map(|payload| payload.manifests.len());
            let document = json!({"release": release, "manifests": manifests, "findings": findings});
            Ok(fbc_app::output::json_document::write(out, &document)?)
        }
    })?;
    Ok(if findings.iter().any(|finding| finding.rule.is_error) { FINDINGS } else { CLEAN })
}

/// A block for each finding, and a line that counts them.
fn write_text(
    findings: &[Finding],
    payload: Option<&Payload>,
    source: &PayloadSource,
    out: &mut impl Write,
    has_color: bool,
) -> io::Result<()> {
    let paint = |style: Style, text: &str| terminal::paint(has_color, style, text);
    for finding in findings {
        let (word, style) = if finding.rule.is_error { ("error", ERROR) } else { ("warning", WARNING) };
        let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
        let title = paint(STRONG, &format!(": {}", finding.message));
        writeln!(out, "{}{title}", paint(style, &format!("{word}[{}]", finding.rule.code)))?;
        writeln!(out, "  --> {}{line}", source.shown(&finding.file))?;
        writeln!(out, "  {}: {}", paint(HELP, "help"), finding.rule.help)?;
        writeln!(out)?;
    }
    let errors = findings.iter().filter(|finding| finding.rule.is_error).count();
    let counts = counts(errors, findings.len() - errors);
    match payload {
        Some(Payload { release, manifests, .. }) => {
            writeln!(out, "release {}: {} manifests, {counts}", release.version, manifests.len())
        }
        None => writeln!(out, "the payload cannot be loaded: {counts}"),
    }
}

fn counts(errors: usize, warnings: usize) -> String {
    format!("{}, {}", counted(errors, "error"), counted(warnings, "warning"))
}

fn as_json(finding: &Finding, source: &PayloadSource) -> Value {
    json!({
        "code": finding.rule.code,
        "severity": if finding.rule.is_error { "error" } else { "warning" },
        "message": finding.message,
        "file": source.shown(&finding.file),
        "line": finding.line,
        "rule": finding.rule.title,
        "help": finding.rule.help,
    })
}
