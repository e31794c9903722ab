//! Objects of kinds that OLM does not install.

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::fix::Fix;
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND017",
    name: "unsupported-kind",
    since: "0.1.0",
    summary: "An object of the bundle has a kind that bundles cannot hold",
    explanation: "\
Bundles of the format registry+v1 hold a ClusterServiceVersion and objects of a fixed list of kinds. OLM refuses
others. Deployments, webhook configurations and the roles of the operator belong into the ClusterServiceVersion;
for what is left, let the operator create the object when it starts.",
    sources: &[
        Source::Code("operator-framework/operator-registry:pkg/lib/bundle/supported_resources.go", ""),
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/rukpak/render/registryv1/validators/validator.go",
            "CheckObjectSupport",
        ),
    ],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("unsupported_kind.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    for object in &context.objects {
        if SUPPORTED.contains(&object.kind) {
            continue;
        }
        let message = if object.kind.is_empty() {
            "the object has no kind".to_owned()
        } else {
            format!("a bundle cannot hold a {}", quote(object.kind))
        };
        let question = names::did_you_mean(object.kind, SUPPORTED);
        let help = match object.kind {
            "Deployment" => {
                "move it into `spec.install.spec.deployments` of the ClusterServiceVersion".to_owned()
            }
            "ValidatingWebhookConfiguration" | "MutatingWebhookConfiguration" => {
                "describe it in `spec.webhookdefinitions` of the ClusterServiceVersion".to_owned()
            }
            "Namespace" => "remove it: OLM installs into a namespace that is there".to_owned(),
            "" => "add `apiVersion` and `kind`, or move the file out of `manifests`".to_owned(),
            _ => format!("{question}let the operator create it, or remove it"),
        };
        let fix = names::meant(object.kind, SUPPORTED)
            .map(|kind| Fix::risky(format!("write `kind: {kind}`")).set(object.origin, "/kind", kind));
        findings.push(
            context
                .finding(&RULE, object.origin, "/kind", message)
                .label("not in the list of supported kinds")
                .fix_if(fix)
                .help(help),
        );
    }
}

const SUPPORTED: [&str; 22] = [
    "ClusterServiceVersion",
    "CustomResourceDefinition",
    "Secret",
    "ClusterRole",
    "ClusterRoleBinding",
    "ConfigMap",
    "ServiceAccount",
    "Service",
    "Role",
    "RoleBinding",
    "PrometheusRule",
    "ServiceMonitor",
    "PodDisruptionBudget",
    "PriorityClass",
    "VerticalPodAutoscaler",
    "ConsoleYAMLSample",
    "ConsoleQuickStart",
    "ConsoleCLIDownload",
    "ConsoleLink",
    "ConsolePlugin",
    "NetworkPolicy",
    "PodMonitor",
];
