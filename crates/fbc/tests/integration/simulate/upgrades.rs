//! `fbc simulate upgrade`.

use std::fs;

use fbc_testing::testdata;
use serde_json::Value;

use super::{scenario, simulate_in, text};

/// A catalog with one channel, of these entries.
fn package_of(entries: &[(String, String)]) -> String {
    let mut catalog = "schema: olm.package\nname: p\ndefaultChannel: s\n---\n\
        schema: olm.channel\npackage: p\nname: s\nentries:\n"
        .to_owned();
    for (version, edges) in entries {
        catalog.push_str(&format!("- {{name: p.v{version}{edges}}}\n"));
    }
    for (version, _) in entries {
        catalog.push_str(&format!(
            "---\nschema: olm.bundle\npackage: p\nname: p.v{version}\nimage: q.io/p/p:{version}\nproperties:\n\
             - {{type: olm.package, value: {{packageName: p, version: {version}}}}}\n"
        ));
    }
    catalog
}

/// Entries in a chain, each of which replaces the one before.
fn chain(length: usize) -> Vec<(String, String)> {
    let edges = |number: usize| match number.checked_sub(1) {
        Some(before) => format!(", replaces: p.v1.{before}.0"),
        None => String::new(),
    };
    (0..length).map(|number| (format!("1.{number}.0"), edges(number))).collect()
}

#[test]
fn versions_that_go_the_same_way_end_alike() {
    let mut old = chain(12);
    // Branches, gaps, a version that the new catalog lacks, and one that it has with another image.
    old.push(("2.0.0".to_owned(), String::new()));
    let mut new = chain(16);
    new.remove(3);
    new[5].1.push_str(", skips: [p.v1.2.0]");
    new[8].1 = ", skipRange: '>=1.1.0 <1.4.0'".to_owned();
    new.push(("2.0.0".to_owned(), String::new()));
    let new = package_of(&new).replace("q.io/p/p:1.7.0", "q.io/p/other:1.7.0");
    let folder = scenario(&[("old/c.yaml", &package_of(&old)), ("new/c.yaml", &new)]);
    let told = simulate_in(folder.path(), &["upgrade", "old", "new", "-v"]);
    // Where runs are told, each version has a cluster of its own.
    let alone = simulate_in(folder.path(), &["upgrade", "old", "new", "-o", "json", "--runs"]);
    assert_eq!((told.status.code(), alone.status.code()), (Some(1), Some(1)), "{}", text(&told.stderr));
    let alone: Value = serde_json::from_slice(&alone.stdout).unwrap();
    assert!(alone["upgrades"][0]["run"].is_object());
    let rows: Vec<Vec<&str>> = alone["upgrades"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| ["installed", "after", "progressing"].map(|key| row[key].as_str().unwrap()).to_vec())
        .collect();
    let told = text(&told.stdout);
    let table: Vec<Vec<&str>> = told
        .lines()
        .filter(|line| line.contains(": ") && !line.starts_with(' '))
        .map(|line| line.split_whitespace().map(|word| word.trim_end_matches(':')).take(3).collect())
        .collect();
    assert_eq!(rows.len(), 13);
    assert_eq!(table, rows, "{told}");
}

#[test]
fn upgrades_of_many_versions_share_their_way() {
    let mut leap = chain(150);
    leap.iter_mut().for_each(|(_, edges)| edges.clear());
    leap[149].1 = ", skipRange: '<1.149.0'".to_owned();
    let folder = scenario(&[("c/c.yaml", &package_of(&chain(150))), ("leap/c.yaml", &package_of(&leap))]);
    let upgrade = |catalog: &str, more: &[&str]| {
        let arguments = ["upgrade", catalog, catalog, "-v", "--limit", "upgrade-work=200k"];
        simulate_in(folder.path(), &[&arguments, more].concat())
    };
    for catalog in ["c", "leap"] {
        let shared = upgrade(catalog, &[]);
        assert!(shared.status.success(), "{}", text(&shared.stderr));
        assert_eq!(text(&shared.stdout).matches("1.149.0 ").count(), 151, "{}", text(&shared.stdout));
    }
    let alone = upgrade("c", &["-o", "json", "--runs"]);
    assert_eq!(alone.status.code(), Some(2));
    let errors = text(&alone.stderr);
    let words = "the upgrades of package \"p\" take more than 200000 units of work (limit upgrade-work)";
    assert!(errors.contains(words), "{errors}");
}

#[test]
fn a_bundle_in_an_image_is_installed() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = testdata("lighthouse-bundle").display().to_string();
    let built = crate::fbc()
        .args(["build", "--bundle", &bundle, "--to", "oci:image:v1"])
        .current_dir(folder.path())
        .output();
    assert!(built.status.success(), "{}", text(&built.stderr));
    let installed = simulate_in(folder.path(), &["install", "oci:image:v1", "-o", "json"]);
    assert!(installed.status.success(), "{}", text(&installed.stderr));
    let document: Value = serde_json::from_slice(&installed.stdout).unwrap();
    let trials = document["trials"].as_array().unwrap();
    let names: Vec<&Value> = trials.iter().map(|trial| &trial["bundle"]).collect();
    assert_eq!(names, ["lighthouse-operator.v1.2.0"], "{}", text(&installed.stderr));
    let absent = simulate_in(folder.path(), &["install", "oci:image:v2"]);
    assert_eq!(absent.status.code(), Some(2), "{}", text(&absent.stdout));
}

#[test]
fn a_page_leaves_out_versions_only_of_whole_catalogs() {
    let folder = tempfile::tempdir().unwrap();
    let catalogs = testdata("scenarios/catalogs");
    let [old, new] = ["old", "new"].map(|name| catalogs.join(name).display().to_string());
    let runs = |more: &[&str]| {
        let arguments = [&["upgrade", old.as_str(), new.as_str(), "--report", "page.html"], more].concat();
        simulate_in(folder.path(), &arguments);
        let page = fs::read_to_string(folder.path().join("page.html")).unwrap();
        page.matches("\"title\":").count()
    };
    let (whole, all) = (runs(&[]), runs(&["--verbose"]));
    assert!(0 < whole && whole < all, "{whole} of {all}");
    assert_eq!(runs(&["-p", "ferry-operator", "-q"]), runs(&["-p", "ferry-operator"]));
}

#[test]
fn an_operator_that_cannot_watch_all_namespaces_is_told_which() {
    let catalog =
        package_of(&[("0.3.0".to_owned(), String::new())]).replace("p.v0.3.0", "dock-operator.v0.3.0");
    let folder = scenario(&[("c/c.yaml", &catalog)]);
    let bundles = testdata("dock-bundle").display().to_string();
    let upgrade = |target: &str| {
        simulate_in(folder.path(), &["upgrade", "c", "c", "--bundles", &bundles, "--target", target])
    };
    let installs = upgrade("ocp-4.21");
    assert!(installs.status.success(), "{}{}", text(&installs.stdout), text(&installs.stderr));
    let refused = upgrade("ocp-4.20");
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stdout).contains("exactly one target namespace"), "{}", text(&refused.stdout));
}
