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

#[test]
fn rollouts() {
    play_all("mco/rollout/cases.json", &[]);
}

#[test]
fn drains() {
    play_all("mco/drain/cases.json", &[]);
}
