//! `docs/rules`: a page for every rule, and the list of them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use fbc_lint::rule::{Basis, Case, Rule};
use fbc_lint::rules::RULES;
use fbc_lint::rules::rep::{self, ChangeCase};

use super::Generated;
use crate::error::TaskResult;

/// The pages.
pub(super) fn pages(_root: &Path) -> TaskResult<Vec<Generated>> {
    let mut pages: Vec<Generated> = RULES.iter().map(|rule| page(rule)).collect();
    pages.push(index(&RULES));
    Ok(pages)
}

fn page(rule: &Rule) -> Generated {
    let mut text = format!(
        "# {} {}\n\n{}.\n\n{}\n\n{}\n",
        rule.code,
        rule.name,
        rule.summary,
        authority(rule.basis),
        rule.explanation.trim()
    );
    for case in rule.cases {
        example(&mut text, case);
    }
    for case in rep::cases(rule) {
        change_example(&mut text, case);
    }
    Generated { path: PathBuf::from(format!("docs/rules/{}.md", rule.code)), content: text }
}

fn authority(basis: Basis) -> &'static str {
    match basis {
        Basis::Opm => "**Error**: opm refuses the catalog.",
        Basis::Documents => {
            "**Warning**, an error under `--profile strict`: the documented schemas forbid it, opm does not."
        }
        Basis::Advice => "**Warning**: opm accepts it, and it hurts somebody.",
    }
}

fn example(text: &mut String, case: &Case) {
    // Writing to a String cannot fail.
    let _ = write!(text, "\n## Example: {}\n\n```yaml\n{}\n```\n\n", case.title, case.catalog.trim_end());
    if case.findings.is_empty() {
        text.push_str("Nothing is found.\n");
    }
    for finding in case.findings {
        let (place, message) = finding.split_once(' ').unwrap_or((finding, ""));
        let place = match place.split_once(':') {
            Some((line, column)) => format!("Line {line}, column {column}"),
            None => "The file".to_owned(),
        };
        let _ = writeln!(text, "- {place}: {message}");
    }
}

fn change_example(text: &mut String, case: &ChangeCase) {
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        "\n## Example: {}\n\nBefore:\n\n```yaml\n{}\n```\n\nAfter:\n\n```yaml\n{}\n```\n\n",
        case.title,
        case.old.trim_end(),
        case.new.trim_end()
    );
    if case.findings.is_empty() {
        text.push_str("Nothing is found.\n");
    }
    for finding in case.findings {
        let _ = writeln!(text, "- {finding}");
    }
}

fn index(rules: &[&Rule]) -> Generated {
    let mut text =
        "# Rules\n\nWhat `fbc validate` looks for. `fbc explain CODE` shows the same pages.\n\n".to_owned();
    text.push_str("| code | name | severity | what it finds |\n|---|---|---|---|\n");
    for rule in rules {
        let severity = match rule.basis {
            Basis::Opm => "error",
            Basis::Documents => "warning (strict: error)",
            Basis::Advice => "warning",
        };
        let _ = writeln!(
            text,
            "| [{code}]({code}.md) | {} | {severity} | {} |",
            rule.name,
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
