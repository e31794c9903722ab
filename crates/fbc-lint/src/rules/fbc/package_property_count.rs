//! Bundles without the property `olm.package`, or with several.

use fbc_go::text::quote;

use crate::context::Context;
use crate::finding::{Finding, Findings};
use crate::rule::{Basis, Case, Check, Rule};

use super::opm::{self, PACKAGE_PROPERTY_TYPE};
use super::suggest;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC024",
    name: "package-property-count",
    summary: "A bundle does not have exactly one property `olm.package`",
    explanation: "\
The property `olm.package` says of which package and version a bundle is:

    properties:
    - type: olm.package
      value:
        packageName: foo
        version: 1.0.0

Every bundle has exactly one.",
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: &[
        Case {
            title: "one",
            files: "\
schema: olm.bundle
name: foo.v1.0.0
package: foo
properties:
- type: olm.package
  value: {packageName: foo, version: 1.0.0}
",
            findings: &[],
        },
        Case {
            title: "none",
            files: "\
schema: olm.bundle
name: foo.v1.0.0
package: foo
properties:
- {type: olm.pakage, value: {packageName: foo, version: 1.0.0}}
",
            findings: &["5:1 bundle \"foo.v1.0.0\" has no property \"olm.package\""],
        },
        Case {
            title: "two",
            files: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {type: olm.package, value: {packageName: foo, version: 1.0.0}}
- {type: olm.package, value: {packageName: foo, version: 1.0.1}}
",
            findings: &["6:3 bundle \"foo.v1\" has 2 properties \"olm.package\""],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let bundle = item.bundle;
        let is_package = |kind: &str| kind == PACKAGE_PROPERTY_TYPE;
        let count = bundle.properties.iter().filter(|property| is_package(&property.kind)).count();
        if count == 1 {
            continue;
        }
        let name = quote(&bundle.name);
        let (message, pointer, help) = if count == 0 {
            let question =
                suggest::closest(PACKAGE_PROPERTY_TYPE, bundle.properties.iter().map(|p| p.kind.as_str()));
            let help = match question {
                Some(kind) => format!("did you mean \"olm.package\" by {}?", quote(kind)),
                None => "add the property with `packageName` and `version`".to_owned(),
            };
            (format!("bundle {name} has no property \"olm.package\""), "/properties".to_owned(), help)
        } else {
            let last =
                bundle.properties.iter().rposition(|property| is_package(&property.kind)).unwrap_or_default();
            let help = "keep the one with the right version".to_owned();
            (
                format!("bundle {name} has {count} properties \"olm.package\""),
                format!("/properties/{last}"),
                help,
            )
        };
        let text = format!(
            "package {} bundle {name} must have exactly 1 \"olm.package\" property, found {count}",
            quote(&bundle.package)
        );
        findings.push(
            Finding::new(&RULE, message)
                .at(context.value(bundle.origin, pointer))
                .about(item.subject())
                .label(if count == 0 { "no such property" } else { "one too many" })
                .help(help)
                .opm(item.conversion(5, 0, text)),
        );
    }
}
