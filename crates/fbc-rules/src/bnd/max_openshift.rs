//! Highest versions of OpenShift that do not fit.

use fbc_go::text::quote;
use fbc_lint::bundle::{BundleContext, embedded_json, pointer};
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::Origin;
use fbc_version::OpenShiftRelease;
use fbc_yaml::Node;

use crate::fbc::max_openshift_version;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND222",
    name: "max-openshift",
    since: "0.1.0",
    summary: "`olm.maxOpenShiftVersion` is not a minor version, or below a target",
    explanation: "\
The property `olm.maxOpenShiftVersion` keeps a cluster from an upgrade beyond the minor version that it names, such as
`\"4.19\"`. It stands in `metadata/properties.yaml` or in the annotation `olm.properties` of the ClusterServiceVersion. A
value that cannot be read blocks every upgrade to another minor version. With `--ocp` each target above the value is
reported: clusters of that version should not have the operator.",
    sources: &[Source::Code(
        "operator-framework/operator-lifecycle-manager:pkg/controller/operators/openshift/helpers.go",
        "maxOpenShiftVersion",
    )],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("max_openshift.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let mut report = |origin: Origin, pointer: String, value: Node<'_>| {
        if let Some(fault) = max_openshift_version::fault(value) {
            findings.push(
                context
                    .finding(&RULE, origin, pointer.clone(), format!("olm.maxOpenShiftVersion is {fault}"))
                    .help("write the last minor version that works, in quotes, such as \"4.19\""),
            );
            return;
        }
        let text = value.as_str().unwrap_or_default();
        let highest = OpenShiftRelease::parse(text).filter(|version| version.major == 4);
        for target in &context.targets.openshift {
            if highest.is_some_and(|highest| *target > u64::from(highest.minor)) {
                let message = format!(
                    "olm.maxOpenShiftVersion {} is below the target OpenShift 4.{target}",
                    quote(text)
                );
                findings.push(
                    context
                        .finding(&RULE, origin, pointer.clone(), message)
                        .help("raise it once the operator is tested there, or leave the target out"),
                );
            }
        }
    };
    if let Some(properties) = context.properties {
        for (number, item) in properties.node.items().enumerate() {
            if let Some(value) = item.get("value").filter(|_| item.get_str("type") == Some(PROPERTY)) {
                report(properties.origin, format!("/properties/{number}/value"), value);
            }
        }
    }
    let Some(csv) = context.csv else { return };
    let document = csv.annotation("olm.properties").and_then(|text| embedded_json(text).ok());
    for item in document.iter().flat_map(|document| document.root().items()) {
        if let Some(value) = item.get("value").filter(|_| item.get_str("type") == Some(PROPERTY)) {
            report(csv.origin(), pointer("/metadata/annotations", "olm.properties"), value);
        }
    }
}

const PROPERTY: &str = "olm.maxOpenShiftVersion";
