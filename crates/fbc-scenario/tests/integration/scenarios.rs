//! The sample scenarios of the repository: each passes, and gives the same trace twice. Those in `document` show the
//! statements of the product document, which each names under `shows`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fbc_model::tree::{DiskTree, Tree};
use fbc_scenario::{Contents, Options, Prepared, Reference, Scenario, Verdict, play};

fn samples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testdata/scenarios")
}

/// The scenarios in a directory, in the order of their names.
fn scenarios(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|end| end == "yaml")).collect();
    files.sort();
    files
}

fn prepared(file: &Path) -> Prepared {
    let shown = file.file_name().unwrap().to_string_lossy();
    let directory = file.parent().unwrap();
    let scenario =
        Scenario::read(&shown, &fs::read(file).unwrap()).unwrap_or_else(|faults| panic!("{faults:#?}"));
    let tree = |reference: &Reference| -> (String, Arc<dyn Tree>) {
        (reference.text.clone(), Arc::new(DiskTree { root: directory.join(&reference.text) }))
    };
    let (catalogs, bundles) = scenario.references();
    let contents = Contents {
        catalogs: catalogs.into_iter().map(tree).collect(),
        bundles: bundles.into_iter().map(tree).collect(),
        ..Contents::default()
    };
    let files = Arc::new(DiskTree { root: directory.to_owned() });
    Prepared::new(scenario, contents, files).unwrap_or_else(|faults| panic!("{faults:#?}"))
}

fn every_scenario_passes_and_is_deterministic(directory: &Path, at_least: usize) {
    let files = scenarios(directory);
    assert!(files.len() >= at_least, "{files:?}");
    for file in files {
        let prepared = prepared(&file);
        let options = Options { keep_trace: true, ..Options::default() };
        let (run, again) = (play(&prepared, options), play(&prepared, options));
        let shown = &run.file;
        let faults: Vec<_> = run.steps.iter().filter_map(|step| step.fault.as_ref()).collect();
        let failed: Vec<_> =
            run.expectations.iter().filter(|result| matches!(result.verdict, Verdict::Failed(..))).collect();
        assert!(run.is_success(), "{shown}: {failed:#?} {faults:#?} {:?}", run.stopped);
        let differs = run.trace.iter().zip(&again.trace).find(|(one, other)| one != other);
        assert_eq!((differs, run.trace.len(), &run.hash), (None, again.trace.len(), &again.hash), "{shown}");
    }
}

#[test]
fn samples_pass_and_are_deterministic() {
    every_scenario_passes_and_is_deterministic(&samples(), 6);
}

#[test]
fn scenarios_of_updates_pass_and_are_deterministic() {
    every_scenario_passes_and_is_deterministic(&samples().join("updates"), 5);
}

#[test]
fn scenarios_of_the_document_pass_and_are_deterministic() {
    every_scenario_passes_and_is_deterministic(&samples().join("document"), 20);
}
