//! The changes as one JSON document. `docs/reference/outputs.md` describes its shape.

use std::io::{self, Write};

use fbc_lint::comparison::{Affected, Change, Class, Meaning};
use fbc_rules::rep;
use serde::Serialize;

use super::Compared;
use super::validity::codes;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonDiff<'c> {
    old: &'c str,
    new: &'c str,
    summary: JsonSummary,
    changed_packages: &'c [String],
    /// The rules whose errors the new catalog has and the old one has not.
    new_errors: Vec<&'static str>,
    changes: Vec<JsonChange<'c>>,
}

#[derive(Serialize)]
struct JsonSummary {
    breaking: usize,
    risky: usize,
    harmless: usize,
    packages: usize,
    /// The worst class of all, which decides about the exit code; a new catalog that is not valid is breaking.
    worst: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct JsonChange<'c> {
    code: &'c str,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<&'c str>,
    class: &'c str,
    message: &'c str,
    #[serde(skip_serializing_if = "str::is_empty")]
    reason: &'c str,
    #[serde(skip_serializing_if = "str::is_empty")]
    package: &'c str,
    #[serde(skip_serializing_if = "str::is_empty")]
    channel: &'c str,
    #[serde(skip_serializing_if = "str::is_empty")]
    bundle: &'c str,
    #[serde(skip_serializing_if = "str::is_empty")]
    before: &'c str,
    #[serde(skip_serializing_if = "str::is_empty")]
    after: &'c str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    affected: Vec<JsonAffected<'c>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pointer: Option<&'c str>,
}

#[derive(Serialize)]
struct JsonAffected<'c> {
    effect: &'c str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    semantics: Vec<&'c str>,
    bundles: &'c [String],
}

/// Writes the documents of comparisons: the one, or several from directories of catalogs as one document.
pub fn write(documents: &[String], is_layout: bool, out: &mut dyn Write) -> io::Result<()> {
    if !is_layout {
        return documents.iter().try_for_each(|document| writeln!(out, "{document}"));
    }
    // No string of a JSON document has a line break in it, so lines can be indented.
    let inner: Vec<String> =
        documents.iter().map(|document| format!("    {}", document.replace('\n', "\n    "))).collect();
    writeln!(out, "{{\n  \"schemaVersion\": 1,\n  \"catalogs\": [\n{}\n  ]\n}}", inner.join(",\n"))
}

/// One comparison as a document.
pub fn document(compared: &Compared<'_>) -> io::Result<String> {
    let comparison = compared.comparison;
    let document = JsonDiff {
        old: &compared.old_name,
        new: &compared.new_name,
        summary: JsonSummary {
            breaking: comparison.count(Class::Breaking),
            risky: comparison.count(Class::Risky),
            harmless: comparison.count(Class::Harmless),
            packages: comparison.packages,
            worst: compared.worst().map(Class::name),
        },
        changed_packages: &comparison.changed_packages,
        new_errors: codes(compared.faults),
        changes: comparison.changes.iter().map(|change| json_change(compared, change)).collect(),
    };
    crate::output::json_document::text(&document)
}

fn json_change<'c>(compared: &Compared<'_>, change: &'c Change) -> JsonChange<'c> {
    let file = change.place.as_ref().and_then(|(origin, _)| compared.new.file(*origin));
    JsonChange {
        code: change.kind.code(),
        rule: rep::of_change(change.kind).map(|rule| rule.code),
        class: change.class.name(),
        message: &change.message,
        reason: &change.reason,
        package: &change.subject.package,
        channel: &change.subject.channel,
        bundle: &change.subject.bundle,
        before: &change.before,
        after: &change.after,
        affected: change.affected.iter().map(json_affected).collect(),
        file: file.map(|file| compared.source.shown(&file.path).display().to_string()),
        pointer: change.place.as_ref().map(|(_, pointer)| pointer.as_str()),
    }
}

fn json_affected(affected: &Affected) -> JsonAffected<'_> {
    JsonAffected {
        effect: affected.effect.name(),
        semantics: affected.meanings.iter().copied().map(Meaning::name).collect(),
        bundles: &affected.bundles,
    }
}
