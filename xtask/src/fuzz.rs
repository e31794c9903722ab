//! `cargo xtask fuzz`: runs the fuzz targets of the package in `fuzz/` with cargo-fuzz.
//!
//! cargo-fuzz needs unstable flags of the compiler; `RUSTC_BOOTSTRAP=1` lets the stable toolchain accept them, so that
//! no second toolchain is needed. What a run finds stays outside the fuzz package, in `.fuzz/`, which git ignores.
//! Inputs worth keeping go to `fuzz/seeds/<target>/` by hand.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use clap::Args;

use crate::error::{Context, TaskError, TaskResult};
use crate::{process, workspace};

/// What to fuzz and for how long.
#[derive(Args)]
pub(crate) struct Options {
    /// The target; without it, all of them one after the other
    target: Option<String>,
    /// How long each target runs, in seconds
    #[arg(long, value_name = "N", default_value_t = 60)]
    seconds: u64,
    /// The sanitizer: `none` is fastest and enough for code without `unsafe`; `address` watches dependencies too
    #[arg(long, default_value = "none")]
    sanitizer: String,
    /// Only name the targets
    #[arg(long)]
    list: bool,
}

/// Runs the task.
pub(crate) fn run(options: &Options) -> TaskResult<ExitCode> {
    let root = workspace::root()?;
    let targets = targets_in(&root.join("fuzz"))?;
    if options.list {
        for target in &targets {
            println!("{target}");
        }
        return Ok(ExitCode::SUCCESS);
    }
    if !workspace::cargo_has(&root, "fuzz") {
        return Err(TaskError::new("cargo-fuzz is missing; run: cargo install cargo-fuzz --locked"));
    }
    let mut failed = Vec::new();
    for target in chosen(&targets, options.target.as_deref())? {
        println!("== {target}, {} s", options.seconds);
        if let Err(error) = process::run(&mut command(&root, target, options)?) {
            println!("{error}\nthe input is in .fuzz/artifacts/{target}/");
            failed.push(target);
        }
    }
    if failed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    Err(TaskError::new(format!("failed: {}", failed.join(", "))))
}

/// The names of the targets: `fuzz_targets/<name>.rs`.
fn targets_in(package: &Path) -> TaskResult<Vec<String>> {
    let files = workspace::files_below(&package.join("fuzz_targets"))?;
    let names = files.iter().filter(|file| file.extension().is_some_and(|extension| extension == "rs"));
    Ok(names.filter_map(|file| file.file_stem()?.to_str().map(str::to_owned)).collect())
}

/// The target that was asked for, or all of them; nothing to run is an error.
fn chosen<'a>(targets: &'a [String], asked: Option<&str>) -> TaskResult<Vec<&'a str>> {
    let found: Vec<&str> = targets
        .iter()
        .map(String::as_str)
        .filter(|target| asked.is_none_or(|asked| asked == *target))
        .collect();
    match (found.is_empty(), asked) {
        (false, _) => Ok(found),
        (true, None) => Err(TaskError::new("there are no targets in fuzz/fuzz_targets")),
        (true, Some(asked)) => {
            Err(TaskError::new(format!("there is no target {asked}; there are: {}", targets.join(", "))))
        }
    }
}

/// The command for one target; makes the directories that it writes to.
fn command(root: &Path, target: &str, options: &Options) -> TaskResult<Command> {
    let corpus = format!(".fuzz/corpus/{target}");
    let artifacts = format!(".fuzz/artifacts/{target}/");
    for folder in [&corpus, &artifacts] {
        fs::create_dir_all(root.join(folder)).context(|| format!("making {folder}"))?;
    }
    let seeds = format!("fuzz/seeds/{target}");
    let mut command = workspace::cargo(root);
    command.env("RUSTC_BOOTSTRAP", "1");
    command.args(["fuzz", "run", "--fuzz-dir", "fuzz", "--sanitizer", &options.sanitizer, target, &corpus]);
    if root.join(&seeds).is_dir() {
        command.arg(seeds);
    }
    command.args([
        "--".to_owned(),
        format!("-max_total_time={}", options.seconds),
        format!("-artifact_prefix={artifacts}"),
    ]);
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_the_rust_files_of_the_folder() {
        let package = tempfile::tempdir().unwrap();
        assert_eq!(targets_in(package.path()).unwrap(), [] as [String; 0]);
        fs::create_dir(package.path().join("fuzz_targets")).unwrap();
        for name in ["yaml_scan.rs", "range.rs", "notes.md"] {
            fs::write(package.path().join("fuzz_targets").join(name), "").unwrap();
        }
        assert_eq!(targets_in(package.path()).unwrap(), ["range", "yaml_scan"]);
    }

    #[test]
    fn a_target_that_does_not_exist_is_refused_with_the_names_that_do() {
        let targets = ["range".to_owned(), "yaml".to_owned()];
        assert_eq!(chosen(&targets, None).unwrap(), ["range", "yaml"]);
        assert_eq!(chosen(&targets, Some("yaml")).unwrap(), ["yaml"]);
        let error = chosen(&targets, Some("json")).unwrap_err();
        assert_eq!(error.to_string(), "there is no target json; there are: range, yaml");
        assert!(chosen(&[], None).is_err());
    }

    #[test]
    fn the_command_keeps_findings_out_of_the_package() {
        let root = tempfile::tempdir().unwrap();
        let options = Options { target: None, seconds: 7, sanitizer: "none".to_owned(), list: false };
        let expected = "cargo fuzz run --fuzz-dir fuzz --sanitizer none range .fuzz/corpus/range \
            -- -max_total_time=7 -artifact_prefix=.fuzz/artifacts/range/";
        assert_eq!(process::describe(&command(root.path(), "range", &options).unwrap()), expected);
        assert!(root.path().join(".fuzz/artifacts/range").is_dir());
        fs::create_dir_all(root.path().join("fuzz/seeds/range")).unwrap();
        let with_seeds = process::describe(&command(root.path(), "range", &options).unwrap());
        assert!(with_seeds.contains(" .fuzz/corpus/range fuzz/seeds/range -- "), "{with_seeds}");
    }
}
