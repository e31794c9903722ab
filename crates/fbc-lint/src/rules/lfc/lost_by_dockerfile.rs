//! Dockerfiles that copy a catalog as a single file, and lose the lifecycle beside it.

use std::path::Path;

use fbc_go::text::quote;

use crate::finding::Finding;
use crate::rule::{Basis, Check, Rule};

/// See [`Rule::explanation`]. Whoever looks at repositories finds it.
pub static RULE: Rule = Rule {
    code: "LFC007",
    name: "lifecycle-lost-by-dockerfile",
    since: "0.1.0",
    summary: "A Dockerfile copies a catalog as a single file, so the lifecycle of the package is lost",
    explanation: "\
From OpenShift 5.0 on, pipelines put `lifecycle.json` into the directory of a package before they build the image. A
Dockerfile that copies the file of the catalog, and not its directory, leaves it behind.

Source: `release-engineering/fbc-update-planner:pkg/lifecycle`, which refuses such a Dockerfile.",
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: &[],
};

/// The finding about a Dockerfile that copies this file.
#[must_use]
pub fn finding(copied: &Path) -> Finding {
    let (file, directory) = (copied.display().to_string(), copied.parent().unwrap_or(Path::new("")));
    Finding::new(
        &RULE,
        format!("{} is copied as a single file: a lifecycle.json beside it is lost", quote(&file)),
    )
    .help(format!("copy its directory, {}", quote(&directory.display().to_string())))
}
