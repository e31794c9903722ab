//! Annotations whose names nobody knows.

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::bundle::pointer;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::fix::Fix;
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::annotation_case::CASE_SENSITIVE;
use super::annotation_keys::KNOWN;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND203",
    name: "misspelt-annotation",
    since: "0.1.0",
    summary: "The name of an annotation looks misspelt",
    explanation: "\
An annotation that nobody knows has no effect, and nobody says so: a default channel with a misspelt key is no
default channel, and a feature with a misspelt key is not shown. This rule reports names in `annotations.yaml`
that begin like those of bundles and are none, and names there and in the ClusterServiceVersion that are a
typing mistake away from a known one.",
    sources: &[
        Source::Advice("OLM and opm look annotations up by their exact names, and say nothing of others"),
        Source::Code("operator-framework/operator-registry:pkg/lib/bundle/generate.go", ""),
    ],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("misspelt_annotation.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let mut report = |origin, path: &str, key: &str, known: &[&str], is_ours: bool| {
        if known.contains(&key) {
            return;
        }
        let question = names::did_you_mean(key, known.iter().copied());
        if question.is_empty() && !is_ours {
            return;
        }
        let help = if question.is_empty() { "remove it, or correct its name" } else { question.trim_end() };
        findings.push(
            Finding::new(&RULE, format!("annotation {} has no effect", quote(key)))
                .at(context.key(origin, pointer(path, key)))
                .about(context.subject())
                .label("no known annotation")
                .fix_if(names::meant(key, known.iter().copied()).map(|meant| {
                    Fix::risky(format!("write `{meant}`")).rename(origin, pointer(path, key), meant)
                }))
                .help(help),
        );
    };
    if let Some(annotations) = context.annotations {
        for (key, _) in annotations.node.members() {
            let is_ours = key.starts_with("operators.operatorframework.io.bundle.");
            report(annotations.origin, "/annotations", key, &KNOWN, is_ours);
        }
    }
    if let Some(csv) = context.csv {
        for (key, _) in csv.annotations() {
            // A wrong case of these is an error of its own.
            if !CASE_SENSITIVE.iter().any(|known| known.eq_ignore_ascii_case(key)) {
                report(csv.origin(), "/metadata/annotations", key, &KNOWN_OF_CSV, false);
            }
        }
    }
}

/// The annotations of a cluster service version that some tool reads.
const KNOWN_OF_CSV: [&str; 44] = [
    "alm-examples",
    "olm.examples",
    "capabilities",
    "categories",
    "certified",
    "containerImage",
    "createdAt",
    "description",
    "repository",
    "support",
    "olm.properties",
    "olm.skipRange",
    "olm.substitutesFor",
    "olm.operatorGroup",
    "olm.operatorNamespace",
    "olm.targetNamespaces",
    "olm.providedAPIs",
    "operatorframework.io/arch",
    "operatorframework.io/cluster-monitoring",
    "operatorframework.io/initialization-resource",
    "operatorframework.io/properties",
    "operatorframework.io/suggested-namespace",
    "operatorframework.io/suggested-namespace-template",
    "operators.operatorframework.io/builder",
    "operators.operatorframework.io/internal-objects",
    "operators.operatorframework.io/operator-type",
    "operators.operatorframework.io/project_layout",
    "operators.openshift.io/infrastructure-features",
    "operators.openshift.io/valid-subscription",
    "operators.openshift.io/capability",
    "features.operators.openshift.io/disconnected",
    "features.operators.openshift.io/fips-compliant",
    "features.operators.openshift.io/proxy-aware",
    "features.operators.openshift.io/cnf",
    "features.operators.openshift.io/cni",
    "features.operators.openshift.io/csi",
    "features.operators.openshift.io/tls-profiles",
    "features.operators.openshift.io/token-auth-aws",
    "features.operators.openshift.io/token-auth-azure",
    "features.operators.openshift.io/token-auth-gcp",
    "console.openshift.io/plugins",
    "console.openshift.io/disable-operand-delete",
    "marketplace.openshift.io/remote-workflow",
    "marketplace.openshift.io/support-workflow",
];
