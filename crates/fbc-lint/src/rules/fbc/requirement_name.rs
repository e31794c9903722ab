//! APIs without a group, and required packages without a name.

use fbc_model::go_type;
use fbc_yaml::go_text::quote;

use crate::context::Context;
use crate::finding::Finding;
use crate::rule::{Basis, Case, Rule};

use super::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC104",
    name: "requirement-name",
    summary: "An API has no group, or a required package has no name",
    explanation: "\
The documented schemas of `olm.gvk`, `olm.gvk.required` and `olm.package.required` ask for values that are
not empty. opm accepts empty ones; nothing can satisfy them.",
    basis: Basis::Documents,
    check,
    cases: &[
        Case {
            title: "complete",
            catalog: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {type: olm.gvk, value: {group: example.com, version: v1, kind: Foo}}
",
            findings: &[],
        },
        Case {
            title: "no group",
            catalog: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {type: olm.gvk, value: {version: v1, kind: Foo}}
",
            findings: &["5:26 property \"olm.gvk\" of bundle \"foo.v1\" has no group"],
        },
        Case {
            title: "no package",
            catalog: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {type: olm.package.required, value: {versionRange: \">1.0.0\"}}
",
            findings: &["5:39 property \"olm.package.required\" of bundle \"foo.v1\" has no packageName"],
        },
    ],
};

const FIELDS: [(&str, &str); 3] =
    [("olm.gvk", "group"), ("olm.gvk.required", "group"), ("olm.package.required", "packageName")];

fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    for item in opm::bundles(context) {
        for (kind, field) in FIELDS {
            for (index, value) in opm::values(item.bundle, kind) {
                let found = go_type::field(value, field);
                // Another type than text is refused by opm.
                if found.is_some_and(|found| found.as_str() != Some("")) {
                    continue;
                }
                let message =
                    format!("property {} of bundle {} has no {field}", quote(kind), quote(&item.bundle.name));
                findings.push(
                    Finding::new(&RULE, message)
                        .at(context.value(item.bundle.origin, format!("/properties/{index}/value/{field}")))
                        .about(item.subject())
                        .label(format!("no {field}"))
                        .help(format!("add `{field}`, or remove the property")),
                );
            }
        }
    }
}
