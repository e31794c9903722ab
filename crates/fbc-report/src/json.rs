//! JSON: one document, or one object a line.

use std::io::{self, Write};

use fbc_app::checked::{CheckedCatalog, FindingView};
use fbc_app::output;
use fbc_lint::fix::{Operation, PlacedEdit};
use fbc_lint::policy::set_aside::Cause;
use serde::Serialize;
use serde_json::Value;

use crate::{Style, Summary};

#[derive(Serialize)]
struct JsonReport<'r> {
    #[serde(skip_serializing_if = "Option::is_none")]
    shard: Option<String>,
    /// How many findings the whole shows, where this is a shard.
    #[serde(rename = "maxFindings", skip_serializing_if = "Option::is_none")]
    max_findings: Option<usize>,
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
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<JsonRelated<'r>>,
    #[serde(skip_serializing_if = "str::is_empty")]
    help: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    opm: Option<&'r str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<JsonFix<'r>>,
}

/// Another place that a finding speaks of.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonRelated<'r> {
    message: &'r str,
    file: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<usize>,
}

/// What would put a finding right.
#[derive(Serialize)]
struct JsonFix<'r> {
    title: &'r str,
    safety: &'r str,
    edits: Vec<JsonEdit<'r>>,
}

/// An edit by document and JSON pointer. Documents count from 0.
#[derive(Serialize)]
struct JsonEdit<'r> {
    file: String,
    document: u32,
    op: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<[usize; 2]>,
}

impl<'r> JsonEdit<'r> {
    fn new(view: &FindingView<'r>, edit: &'r PlacedEdit) -> Self {
        let operation = &edit.operation;
        let value = operation
            .value()
            .and_then(|value| serde_json::from_str(&fbc_yaml::json_writer::compact(value.root())).ok());
        let (key, bytes, text) = match operation {
            Operation::Rename { key, .. } => (Some(key.as_str()), None, None),
            Operation::Replace(replacement) => {
                let bytes = [replacement.bytes.start, replacement.bytes.end];
                (None, Some(bytes), Some(Value::from(replacement.text.as_str())))
            }
            _ => (None, None, None),
        };
        Self {
            file: view.fix_file(&edit.path).to_owned(),
            document: edit.document,
            op: operation.name(),
            pointer: operation.pointer(),
            value: value.or(text),
            key,
            bytes,
        }
    }
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
            related: view
                .related
                .iter()
                .map(|(file, related)| JsonRelated {
                    message: &related.message,
                    file: file.clone(),
                    line: related.span.as_ref().map(|span| span.start.0),
                    column: related.span.as_ref().map(|span| span.start.1),
                })
                .collect(),
            help: &finding.help,
            opm: finding.opm.as_ref().map(|text| text.text()),
            fixes: view
                .located
                .fixes
                .iter()
                .map(|fix| JsonFix {
                    title: &fix.title,
                    safety: fix.safety.name(),
                    edits: fix.edits.iter().map(|edit| JsonEdit::new(&view, edit)).collect(),
                })
                .collect(),
            file: view.file,
        }
    }
}

/// Writes the document.
///
/// # Errors
/// Those of the output.
pub fn write_document(catalogs: &[CheckedCatalog], style: Style, out: &mut dyn Write) -> io::Result<()> {
    let findings = style.shown(catalogs).map(JsonFinding::from).collect();
    let set_aside = catalogs.iter().flat_map(CheckedCatalog::set_aside);
    let waived = set_aside.filter_map(|(view, cause)| match cause {
        Cause::Waived { reason } => Some(JsonWaived { reason, finding: JsonFinding::from(view) }),
        Cause::Baselined => None,
    });
    let shard = style.shard.map(|shard| shard.to_string());
    let max_findings = style.max_findings.filter(|_| shard.is_some());
    let (waived, summary) = (waived.collect(), Summary::from_catalogs(catalogs));
    let report = JsonReport { shard, max_findings, findings, waived, summary };
    output::json_document::write(out, &report)
}

/// Writes the document.
///
/// # Errors
/// Those of the output.
pub fn write_lines(catalogs: &[CheckedCatalog], style: Style, out: &mut dyn Write) -> io::Result<()> {
    for view in style.shown(catalogs) {
        serde_json::to_writer(&mut *out, &JsonFinding::from(view))?;
        writeln!(out)?;
    }
    Ok(())
}
