//! A file that changed cannot be loaded, so nobody knows what the change breaks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use fbc_go::text::quote;
use fbc_lint::comparison::scope::packages_by_file;
use fbc_lint::finding::{Finding, Place, Spot, Subject};
use fbc_lint::names::name_list;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::Catalog;
use fbc_model::tree::Tree;

/// See [`Rule::explanation`]. Found by [`unknown_breakage`].
pub static RULE: Rule = Rule {
    code: "REP105",
    name: "breakage-unknown",
    since: "0.1.0",
    summary: "A file that changed cannot be loaded, so what the change breaks is not known",
    explanation: "\
What a change breaks is found by comparing blobs, and blobs that cannot be loaded before or after the change
would seem to be added or removed. The packages of such a file are not compared; all others are.

Fix the file first, in a change of its own, and compare with that.",
    sources: &[Source::Advice("a blob that cannot be loaded on one side would seem to be added or removed")],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("breakage_unknown.cases"),
};

/// The packages of which nobody knows what the change breaks, and a finding for each file that is the reason:
/// it differs, and cannot be loaded on one side. Each catalog comes with the tree that it was loaded from.
#[must_use]
pub fn unknown_breakage(
    old: (&Catalog, &dyn Tree),
    new: (&Catalog, &dyn Tree),
) -> (BTreeSet<String>, Vec<Finding>) {
    let mut faulty: BTreeMap<&Path, &str> = BTreeMap::new();
    for ((catalog, _), when) in [(new, "now"), (old, "before the change")] {
        faulty.extend(catalog.faults.iter().map(|fault| (fault.path.as_path(), when)));
    }
    faulty.retain(|path, _| match (old.1.read(path), new.1.read(path)) {
        (Ok(before), Ok(after)) => before != after,
        _ => true,
    });
    let mut unknown = BTreeSet::new();
    let mut findings = Vec::new();
    for (path, when) in faulty {
        let mut packages: BTreeSet<&str> = BTreeSet::new();
        for (catalog, _) in [old, new] {
            let by_file = catalog.files.iter().zip(packages_by_file(catalog));
            // A directory may be what cannot be read.
            packages
                .extend(by_file.filter(|(file, _)| file.path.starts_with(path)).flat_map(|(_, names)| names));
        }
        packages.remove("");
        let of = match packages.len() {
            0 => String::new(),
            1 => format!(" in package {}", name_list(packages.iter().copied())),
            _ => format!(" in packages {}", name_list(packages.iter().copied())),
        };
        let name = quote(&path.display().to_string());
        let message =
            format!("{name} could not be loaded {when}, so what the change breaks{of} is not known");
        let place = Place { path: path.to_path_buf(), origin: None, spot: Spot::File };
        let subject = match (packages.len(), packages.first()) {
            (1, Some(package)) => Subject::package(package),
            _ => Subject::default(),
        };
        findings.push(Finding::new(&RULE, message).about(subject).at(place));
        unknown.extend(packages.into_iter().map(str::to_owned));
    }
    (unknown, findings)
}
