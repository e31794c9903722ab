//! The oldest Rust that is supported, which `rust-version` of the workspace names, compiles the workspace.

use std::path::Path;
use std::process::Command;

use super::Outcome;
use super::counts::Counts;
use crate::error::{TaskError, TaskResult};
use crate::{process, workspace};

/// Checks with that toolchain if rustup has it. No file of the repository names it, since rustup would download it then.
pub(super) fn run(root: &Path) -> TaskResult<Outcome> {
    let version = rust_version(root)?;
    let Some(toolchain) = installed_toolchain(&version) else {
        return Ok(Outcome::skipped(format!("Rust {version} is not installed")));
    };
    let mut command = Command::new("rustup");
    command.current_dir(root).args(["run", &toolchain, "cargo", "check", "--locked", "--workspace"]);
    // What one compiler has compiled the other one cannot use.
    command.arg("--target-dir").arg(workspace::target_folder(root)?.join("msrv"));
    process::run(&mut command)?;
    Ok(Outcome::Passed(Counts::default()))
}

fn rust_version(root: &Path) -> TaskResult<String> {
    let metadata = workspace::metadata(root)?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let mut versions = packages.filter_map(|package| package["rust_version"].as_str());
    versions.next().map(str::to_owned).ok_or_else(|| TaskError::new("no package has a `rust-version`"))
}

fn installed_toolchain(version: &str) -> Option<String> {
    let output = Command::new("rustup").args(["toolchain", "list"]).output().ok()?;
    toolchain(&String::from_utf8_lossy(&output.stdout), version).map(str::to_owned)
}

/// The toolchain of a version, such as `1.90`, in what `rustup toolchain list` prints.
fn toolchain<'l>(list: &'l str, version: &str) -> Option<&'l str> {
    let is_meant = |name: &&str| name.strip_prefix(version).is_some_and(|rest| rest.starts_with(['.', '-']));
    list.lines().filter_map(|line| line.split_whitespace().next()).find(is_meant)
}

#[cfg(test)]
mod tests {
    use super::toolchain;

    #[test]
    fn toolchains_are_found_by_their_version() {
        let list = "stable-x86_64-unknown-linux-gnu (active, default)\n1.9.0-x86_64-unknown-linux-gnu\n\
                    1.90.0-x86_64-unknown-linux-gnu\n1.91-x86_64-unknown-linux-gnu\n";
        assert_eq!(toolchain(list, "1.90"), Some("1.90.0-x86_64-unknown-linux-gnu"));
        assert_eq!(toolchain(list, "1.91"), Some("1.91-x86_64-unknown-linux-gnu"));
        assert_eq!(toolchain(list, "1.92"), None);
        assert_eq!(toolchain("", "1.90"), None);
    }
}
