//! A copy of the sample catalog, and fbc beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

pub(crate) use fbc_testing::testdata;
use tempfile::TempDir;

pub(crate) const PACKAGE: &str = "lighthouse-operator";

/// A copy of the sample catalog, and what the commands say about it.
pub(crate) struct Sample {
    pub(crate) folder: TempDir,
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

impl Sample {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        copy(&testdata("sample-catalog"), &folder.path().join("catalog"));
        Self { folder }
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().join("catalog").join(path)
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap()
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        fs::write(self.path(path), text).unwrap();
    }

    pub(crate) fn run(&self, words: &[&str]) -> Output {
        crate::fbc().args(words).current_dir(self.folder.path()).output()
    }

    #[track_caller]
    pub(crate) fn succeeds(&self, words: &[&str]) -> String {
        let output = self.run(words);
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(0), "{words:?}\n{err}");
        err
    }

    #[track_caller]
    pub(crate) fn fails(&self, code: i32, words: &[&str]) -> String {
        let output = self.run(words);
        let err = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(code), "{words:?}\n{err}");
        err
    }

    pub(crate) fn validates(&self) {
        self.succeeds(&["validate", "--profile", "opm", "catalog"]);
    }
}

pub(crate) fn bundle(version: &str) -> String {
    testdata(&format!("edits/lighthouse-{version}.yaml")).to_str().unwrap().to_owned()
}

pub(crate) const FILE: &str = "lighthouse-operator/catalog.yaml";

/// The lines of the new text that the old one does not have, all old lines being there in their order.
#[track_caller]
pub(crate) fn added(old: &str, new: &str) -> Vec<String> {
    let mut old = old.lines().peekable();
    let added = new.lines().filter(|line| old.next_if_eq(line).is_none()).map(str::to_owned).collect();
    assert_eq!(old.next(), None, "a line is gone:\n{new}");
    added
}
