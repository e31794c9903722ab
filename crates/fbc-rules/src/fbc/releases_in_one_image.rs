//! Dockerfiles that copy the catalogs of several releases.

use fbc_lint::finding::Finding;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_version::OpenShiftRelease;
use fbc_version::openshift_release::in_words;

/// See [`Rule::explanation`]. Whoever looks at repositories finds it.
pub static RULE: Rule = Rule {
    code: "FBC248",
    name: "releases-in-one-image",
    since: "0.1.0",
    summary: "A Dockerfile copies the catalogs of several OpenShift releases into one image",
    explanation: "\
A catalog for each release of OpenShift lies in a directory of its own, and each has the same packages. An image that holds them all
has every package several times, which opm refuses when it serves them. Such a Dockerfile is often one for development that copies
the directory around all catalogs.

It is not taken for the Dockerfile of any of them. Copy the catalog of one release, or leave the others out with
`.indexignore` or `.dockerignore` and exclude the Dockerfile from what `[[catalogs]]` of `fbc.toml` names.",
    sources: &[
        Source::Code("operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go", "ConvertToModel"),
        Source::Code("openshift/external-dns-operator:Dockerfile.catalog", ""),
    ],
    basis: Basis::Advice,
    check: Check::Elsewhere,
    cases: include_str!("releases_in_one_image.cases"),
};

/// The finding about a Dockerfile that copies the catalogs of these releases.
#[must_use]
pub fn finding(releases: &[OpenShiftRelease]) -> Finding {
    Finding::new(&RULE, format!("the catalogs of {} are copied into one image", in_words(releases)))
        .help("copy the catalog of one release: opm refuses packages that are there several times")
}
