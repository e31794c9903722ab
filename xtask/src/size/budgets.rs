//! What the workspace may grow to. `cargo xtask test` fails beyond these numbers: who raises one says why in the commit.

use super::builds::Build;

/// The builds that have a name of their own, each with the most crates that it may compile, those of the workspace included.
pub(super) const BUILDS: [Build; 2] = [
    Build { name: "default", flags: &[], most_crates: 360 },
    Build { name: "--no-default-features", flags: &["--no-default-features"], most_crates: 185 },
];

/// The most lines of a crate outside of tests, with comments and blank lines.
pub(super) const LINES: [(&str, usize); 1] = [("fbc", 20_000)];
