//! Programs in containers: an image of the libraries that one needs, and podman, as far as the machine permits it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::skip;

/// Ways to run a container, the first of which that works counts: machines differ in cgroups and in what limits may be set.
const RUNS: [&[&str]; 2] = [
    &["run", "--cgroups", "disabled"],
    &["--runtime", "runc", "run", "--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024"],
];

/// What keeps podman's files apart from those of the machine.
const STORAGE: [&str; 8] =
    ["--root", "storage", "--runroot", "run", "--storage-driver", "vfs", "--cgroup-manager", "cgroupfs"];

/// All that a program printed.
pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned()
}

/// umoci in a directory, which must succeed.
pub fn umoci(folder: &Path, arguments: &[&str]) {
    let output = Command::new("umoci").args(arguments).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
}

/// Makes the image `base:latest` in a directory, which has nothing but what a program is linked with.
pub fn make_base(folder: &Path, program: &Path) {
    umoci(folder, &["init", "--layout", "base"]);
    umoci(folder, &["new", "--image", "base:latest"]);
    for library in libraries(program) {
        let whole = fs::canonicalize(&library).unwrap();
        umoci(folder, &["insert", "--image", "base:latest", &whole.to_string_lossy(), &library]);
    }
}

/// The libraries that a program is linked with, and what loads them; none of a static one.
fn libraries(program: &Path) -> Vec<String> {
    let text = said(&Command::new("ldd").arg(program).output().unwrap());
    let path = |word: &str| word.starts_with('/').then(|| word.to_owned());
    text.lines().filter_map(|line| line.split_whitespace().find_map(path)).collect()
}

/// podman in a directory, which has its images and containers.
#[derive(Clone, Copy)]
pub struct Podman<'f>(pub &'f Path);

impl Podman<'_> {
    /// What a command of podman says.
    pub fn output(self, arguments: &[&str]) -> Output {
        Command::new("podman").args(STORAGE).args(arguments).current_dir(self.0).output().unwrap()
    }

    /// Takes an image with `load` or `pull`, and says its name or number; nothing, and the test counts as skipped, where podman
    /// takes none.
    pub fn take(self, arguments: &[&str]) -> Option<String> {
        let taken = self.output(arguments);
        if !taken.status.success() {
            skip(&format!("podman does not take images here: {}", said(&taken)));
            return None;
        }
        Some(String::from_utf8(taken.stdout).unwrap().trim().to_owned())
    }

    /// Runs a container to its end, which must be a good one. Answers with the way to run others, and what it said; nothing, and
    /// the test counts as skipped, where the machine runs no containers.
    pub fn run(self, arguments: &[&str]) -> Option<(&'static [&'static str], String)> {
        let mut refusals = String::new();
        for run in RUNS {
            let output = self.output(&[run, arguments].concat());
            let text = said(&output);
            if output.status.success() {
                return Some((run, text));
            }
            // A container that starts and does not find the program is no matter of the machine.
            assert!(text.contains("OCI") && output.status.code() != Some(127), "{text}");
            refusals += &text;
        }
        skip(&format!("podman does not run containers here: {refusals}"));
        None
    }
}
