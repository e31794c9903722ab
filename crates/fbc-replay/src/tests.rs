//! All suites, as far as the recordings are there.

use std::sync::Arc;

use fbc_model::tree::{DiskTree, Tree};

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
    (
        "olmv0",
        "packages/packages-list",
        "two catalogs have the package, and the reference answers with either; here it is that of the first by name",
    ),
    (
        "olmv0",
        "catalogs/catalogs-deleted-touched",
        "two Subscriptions cannot be satisfied, and the reference names now the one, now the other",
    ),
    (
        "olmv0",
        "tables/tables-get",
        "the cluster keeps no IPAddresses, so that `ip` is the short name of InstallPlans alone",
    ),
];

/// Plays the suites whose names begin so. Only the cases that are known to differ may.
#[track_caller]
fn play(name: &str) {
    let Some(root) = fbc_testing::recordings("") else { return };
    let tree: Arc<dyn Tree> = Arc::new(DiskTree { root });
    let (mut faults, mut differing, mut all) = (Vec::new(), Vec::new(), 0);
    for suite in SUITES.iter().filter(|suite| suite.name.starts_with(name)) {
        let played = suite.play(&tree, "").unwrap();
        let equal = played.iter().filter(|case| case.verdict.is_ok()).count();
        println!("{} ({}): {equal} of {}", suite.name, suite.path, played.len());
        assert!(!played.is_empty(), "{} has no cases", suite.path);
        all += played.len();
        for case in played {
            let Err(text) = case.verdict else { continue };
            match DIFFERENT.iter().find(|(of, known, _)| *of == suite.name && *known == case.name) {
                Some((_, known, reason)) => {
                    println!("    {known}: {reason}");
                    differing.push(*known);
                }
                None => faults.push(format!("{} {}: {text}", suite.name, case.name)),
            }
        }
    }
    assert!(all > 0, "no suite is named {name}");
    assert!(faults.is_empty(), "{} cases differ\n{}", faults.len(), faults.join("\n"));
    let agreeing: Vec<&str> = DIFFERENT
        .iter()
        .filter(|(of, known, _)| of.starts_with(name) && !differing.contains(known))
        .map(|(_, known, _)| *known)
        .collect();
    assert!(agreeing.is_empty(), "these agree now: {agreeing:?}");
}

#[test]
fn kubernetes() {
    play("kube/");
}

/// Vector 13
#[test]
fn rollouts() {
    play("mco/rollout");
}

/// Vector 22
#[test]
fn drains() {
    play("mco/drain");
}

#[test]
fn lifecycles() {
    play("machines/lifecycle");
}

/// Vector 14
#[test]
fn deletions() {
    play("machines/deletion");
}

#[test]
fn sets() {
    play("machines/machineset");
}

#[test]
fn health_checks() {
    play("machines/healthcheck");
}

#[test]
fn node_links() {
    play("machines/nodelink");
}

#[test]
fn a_real_api_server() {
    play("machines/real");
}

#[test]
fn control_planes() {
    play("machines/controlplane");
}

/// Updates, refusals, steady state and offers of the real operator; vectors 2 to 6, 8, 10 to 12.
///
/// Shows D-CVO-2, D-CVO-3, D-CVO-5, D-CVO-6, D-CVO-11 to D-CVO-16, D-CVO-18, D-CVO-19, D-CVO-25 to D-CVO-34, D-CVO-37,
/// D-CVO-39, D-CVO-41 to D-CVO-44, D-CVO-46
#[test]
fn cluster_versions() {
    play("cvo");
}

/// catalog-operator, olm-operator and package-server of OLM v0, scenario by scenario; the documentation of what shows a statement
/// names it.
///
/// Shows V0-001 to V0-005, V0-007 to V0-010, V0-015, V0-016, V0-019, V0-020, V0-025 to V0-028, V0-030, V0-032, V0-035 to V0-041, V0-044,
/// V0-045, V0-049 to V0-054, V0-056 to V0-061, V0-063 to V0-069, V0-072, V0-073, V0-075, V0-078 to V0-082, V0-084, V0-086, V0-087,
/// V0-089 to V0-091, V0-095 to V0-097, V0-099 to V0-101, V0-103, V0-105, V0-106, V0-108 to V0-110, V0-112 to V0-115, V0-117, V0-123,
/// V0-124, V0-127 to V0-134, V0-136, V0-137, V0-139 to V0-162
#[test]
fn olm_v0() {
    play("olmv0");
}
