//! SARIF 2.1.0, for code scanning services.
//!
//! Format: <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>

use std::io::{self, Write};

use fbc_app::checked::{CheckedCatalog, FindingView};
use fbc_lint::fingerprint::fnv1a;
use fbc_lint::fix::ResolvedFix;
use fbc_lint::policy::set_aside::Cause;
use fbc_lint::rule::Source;
use fbc_lint::{RelatedPlace, Rule, Severity};
use fbc_rules::RULES;
use serde_json::{Value, json};

use crate::{Style, Summary};

/// Writes the document.
///
/// # Errors
/// Those of the output.
pub fn write(catalogs: &[CheckedCatalog], style: Style, out: &mut dyn Write) -> io::Result<()> {
    let mut results: Vec<Value> = style.shown(catalogs).map(|view| result(&view)).collect();
    let set_aside: Vec<Value> = catalogs
        .iter()
        .flat_map(CheckedCatalog::set_aside)
        .map(|(view, cause)| suppressed(&view, cause))
        .collect();
    if !set_aside.is_empty() {
        // Either every result of a run says whether it is suppressed, or none does.
        results.iter_mut().for_each(|result| result["suppressions"] = json!([]));
        results.extend(set_aside);
    }
    let mut log = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "fbc",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": RULES.iter().map(|rule| descriptor(rule)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    });
    if let Some(shard) = style.shard {
        // The counts include findings that are not shown.
        let Summary { errors, warnings, .. } = Summary::from_catalogs(catalogs);
        log["runs"][0]["properties"] =
            json!({ "shard": shard.to_string(), "errors": errors, "warnings": warnings });
        if let Some(limit) = style.max_findings {
            log["runs"][0]["properties"]["maxFindings"] = limit.into();
        }
    }
    serde_json::to_writer_pretty(&mut *out, &log)?;
    writeln!(out)
}

fn descriptor(rule: &Rule) -> Value {
    let help = |source: String| format!("{}\n\n{source}", rule.explanation.trim_end());
    let (text, markdown) =
        (help(rule.source_line(Source::to_string)), help(rule.source_line(Source::markdown)));
    json!({
        "id": rule.code,
        "name": rule.name,
        "shortDescription": { "text": rule.summary },
        "fullDescription": { "text": rule.explanation },
        "help": { "text": text, "markdown": markdown },
        "defaultConfiguration": { "level": rule.basis.severity().name() },
    })
}

/// A finding that does not count.
fn suppressed(view: &FindingView<'_>, cause: &Cause) -> Value {
    let mut result = result(view);
    let justification = match cause {
        Cause::Waived { reason } => reason.as_str(),
        Cause::Baselined => "in the baseline",
    };
    result["suppressions"] =
        json!([{ "kind": "external", "status": "accepted", "justification": justification }]);
    result
}

fn result(view: &FindingView<'_>) -> Value {
    let finding = &view.located.finding;
    let mut message = finding.message.clone();
    for part in finding.notes.iter().chain([&finding.help]).filter(|part| !part.is_empty()) {
        message.push('\n');
        message.push_str(part);
    }
    let mut result = json!({
        "ruleId": finding.rule.code,
        "level": match finding.severity { Severity::Error => "error", Severity::Warning => "warning" },
        // Readers make links of `[text](address)`, unless its bracket is escaped.
        "message": { "text": message.replace("](", "\\](") },
    });
    if let Some(index) = RULES.iter().position(|rule| rule.code == finding.rule.code) {
        result["ruleIndex"] = index.into();
    }
    // Without the line, so that an edit above does not make an old finding a new one.
    let file = view.file.as_deref().unwrap_or_default();
    let fingerprint = fnv1a([finding.rule.code, file, &finding.message]);
    result["partialFingerprints"] = json!({ "fbcFinding/v1": format!("{fingerprint:016x}") });
    // Code scanning refuses results without a place; what has no file is about the catalog.
    let file = view.file.as_ref().unwrap_or(&view.catalog);
    if !file.is_empty() {
        let mut location = json!({ "physicalLocation": { "artifactLocation": { "uri": uri(file) } } });
        if let Some((line, column)) = view.start {
            let mut region = json!({ "startLine": line });
            if let Some(column) = column {
                region["startColumn"] = column.into();
            }
            if let Some((line, column)) = view.end {
                region["endLine"] = line.into();
                region["endColumn"] = column.into();
            }
            location["physicalLocation"]["region"] = region;
        }
        if !finding.label.is_empty() {
            location["message"] = json!({ "text": finding.label });
        }
        result["locations"] = json!([location]);
    }
    if !view.related.is_empty() {
        result["relatedLocations"] =
            view.related.iter().map(|(file, related)| location(file, related)).collect();
    }
    if !view.located.fixes.is_empty() {
        result["fixes"] = view.located.fixes.iter().map(|one| fix(view, one)).collect();
    }
    result
}

fn location(file: &str, related: &RelatedPlace) -> Value {
    let mut place = json!({ "artifactLocation": { "uri": uri(file) } });
    if let Some(span) = &related.span {
        place["region"] = json!({
            "startLine": span.start.0,
            "startColumn": span.start.1,
            "endLine": span.end.0,
            "endColumn": span.end.1,
        });
    }
    json!({ "message": { "text": related.message }, "physicalLocation": place })
}

fn fix(view: &FindingView<'_>, fix: &ResolvedFix) -> Value {
    let changes = fix.files.iter().map(|file| {
        let replacements = file.lines.iter().map(|lines| {
            json!({
                "deletedRegion": {
                    "startLine": lines.first,
                    "startColumn": 1,
                    "endLine": lines.last + 1,
                    "endColumn": 1,
                },
                "insertedContent": { "text": lines.text },
            })
        });
        json!({
            "artifactLocation": { "uri": uri(view.fix_file(&file.path)) },
            "replacements": replacements.collect::<Vec<_>>(),
        })
    });
    let text = format!("{} ({})", fix.title, fix.safety.name());
    json!({ "description": { "text": text }, "artifactChanges": changes.collect::<Vec<_>>() })
}

/// A path as a URI reference: relative paths stay relative to where the command runs.
fn uri(path: &str) -> String {
    let mut uri = if path.starts_with('/') { "file://".to_owned() } else { String::new() };
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z'
            | b'a'..=b'z'
            | b'0'..=b'9'
            | b'-'
            | b'.'
            | b'_'
            | b'~'
            | b'/'
            | b'+'
            | b'@'
            | b',' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::uri;

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("a b/ü.yaml"), "a%20b/%C3%BC.yaml");
        assert_eq!(uri("/tmp/x:1"), "file:///tmp/x%3A1");
    }
}
