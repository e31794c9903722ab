//! Lifecycles of packages that the catalog does not have.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::blobs;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "LFC001",
    name: "lifecycle-package",
    since: "0.1.0",
    summary: "A lifecycle is for a package that the catalog does not have",
    explanation: "\
The console asks for the lifecycle of a package by its name. A lifecycle with another name, or none, is shown nowhere.",
    sources: &[
        Source::Code("openshift/console:pkg/olm/lifecycle.go", "lifecycleHandler"),
        Source::Code("release-engineering/fbc-update-planner:docs/FBC_SCHEMA.md", ""),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("package.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for lifecycle in blobs::all(context) {
        let package = lifecycle.meta.package.as_str();
        if context.packages.contains_key(package) {
            continue;
        }
        let (message, pointer) = match package {
            "" => ("a lifecycle names no package".to_owned(), ""),
            name => {
                (format!("the catalog has no package {}, whose lifecycle this is", quote(name)), "/package")
            }
        };
        findings.push(
            Finding::new(&RULE, message)
                .at(context.value(lifecycle.origin, pointer))
                .about(Subject::package(package))
                .help("write the name of the package as `package`"),
        );
    }
}
