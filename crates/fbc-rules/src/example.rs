//! The small catalogs and bundles that rules are shown with: the policy for them, and their fixes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use fbc_bundle::BundleContents;
use fbc_lint::fix::resolve::replaced;
use fbc_lint::fix::{ResolvedFix, Safety};
use fbc_lint::policy::{Parameters, Policy};
use fbc_lint::report::{Report, load};
use fbc_lint::rule::{Basis, Case, Check, Rule};
use fbc_lint::{Profile, Severity, Targets};
use fbc_model::tree::{MemoryTree, Tree as _};
use fbc_version::OpenShiftRelease;

use crate::{RULES, lint_bundle, lint_under};

/// A finding of a case with what the first of its fixes makes of the files.
#[derive(Clone, Debug)]
pub struct FixedCase {
    /// What was wrong.
    pub message: String,
    /// The fix.
    pub fix: ResolvedFix,
    /// The files that change, with their new texts.
    pub files: BTreeMap<PathBuf, String>,
    /// What is found afterwards, of all rules.
    pub left: Arc<Report>,
    /// What was found before, of all rules.
    pub found: Arc<Report>,
}

/// The policy under which the cases of rules are shown: every rule, a catalog for OpenShift 4.17, and
/// the lists of the profile `konflux`.
#[must_use]
pub fn policy() -> Policy {
    let parameters =
        Parameters { targets: vec![OpenShiftRelease::new(4, 17)], ..Profile::Konflux.parameters() };
    let levels = RULES.iter().map(|rule| (rule.code, Some(rule.basis.severity()))).collect();
    Policy { levels, parameters, ..Policy::from(Profile::Default) }
}

/// The fixes of a case, one for each finding of the rule that has one.
#[must_use]
pub fn of_case(rule: &'static Rule, case: &Case) -> Vec<FixedCase> {
    let tree: MemoryTree = case.files(&rule.check).into_iter().collect();
    let found = Arc::new(judged(rule, &tree));
    let of_rule = found.findings.iter().filter(|located| located.finding.rule == rule);
    of_rule
        .filter_map(|located| {
            let fix = located.fixes.first()?.clone();
            let mut files = BTreeMap::new();
            let mut fixed = tree.clone();
            for file in &fix.files {
                let bytes = replaced(&tree.read(&file.path).ok()?, &file.replacements);
                files.insert(file.path.clone(), String::from_utf8_lossy(&bytes).into_owned());
                fixed.insert(file.path.clone(), bytes);
            }
            let left = Arc::new(judged(rule, &fixed));
            Some(FixedCase {
                message: located.finding.message.clone(),
                fix,
                files,
                left,
                found: Arc::clone(&found),
            })
        })
        .collect()
}

fn judged(rule: &Rule, tree: &MemoryTree) -> Report {
    let policy = Policy { with_fixes: true, ..policy() };
    match rule.check {
        Check::Catalog(_) | Check::Elsewhere => lint_under(&load(tree), tree, &policy),
        Check::Bundle(_) => lint_bundle(&BundleContents::read(tree), tree, &Targets::default(), &policy),
    }
}

/// The least risk at which findings of the rule can be fixed, as its cases show; nothing where none can.
#[must_use]
pub fn fixable(rule: &'static Rule) -> Option<Safety> {
    rule.cases().iter().flat_map(|case| of_case(rule, case)).map(|fixed| fixed.fix.safety).min()
}

/// How many of the rules that report errors can be fixed, and how many there are: by what they rest on.
#[must_use]
pub fn share() -> Vec<(&'static str, usize, usize)> {
    let groups = [
        ("opm", Basis::Opm),
        ("validators", Basis::Validators),
        ("policy", Basis::Policy),
        ("configuration", Basis::Configuration(Severity::Error)),
    ];
    let of_group = |basis: Basis| RULES.iter().filter(move |rule| rule.basis == basis);
    groups
        .into_iter()
        .map(|(name, basis)| {
            let fixable = of_group(basis).filter(|rule| fixable(rule).is_some()).count();
            (name, fixable, of_group(basis).count())
        })
        .collect()
}
