//! Every rule finds in its cases what it says it finds, and has the documentation that it must have.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fbc_bundle::BundleContents;
use fbc_lint::comparison;
use fbc_lint::image_facts::CatalogImage;
use fbc_lint::load;
use fbc_lint::rule::{Basis, Case, ChangeCase, Check, Rule};
use fbc_lint::{Finding, ImageFacts, Report, Targets};
use fbc_model::Bundle;
use fbc_model::load::load_bytes;
use fbc_model::render::MigrateLevel;
use fbc_model::tree::{MemoryTree, Tree as _};
use fbc_rules::rep;
use fbc_rules::rep::repository::{self, Surroundings, Touch};
use fbc_rules::{RULES, example};
use fbc_rules::{lint_bundle, lint_template, lint_with};
use fbc_template::{BundleSource, OpmSemantics, Renderer, SourceError, detect, render};
use serde_json::Value;

/// Rules about files and directories themselves, which no small case can break; see `files.rs` and `bundles.rs`.
const ABOUT_FILES: [&str; 8] =
    ["FBC001", "FBC002", "FBC033", "FBC216", "FBC217", "BND021", "BND026", "BND211"];
/// A rule about what no case has: a target before 4.17; see `profiles.rs`.
const NOT_IN_CASES: [&str; 1] = ["FBC231"];

/// Whether only a command finds it, in files beside catalogs: `rule_cases.rs` of `fbc` runs such cases.
fn is_of_command(rule: &Rule) -> bool {
    matches!(rule.basis, Basis::Configuration(_)) || ["LFC007", "FBC248"].contains(&rule.code)
}

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
        Check::Catalog(_) => lint_with(&load(&tree), &tree, &example::policy(), facts),
        Check::Elsewhere => template_report(&tree),
        Check::Bundle(_) => {
            lint_bundle(&BundleContents::read(&tree), &tree, &Targets::default(), &example::policy())
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

/// What the bundles of `bundles.yaml` make of `template.yaml`, looked over.
fn template_report(tree: &MemoryTree) -> Report {
    struct Bundles(Vec<Bundle>);
    impl BundleSource for Bundles {
        fn bundle(&self, reference: &str) -> Result<Bundle, SourceError> {
            let of_image = self.0.iter().find(|bundle| bundle.image == reference);
            of_image.cloned().ok_or_else(|| SourceError::Unusable("no such image".to_owned()))
        }
    }
    let path = Path::new("template.yaml");
    let read = |path: &Path| tree.read(path).unwrap();
    let (text, source) =
        (read(path), Bundles(load_bytes(path, &read(Path::new("bundles.yaml"))).bundles.clone()));
    let kind = detect(&text).unwrap();
    let renderer = Renderer {
        source: &source,
        validate: &|_| None,
        migrate: MigrateLevel::ALL,
        semantics: OpmSemantics::default(),
    };
    let expansion = render(kind, &text, &renderer).unwrap();
    lint_template(kind, (tree, path), &text, &expansion, &example::policy())
}

/// What a change does to a catalog, and to a repository of operators.
fn found_in_change(case: &ChangeCase) -> Vec<Finding> {
    let [old, new] = case.files().map(MemoryTree::from_iter);
    let (before, after) = (load(&old), load(&new));
    let compared = comparison::compare(&before, &after);
    let report = rep::report(&after, &new, &compared.changes);
    let (_, unknown) = rep::unknown_breakage((&before, &old), (&after, &new));
    let read = |tree: &MemoryTree, path: &Path| tree.read(path).ok();
    let paths: BTreeSet<&str> = case.files().into_iter().flatten().map(|(path, _)| path).collect();
    let touched: Vec<(PathBuf, Touch)> = paths
        .into_iter()
        .map(Path::new)
        .filter_map(|path| {
            let touch = match (read(&old, path), read(&new, path)) {
                (None, _) => Touch::Added,
                (_, None) => Touch::Deleted,
                (before, after) if before == after => return None,
                _ => Touch::Modified,
            };
            Some((path.to_path_buf(), touch))
        })
        .collect();
    let around = Surroundings {
        existed: &|folder| old.list(folder).is_ok_and(|entries| !entries.is_empty()),
        exists: &|folder| new.list(folder).is_ok_and(|entries| !entries.is_empty()),
        users: &|package, version| {
            let has = |bundle: &&Bundle| {
                bundle.package == package && bundle.name.ends_with(&format!(".v{version}"))
            };
            let file = |bundle: &Bundle| &after.files[bundle.origin.file as usize].path;
            let catalogs = after.bundles.iter().filter(has).map(|bundle| file(bundle).ancestors().nth(2));
            catalogs.map(|catalog| catalog.unwrap().display().to_string()).collect()
        },
    };
    let findings = report.findings.into_iter().map(|located| located.finding);
    findings.chain(unknown).chain(repository::findings(&touched, &around)).collect()
}

#[test]
fn cases_of_changes() {
    for rule in rep::RULES {
        for case in rule.change_cases() {
            let findings = found_in_change(&case);
            let of_rule = findings.iter().filter(|finding| finding.rule == *rule);
            let found: Vec<&str> = of_rule.map(|finding| finding.message.as_str()).collect();
            assert_eq!(found, case.findings, "{} {}", rule.code, case.title);
        }
    }
}

/// Among them D-ARC-14: packages that provide the same custom resource are reported (OLM008).
#[test]
fn cases_of_all_rules() {
    let mut failures = Vec::new();
    for rule in RULES.iter().filter(|rule| !is_of_command(rule)) {
        for case in rule.cases() {
            let found = found(rule, &case);
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
        let with_findings = |is_found: bool| {
            let one = rule.cases().iter().any(|case| case.findings.is_empty() != is_found);
            one || rule.change_cases().iter().any(|case| case.findings.is_empty() != is_found)
        };
        let is_special = ABOUT_FILES.contains(&rule.code) || NOT_IN_CASES.contains(&rule.code);
        assert!(with_findings(true) || is_special, "{} has no case that it finds", rule.code);
        assert!(with_findings(false) || is_special, "{} has no case without findings", rule.code);
    }
}
