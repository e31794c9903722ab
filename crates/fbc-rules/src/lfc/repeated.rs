//! Lifecycles, versions and phases that are there twice.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::blobs;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "LFC002",
    name: "repeated-lifecycle",
    since: "0.1.0",
    summary: "A lifecycle, or a version or phase in it, is there twice",
    explanation: "\
The console shows \"No data\" for a package with two lifecycles, and the first of two versions or phases of one name.",
    sources: &[
        Source::Code("openshift/console:pkg/olm/lifecycle.go", "lifecycleHandler"),
        Source::Code(
            "openshift/console:frontend/packages/operator-lifecycle-manager/src/components/operator-lifecycle-status.tsx",
            "findVersionEntry",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("repeated.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut packages = BTreeSet::new();
    for lifecycle in blobs::all(context) {
        let package = lifecycle.meta.package.as_str();
        let name = quote(package);
        let mut add = |message: String, pointer: String| {
            findings.push(
                Finding::new(&RULE, message)
                    .at(context.value(lifecycle.origin, pointer))
                    .about(Subject::package(package))
                    .help("leave one"),
            );
        };
        if !packages.insert(package) {
            add(format!("package {name} has a second lifecycle"), "/package".to_owned());
        }
        let mut versions = BTreeSet::new();
        for (version, at) in blobs::items(lifecycle.value.node(), "", "versions") {
            let of = version.get_str("name").unwrap_or_default();
            if !versions.insert(of) {
                let message = format!("version {} is twice in the lifecycle of package {name}", quote(of));
                add(message, format!("{at}/name"));
            }
            let mut phases = BTreeSet::new();
            for (phase, at) in blobs::items(version, &at, "phases") {
                let phase = phase.get_str("name").unwrap_or_default();
                if !phases.insert(phase) {
                    let (phase, of) = (quote(phase), quote(of));
                    let message = format!("phase {phase} of version {of} of package {name} is there twice");
                    add(message, format!("{at}/name"));
                }
            }
        }
    }
}
