//! All suites, as far as the recordings are there.

use std::path::Path;

use fbc_model::tree::DiskTree;

use super::SUITES;

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
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance");
    if !root.join("kube").is_dir() {
        println!("skipped: no conformance data");
        return;
    }
    let tree = DiskTree { root };
    let mut faults = Vec::new();
    for suite in SUITES {
        let played = suite.play(&tree).unwrap();
        let equal = played.iter().filter(|case| case.verdict.is_ok()).count();
        println!("{} ({}): {equal} of {}", suite.name, suite.file, played.len());
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
