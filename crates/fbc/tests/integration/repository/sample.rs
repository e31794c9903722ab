//! Copies of the repositories in `testdata`, and fbc in them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A copy of a repository.
pub(crate) struct Sample(tempfile::TempDir);

impl Sample {
    pub(crate) fn new(name: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let source = fbc_testing::testdata("repositories").join(name);
        copy(&source, folder.path());
        Self(folder)
    }

    /// A directory with nothing in it.
    pub(crate) fn empty() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.0.path().join(path)
    }

    pub(crate) fn text(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub(crate) fn write(&self, path: &str, text: &str) {
        fs::create_dir_all(self.path(path).parent().unwrap()).unwrap();
        fs::write(self.path(path), text).unwrap();
    }

    /// Exit code, standard output and standard error.
    pub(crate) fn fbc(&self, words: &[&str]) -> (i32, String, String) {
        self.fbc_in("", words)
    }

    /// The same in a directory of it.
    pub(crate) fn fbc_in(&self, directory: &str, words: &[&str]) -> (i32, String, String) {
        crate::fbc().args(words).current_dir(self.path(directory)).env("FBC_OFFLINE", "1").answer().parts()
    }

    /// Makes a git repository without a commit of a directory; whether there is git.
    pub(crate) fn init(&self, directory: &str) -> bool {
        let made = Command::new("git").args(["init", "--quiet"]).current_dir(self.path(directory)).output();
        made.is_ok_and(|output| output.status.success())
    }

    /// Makes a git repository of it; whether there is git.
    pub(crate) fn commit(&self) -> bool {
        let git = |words: &[&str]| {
            let mut command = Command::new("git");
            command.args([
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@example.com",
                "-c",
                "commit.gpgsign=false",
            ]);
            command
                .args(words)
                .current_dir(self.0.path())
                .output()
                .is_ok_and(|output| output.status.success())
        };
        git(&["init", "--quiet", "-b", "main"])
            && git(&["add", "."])
            && git(&["commit", "--quiet", "-m", "first"])
    }
}

pub(crate) fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}
