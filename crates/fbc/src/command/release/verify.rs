//! `fbc release verify`: what would make a cluster refuse a payload or stumble over it.

use std::io::Write as _;

use clap::Args;
use fbc_openshift::release::check::{Finding, check};
use serde_json::{Value, json};

use super::{ClusterArguments, Format, PayloadArguments};
use crate::count::counted;
use crate::escape::Lines;
use crate::failure::{CLEAN, ERROR, FINDINGS, Failure, HELP, STRONG, WARNING};
use crate::input::payload::PayloadSource;
use crate::output;
use crate::settings::Settings;
use crate::terminal;

/// Check a payload as a cluster would
///
/// Every manifest is loaded, ordered and given to an API server in memory, in the order of an update. Signatures are
/// not checked.
///
/// Exits with 1 if a cluster would refuse the payload or could not get through it.
#[derive(Args, Debug)]
#[command(after_help = "Exit codes: 0 no errors, 1 errors, 2 could not run.")]
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
    match arguments.output {
        Format::Text => {
            let mut out = Lines::new(anstream::AutoStream::auto(std::io::stdout()).lock(), true);
            for finding in &findings {
                let (word, style) =
                    if finding.rule.is_error { ("error", ERROR) } else { ("warning", WARNING) };
                let line = finding.line.map(|line| format!(":{line}")).unwrap_or_default();
                writeln!(
                    out,
                    "{style}{word}[{}]{style:#}{STRONG}: {}{STRONG:#}",
                    finding.rule.code, finding.message
                )?;
                writeln!(out, "  --> {}{line}", source.shown(&finding.file))?;
                writeln!(out, "  {HELP}help{HELP:#}: {}", finding.rule.help)?;
                writeln!(out)?;
            }
            let errors = findings.iter().filter(|finding| finding.rule.is_error).count();
            let manifests = payload.as_ref().map_or(0, |payload| payload.manifests.len());
            let version = payload.as_ref().map_or("", |payload| payload.release.version.as_str());
            if payload.is_some() {
                writeln!(
                    out,
                    "release {version}: {manifests} manifests, {}",
                    counts(errors, findings.len() - errors)
                )?;
            } else {
                writeln!(out, "the payload cannot be loaded: {}", counts(errors, findings.len() - errors))?;
            }
            out.flush()?;
        }
        Format::Json => {
            let findings: Vec<Value> = findings.iter().map(|finding| as_json(finding, &source)).collect();
            let release = payload.as_ref().map(|payload| payload.release.to_value());
            let manifests = payload.as_ref().map(|payload| payload.manifests.len());
            let mut out = terminal::stdout();
            output::json_document::write(
                &mut out,
                &json!({"release": release, "manifests": manifests, "findings": findings}),
            )?;
            out.flush()?;
        }
    }
    Ok(if findings.iter().any(|finding| finding.rule.is_error) { FINDINGS } else { CLEAN })
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
