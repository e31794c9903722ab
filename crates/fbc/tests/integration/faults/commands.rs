//! The table of commands, and what holds for each after each fault.

use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::system_calls::{self, Call, Fault};
use super::tree::{copy, fbc, files, sample};

/// Where a command runs, its words, and whether it can be run again after half of its files are written.
type Writing = (&'static str, &'static str, bool);

const COMMANDS: [Writing; 22] = [
    ("matrix", "generate", true),
    ("matrix", "generate --new-ocp 4.19", false),
    ("matrix", "lifecycle inject ../lifecycles.yaml .", true),
    ("matrix", "merge-driver --install", true),
    ("directories", "init --repository", true),
    ("directories", "pin --map pins.yaml", true),
    ("operators", "repository release operators/beacon-operator/9.0.0 --image quay.io/x/beacon:v9", true),
    (".", "deprecate catalog lighthouse-operator --message Use-tide-operator-instead", true),
    (".", "deprecate matrix/template.yaml beacon-operator --message Use-tide-operator-instead", true),
    (".", "filter -p tide-operator catalog --output-dir small", true),
    (".", "render -o yaml catalog --output-file rendered.yaml", true),
    (".", "init sample --output-file sample.yaml", true),
    (".", "validate catalog --write-baseline baseline.yaml", true),
    (".", "man --output-dir pages", true),
    (".", "schema --output-dir schemas", true),
    (".", "generate dockerfile catalog", true),
    (".", "build catalog --to oci:layout", true),
    (".", "build catalog --to oci-archive:image.tar", true),
    (".", "simulate quotas.yaml --trace trace", true),
    (".", "opm generate dockerfile catalog", true),
    (".", "opm migrate catalog migrated", true),
    (
        ".",
        "opm alpha bundle generate --directory bundle/manifests --package beacon --channels stable -u out",
        true,
    ),
];

const TEMPORARY: &str = ".fbc-tmp-";

#[test]
fn no_file_is_ever_half_there() {
    if !system_calls::can_be_made() {
        return;
    }
    let (original, next) = (sample(), AtomicUsize::new(0));
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some(writing) = COMMANDS.get(next.fetch_add(1, Ordering::Relaxed)) {
                    Trial::new(original.path(), *writing).check();
                }
            });
        }
    });
}

struct Trial<'t> {
    original: &'t Path,
    writing: Writing,
    words: Vec<&'static str>,
    before: BTreeMap<PathBuf, Vec<u8>>,
    after: BTreeMap<PathBuf, Vec<u8>>,
    calls: BTreeSet<Call>,
}

impl<'t> Trial<'t> {
    /// Runs the command once without a fault.
    fn new(original: &'t Path, writing: Writing) -> Self {
        let words: Vec<&str> = writing.1.split(' ').collect();
        let place = tempfile::tempdir().unwrap();
        let work = place.path().join("work");
        copy(original, &work);
        let before = files(&work);
        let (output, calls) = system_calls::calls(&work.join(writing.0), &place.path().join("log"), &words);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{}: {}",
            writing.1,
            String::from_utf8_lossy(&output.stderr)
        );
        let after = files(&work);
        assert!(before != after && !calls.is_empty(), "{} writes nothing", writing.1);
        Self { original, writing, words, before, after, calls }
    }

    fn check(&self) {
        for (index, call) in self.chosen().into_iter().enumerate() {
            let error = ["ENOSPC", "EIO", "EACCES"].get(index % 3).copied().unwrap_or_default();
            self.with_fault(call, Fault::Error(error));
            if index % 2 == 0 {
                self.with_fault(call, Fault::Kill);
            }
        }
    }

    /// Of each name the first call, one in the middle and the last.
    fn chosen(&self) -> Vec<Call> {
        let mut numbers: BTreeMap<&'static str, Vec<usize>> = BTreeMap::new();
        for (name, number) in &self.calls {
            numbers.entry(name).or_default().push(*number);
        }
        let mut chosen = BTreeSet::new();
        for (name, numbers) in numbers {
            let last = numbers.len() - 1;
            chosen.extend([0, last / 2, last].map(|index| (name, numbers[index])));
        }
        chosen.into_iter().collect()
    }

    fn with_fault(&self, call: Call, fault: Fault) {
        let (directory, shown, is_repeatable) = self.writing;
        let place = tempfile::tempdir().unwrap();
        let work = place.path().join("work");
        copy(self.original, &work);
        let directory = work.join(directory);
        let (output, is_lost) =
            system_calls::run(&directory, &place.path().join("log"), call, fault, &self.words);
        let what = format!("{shown}: {call:?} {fault:?}: {}", String::from_utf8_lossy(&output.stderr));
        let found = files(&work);
        self.require_whole_files(&found, &what);
        match fault {
            Fault::Error(_) => {
                require_words(&output, is_lost, &what);
                let removes = ["unlink", "unlinkat", "rmdir"].contains(&call.0);
                assert!(
                    removes || !found.keys().any(|path| is_temporary(path)),
                    "{what}: {:?}",
                    found.keys()
                );
                if output.status.success() {
                    assert!(found.iter().filter(|(path, _)| !is_temporary(path)).eq(&self.after), "{what}");
                }
            }
            Fault::Kill => {
                let is_killed = output.status.signal() == Some(9) || output.status.code() == Some(137);
                // A program that it started may be killed in its place.
                let starts_programs = shown.starts_with("merge-driver");
                assert!(is_killed || starts_programs, "{what}: {:?}", output.status);
            }
        }
        if is_repeatable {
            let again = fbc(&directory, &self.words);
            let told = String::from_utf8_lossy(&again.stderr).into_owned();
            let found = files(&work);
            self.require_whole_files(&found, &format!("{what}; again: {told}"));
            if again.status.success() {
                let differ: Vec<_> =
                    found.keys().filter(|path| found.get(*path) != self.after.get(*path)).collect();
                assert!(found == self.after, "{what}; again: {told} {differ:?}");
            } else {
                // It was done already.
                assert!(
                    ["exist", "already", "empty"].iter().any(|word| told.contains(word)),
                    "{what}; again: {told}"
                );
            }
        }
    }

    /// Each file is as before, or as it is to be.
    fn require_whole_files(&self, found: &BTreeMap<PathBuf, Vec<u8>>, what: &str) {
        let paths: BTreeSet<&PathBuf> = self
            .before
            .keys()
            .chain(self.after.keys())
            .chain(found.keys())
            .filter(|path| !is_temporary(path))
            .collect();
        for path in paths {
            let now = found.get(path);
            let is_whole = now == self.before.get(path) || now == self.after.get(path);
            assert!(is_whole, "{what}: {} is neither old nor new", path.display());
        }
    }
}

/// What fails says why.
fn require_words(output: &Output, is_lost: bool, what: &str) {
    assert!(!what.contains("panicked"), "{what}");
    let code = output.status.code();
    assert!(matches!(code, Some(0..=2)), "{what}: {:?}", output.status);
    assert!(code == Some(0) || is_lost || !output.stderr.is_empty(), "{what} says nothing");
}

/// Whether a path leads through a temporary name.
fn is_temporary(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str().to_string_lossy().starts_with(TEMPORARY))
}
