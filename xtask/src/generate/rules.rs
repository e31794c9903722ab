//! `docs/rules`: a page for every rule, and the list of them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use fbc_lint::fix::Safety;
use fbc_lint::rule::{Basis, Case, ChangeCase, Check, Rule, Source};
use fbc_lint::{Profile, Severity};
use fbc_rules::RULES;
use fbc_rules::example::{fixable, of_case};

use super::Generated;
use crate::error::TaskResult;

/// The pages.
pub(super) fn pages(_root: &Path) -> TaskResult<Vec<Generated>> {
    let mut pages: Vec<Generated> = RULES.iter().map(|rule| page(rule)).collect();
    pages.push(index(&RULES));
    Ok(pages)
}

fn page(rule: &'static Rule) -> Generated {
    let mut text = format!(
        "# {} {}\n\n{}.\n\n{}{}\n\nSince fbc {}.\n\n{}\n\n{}\n",
        rule.code,
        rule.name,
        rule.summary,
        authority(rule),
        fixability(rule),
        rule.since,
        rule.explanation.trim(),
        rule.source_line(Source::markdown)
    );
    for case in &rule.cases() {
        example(&mut text, rule, case);
    }
    for case in &rule.change_cases() {
        change_example(&mut text, rule, case);
    }
    Generated { path: PathBuf::from(format!("docs/rules/{}.md", rule.code)), content: text }
}

fn authority(rule: &Rule) -> String {
    let mut text = basis(rule.basis).to_owned();
    for profile in Profile::ALL {
        for (_, severity, check) in profile.levels().filter(|(code, ..)| *code == rule.code) {
            let _ = write!(text, "\n- `--profile {}`: {}, {check}", profile.name(), severity.name());
        }
    }
    text
}

/// Whether `--fix` helps, as the cases show.
fn fixability(rule: &'static Rule) -> String {
    let text = match fixable(rule) {
        Some(Safety::Safe) => "**Fixable**: `--fix` fixes it where it is certain what is meant.",
        Some(Safety::Unsafe) => "**Fixable**: `--unsafe-fixes` fixes it; check the result.",
        None => return String::new(),
    };
    format!("\n\n{text}")
}

fn basis(basis: Basis) -> &'static str {
    match basis {
        Basis::Opm => "**Error**: opm refuses the catalog.",
        Basis::Documents => {
            "**Warning**, an error under `--profile strict`: the documented schemas forbid it, opm does not."
        }
        Basis::Validators => "**Error**: the validation of opm or operator-sdk refuses the bundle.",
        Basis::Olm => {
            "**Warning**, an error under `--profile strict`: the validators accept it, OLM does not install it."
        }
        Basis::Advice => "**Warning**: opm and the validators accept it, but it can break users.",
        Basis::Policy => {
            "**Off** unless a profile or the configuration asks for it. The examples are for OpenShift 4.17 with the \
             lists of the profile `konflux`."
        }
        Basis::Configuration(Severity::Error) => "**Error**: about the configuration of fbc itself.",
        Basis::Configuration(Severity::Warning) => "**Warning**: about the configuration of fbc itself.",
    }
}

fn example(text: &mut String, rule: &'static Rule, case: &Case) {
    // Writing to a String cannot fail.
    let _ = write!(text, "\n## Example: {}\n\n", case.title);
    for (path, file) in case.files(&rule.check) {
        write_file(text, rule, path, file);
        text.push('\n');
    }
    if case.findings.is_empty() {
        text.push_str("Nothing is found.\n");
    }
    for finding in &case.findings {
        let (place, message) = finding.split_once(' ').unwrap_or((finding, ""));
        let mut parts = place.rsplitn(3, ':');
        let place = match (parts.next(), parts.next(), parts.next()) {
            (Some(column), Some(line), None) if column != "-" => format!("Line {line}, column {column}"),
            (Some(column), Some(line), Some(path)) => format!("`{path}`, line {line}, column {column}"),
            (Some("-"), Some(path), None) => format!("`{path}`"),
            _ if matches!(rule.check, Check::Elsewhere) => "The catalog".to_owned(),
            _ => "The file".to_owned(),
        };
        let _ = writeln!(text, "- {place}: {message}");
    }
    for fixed in of_case(rule, case) {
        let _ = write!(text, "\nFix ({}): {}:\n\n", fixed.fix.safety.name(), fixed.fix.title);
        for (path, file) in &fixed.files {
            write_file(text, rule, &path.to_string_lossy(), file);
        }
    }
}

/// A file of an example, with its path where that is not plain.
fn write_file(text: &mut String, rule: &Rule, path: &str, file: &str) {
    // Writing to a String cannot fail.
    if rule.check.says_path(path) {
        let _ = write!(text, "`{path}`:\n\n");
    }
    let language = match path.rsplit('.').next() {
        Some("toml") => "toml",
        Some("json") => "json",
        Some("Dockerfile") => "dockerfile",
        _ => "yaml",
    };
    let _ = write!(text, "```{language}\n{}\n```\n", file.trim_end());
}

fn change_example(text: &mut String, rule: &Rule, case: &ChangeCase) {
    // Writing to a String cannot fail.
    let _ = write!(text, "\n## Example: {}\n\n", case.title);
    for (when, files) in ["Before", "After"].into_iter().zip(case.files()) {
        let _ = write!(text, "{when}:\n\n");
        for (path, file) in files {
            write_file(text, rule, path, file);
            text.push('\n');
        }
    }
    if case.findings.is_empty() {
        text.push_str("Nothing is found.\n");
    }
    for finding in &case.findings {
        let _ = writeln!(text, "- {finding}");
    }
}

fn index(rules: &[&'static Rule]) -> Generated {
    let mut text =
        "# Rules\n\nWhat `fbc validate` and `fbc bundle validate` (`BND`) look for. `fbc explain CODE` shows the same pages.\n\n".to_owned();
    text.push_str("| code | name | severity | fix | what it finds |\n|---|---|---|---|---|\n");
    for rule in rules {
        let severity = match rule.basis {
            Basis::Opm | Basis::Validators | Basis::Configuration(Severity::Error) => "error",
            Basis::Documents | Basis::Olm => "warning (strict: error)",
            Basis::Advice | Basis::Configuration(Severity::Warning) => "warning",
            Basis::Policy => "off ([profiles](../reference/profiles.md))",
        };
        let _ = writeln!(
            text,
            "| [{code}]({code}.md) | {} | {severity} | {} | {} |",
            rule.name,
            fixable(rule).map_or("", Safety::name),
            rule.summary,
            code = rule.code
        );
    }
    Generated { path: PathBuf::from("docs/rules/README.md"), content: text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_a_page_and_a_row() {
        let pages = pages(Path::new("")).unwrap();
        assert_eq!(pages.len(), RULES.len() + 1);
        let index = &pages.last().unwrap().content;
        for rule in RULES.iter() {
            assert!(index.contains(rule.code) && index.contains(rule.name));
        }
    }
}
