//! The sample scenarios of the repository: each passes, and gives the same trace twice.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_cluster::scenario::{Contents, Options, Prepared, Reference, Scenario, Verdict, play};
use fbc_model::tree::{DiskTree, Tree};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/scenarios")
}

fn tree(reference: &Reference) -> (String, Arc<dyn Tree>) {
    (reference.text.clone(), Arc::new(DiskTree { root: folder().join(&reference.text) }))
}

#[test]
fn every_sample_passes_and_is_deterministic() {
    let entries = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "yaml")).collect();
    files.sort();
    assert!(files.len() >= 6, "{files:?}");
    for file in files {
        let shown = file.file_name().unwrap().to_string_lossy().into_owned();
        let scenario =
            Scenario::read(&shown, &fs::read(&file).unwrap()).unwrap_or_else(|faults| panic!("{faults:#?}"));
        let (catalogs, bundles) = scenario.references();
        let contents = Contents {
            catalogs: catalogs.into_iter().map(tree).collect(),
            bundles: bundles.into_iter().map(tree).collect(),
            ..Contents::default()
        };
        let files = Arc::new(DiskTree { root: folder() });
        let prepared =
            Prepared::new(scenario, contents, files).unwrap_or_else(|faults| panic!("{faults:#?}"));
        let options = Options { keep_trace: true, ..Options::default() };
        let (run, again) = (play(&prepared, options), play(&prepared, options));
        let failed: Vec<_> =
            run.expectations.iter().filter(|result| matches!(result.verdict, Verdict::Failed(..))).collect();
        assert!(run.is_success(), "{shown}: {failed:#?} {:#?} {:?}", run.steps, run.stopped);
        let differs = run.trace.iter().zip(&again.trace).find(|(one, other)| one != other);
        assert_eq!((differs, run.trace.len(), &run.hash), (None, again.trace.len(), &again.hash), "{shown}");
    }
}
