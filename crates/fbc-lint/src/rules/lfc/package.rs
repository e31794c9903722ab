//! Lifecycles of packages that the catalog does not have.

use fbc_go::text::quote;

use super::blobs;
use crate::context::Context;
use crate::finding::{Finding, Findings, Subject};
use crate::rule::{Basis, Case, Check, Rule, Source};

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
    cases: &[
        Case {
            title: "the package of the catalog",
            files: "\
schema: olm.package
name: foo
---
schema: io.openshift.operators.lifecycles.v1alpha1
package: foo
versions: []
",
            findings: &[],
        },
        Case {
            title: "another package, and none",
            files: "\
schema: olm.package
name: foo
---
schema: io.openshift.operators.lifecycles.v1alpha1
package: fooo
versions: []
---
schema: io.openshift.operators.lifecycles.v1alpha1
versions: []
",
            findings: &[
                "5:10 the catalog has no package \"fooo\", whose lifecycle this is",
                "8:1 a lifecycle names no package",
            ],
        },
    ],
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
