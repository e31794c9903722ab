//! Bundles with manifests in catalogs for clusters that want none.

use fbc_model::bundle_object;

use super::form_of_target;
use crate::context::Context;
use crate::finding::Findings;
use crate::rule::{Basis, Case, Check, Rule};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC230",
    name: "bundle-objects-for-target",
    summary: "A bundle holds `olm.bundle.object` in a catalog for OpenShift 4.17 or later",
    explanation: "\
From OpenShift 4.17 on, catalogs describe bundles with `olm.csv.metadata`. `olm.bundle.object` carries whole
manifests, makes catalogs several times larger, and pipelines refuse it for these versions. The rule looks at
every bundle, once for each target.

Render the catalog with `--migrate-level bundle-object-to-csv-metadata`.",
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: &[
        Case {
            title: "a catalog for 4.17 with metadata",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {type: olm.csv.metadata, value: {}}
",
            findings: &[],
        },
        Case {
            title: "a catalog for 4.17 with manifests",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {type: olm.bundle.object, value: {data: e30=}}
",
            findings: &[
                "5:3 bundle \"foo.v1\" has \"olm.bundle.object\", which catalogs for OpenShift 4.17 must not have",
            ],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let (_, later) = context.parameters.split_targets(form_of_target::FIRST_WITH_METADATA);
    let help = "render the catalog with `--migrate-level bundle-object-to-csv-metadata`";
    form_of_target::forbid(&RULE, bundle_object::PROPERTY_TYPE, later, help, context, findings);
}
