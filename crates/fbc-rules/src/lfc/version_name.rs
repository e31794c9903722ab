//! Versions of lifecycles in another form than major and minor.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_version::OpenShiftRelease;

use super::blobs;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "LFC003",
    name: "lifecycle-version",
    since: "0.1.0",
    summary: "A version of a lifecycle, or of a platform in it, is not MAJOR.MINOR",
    explanation: "\
The console looks the version of an operator up by its major and minor number, and that of the cluster as well. What is
written otherwise is found for no version. In YAML, write versions in quotation marks: `1.10` is the number 1.1.",
    sources: &[
        Source::Code(
            "openshift/console:frontend/packages/operator-lifecycle-manager/src/components/operator-lifecycle-status.tsx",
            "parseMinorVersion",
        ),
        Source::Code("release-engineering/fbc-update-planner:docs/FBC_SCHEMA.md", ""),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("version_name.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for lifecycle in blobs::all(context) {
        for (version, at) in blobs::items(lifecycle.value.node(), "", "versions") {
            let names = version.get("name").map(|name| (name, format!("{at}/name")));
            let platforms = blobs::items(version, &at, "platformCompatibility");
            let versions = platforms.flat_map(|(platform, at)| blobs::items(platform, &at, "versions"));
            for (name, pointer) in names.into_iter().chain(versions) {
                let message = match (name.as_str(), name.as_f64()) {
                    (Some(text), _) if is_version(text) => continue,
                    (Some(text), _) => format!("{} is not a version such as 1.2", quote(text)),
                    (None, Some(number)) => {
                        format!("{} is not a version such as 1.2: it is a number", quote(&number.to_string()))
                    }
                    (None, None) => continue,
                };
                findings.push(
                    Finding::new(&RULE, message)
                        .at(context.value(lifecycle.origin, pointer))
                        .about(Subject::package(&lifecycle.meta.package))
                        .help("write major and minor number as a text, such as \"1.2\""),
                );
            }
        }
    }
}

fn is_version(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_digit())
        && text.matches('.').count() == 1
        && OpenShiftRelease::parse(text).is_some()
}
