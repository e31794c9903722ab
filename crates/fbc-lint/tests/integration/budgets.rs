//! What hostile input costs: findings are kept up to a number and counted beyond it, and each costs the same
//! however large its file is.

use std::path::PathBuf;

use fbc_lint::finding::MOST_FINDINGS;
use fbc_lint::{Policy, Profile, Report, Severity};
use fbc_model::load::load_tree;
use fbc_model::tree::MemoryTree;
use fbc_rules::lint_under;

fn report(text: String, policy: &Policy) -> Report {
    let tree = MemoryTree::from_iter([(PathBuf::from("catalog.yaml"), text.into_bytes())]);
    lint_under(&load_tree(&tree), &tree, policy)
}

#[test]
fn findings_beyond_the_budget_are_counted() {
    let policy = Policy { most_findings: 3, ..Policy::default() };
    let report = report("{}\n".repeat(10), &policy);
    assert_eq!(report.findings.len(), 3);
    assert_eq!(report.count(Severity::Error), 10);
    assert_eq!(report.count(Severity::Warning), 0);
    let whole = self::report("{}\n".repeat(10), &Policy::default());
    assert_eq!(report.opm_error, whole.opm_error);
    assert!(whole.counted_only.is_empty());
}

#[test]
fn the_first_refusal_of_opm_is_known_beyond_the_budget() {
    // The channels come in another order than their packages, in which the rule looks at them.
    let channel = |package: &str| format!("schema: olm.channel\npackage: {package}\nname: ''\n---\n");
    let text = ["c", "b", "a"].map(channel).concat() + "schema: olm.package\nname: a\ndefaultChannel: x\n";
    let whole = report(text.clone(), &Policy::default());
    let cut = report(text, &Policy { most_findings: 1, ..Policy::default() });
    assert_eq!(cut.opm_error, whole.opm_error);
    assert!(cut.findings.len() < whole.findings.len());
}

#[test]
fn a_finding_costs_the_same_in_a_long_line() {
    let bytes_of = |documents: usize| {
        let report = report("{}".repeat(documents), &Policy::default());
        let excerpts = report.findings.iter().filter_map(|located| located.excerpt.as_ref());
        let bytes: usize = excerpts.map(|excerpt| excerpt.bytes.len()).sum();
        (report.findings.len(), bytes, report.count(Severity::Error))
    };
    let (kept, bytes, count) = bytes_of(5 * MOST_FINDINGS);
    assert_eq!((kept, count), (MOST_FINDINGS, 5 * MOST_FINDINGS));
    assert!(bytes < kept * 4096, "{bytes} bytes of {kept} findings");
}

#[test]
fn opm_profile_counts_as_well() {
    let policy = Policy { most_findings: 2, ..Policy::from(Profile::Opm) };
    let duplicate = format!("schema: olm.package\nname: a\n{}", "name: a\n".repeat(10));
    // What the profile does not want is not counted either.
    assert_eq!(report(duplicate.clone(), &policy).count(Severity::Warning), 0);
    let counted = report(duplicate, &Policy { most_findings: 2, ..Policy::default() });
    assert_eq!(counted.count(Severity::Warning), 10);
}
