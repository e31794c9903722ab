//! Where things are: the root of the workspace, the target directory, cargo itself, files below a directory.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::error::{Context, TaskError, TaskResult};

/// The root of the workspace: the directory above this package.
///
/// Cargo sets `CARGO_MANIFEST_DIR` for `cargo run` and `cargo test`; the path of the build is the fallback for a
/// binary that is started by hand.
pub(crate) fn root() -> TaskResult<PathBuf> {
    let package = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    match package.parent() {
        Some(root) if root.join("Cargo.toml").is_file() => Ok(root.to_owned()),
        _ => Err(TaskError::new(format!("{} is not inside the workspace", package.display()))),
    }
}

/// The directory with recorded answers of the reference implementations; it lies beside the checkout, not inside.
pub(crate) fn conformance_folder(root: &Path) -> PathBuf {
    root.join(fbc_testing::RECORDINGS)
}

/// The cargo that started this task, working in the root of the workspace.
pub(crate) fn cargo(root: &Path) -> Command {
    let program = env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut command = Command::new(program);
    command.current_dir(root);
    command
}

/// True when `cargo <name> --help` runs, that is when the subcommand is installed; not all of them know `--version`.
pub(crate) fn cargo_has(root: &Path, name: &str) -> bool {
    cargo(root).args([name, "--help"]).output().is_ok_and(|output| output.status.success())
}

/// What `cargo metadata` says about the packages of the workspace.
pub(crate) fn metadata(root: &Path) -> TaskResult<Value> {
    let output = cargo(root)
        .args(["metadata", "--format-version", "1", "--no-deps"])
        .output()
        .context(|| "starting cargo metadata".to_owned())?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        return Err(TaskError::new(format!("cargo metadata failed: {}", reason.trim())));
    }
    serde_json::from_slice(&output.stdout).context(|| "reading the answer of cargo metadata".to_owned())
}

/// The directory that cargo builds into.
pub(crate) fn target_folder(root: &Path) -> TaskResult<PathBuf> {
    metadata(root)?["target_directory"]
        .as_str()
        .map(PathBuf::from)
        .ok_or_else(|| TaskError::new("cargo metadata names no target_directory"))
}

/// The whole path of something that exists.
pub(crate) fn absolute(path: &Path) -> TaskResult<PathBuf> {
    path.canonicalize().context(|| path.display().to_string())
}

/// All regular files below a directory, sorted by path; nothing when the directory does not exist.
pub(crate) fn files_below(folder: &Path) -> TaskResult<Vec<PathBuf>> {
    let mut files = Vec::new();
    if folder.is_dir() {
        collect_files(folder, &mut files)?;
    }
    files.sort();
    Ok(files)
}

fn collect_files(folder: &Path, files: &mut Vec<PathBuf>) -> TaskResult {
    let reading = || format!("reading {}", folder.display());
    for entry in fs::read_dir(folder).context(reading)? {
        let path = entry.context(reading)?.path();
        if path.is_dir() {
            collect_files(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// The directories directly below a directory, sorted; nothing when the directory does not exist.
pub(crate) fn folders_in(folder: &Path) -> TaskResult<Vec<PathBuf>> {
    let mut folders = Vec::new();
    if folder.is_dir() {
        let reading = || format!("reading {}", folder.display());
        for entry in fs::read_dir(folder).context(reading)? {
            let path = entry.context(reading)?.path();
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    folders.sort();
    Ok(folders)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_holds_this_package() {
        assert!(root().unwrap().join("xtask/Cargo.toml").is_file());
    }

    #[test]
    fn files_are_found_at_every_depth_in_order() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("b/c")).unwrap();
        fs::write(folder.path().join("b/c/deep.txt"), "").unwrap();
        fs::write(folder.path().join("a.txt"), "").unwrap();
        let found = files_below(folder.path()).unwrap();
        assert_eq!(found, [folder.path().join("a.txt"), folder.path().join("b/c/deep.txt")]);
        assert_eq!(folders_in(folder.path()).unwrap(), [folder.path().join("b")]);
        assert_eq!(files_below(&folder.path().join("missing")).unwrap(), [] as [PathBuf; 0]);
    }
}
