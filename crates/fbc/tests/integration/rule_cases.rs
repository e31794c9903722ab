//! The cases of rules that only the command breaks: about `fbc.toml`, baselines, and files beside catalogs.

use std::fs;

use fbc_lint::Rule;
use fbc_lint::rule::{Case, Check};
use fbc_rules::RULES;
use serde_json::Value;

/// Runs the command where the files of the case are; what it finds by this rule, as cases write it.
fn found(rule: &Rule, case: &Case) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    for (path, text) in case.files(&rule.check) {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let catalog = if folder.path().join("catalog").exists() { "catalog" } else { "." };
    let words = ["validate", catalog, "--today", "2026-06-30", "-o", "json"];
    let output = crate::fbc().args(words).current_dir(folder.path()).output();
    assert_ne!(output.status.code(), Some(2), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap();
    findings.iter().filter(|finding| finding["code"] == rule.code).map(shown).collect()
}

fn shown(finding: &Value) -> String {
    let file = finding["file"].as_str().map(|file| format!("{file}:")).unwrap_or_default();
    let place = match (&finding["line"], &finding["column"]) {
        (Value::Number(line), Value::Number(column)) => format!("{line}:{column}"),
        _ => "-".to_owned(),
    };
    format!("{file}{place} {}", finding["message"].as_str().unwrap())
}

#[test]
fn cases_of_the_command() {
    let mut ran = 0;
    // Templates are looked over without the command; see `cases.rs` of `fbc-lint`.
    let of_command = |rule: &&Rule| matches!(rule.check, Check::Elsewhere) && !rule.code.starts_with("TPL");
    for rule in RULES.iter().copied().filter(of_command) {
        for case in rule.cases() {
            assert_eq!(found(rule, &case), case.findings, "{} {}", rule.code, case.title);
            ran += 1;
        }
    }
    assert!(ran > 0, "no rule has such a case");
}
