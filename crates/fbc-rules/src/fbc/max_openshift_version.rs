//! The highest version of OpenShift.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_yaml::{Kind, Node};

use super::opm;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC211",
    name: "max-openshift-version",
    since: "0.1.0",
    summary: "The value of `olm.maxOpenShiftVersion` is not a minor version",
    explanation: "\
The property `olm.maxOpenShiftVersion` keeps a cluster from an upgrade beyond the minor version that it
names, such as `\"4.19\"`. A bundle has it once at most. While an operator
with a value that cannot be read is installed, the cluster refuses upgrades to another minor version.

Put the version in quotes: without them YAML reads a number, and `4.20` becomes `4.2`.",
    sources: &[
        Source::Code(
            "operator-framework/operator-lifecycle-manager:pkg/controller/operators/openshift/helpers.go",
            "maxOpenShiftVersion",
        ),
        Source::Statement("D-UPD-17", "5.3.5"),
    ],
    basis: Basis::Advice,
    check: Check::Catalog(check),
    cases: include_str!("max_openshift_version.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for item in opm::bundles(context) {
        let name = quote(&item.bundle.name);
        for (number, (index, value)) in opm::values(item.bundle, "olm.maxOpenShiftVersion").enumerate() {
            let (message, pointer) = if number > 0 {
                (format!("bundle {name} has olm.maxOpenShiftVersion more than once"), "")
            } else {
                let Some(fault) = fault(value) else { continue };
                (format!("olm.maxOpenShiftVersion of bundle {name} is {fault}"), "/value")
            };
            findings.push(
                Finding::new(&RULE, message)
                    .at(context.value(item.bundle.origin, format!("/properties/{index}{pointer}")))
                    .about(item.subject())
                    .label(if number > 0 { "one too many" } else { "no minor version" })
                    .help("write the last minor version that works, in quotes, such as \"4.19\""),
            );
        }
    }
}

pub(crate) fn fault(value: Node<'_>) -> Option<String> {
    match (value.kind(), value.as_str()) {
        (_, Some(text)) if is_minor_version(text) => None,
        (_, Some(text)) => Some(format!("{}, not a minor version", quote(text))),
        (Kind::Number, _) => Some(format!("the number {}", value.as_f64().unwrap_or_default())),
        (kind, _) => Some(format!("{}, not a minor version", super::go_words::found_kind(kind.go_name()))),
    }
}

fn is_minor_version(text: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    text.split_once('.').is_some_and(|(major, minor)| is_number(major) && is_number(minor))
}
