//! Dockerfiles that copy a catalog as a single file, and lose the lifecycle beside it.

use std::path::Path;

use fbc_go::text::quote;
use fbc_lint::finding::Finding;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`]. Whoever looks at repositories finds it.
pub static RULE: Rule = Rule {
    code: "LFC007",
    name: "lifecycle-lost-by-dockerfile",
    since: "0.1.0",
    summary: "A Dockerfile copies a catalog as a single file, so the lifecycle of the package is lost",
    explanation: "\
From OpenShift 5.0 on, pipelines put `lifecycle.json` into the directory of a package before they build the image. A
Dockerfile that copies the file of the catalog, and not its directory, leaves it behind. Konflux refuses such a Dockerfile.",
    sources: &[
        Source::Code("konflux-ci/operator-foundry:pkg/lifecycle/inject.go", "InjectLifecycleJSON"),
        Source::Code(
            "konflux-ci/konflux-operator-tasks:task/fbc-inject-lifecycle-oci-ta/0.1/fbc-inject-lifecycle-oci-ta.yaml",
            "",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("lost_by_dockerfile.cases"),
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
