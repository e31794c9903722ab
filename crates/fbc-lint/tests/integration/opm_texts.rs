//! The recorded answers of opm: what it refuses is an error here, and nothing else is; and its own
//! text comes out of the findings.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use fbc_lint::load;
use fbc_lint::{Profile, Report, Severity};
use fbc_model::tree::DiskTree;
use fbc_rules::RULES;
use fbc_rules::lint;

fn lint_folder(root: PathBuf) -> Report {
    let tree = DiskTree { root };
    lint(&load(&tree), &tree, Profile::Default)
}

/// The order of packages, channels and bundles in opm's tree is random, so trees compare as sets of
/// leaves with their paths.
fn paths_of_tree(text: &str) -> BTreeSet<String> {
    let mut nodes: Vec<&str> = Vec::new();
    let mut paths = BTreeSet::new();
    for line in text.lines() {
        let name = line.trim_start_matches(['│', '├', '└', '─', ' ']);
        let depth = (line.chars().count() - name.chars().count()) / 4;
        nodes.truncate(depth);
        nodes.push(name);
        paths.insert(nodes.join("\n"));
    }
    paths
}

fn is_same(ours: &str, recorded: &str) -> bool {
    ours == recorded
        || (recorded.starts_with("invalid index:") && paths_of_tree(ours) == paths_of_tree(recorded))
}

#[test]
fn recorded_answers() {
    let Some(folder) = fbc_testing::recordings("") else { return };
    let Some(cases) = fbc_testing::recorded_json("validate/expected.json") else { return };
    let mut failures = Vec::new();
    // What only the rules about graphs and deprecations find, as long as there are none.
    let mut missing = Vec::new();
    let has_family = |family: &str| RULES.iter().any(|rule| rule.code.starts_with(family));
    let is_complete = has_family("GRF") && has_family("DEP");
    for case in cases.as_array().unwrap() {
        let name = case["case"].as_str().unwrap();
        let report = lint_folder(folder.join("validate/cases").join(name));
        let refused = case["rc"] != 0;
        let errors: Vec<_> = report
            .findings
            .iter()
            .filter(|located| located.finding.severity == Severity::Error)
            .map(|located| format!("{} {}", located.finding.rule.code, located.finding.message))
            .collect();
        if errors.is_empty() && refused && !is_complete {
            missing.push(name.to_owned());
            continue;
        }
        if errors.is_empty() == refused {
            failures.push(format!("{name}: refused is {refused}, the errors are {errors:#?}"));
        }
        let recorded = case["error"].as_str();
        let same = match (report.opm_error.as_deref(), recorded) {
            (Some(ours), Some(recorded)) => is_same(ours, recorded),
            (ours, recorded) => ours == recorded,
        };
        if !same {
            failures.push(format!("{name}: opm says {recorded:?}, we say {:?}", report.opm_error));
        }
    }
    println!("missing: {missing:?}");
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn real_catalogs_have_no_errors() {
    let Some(folder) = fbc_testing::recordings("catalogs") else { return };
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let report = lint_folder(path.clone());
        let mut numbers: BTreeMap<&str, usize> = BTreeMap::new();
        let mut errors = Vec::new();
        for located in &report.findings {
            *numbers.entry(located.finding.rule.code).or_default() += 1;
            if located.finding.severity == Severity::Error {
                errors.push(located.finding.message.clone());
            }
        }
        println!("{}: {numbers:?}", path.file_name().unwrap_or_default().display());
        assert!(errors.is_empty() && report.opm_error.is_none(), "{}: {errors:#?}", path.display());
    }
}
