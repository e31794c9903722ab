//! The commands of the README, run one after the other as in a fresh clone: each does what it is shown for.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test that cannot go on has failed")]
#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::Command;

/// Lines that start what is not part of fbc, or what a test must not do.
const LEFT_OUT: [&str; 3] = ["cargo ", "git clone", "# "];

#[test]
fn every_command_runs() {
    if !fbc_testing::is_installed("git") || !fbc_testing::is_installed("sh") {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let clone = tempfile::tempdir().unwrap();
    let bin = tempfile::tempdir().unwrap();
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_fbc"), bin.path().join("fbc")).unwrap();
    let path = format!("{}:{}", bin.path().display(), std::env::var("PATH").unwrap());
    let shell = |line: &str| {
        Command::new("sh")
            .args(["-c", line])
            .current_dir(clone.path())
            .env("PATH", &path)
            .env("FBC_OFFLINE", "1")
            .env("NO_COLOR", "1")
            .env("HOME", bin.path())
            .output()
            .unwrap()
    };
    let commit = "git init --quiet . && git add --all && \
                  git -c user.name=a -c user.email=a@b -c commit.gpgsign=false commit --quiet --message=first";
    let copied = Command::new("cp").arg("-R").arg(root.join("testdata")).arg(clone.path()).status().unwrap();
    assert!(copied.success() && shell(commit).status.success());
    let mut count = 0;
    let mut is_shell = false;
    for line in readme.lines() {
        if line.starts_with("```") {
            is_shell = line == "```sh";
            continue;
        }
        if !is_shell || line.is_empty() || LEFT_OUT.iter().any(|start| line.starts_with(start)) {
            continue;
        }
        let output = shell(line);
        // What a command finds is 1; what could not run is 2.
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{line}: {}: {text}", output.status);
        assert!(!text.contains("error: "), "{line}: {text}");
        count += 1;
    }
    assert!(count >= 15, "only {count} commands are in blocks marked `sh`");
}
