//! Catalog images that do not say for which OpenShift they are.

use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "IMG304",
    name: "catalog-image-targets",
    since: "0.1.0",
    summary: "The catalog image does not say for which OpenShift release it is",
    explanation: "\
Pipelines take the versions from the label `com.redhat.fbc.openshift.version`, a JSON list such as
`[\"v4.17\", \"v4.18\"]`; without the label from the tag of the base image. The same versions count here where neither
`--ocp` nor `targets` names others. In the examples `facts.json` stands for what is known of the image.",
    sources: &[
        Source::Code(
            "konflux-ci/konflux-operator-tasks:task/validate-fbc/0.3/validate-fbc.yaml",
            "extract-and-validate",
        ),
        Source::Code("konflux-ci/konflux-test:test/utils.sh", "get_ocp_version_from_fbc_fragment"),
    ],
    basis: Basis::Policy,
    check: Check::Catalog(check),
    cases: include_str!("catalog_image_targets.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let Some(Err(reason)) = context.images.image.as_ref().map(|image| image.targets()) else { return };
    let message = format!("it is not known for which OpenShift the catalog image is: {reason}");
    let help = "set the label, as in `fbc build --label 'com.redhat.fbc.openshift.version=[\"v4.17\"]'`";
    findings.push(Finding::new(&RULE, message).help(help));
}
