//! Packages of npm, which tests need that Node.js runs.

use std::path::Path;
use std::process::Command;

use crate::error::{TaskError, TaskResult};
use crate::process;

/// The oldest major version of Node.js with which the extension is packed; its `package.json` says the same.
const OLDEST_NODE: u32 = 20;

/// Installs the packages that the lock file of a directory names, or gives the reason why that cannot be done here.
pub(super) fn cannot_install(directory: &Path) -> TaskResult<Option<String>> {
    if let Some(reason) = lacks_node() {
        return Ok(Some(reason));
    }
    let mut command = Command::new("npm");
    command.current_dir(directory).args(["ci", "--no-audit", "--no-fund"]);
    let installed = process::run_and_keep(&mut command)?;
    match installed.success {
        true => Ok(None),
        false if lacks_network(&installed.text) => {
            Ok(Some("the registry of npm cannot be reached".to_owned()))
        }
        false => Err(TaskError::new(format!(
            "the packages of {} cannot be installed: {}",
            directory.display(),
            installed.status
        ))),
    }
}

/// What is missing of Node.js and npm.
fn lacks_node() -> Option<String> {
    if Command::new("npm").arg("--version").output().is_err() {
        return Some("npm is not installed".to_owned());
    }
    let is_old = node_version().is_none_or(|version| version < OLDEST_NODE);
    is_old.then(|| format!("Node.js {OLDEST_NODE} or later is not installed"))
}

/// The major version of Node.js that is installed.
fn node_version() -> Option<u32> {
    let output = Command::new("node").arg("--version").output().ok()?;
    major_version(&String::from_utf8_lossy(&output.stdout))
}

/// The major version in what `node --version` prints, such as `v20.20.2`.
fn major_version(printed: &str) -> Option<u32> {
    printed.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// Whether npm failed because its registry does not answer, by the codes that it prints.
fn lacks_network(text: &str) -> bool {
    const CODES: [&str; 6] =
        ["ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH"];
    CODES.iter().any(|code| text.contains(&format!("code {code}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_node_are_read() {
        assert_eq!(major_version("v18.19.0\n"), Some(18));
        assert_eq!(major_version("v20.20.2\n"), Some(20));
        assert_eq!(major_version("command not found"), None);
    }

    #[test]
    fn only_a_missing_network_excuses_npm() {
        assert!(lacks_network("npm error code ENOTFOUND\nnpm error network"));
        assert!(!lacks_network("npm error code EUSAGE"));
    }
}
