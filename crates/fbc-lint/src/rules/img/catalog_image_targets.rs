//! Catalog images that do not say for which OpenShift they are.

use crate::context::Context;
use crate::finding::{Finding, Findings};
use crate::rule::{Basis, Case, Check, Rule, Source};

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
    cases: &[
        Case {
            title: "a label",
            files: "\
schema: olm.package
name: foo
defaultChannel: stable
-- facts.json --
{\"image\": {\"labels\": {\"com.redhat.fbc.openshift.version\": \"[\\\"v4.17\\\"]\"}}}
",
            findings: &[],
        },
        Case {
            title: "the tag of the base",
            files: "\
schema: olm.package
name: foo
defaultChannel: stable
-- facts.json --
{\"image\": {\"annotations\": {\"org.opencontainers.image.base.name\": \"registry.redhat.io/openshift4/ose-operator-registry-rhel9:v4.17\"}}}
",
            findings: &[],
        },
        Case {
            title: "a label that is not a list",
            files: "\
schema: olm.package
name: foo
defaultChannel: stable
-- facts.json --
{\"image\": {\"labels\": {\"com.redhat.fbc.openshift.version\": \"v4.17\"}}}
",
            findings: &["- it is not known for which OpenShift the catalog image is: label com.redhat.fbc.openshift.version is not a list of versions such as [\"v4.17\"]: \"v4.17\""],
        },
        Case {
            title: "neither",
            files: "\
schema: olm.package
name: foo
defaultChannel: stable
-- facts.json --
{\"image\": {}}
",
            findings: &["- it is not known for which OpenShift the catalog image is: there is no label com.redhat.fbc.openshift.version, and no annotation org.opencontainers.image.base.name"],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let Some(Err(reason)) = context.images.image.as_ref().map(|image| image.targets()) else { return };
    let message = format!("it is not known for which OpenShift the catalog image is: {reason}");
    let help = "set the label, as in `fbc build --label 'com.redhat.fbc.openshift.version=[\"v4.17\"]'`";
    findings.push(Finding::new(&RULE, message).help(help));
}
