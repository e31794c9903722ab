//! What a change set does to a repository of operators: bundle directories `operators/<operator>/<version>/`
//! beside catalogs `catalogs/<OpenShift version>/<operator>/`.
//!
//! Source of the layout: `redhat-openshift-ecosystem/operator-pipelines` (`operatorcert/parsed_file.py`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use fbc_go::text::quote;
use fbc_lint::finding::{Finding, Place, Spot, Subject};
use fbc_lint::names::name_list;
use fbc_lint::rule::Rule;
use fbc_version::OpenShiftRelease;
use fbc_version::Version;

use super::{bundles_and_catalogs_together, published_bundle_edited, several_operators, used_bundle_deleted};

/// The directories of a repository whose files count.
pub const FOLDERS: [&str; 2] = ["operators", "catalogs"];

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Touch {
    /// It is new.
    Added,
    /// It is another.
    Modified,
    /// It is gone.
    Deleted,
}

/// A directory of a bundle: an operator, and a version as the directory is named.
pub type BundleFolder = (String, String);

/// What must be known of the repository besides the files that were touched.
pub struct Surroundings<'s> {
    /// Whether a directory was there before the change.
    pub existed: &'s dyn Fn(&Path) -> bool,
    /// Whether a directory is there now.
    pub exists: &'s dyn Fn(&Path) -> bool,
    /// The catalogs that have a bundle of this package and version now, as they are shown to users.
    pub users: &'s dyn Fn(&str, &Version) -> Vec<String>,
}

/// The findings of a change set. Paths are relative to the root of the repository.
#[must_use]
pub fn findings(touched: &[(PathBuf, Touch)], around: &Surroundings<'_>) -> Vec<Finding> {
    let mut bundles: BTreeMap<BundleFolder, (Vec<&Path>, Vec<&Path>)> = BTreeMap::new();
    let mut operators: BTreeSet<&str> = BTreeSet::new();
    let mut catalogs: Vec<&Path> = Vec::new();
    for (path, touch) in touched {
        let Some(part) = part_of(path) else { continue };
        operators.insert(part.operator);
        match part.kind {
            PartKind::Catalog => catalogs.push(path),
            PartKind::Operator => {}
            PartKind::Bundle(version) => {
                let (edited, added) =
                    bundles.entry((part.operator.to_owned(), version.to_owned())).or_default();
                if *touch == Touch::Added { added.push(path) } else { edited.push(path) }
            }
        }
    }
    let mut findings = Vec::new();
    for ((operator, version), (edited, added)) in &bundles {
        let folder = Path::new("operators").join(operator).join(version);
        if !(around.existed)(&folder) {
            continue;
        }
        let first = edited.first().or(added.first()).copied().unwrap_or(&folder);
        if (around.exists)(&folder) {
            findings.push(edited_bundle(operator, version, first, edited.len() + added.len()));
        } else if let Ok(number) = Version::parse(version.trim_start_matches('v')) {
            let users = (around.users)(operator, &number);
            if !users.is_empty() {
                findings.push(deleted_bundle(operator, version, &users));
            }
        }
    }
    if let (Some(((operator, version), _)), Some(catalog)) = (bundles.first_key_value(), catalogs.first()) {
        findings.push(
            about(
                &bundles_and_catalogs_together::RULE,
                operator,
                catalog,
                "the change touches bundles and catalogs at once",
            )
            .note(format!("it touches {} and {}", bundle_text(operator, version), catalog.display()))
            .help("make two pull requests: first the bundle, then the catalogs"),
        );
    }
    if let (Some(first), true) = (operators.first(), operators.len() > 1) {
        let path = touched.iter().map(|(path, _)| path.as_path()).find(|path| part_of(path).is_some());
        let names = name_list(operators.iter().copied().collect::<Vec<_>>().into_iter());
        let message = format!("the change touches {} operators: {names}", operators.len());
        findings.push(
            about(&several_operators::RULE, first, path.unwrap_or(Path::new("")), &message)
                .help("make one pull request for each operator"),
        );
    }
    findings
}

fn edited_bundle(operator: &str, version: &str, first: &Path, files: usize) -> Finding {
    let message = format!("the published {} is edited", bundle_text(operator, version));
    let more = if files > 1 { format!(", and {} more", files - 1) } else { String::new() };
    about(&published_bundle_edited::RULE, operator, first, &message)
        .note(format!("{} changed{more}", first.display()))
        .help("add a new version instead, with an update from this one")
}

fn deleted_bundle(operator: &str, version: &str, users: &[String]) -> Finding {
    let users = name_list(users.iter().map(String::as_str));
    let message = format!("{} is deleted, but used by {users}", bundle_text(operator, version));
    let mut finding = Finding::new(&used_bundle_deleted::RULE, message).about(Subject::package(operator));
    finding.help = "take the bundle out of the catalogs first, or keep the directory".to_owned();
    finding
}

fn bundle_text(operator: &str, version: &str) -> String {
    format!("bundle {}", quote(&format!("{operator}/{version}")))
}

fn about(rule: &'static Rule, operator: &str, path: &Path, message: &str) -> Finding {
    let place = Place { path: path.to_path_buf(), origin: None, spot: Spot::File };
    Finding::new(rule, message).at(place).about(Subject::package(operator))
}

struct Part<'p> {
    operator: &'p str,
    kind: PartKind<'p>,
}

enum PartKind<'p> {
    Catalog,
    Bundle(&'p str),
    Operator,
}

/// To what part of the repository a file belongs; nothing for files of no operator.
fn part_of(path: &Path) -> Option<Part<'_>> {
    let words: Vec<&str> = path
        .components()
        .filter_map(|component| match component {
            Component::Normal(name) => name.to_str(),
            _ => None,
        })
        .collect();
    match words.as_slice() {
        ["operators", operator, version, _, ..] if is_version(version) => {
            Some(Part { operator, kind: PartKind::Bundle(version) })
        }
        ["operators", operator, _, ..] => Some(Part { operator, kind: PartKind::Operator }),
        ["catalogs", version, operator, _, ..] if OpenShiftRelease::parse(version).is_some() => {
            Some(Part { operator, kind: PartKind::Catalog })
        }
        _ => None,
    }
}

fn is_version(name: &str) -> bool {
    Version::parse(name.trim_start_matches('v')).is_ok()
}

#[cfg(test)]
#[path = "repository_tests.rs"]
mod tests;
