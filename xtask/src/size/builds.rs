//! How many crates a build of the binary compiles, and how large the binary is.

use std::collections::BTreeSet;
use std::path::Path;

use crate::error::{Context as _, TaskError, TaskResult};
use crate::workspace;

/// A way to build the binary.
pub(super) struct Build {
    /// How people call it.
    pub(super) name: &'static str,
    /// What cargo is told for it.
    pub(super) flags: &'static [&'static str],
    /// The most crates that it may compile.
    pub(super) most_crates: usize,
}

impl Build {
    /// The number of crates that it compiles on this machine: of the binary and of build scripts and macros, not of tests.
    pub(super) fn crates(&self, root: &Path) -> TaskResult<usize> {
        let mut command = workspace::cargo(root);
        command
            .args(["tree", "--package", "fbc", "--edges", "normal,build", "--prefix", "none"])
            .args(self.flags);
        let output = command.output().context(|| "starting cargo tree".to_owned())?;
        if !output.status.success() {
            let reason = String::from_utf8_lossy(&output.stderr);
            return Err(TaskError::new(format!("cargo tree failed: {}", reason.trim())));
        }
        Ok(packages(&String::from_utf8_lossy(&output.stdout)))
    }
}

/// The number of packages in what `cargo tree --prefix none` prints: `(*)` marks one that was shown before.
fn packages(tree: &str) -> usize {
    let lines = tree.lines().map(|line| line.trim_end_matches(" (*)")).filter(|line| !line.is_empty());
    lines.collect::<BTreeSet<_>>().len()
}

/// The binaries that lie in the target directory, as their profiles and their bytes.
pub(super) fn binaries(root: &Path) -> TaskResult<Vec<(&'static str, u64)>> {
    let target = workspace::target_folder(root)?;
    let size =
        |profile: &str| std::fs::metadata(target.join(profile).join("fbc")).ok().map(|file| file.len());
    Ok(["release", "dist"].into_iter().filter_map(|profile| Some((profile, size(profile)?))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_counts_once() {
        let tree =
            "fbc v0.1.0 (/fbc)\nserde v1.0.2\nsyn v2.0.1 (proc-macro)\nserde v1.0.2 (*)\n\nsyn v3.0.0\n";
        assert_eq!(packages(tree), 4);
    }
}
