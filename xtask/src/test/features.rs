//! Every cargo feature of `fbc` compiles alone, and so does the program without any.

use std::path::Path;

use super::Outcome;
use super::counts::Counts;
use crate::error::{TaskError, TaskResult};
use crate::{process, workspace};

/// Checks the program with each feature alone. All of them together are what the other steps compile.
pub(super) fn run(root: &Path) -> TaskResult<Outcome> {
    let metadata = workspace::metadata(root)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let features = packages
        .filter(|package| package["name"] == "fbc")
        .find_map(|package| package["features"].as_object())
        .ok_or_else(|| TaskError::new("the package fbc has no features"))?;
    for feature in
        [""].into_iter().chain(features.keys().map(String::as_str).filter(|name| *name != "default"))
    {
        let mut command = workspace::cargo(root);
        command.args(["check", "--package", "fbc", "--no-default-features", "--features", feature]);
        process::run(&mut command)?;
    }
    Ok(Outcome::Passed(Counts::default()))
}
