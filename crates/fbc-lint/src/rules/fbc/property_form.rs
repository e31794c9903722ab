//! Properties without a type or value.

use fbc_model::{Origin, Property, Value};
use fbc_yaml::go_text::quote;

use crate::context::Context;
use crate::finding::{Finding, Subject};
use crate::rule::{Basis, Case, Rule};

use super::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC101",
    name: "property-form",
    summary: "A property has no type, or null as its value",
    explanation: "\
The documented schema asks that every property has a `type` that is not empty and a `value` that is not
null. opm accepts both; a property without a type means nothing to anybody.",
    basis: Basis::Documents,
    check,
    cases: &[
        Case {
            title: "type and value",
            catalog: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {type: x.y, value: {}}
",
            findings: &[],
        },
        Case {
            title: "no type",
            catalog: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {value: {}}
",
            findings: &["5:3 a property of bundle \"foo.v1\" has no type"],
        },
        Case {
            title: "null",
            catalog: "\
schema: olm.bundle
name: foo.v1
package: foo
properties:
- {type: x.y, value: null}
",
            findings: &["5:22 the value of property \"x.y\" of bundle \"foo.v1\" is null"],
        },
        Case {
            title: "no value in a package",
            catalog: "\
schema: olm.package
name: foo
properties:
- type: x.y
",
            findings: &["4:3 property \"x.y\" of package \"foo\" has no value"],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Vec<Finding>) {
    let catalog = context.catalog;
    for package in &catalog.packages {
        let owner = || (format!("package {}", quote(&package.name)), Subject::package(&package.name));
        check_properties(context, package.origin, &package.properties, false, owner, findings);
    }
    for channel in &catalog.channels {
        let subject = || Subject::channel(&channel.package, &channel.name);
        let owner = || (format!("channel {}", quote(&channel.name)), subject());
        check_properties(context, channel.origin, &channel.properties, false, owner, findings);
    }
    for item in opm::bundles(context) {
        let owner = || (format!("bundle {}", quote(&item.bundle.name)), item.subject());
        // opm refuses properties of bundles without a value.
        check_properties(context, item.bundle.origin, &item.bundle.properties, true, owner, findings);
    }
}

fn check_properties(
    context: &Context<'_>,
    origin: Origin,
    properties: &[Property],
    is_value_checked: bool,
    owner: impl Fn() -> (String, Subject),
    findings: &mut Vec<Finding>,
) {
    for (index, property) in properties.iter().enumerate() {
        let value = property.value.as_ref().map(Value::node);
        let (place, what): (&str, &dyn Fn(&str) -> String) = match value {
            _ if property.kind.is_empty() => ("type", &|owner| format!("a property of {owner} has no type")),
            Some(value) if value.is_null() => ("value", &|owner| {
                format!("the value of property {} of {owner} is null", quote(&property.kind))
            }),
            None if !is_value_checked => {
                ("value", &|owner| format!("property {} of {owner} has no value", quote(&property.kind)))
            }
            _ => continue,
        };
        let (owner, subject) = owner();
        findings.push(
            Finding::new(&RULE, what(&owner))
                .at(context.value(origin, format!("/properties/{index}/{place}")))
                .about(subject)
                .label(format!("no {place}"))
                .help("complete the property or remove it"),
        );
    }
}
