//! Any lines typed on a simulated cluster: each is refused or done, and time stops only for a budget.
#![no_main]

use std::sync::{Arc, LazyLock};

use fbc_cluster::budget::Budget;
use fbc_cluster::engine::RunError;
use fbc_model::tree::MemoryTree;
use fbc_scenario::{Contents, Options, Prepared, Scenario, Session};
use libfuzzer_sys::fuzz_target;

const FILES: [(&str, &str); 2] = [
    (
        "map.yaml",
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: map, namespace: default}\ndata: {a: b}\n",
    ),
    (
        "web.yaml",
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: default}\nspec:\n  replicas: 2\n  \
         selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n    \
         spec: {containers: [{name: web, image: web}]}\n",
    ),
];

static PREPARED: LazyLock<Prepared> = LazyLock::new(|| {
    let scenario =
        Scenario::read("scenario.yaml", b"title: fuzz\nobjects: [web.yaml]\n").expect("a scenario");
    let files: MemoryTree = FILES.iter().copied().collect();
    Prepared::new(scenario, Contents::default(), Arc::new(files)).expect("files that are right")
});

fuzz_target!(|text: &str| {
    let budget = Budget { objects: 500, bytes: 32 << 20, writes: 3_000, work: 1_000_000 };
    let mut session = Session::with_options(&PREPARED, Options { budget, ..Options::default() });
    for line in text.lines().take(8) {
        match session.run(line) {
            Ok(_) => {}
            Err(RunError::Exhausted(_)) => return,
            Err(error) => panic!("{line}: {error}"),
        }
    }
});
