//! JSON: one document, or one object a line.

use std::io::{self, Write};

use fbc_lint::policy::set_aside::Cause;
use serde::Serialize;

use super::{CheckedCatalog, FindingView, Style, Summary};

#[derive(Serialize)]
struct JsonReport<'r> {
    findings: Vec<JsonFinding<'r>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waived: Vec<JsonWaived<'r>>,
    summary: Summary,
}

/// A finding that a waiver covers.
#[derive(Serialize)]
struct JsonWaived<'r> {
    reason: &'r str,
    #[serde(flatten)]
    finding: JsonFinding<'r>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonFinding<'r> {
    code: &'r str,
    name: &'r str,
    severity: &'r str,
    message: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end_column: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'r str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    package: &'r str,
    #[serde(skip_serializing_if = "str::is_empty")]
    channel: &'r str,
    #[serde(skip_serializing_if = "str::is_empty")]
    bundle: &'r str,
    #[serde(skip_serializing_if = "str::is_empty")]
    label: &'r str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    notes: &'r [String],
    #[serde(skip_serializing_if = "str::is_empty")]
    help: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    opm: Option<&'r str>,
}

impl<'r> From<FindingView<'r>> for JsonFinding<'r> {
    fn from(view: FindingView<'r>) -> Self {
        let finding = &view.located.finding;
        Self {
            code: finding.rule.code,
            name: finding.rule.name,
            severity: finding.severity.name(),
            message: &finding.message,
            line: view.start.map(|(line, _)| line),
            column: view.start.and_then(|(_, column)| column),
            end_line: view.end.map(|(line, _)| line),
            end_column: view.end.map(|(_, column)| column),
            pointer: view.pointer,
            package: &finding.subject.package,
            channel: &finding.subject.channel,
            bundle: &finding.subject.bundle,
            label: &finding.label,
            notes: &finding.notes,
            help: &finding.help,
            opm: finding.opm.as_ref().map(|text| text.text()),
            file: view.file,
        }
    }
}

pub(super) fn write_document(
    catalogs: &[CheckedCatalog],
    style: Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let findings = style.shown(catalogs).map(JsonFinding::from).collect();
    let set_aside = catalogs.iter().flat_map(CheckedCatalog::set_aside);
    let waived = set_aside.filter_map(|(view, cause)| match cause {
        Cause::Waived { reason } => Some(JsonWaived { reason, finding: JsonFinding::from(view) }),
        Cause::Baselined => None,
    });
    let report = JsonReport { findings, waived: waived.collect(), summary: Summary::of(catalogs) };
    serde_json::to_writer_pretty(&mut *out, &report)?;
    writeln!(out)
}

pub(super) fn write_lines(catalogs: &[CheckedCatalog], style: Style, out: &mut dyn Write) -> io::Result<()> {
    for view in style.shown(catalogs) {
        serde_json::to_writer(&mut *out, &JsonFinding::from(view))?;
        writeln!(out)?;
    }
    Ok(())
}
