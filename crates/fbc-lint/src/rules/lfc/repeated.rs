//! Lifecycles, versions and phases that are there twice.

use std::collections::BTreeSet;

use fbc_go::text::quote;

use super::blobs;
use crate::context::Context;
use crate::finding::{Finding, Findings, Subject};
use crate::rule::{Basis, Case, Check, Rule, Source};

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
    cases: &[
        Case {
            title: "each once",
            files: "\
schema: olm.package
name: foo
---
schema: io.openshift.operators.lifecycles.v1alpha1
package: foo
versions:
- name: \"1.0\"
  phases:
  - {name: Full support, startDate: \"2026-01-01\", endDate: \"2026-06-30\"}
- name: \"1.1\"
  phases:
  - {name: Full support, startDate: \"2026-01-01\", endDate: \"2026-06-30\"}
",
            findings: &[],
        },
        Case {
            title: "twice each",
            files: "\
schema: olm.package
name: foo
---
schema: io.openshift.operators.lifecycles.v1alpha1
package: foo
versions:
- name: \"1.0\"
  phases:
  - {name: Full support, startDate: \"2026-01-01\", endDate: \"2026-06-30\"}
  - {name: Full support, startDate: \"2026-07-01\", endDate: \"2026-12-31\"}
- name: \"1.0\"
---
schema: io.openshift.operators.lifecycles.v1alpha1
package: foo
versions: []
",
            findings: &[
                "10:12 phase \"Full support\" of version \"1.0\" of package \"foo\" is there twice",
                "11:9 version \"1.0\" is twice in the lifecycle of package \"foo\"",
                "14:10 package \"foo\" has a second lifecycle",
            ],
        },
    ],
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
