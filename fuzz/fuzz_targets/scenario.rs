//! Any file as a scenario: it is refused, or played within its budget, twice the same.
#![no_main]

use std::sync::Arc;

use fbc_cluster::budget::Budget;
use fbc_model::tree::MemoryTree;
use fbc_scenario::{Contents, Options, Prepared, Scenario, play};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(scenario) = Scenario::read("scenario.yaml", bytes) else { return };
    let files = Arc::new(MemoryTree::default());
    let Ok(prepared) = Prepared::new(scenario, Contents::default(), files) else { return };
    let budget = Budget { objects: 500, bytes: 32 << 20, writes: 3_000, work: 1_000_000 };
    let options = Options { budget, ..Options::default() };
    let run = play(&prepared, options);
    assert_eq!(run.hash, play(&prepared, options).hash);
});
