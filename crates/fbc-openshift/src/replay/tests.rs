//! All recorded cases.

use crate::recorded::compare;
use crate::replay::{play, read};

/// Plays all cases of a file; those that are known to differ are named with the reason.
fn play_all(file: &str, known: &[(&str, &str)]) {
    compare(
        file,
        |case| {
            let differences = play(&read(case).unwrap());
            let first: Vec<String> = differences.iter().take(4).map(ToString::to_string).collect();
            (!differences.is_empty())
                .then(|| format!("{} differences\n    {}", differences.len(), first.join("\n    ")))
        },
        known,
    );
}

/// Vector 13
#[test]
fn rollouts() {
    play_all("mco/rollout/cases.json", &[]);
}

/// Vector 22
#[test]
fn drains() {
    play_all("mco/drain/cases.json", &[]);
}

#[test]
fn lifecycles() {
    play_all("machines/lifecycle/cases.json", &[]);
}

/// Vector 14
#[test]
fn deletions() {
    play_all("machines/deletion/cases.json", &[]);
}

#[test]
fn sets() {
    play_all("machines/machineset/cases.json", &[]);
}

#[test]
fn health_checks() {
    play_all("machines/healthcheck/cases.json", &[]);
}

#[test]
fn node_links() {
    play_all("machines/nodelink/cases.json", &[]);
}

#[test]
fn a_real_api_server() {
    play_all("machines/real/cases.json", &[]);
}

#[test]
fn control_planes() {
    play_all("machines/controlplane/cases.json", &[]);
}
