//! All suites, as far as the recordings are there.

use std::path::Path;
use std::sync::Arc;

use fbc_model::tree::{DiskTree, Tree};

use super::{SUITES, Suite};

/// Cases that differ, and why.
const DIFFERENT: &[(&str, &str, &str)] = &[
    (
        "kube/06",
        "all-pressures-at-once",
        "the reference was some tenths of a second behind and saw three conditions at once, in an order of its own",
    ),
    (
        "kube/06",
        "registers-and-never-reports",
        "the monitor of the reference was faster than its queue of nodes, and the token for the eviction was used up",
    ),
];

#[test]
fn recorded_cases_come_out_as_recorded() {
    let Some(root) = fbc_testing::recordings("") else { return };
    let tree: Arc<dyn Tree> = Arc::new(DiskTree { root });
    let mut faults = Vec::new();
    // The crate of OpenShift plays its own in its tests.
    for suite in SUITES.iter().filter(|suite| suite.name.starts_with("kube/")) {
        let played = suite.play(&tree).unwrap();
        let equal = played.iter().filter(|case| case.verdict.is_ok()).count();
        println!("{} ({}): {equal} of {}", suite.name, suite.path, played.len());
        for case in played {
            let Err(text) = case.verdict else { continue };
            let is_known =
                |(name, known, _): &&(&str, &str, &str)| *name == suite.name && *known == case.name;
            match DIFFERENT.iter().find(is_known) {
                Some((.., reason)) => println!("    {}: {reason}", case.name),
                None => faults.push(format!("{} {}: {text}", suite.name, case.name)),
            }
        }
    }
    assert!(faults.is_empty(), "{} cases differ\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn files_are_told_by_their_paths() {
    for (file, expected) in [
        ("/data/kube/04-noexecute/cases.json", Some(("kube/04", "/data"))),
        ("machines/nodelink/cases.json", Some(("machines/nodelink", ""))),
        ("../cvo/cases/update/update-failing.json", Some(("cvo", ".."))),
        ("cases.json", None),
    ] {
        let found = Suite::of_file(Path::new(file));
        assert_eq!(
            found.map(|(suite, root)| (suite.name, root)),
            expected.map(|(name, root)| (name, Path::new(root)))
        );
    }
}
