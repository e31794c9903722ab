//! What makes the new catalog invalid and was not there before: who reads only the changes would take them for harmless.

use std::collections::BTreeSet;

use fbc_lint::comparison::only_new;
use fbc_lint::{Located, Profile, Severity};
use fbc_model::Catalog;
use fbc_rules::lint;
use fbc_source::CatalogSource;

/// Codes that are named.
const CODES_SHOWN: usize = 3;

/// What opm refuses in the new catalog and not in the old one, in packages that are wanted.
pub fn new_faults(
    (old, old_source): (&Catalog, &CatalogSource),
    (new, new_source): (&Catalog, &CatalogSource),
    wants: &dyn Fn(&str) -> bool,
) -> Vec<Located> {
    let errors = |catalog: &Catalog, source: &CatalogSource| {
        let report = lint(catalog, source.tree.as_ref(), Profile::Opm);
        let errors = report.findings.into_iter().filter(|one| one.finding.severity == Severity::Error);
        errors.collect::<Vec<_>>()
    };
    let mut found = errors(new, new_source);
    found.retain(|one| wants(&one.finding.subject.package));
    if found.is_empty() { found } else { only_new(found, &errors(old, old_source)) }
}

/// The codes of their rules, each once, in the order of the findings.
pub fn codes(faults: &[Located]) -> Vec<&'static str> {
    let mut seen = BTreeSet::new();
    faults.iter().map(|one| one.finding.rule.code).filter(|code| seen.insert(*code)).collect()
}

/// `the new catalog is not valid: FBC028`; nothing where it has no new faults.
pub fn sentence(faults: &[Located]) -> Option<String> {
    let codes = codes(faults);
    if codes.is_empty() {
        return None;
    }
    let shown: Vec<&str> = codes.iter().take(CODES_SHOWN).copied().collect();
    let more = match codes.len().saturating_sub(CODES_SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("the new catalog is not valid: {}{more}", shown.join(", ")))
}
