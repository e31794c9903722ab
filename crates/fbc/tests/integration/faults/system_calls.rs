//! System calls that fail, or at which a process is killed, by `strace`. It counts the calls of each thread.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output};

use fbc_testing::Fbc;

use super::tree;

/// The calls that write, make, rename or remove.
const CALLS: [&str; 18] = [
    "openat",
    "write",
    "pwrite64",
    "writev",
    "copy_file_range",
    "sendfile",
    "ftruncate",
    "fsync",
    "fchmod",
    "mkdir",
    "mkdirat",
    "linkat",
    "rename",
    "renameat",
    "renameat2",
    "unlink",
    "unlinkat",
    "rmdir",
];

/// What happens at a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It fails with this error.
    Error(&'static str),
    /// The process is killed before it happens.
    Kill,
}

/// A call of a command: its name, and its number among those of this name in its thread.
pub(crate) type Call = (&'static str, usize);

/// Whether faults can be made here.
pub(crate) fn can_be_made() -> bool {
    if !fbc_testing::is_installed("strace") {
        return false;
    }
    let probe = Command::new("strace")
        .args(["-f", "-o", "/dev/null", "-e", "inject=fsync:error=EIO", "true"])
        .output();
    let works = probe.is_ok_and(|probe| probe.status.success());
    if !works {
        fbc_testing::skip("strace may not trace here");
    }
    works
}

fn strace(directory: &Path, log: &Path, extra: &[&str], words: &[&str]) -> Output {
    // What others left in a directory that all share would be removed, by calls that count.
    let temporary = log.with_file_name("temporary");
    std::fs::create_dir_all(&temporary).unwrap();
    let mut command = Fbc::at("strace");
    command.env("TMPDIR", temporary);
    command.args(["-f", "-qq", "-o"]).arg(log).arg("-e");
    command.arg(format!("trace={}", CALLS.join(",")));
    command.args(extra).arg(crate::FBC).args(words);
    tree::run(&mut command, directory)
}

/// Runs a command, and answers with the calls that change something besides.
pub(crate) fn calls(directory: &Path, log: &Path, words: &[&str]) -> (Output, BTreeSet<Call>) {
    let output = strace(directory, log, &[], words);
    let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut calls = BTreeSet::new();
    let text = std::fs::read_to_string(log).unwrap();
    for line in text.lines() {
        let Some((thread, (name, arguments))) = line
            .split_once(' ')
            .and_then(|(thread, call)| Some((thread, call.trim_start().split_once('(')?)))
        else {
            continue;
        };
        let Some(name) = CALLS.iter().find(|call| **call == name) else { continue };
        let count = counts.entry((thread, *name)).or_default();
        *count += 1;
        let changes = match *name {
            "openat" => ["O_CREAT", "O_WRONLY", "O_RDWR"].iter().any(|flag| arguments.contains(flag)),
            // What is told is not what is written.
            "write" => !arguments.starts_with("1,") && !arguments.starts_with("2,"),
            _ => true,
        };
        if changes && !arguments.contains("\"/dev/") {
            calls.insert((*name, *count));
        }
    }
    (output, calls)
}

/// Runs a command with a fault; whether what it told was lost by that.
pub(crate) fn run(directory: &Path, log: &Path, call: Call, fault: Fault, words: &[&str]) -> (Output, bool) {
    // Calls that are only looked at if they are traced are faster, but no signal comes to them.
    let (what, only_traced) = match fault {
        Fault::Error(error) => (format!("error={error}"), &["--seccomp-bpf"][..]),
        Fault::Kill => ("signal=KILL".to_owned(), &[][..]),
    };
    let inject = ["-e", &format!("inject={}:{what}:when={}", call.0, call.1)];
    let output = strace(directory, log, &[only_traced, &inject].concat(), words);
    let text = std::fs::read_to_string(log).unwrap();
    let is_lost = text.lines().any(|line| line.contains(" write(2, ") && line.ends_with("(INJECTED)"));
    (output, is_lost)
}
