//! Permission denied in the middle, as an ordinary user.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::Path;
use std::process::Command;

use fbc_testing::Fbc;

use super::tree::{files, run, sample};

/// The user that has no rights of its own.
const NOBODY: u32 = 65534;

/// fbc as an ordinary user; nothing if root cannot become one here.
fn ordinary(root: &Path) -> Option<Fbc> {
    let is_root = Command::new("id").arg("-u").output().is_ok_and(|id| id.stdout == b"0\n");
    if !is_root {
        return Some(crate::fbc());
    }
    if !fbc_testing::is_installed("setpriv") {
        return None;
    }
    let as_nobody = || {
        let mut fbc = Fbc::at("setpriv");
        fbc.args(["--reuid=65534", "--regid=65534", "--clear-groups", crate::FBC]);
        fbc
    };
    let mut left = vec![root.to_path_buf()];
    while let Some(path) = left.pop() {
        chown(&path, Some(NOBODY), Some(NOBODY)).unwrap();
        if path.is_dir() {
            left.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    let works = run(as_nobody().arg("version"), root).status.success();
    if !works {
        fbc_testing::skip("the binary lies where other users cannot read it");
    }
    works.then(as_nobody)
}

#[test]
fn permission_denied_in_the_middle_leaves_all_as_it_was() {
    for (directory, words, closed) in [
        ("matrix", "generate", "matrix/catalog/v4.18/beacon-operator"),
        ("matrix", "generate --new-ocp 4.19", "matrix/catalog"),
        ("matrix", "lifecycle inject ../lifecycles.yaml .", "matrix/catalog/v5.0/beacon-operator"),
        ("directories", "pin --map pins.yaml", "directories/v4.16"),
        (
            ".",
            "deprecate catalog lighthouse-operator --message Use-tide-operator-instead",
            "catalog/lighthouse-operator",
        ),
        (".", "build catalog --to oci:layout", "."),
        (".", "opm migrate catalog migrated", "."),
    ] {
        let sample = sample();
        let Some(mut fbc) = ordinary(sample.path()) else { return };
        let before = files(sample.path());
        let closed = sample.path().join(closed);
        fs::set_permissions(&closed, Permissions::from_mode(0o555)).unwrap();
        let output = run(fbc.args(words.split(' ')), &sample.path().join(directory));
        fs::set_permissions(&closed, Permissions::from_mode(0o755)).unwrap();
        let err = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(matches!(output.status.code(), Some(1 | 2)), "{words}: {err}");
        assert!(err.to_lowercase().contains("permission denied"), "{words}: {err}");
        assert_eq!(files(sample.path()), before, "{words}");
    }
}
