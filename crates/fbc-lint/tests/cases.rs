//! Every rule finds in its cases what it says it finds, and has the documentation that it must have.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fbc_bundle::BundleContents;
use fbc_lint::comparison;
use fbc_lint::image_facts::CatalogImage;
use fbc_lint::load;
use fbc_lint::rule::{Basis, Case, Check, Rule};
use fbc_lint::rules::{RULES, rep};
use fbc_lint::{ImageFacts, Policy, Targets, lint_bundle, lint_with};
use fbc_model::tree::{MemoryTree, Tree as _};
use serde_json::Value;

/// Rules about files and directories themselves, which no small case can break; see `files.rs` and `bundles.rs`.
const ABOUT_FILES: [&str; 8] =
    ["FBC001", "FBC002", "FBC033", "FBC216", "FBC217", "BND021", "BND026", "BND211"];
/// Rules about what no case has: a directory at the root, a target before 4.17; see `profiles.rs`.
const NOT_IN_CASES: [&str; 2] = ["FBC231", "FBC234"];

/// What the files of a case say of images: `facts.json`, and the released index in `index`.
fn image_facts(files: &mut Vec<(&'static str, &'static str)>) -> ImageFacts {
    let mut facts = ImageFacts::default();
    let index: MemoryTree = files.extract_if(.., |(path, _)| path.starts_with("index/")).collect();
    facts.index = (!index.list(Path::new("")).unwrap().is_empty()).then(|| load(&index).into());
    let text = files.extract_if(.., |(path, _)| *path == "facts.json").next();
    let Some(value) = text.map(|(_, text)| serde_json::from_str::<Value>(text).unwrap()) else {
        return facts;
    };
    let texts = |value: &Value| -> BTreeMap<String, String> {
        let pairs = value.as_object().into_iter().flatten();
        pairs.map(|(key, value)| (key.clone(), value.as_str().unwrap().to_owned())).collect()
    };
    let list = |value: &Value| -> Vec<String> {
        value.as_array().into_iter().flatten().map(|item| item.as_str().unwrap().to_owned()).collect()
    };
    facts.unreachable = texts(&value["unreachable"]);
    facts.indexes = list(&value["indexes"]).into_iter().collect();
    facts.only_in_mirror = list(&value["only_in_mirror"]).into_iter().collect();
    facts.image = value.get("image").map(|image| CatalogImage {
        platforms: list(&image["platforms"]),
        labels: texts(&image["labels"]),
        annotations: texts(&image["annotations"]),
        files: image.get("files").map(list),
    });
    facts
}

fn found(rule: &'static Rule, case: &Case) -> Vec<String> {
    let mut files = case.files(&rule.check);
    let facts = image_facts(&mut files);
    let tree: MemoryTree = files.into_iter().collect();
    let report = match rule.check {
        Check::Catalog(_) | Check::Elsewhere => lint_with(&load(&tree), &tree, &Policy::of_examples(), facts),
        Check::Bundle(_) => {
            lint_bundle(&BundleContents::read(&tree), &tree, &Targets::default(), &Policy::of_examples())
        }
    };
    let of_rule = report.findings.iter().filter(|located| located.finding.rule == rule);
    of_rule
        .map(|located| {
            let path = located.finding.place.as_ref().map(|place| place.path.as_path());
            let path = path.filter(|path| *path != Path::new(rule.check.first_file()));
            let file = path.map(|path| format!("{}:", path.display())).unwrap_or_default();
            let place = located.span.as_ref();
            let place = place.map_or("-".to_owned(), |span| format!("{}:{}", span.start.0, span.start.1));
            format!("{file}{place} {}", located.finding.message)
        })
        .collect()
}

/// Rules about the files of a change set (see `comparison::repository`) and about templates (see `template`).
const WITHOUT_CASES: [&str; 9] =
    ["LFC007", "REP101", "REP102", "REP103", "REP104", "REP105", "TPL001", "TPL002", "TPL003"];

#[test]
fn cases_of_changes() {
    for rule in rep::RULES {
        for case in rep::cases(rule) {
            let trees = [case.old, case.new].map(|text| MemoryTree::from_iter([("catalog.yaml", text)]));
            let [old, new] = trees.each_ref().map(|tree| load(tree));
            assert!(old.faults.is_empty() && new.faults.is_empty(), "{} {}", rule.code, case.title);
            let comparison = comparison::compare(&old, &new);
            let report = comparison::report(&new, &trees[1], &comparison.changes);
            let findings = report.findings.iter().map(|located| &located.finding);
            let found: Vec<&str> = findings
                .filter(|finding| finding.rule == *rule)
                .map(|finding| finding.message.as_str())
                .collect();
            assert_eq!(found, case.findings, "{} {}", rule.code, case.title);
        }
    }
}

/// Among them D-ARC-14: packages that provide the same custom resource are reported (OLM008).
#[test]
fn cases_of_all_rules() {
    let mut failures = Vec::new();
    for rule in RULES.iter() {
        for case in rule.cases {
            let found = found(rule, case);
            if found != case.findings {
                failures.push(format!(
                    "{} {}: found {found:#?}, the case says {:#?}",
                    rule.code, case.title, case.findings
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn rules_are_in_order_and_documented() {
    let codes: Vec<_> = RULES.iter().map(|rule| rule.code).collect();
    assert!(codes.is_sorted(), "rules stand in the order of their codes: {codes:?}");
    assert_eq!(codes.iter().collect::<BTreeSet<_>>().len(), codes.len(), "a code is used twice");
    let names: BTreeSet<_> = RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(names.len(), RULES.len(), "a name is used twice");
    for rule in RULES.iter() {
        assert!(rule.explanation.len() > 80, "{} explains too little", rule.code);
        assert!(!rule.summary.ends_with('.'), "{}: a summary has no full stop", rule.code);
        if matches!(rule.basis, Basis::Configuration(_)) {
            assert!(rule.cases.is_empty(), "{} is not about catalogs", rule.code);
            continue;
        }
        if WITHOUT_CASES.contains(&rule.code) {
            continue;
        }
        let with_findings = |is_found: bool| {
            let one = rule.cases.iter().any(|case| case.findings.is_empty() != is_found);
            one || rep::cases(rule).iter().any(|case| case.findings.is_empty() != is_found)
        };
        let is_special = ABOUT_FILES.contains(&rule.code) || NOT_IN_CASES.contains(&rule.code);
        assert!(with_findings(true) || is_special, "{} has no case that it finds", rule.code);
        assert!(with_findings(false) || is_special, "{} has no case without findings", rule.code);
    }
}
