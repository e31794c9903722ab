//! Fixes fix: in every case of every rule, what a fix is for is gone afterwards, and a safe one brings no new error of
//! its rule.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::Path;

use fbc_lint::fix::{Fixed, Safety, Source, fix_all};
use fbc_lint::{Located, Policy, Report, Rule, Severity, comparison, load};
use fbc_model::tree::{MemoryTree, Tree};
use fbc_rules::RULES;
use fbc_rules::example::{FixedCase, fixable, of_case, share};
use fbc_rules::lint_under;

fn bare(report: &Report) -> Vec<Located> {
    report.findings.iter().map(|located| Located::without_place(located.finding.clone())).collect()
}

/// What is wrong with a fix, in words.
fn faults(fixed: &FixedCase, code: &str) -> Vec<String> {
    let count = |report: &Report| {
        let same = |located: &&Located| {
            located.finding.rule.code == code && located.finding.message == fixed.message
        };
        report.findings.iter().filter(same).count()
    };
    let mut faults = Vec::new();
    if count(&fixed.left) >= count(&fixed.found) {
        faults.push("the finding is still there".to_owned());
    }
    // A document that was not read at all may have faults of its own.
    let shows_more = ["BND024", "FBC003", "FBC004", "FBC007", "FBC008", "FBC009"].contains(&code);
    if fixed.fix.safety == Safety::Safe && !shows_more {
        let new = comparison::only_new(bare(&fixed.left), &bare(&fixed.found));
        let errors = new.iter().filter(|located| located.finding.severity == Severity::Error);
        // Small cases are not whole: what opm did not look at before may come to light.
        let errors = errors.filter(|located| located.finding.rule.code == code);
        faults.extend(errors.map(|located| format!("brings {}", located.finding.message)));
    }
    faults
}

