//! Where commands of pages run.

use std::path::Path;
use std::process::Command;

use fbc_testing::{Fbc, testdata};

/// A copy of what a clone has for its commands, under git.
pub(crate) struct Clone {
    folder: tempfile::TempDir,
    bin: tempfile::TempDir,
}

impl Clone {
    pub(crate) fn new() -> Self {
        let clone = Self { folder: tempfile::tempdir().unwrap(), bin: tempfile::tempdir().unwrap() };
        std::os::unix::fs::symlink(crate::FBC, clone.bin.path().join("fbc")).unwrap();
        let copied = Command::new("cp").arg("-R").arg(testdata("")).arg(clone.folder.path()).status();
        assert!(copied.unwrap().success());
        let commit = "git init --quiet . && git add --all && \
                      git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit --quiet --message=first";
        assert_eq!(clone.shell(commit).0, Some(0));
        clone
    }

    /// A directory of programs, which is the first that is looked through.
    pub(crate) fn programs(&self) -> &Path {
        self.bin.path()
    }

    /// The exit code of a command line, and what it prints.
    pub(crate) fn shell(&self, line: &str) -> (Option<i32>, String) {
        let output = Fbc::at("sh")
            .args(["-c", line])
            .current_dir(self.folder.path())
            .programs_in(self.bin.path())
            .env("HOME", self.bin.path())
            .env("FBC_OFFLINE", "1")
            .output();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        (output.status.code(), text)
    }
}
