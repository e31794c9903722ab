//! Features of dependencies: what only tests ask for has to be asked for by this package too.
//!
//! Cargo compiles a crate anew for each set of features. `cargo xtask` is built for this package alone, the tests for
//! the whole workspace; where the sets differ, a fresh clone compiles most dependencies twice.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::error::{Context, TaskError, TaskResult};
use crate::workspace;

/// Packages, as `cargo tree` writes name and version, with their features.
type Packages = BTreeMap<String, BTreeSet<String>>;

/// The packages that `cargo xtask` and the tests would compile with different features.
pub(super) fn check(root: &Path) -> TaskResult<Vec<String>> {
    let own = tree(root, &["--package", "xtask", "--edges", "normal,build"])?;
    let whole = tree(root, &["--workspace", "--edges", "normal,build,dev"])?;
    Ok(differences(&packages(&own), &packages(&whole)))
}

fn tree(root: &Path, arguments: &[&str]) -> TaskResult<String> {
    let output = workspace::cargo(root)
        .args(["tree", "--locked", "--prefix", "none", "--format", "{p}\t{f}"])
        .args(arguments)
        .output()
        .context(|| "starting cargo tree".to_owned())?;
    if !output.status.success() {
        let reason = String::from_utf8_lossy(&output.stderr);
        return Err(TaskError::new(format!("cargo tree failed: {}", reason.trim())));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// A package may stand in several lines; one that was shown before ends in `(*)`.
fn packages(tree: &str) -> Packages {
    let mut packages = Packages::new();
    for (name, features) in tree.lines().filter_map(|line| line.split_once('\t')) {
        let features =
            features.trim_end_matches("(*)").trim().split(',').filter(|feature| !feature.is_empty());
        packages.entry(name.trim().to_owned()).or_default().extend(features.map(str::to_owned));
    }
    packages
}

fn differences(own: &Packages, whole: &Packages) -> Vec<String> {
    let missing = |(name, features): (&String, &BTreeSet<String>)| {
        let more: Vec<&str> = whole.get(name)?.difference(features).map(String::as_str).collect();
        (!more.is_empty()).then(|| {
            format!("xtask/Cargo.toml: tests compile {name} with `{}`, `cargo xtask` without: add these features here", more.join(", "))
        })
    };
    own.iter().filter_map(missing).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_feature_that_only_tests_ask_for_is_named() {
        let own = packages(
            "xtask v0.1.0 (/x)\t\ntokio v1.54.1\trt,time\ntokio v1.54.1\trt,time (*)\nbytes v1\t (*)\n",
        );
        let whole = packages("tokio v1.54.1\tmacros,rt,time\nproptest v1\tstd\nbytes v1\t\n");
        assert_eq!(
            differences(&own, &whole),
            [
                "xtask/Cargo.toml: tests compile tokio v1.54.1 with `macros`, `cargo xtask` without: add these features here"
            ]
        );
        assert_eq!(differences(&own, &own), [""; 0]);
    }
}
