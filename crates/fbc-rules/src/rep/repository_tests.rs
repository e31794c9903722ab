//! Change sets of a repository of operators. Only compiled for tests.

use super::*;

fn codes(touched: &[(&str, Touch)], existed: &[&str], exists: &[&str], users: &[&str]) -> Vec<&'static str> {
    let touched: Vec<(PathBuf, Touch)> =
        touched.iter().map(|(path, touch)| (PathBuf::from(path), *touch)).collect();
    let has = |folders: &[&str], folder: &Path| folders.iter().any(|known| Path::new(known) == folder);
    let around = Surroundings {
        existed: &|folder| has(existed, folder),
        exists: &|folder| has(exists, folder),
        users: &|_, version| match version.to_string().as_str() {
            "1.0.0" => users.iter().map(|&user| user.to_owned()).collect(),
            _ => Vec::new(),
        },
    };
    findings(&touched, &around).iter().map(|finding| finding.rule.code).collect()
}

const BUNDLE: &str = "operators/foo/1.0.0/manifests/foo.yaml";
const FOLDER: &str = "operators/foo/1.0.0";

#[test]
fn published_bundles_stay_as_they_are() {
    use Touch::{Added, Deleted, Modified};
    assert_eq!(codes(&[(BUNDLE, Modified)], &[FOLDER], &[FOLDER], &[]), ["REP101"]);
    // A file more or less in a published bundle is an edit too.
    assert_eq!(codes(&[(BUNDLE, Added)], &[FOLDER], &[FOLDER], &[]), ["REP101"]);
    assert_eq!(codes(&[(BUNDLE, Deleted)], &[FOLDER], &[FOLDER], &[]), ["REP101"]);
    // A new bundle is fine.
    assert!(codes(&[(BUNDLE, Added)], &[], &[FOLDER], &[]).is_empty());
}

#[test]
fn used_bundles_stay_where_they_are() {
    let deleted = [(BUNDLE, Touch::Deleted)];
    assert_eq!(codes(&deleted, &[FOLDER], &[], &["catalogs/v4.18"]), ["REP102"]);
    assert!(codes(&deleted, &[FOLDER], &[], &[]).is_empty());
}

#[test]
fn one_operator_and_one_kind_of_thing_at_a_time() {
    use Touch::{Added, Modified};
    let catalog = ("catalogs/v4.18/foo/catalog.yaml", Modified);
    assert_eq!(codes(&[(BUNDLE, Added), catalog], &[], &[FOLDER], &[]), ["REP103"]);
    let other = ("catalogs/v4.18/bar/catalog.yaml", Modified);
    assert_eq!(codes(&[other, catalog], &[], &[], &[]), ["REP104"]);
    // What belongs to no operator does not count.
    let rest = [("README.md", Modified), ("operators/ci.yaml", Modified), ("catalogs/README.md", Modified)];
    assert!(codes(&[&rest[..], &[catalog]].concat(), &[], &[], &[]).is_empty());
}
