//! Statements of the product documents that a command shows: what `oc apply`, `oc delete` and `oc patch` of a
//! catalog mean for what is installed, shown by resolution over the same manifests.

use std::fs;
use std::process::Output;

const EXTENSION: &str = "apiVersion: olm.operatorframework.io/v1
kind: ClusterExtension
metadata: {name: lighthouse}
spec:
  namespace: lights
  serviceAccount: {name: keeper}
  source:
    sourceType: Catalog
    catalog: {packageName: lighthouse-operator, version: 1.1.x}
";

fn catalog(availability: &str) -> String {
    format!(
        "apiVersion: olm.operatorframework.io/v1
kind: ClusterCatalog
metadata: {{name: harbour}}
spec:
  availabilityMode: {availability}
  source: {{type: Image, image: {{ref: quay.io/example/harbour-catalog:latest}}}}
"
    )
}

fn fbc(arguments: &[&str]) -> Output {
    let testdata = fbc_testing::testdata("");
    crate::fbc().args(arguments).current_dir(testdata).output()
}

/// What becomes of the extension with these manifests: the exit code and the answer.
fn resolve(manifests: &[&str], has_catalog: bool) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().unwrap();
    for (number, manifest) in manifests.iter().enumerate() {
        fs::write(folder.path().join(format!("{number}.yaml")), manifest).unwrap();
    }
    let path = folder.path().display().to_string();
    let mut arguments = vec!["resolve", "--format", "jsonl", "-f", &path];
    if has_catalog {
        arguments.extend(["--catalog", "harbour=sample-catalog"]);
    }
    let output = fbc(&arguments);
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn d_cat_6_and_8_an_applied_catalog_gives_access_to_its_versions() {
    let (code, answer) = resolve(&[&catalog("Available"), EXTENSION], true);
    assert_eq!(code, Some(0), "{answer}");
    assert!(answer.contains("\"version\":\"1.1.1\""), "{answer}");
}

#[test]
fn d_cat_16_a_deleted_catalog_serves_nothing() {
    let (code, answer) = resolve(&[EXTENSION], false);
    assert_eq!(code, Some(1), "{answer}");
    assert!(answer.contains("no bundles found for package"), "{answer}");
}

#[test]
fn d_cat_17_and_18_an_unavailable_catalog_serves_nothing() {
    let (code, answer) = resolve(&[&catalog("Unavailable"), EXTENSION], true);
    assert_eq!(code, Some(1), "{answer}");
    assert!(answer.contains("no bundles found for package"), "{answer}");
}

#[test]
fn d_upd_16_bundles_that_block_a_cluster_update_are_listed() {
    let output = fbc(&["bundle", "ready", "lighthouse-bundle", "--ocp", "4.19,4.20"]);
    let answer = String::from_utf8(output.stdout).unwrap();
    let (_, updates) = answer.split_once("Cluster updates while installed").unwrap();
    let rows: Vec<Vec<&str>> = updates.lines().map(|line| line.split_whitespace().collect()).collect();
    assert_eq!(rows.get(1).unwrap(), &["bundle", "4.19->4.20", "4.20->4.21"]);
    assert_eq!(rows.get(2).unwrap(), &["lighthouse-operator.v1.2.0", "allowed", "blocked"]);
}

#[test]
fn d_ext_8_rendered_catalogs_answer_queries() {
    let output = fbc(&["query", "-r", "select(.schema == \"olm.package\") | .name", "sample-catalog"]);
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "lighthouse-operator\ntide-operator\n");
}
