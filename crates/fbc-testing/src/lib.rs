//! What tests of several crates share: recordings of the reference implementations, other programs, registries, containers, a browser, and how a
//! test says that it was skipped. Only tests and `cargo xtask` use this crate.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::Value;

pub mod browser;
pub mod containers;
mod program;
#[cfg(feature = "registry")]
pub mod registry;

pub use program::{Answer, Fbc, Running};

/// The environment variable that names the file to which skipped tests add a line each; `cargo xtask test` sets it.
pub const SKIPPED_TESTS: &str = "FBC_SKIPPED_TESTS";

/// Where the recorded answers of the reference implementations lie, from the root of the workspace: beside the checkout.
pub const RECORDINGS: &str = "../shared/conformance";

/// A file or directory of the repository, by its path from the root; the root itself without one.
pub fn repository(path: &str) -> PathBuf {
    // Without a slash at the end.
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path).components().collect()
}

/// A file or directory of `testdata`.
pub fn testdata(path: &str) -> PathBuf {
    repository(&format!("testdata/{path}"))
}

/// Says why the test that calls this did not run, or not all of it. `cargo xtask test` counts it as skipped then.
pub fn skip(reason: &str) {
    eprintln!("skipped: {reason}");
    let Some(path) = std::env::var_os(SKIPPED_TESTS) else { return };
    // The process and the thread tell a test apart from all others, however they are run.
    let thread = std::thread::current();
    let line = format!("{} {}: {reason}\n", std::process::id(), thread.name().unwrap_or("unnamed"));
    let mut file =
        OpenOptions::new().create(true).append(true).open(path).expect("the file of skipped tests opens");
    file.write_all(line.as_bytes()).expect("the file of skipped tests takes a line");
}

/// A file or directory of the recorded answers, which lie at [`RECORDINGS`]; nothing, and the test counts as skipped, where they do
/// not. What is there is not empty.
pub fn recordings(path: &str) -> Option<PathBuf> {
    let folder = repository(RECORDINGS);
    if !folder.is_dir() {
        skip("there are no recordings beside the checkout");
        return None;
    }
    let path = folder.join(path);
    assert!(path.exists(), "the recordings have no {}", path.display());
    // Who goes through an empty directory has tested nothing.
    let is_empty = |path: &Path| std::fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none());
    assert!(!is_empty(&path), "{} is empty", path.display());
    Some(path)
}

/// A recording that is one JSON value; nothing as with [`recordings`].
pub fn recorded_json(path: &str) -> Option<Value> {
    let path = recordings(path)?;
    let bytes = std::fs::read(&path).expect("a recording can be read");
    let value = serde_json::from_slice(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let is_empty = match &value {
        Value::Array(cases) => cases.is_empty(),
        Value::Object(members) => members.is_empty(),
        _ => false,
    };
    assert!(!is_empty, "{} is empty", path.display());
    Some(value)
}

/// A text that is broken at each position: something foreign put in there, or cut off. For readers of small files, which
/// must answer with a value or with faults that lie in the text.
pub fn broken_variants(text: &str) -> impl Iterator<Item = String> {
    const FOREIGN: [&str; 9] = ["\n", "\0", "[", "{", "\"", "&a *a ", ": ", "- ", "é"];
    text.char_indices().flat_map(move |(at, _)| {
        let (before, after) = text.split_at(at);
        let spliced = FOREIGN.map(|foreign| format!("{before}{foreign}{after}"));
        spliced.into_iter().chain([before.to_owned()])
    })
}

/// Whether a program can be run here; the test counts as skipped where it cannot.
pub fn is_installed(program: &str) -> bool {
    let found = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .any(|folder| folder.join(program).is_file());
    if !found {
        skip(&format!("{program} is not installed"));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_on_the_path() {
        assert!(is_installed("cargo") || is_installed("rustc"));
    }
}