#[test]
fn fixes_of_all_cases_fix() {
    let mut found = Vec::new();
    for rule in RULES.iter() {
        for case in rule.cases() {
            for fixed in of_case(rule, &case) {
                for fault in faults(&fixed, rule.code) {
                    found.push(format!(
                        "{} {}: {}: {fault}\n{:#?}",
                        rule.code, case.title, fixed.fix.title, fixed.files
                    ));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn half_of_the_error_rules_can_be_fixed() {
    let share = share();
    for (group, fixable, all) in &share {
        println!("{group}: {fixable} of {all}");
    }
    let is_error = |rule: &&&Rule| rule.basis.severity() == Severity::Error;
    let without: Vec<&str> =
        RULES.iter().filter(is_error).filter(|rule| fixable(rule).is_none()).map(|rule| rule.code).collect();
    println!("without: {}", without.join(" "));
    let (fixed, all) = share.iter().fold((0, 0), |(fixed, all), (_, one, of)| (fixed + one, all + of));
    println!("error rules with a fix: {fixed} of {all}");
    assert!(fixed * 2 >= all, "only {fixed} of {all} rules that report errors can be fixed");
    assert_eq!(fixable(RULES.find("GRF009").unwrap()), Some(Safety::Safe));
    assert_eq!(fixable(RULES.find("GRF003").unwrap()), Some(Safety::Unsafe));
    assert_eq!(fixable(RULES.find("GRF011").unwrap()), None);
}

const CATALOG: &str = "\
# The head of the file stays.
schema: olm.package
name: foo
---
schema: olm.channel
package: foo
name: stable # of course
entries:
- name: foo.v1.0.0
- name: foo.v1.1.0
  replaces: foo.v1.0.0
  skips: [\"\", foo.v1.0.5, \"\"]
- name: foo.v1.1.0
  replaces: foo.v1.0.0
  skips: [\"\", foo.v1.0.5, \"\"]
---
schema: olm.bundle
package: foo
name: foo.v1.0.0
image: docker://example.com/foo:1
properties:
- type: olm.package
  value: {packageName: foo, version: v1.0.0}
---
schema: olm.bundle
package: foo
name: foo.v1.1.0
image: example.com/foo:2
properties: []
";

fn run(text: &str, most: Safety) -> Fixed {
    let tree = MemoryTree::from_iter([("catalog.yaml", text)]);
    let judge = |tree: &dyn Tree| -> Result<(Box<dyn Source>, Report), Infallible> {
        let catalog = load(tree);
        let report = lint_under(&catalog, tree, &Policy::default());
        Ok((Box::new(catalog), report))
    };
    fix_all(&tree, most, &judge).unwrap()
}

fn text_of(fixed: &Fixed) -> &str {
    fixed.files.get(Path::new("catalog.yaml")).map_or("", |bytes| std::str::from_utf8(bytes).unwrap())
}

#[test]
fn safe_fixes_keep_the_layout() {
    let fixed = run(CATALOG, Safety::Safe);
    let expected = "\
# The head of the file stays.
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
package: foo
name: stable # of course
entries:
- name: foo.v1.0.0
- name: foo.v1.1.0
  replaces: foo.v1.0.0
  skips: [foo.v1.0.5]
---
schema: olm.bundle
package: foo
name: foo.v1.0.0
image: example.com/foo:1
properties:
- type: olm.package
  value: {packageName: foo, version: 1.0.0}
---
schema: olm.bundle
package: foo
name: foo.v1.1.0
image: example.com/foo:2
properties: []
";
    assert_eq!(text_of(&fixed), expected);
    assert!(!fixed.is_cut_short && fixed.taken_back.is_empty());
    let codes: BTreeMap<&str, usize> = fixed.applied.iter().fold(BTreeMap::new(), |mut counts, fix| {
        *counts.entry(fix.code).or_default() += 1;
        counts
    });
    for code in ["FBC018", "FBC026", "GRF007", "GRF009", "IMG001"] {
        assert!(codes.contains_key(code), "{code}: {codes:?}");
    }
}

#[test]
fn unsafe_fixes_go_further_and_nothing_is_fixed_twice() {
    let fixed = run(CATALOG, Safety::Unsafe);
    assert!(
        text_of(&fixed).contains("- type: olm.package\n  value:\n    packageName: foo\n    version: 1.1.0\n")
    );
    let again = run(text_of(&fixed), Safety::Unsafe);
    assert!(again.files.is_empty(), "{:#?}", again.applied);
}

#[test]
fn a_fix_that_brings_an_error_is_taken_back() {
    // Without the entry, foo.v1.0.0 is stranded: the head replaces what is not there.
    let text = "\
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
package: foo
name: stable
entries:
- name: foo.v1.0.0
- name: foo.v1.1.0
  replaces: foo.v1.0.0
- name: foo.v1.2.0
  replaces: foo.v1.1.0
---
schema: olm.bundle
package: foo
name: foo.v1.0.0
image: example.com/foo:1
properties:
- type: olm.package
  value: {packageName: foo, version: 1.0.0}
---
schema: olm.bundle
package: foo
name: foo.v1.2.0
image: example.com/foo:2
properties:
- type: olm.package
  value: {packageName: foo, version: 1.2.0}
";
    let fixed = run(text, Safety::Unsafe);
    assert!(fixed.files.is_empty(), "{}", text_of(&fixed));
    assert!(fixed.taken_back.iter().any(|fix| fix.code == "FBC029"), "{:?}", fixed.taken_back);
}

#[test]
fn a_misspelt_key_is_not_given_twice() {
    let text = "\
schema: olm.package
name: foo
defaultChannel: stable
---
schema: olm.channel
package: foo
name: stable
entries:
- name: foo.v1.0.0
- name: foo.v1.1.0
  replace: foo.v1.0.0 # the first
---
schema: olm.bundle
package: foo
name: foo.v1.0.0
image: example.com/foo:1
properties:
- type: olm.package
  value: {packageName: foo, version: 1.0.0}
---
schema: olm.bundle
package: foo
name: foo.v1.1.0
image: example.com/foo:2
properties:
- type: olm.package
  value: {packageName: foo, version: 1.1.0}
";
    let fixed = run(text, Safety::Unsafe);
    assert_eq!(text_of(&fixed), text.replace("replace:", "replaces:"));
    let codes: Vec<&str> = fixed.applied.iter().map(|fix| fix.code).collect();
    assert_eq!(codes, ["FBC203"]);
}
