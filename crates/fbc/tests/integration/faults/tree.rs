//! Directories with repositories, catalogs and bundles, and what their files hold.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use fbc_testing::Fbc;
use tempfile::TempDir;

pub(crate) const LIFECYCLES: &str = "\
schema: io.openshift.operators.lifecycles.v1alpha1
package: beacon-operator
versions:
- name: \"1.0\"
  phases:
  - {name: Full support, startDate: \"2026-01-01\", endDate: \"2026-06-30\"}
";

/// What commands work on: the directories that their table names.
pub(crate) fn sample() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let testdata = fbc_testing::testdata("");
    for (from, to) in [
        ("repositories/matrix", "matrix"),
        ("repositories/directories", "directories"),
        ("repositories/operators", "operators"),
        ("sample-catalog", "catalog"),
        ("beacon-bundle", "bundle"),
        ("beacon-bundle", "operators/operators/beacon-operator/9.0.0"),
        ("scenarios/quotas.yaml", "quotas.yaml"),
    ] {
        copy(&testdata.join(from), &root.join(to));
    }
    fs::write(root.join("lifecycles.yaml"), LIFECYCLES).unwrap();
    let release = root.join("operators/operators/beacon-operator/9.0.0");
    let config = "catalog_templates:\n- template_name: basic.yaml\n  channels: [stable]\n  replaces: beacon-operator.v1.1.0\n";
    fs::write(release.join("release-config.yaml"), config).unwrap();
    let manifest = release.join("manifests/csv.yaml");
    fs::write(&manifest, fs::read_to_string(&manifest).unwrap().replace("1.0.0", "9.0.0")).unwrap();
    let template = root.join("directories/v4.16/catalog-template.yaml");
    let text = fs::read_to_string(&template).unwrap();
    let image = text.lines().find_map(|line| line.trim().strip_prefix("image: ")).unwrap().to_owned();
    let (repository, digest) = image.split_once('@').unwrap();
    fs::write(&template, text.replace(&image, &format!("{repository}:v1"))).unwrap();
    fs::write(root.join("directories/pins.yaml"), format!("{repository}:v1: {digest}\n")).unwrap();
    if fbc_testing::is_installed("git") {
        let made =
            Command::new("git").args(["init", "--quiet", "--template=", "matrix"]).current_dir(root).status();
        assert!(made.unwrap().success());
    }
    folder
}

pub(crate) fn copy(from: &Path, to: &Path) {
    if from.is_file() {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
        return;
    }
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        copy(&entry.path(), &to.join(entry.file_name()));
    }
}

/// All files by their paths, but those that git keeps for itself.
pub(crate) fn files(root: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut left = vec![root.to_path_buf()];
    while let Some(directory) = left.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() && !path.is_symlink() {
                left.extend((!path.ends_with(".git")).then_some(path));
            } else {
                let bytes = fs::read(&path).unwrap_or_default();
                files.insert(path.strip_prefix(root).unwrap().to_path_buf(), bytes);
            }
        }
    }
    files
}

/// Runs a command as the tests want it: without a home, not even one that root could make, and with equal times in what it writes.
pub(crate) fn run(command: &mut Fbc, directory: &Path) -> Output {
    let variables = [("SOURCE_DATE_EPOCH", "0"), ("HOME", "/proc/none")];
    command.current_dir(directory).envs(variables).output()
}

/// Runs fbc in a directory.
pub(crate) fn fbc(directory: &Path, words: &[&str]) -> Output {
    run(crate::fbc().args(words), directory)
}
