//! Deployments that a cluster refuses.

use std::collections::BTreeSet;

use fbc_go::text::quote;
use fbc_lint::bundle::{BundleContext, Deployment, pointer};
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_yaml::Node;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND216",
    name: "pod-template",
    since: "0.1.0",
    summary: "A deployment of the ClusterServiceVersion cannot run",
    explanation: "\
A Deployment selects its pods by labels, so `selector.matchLabels` must be among the labels of the template; it has
containers, each with a name of its own and an image. A ClusterServiceVersion without deployments installs no
operator. OLM takes all that, and the cluster refuses the Deployment when somebody installs the operator.",
    sources: &[Source::Code(
        "kubernetes/kubernetes:pkg/apis/apps/validation/validation.go",
        "ValidateDeploymentSpec",
    )],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("pod_template.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let mut report = |pointer: String, message: String, help: &str| {
        findings.push(context.finding(&RULE, csv.origin(), pointer, message).help(help));
    };
    if csv.deployments().next().is_none() {
        report(
            "/spec/install/spec/deployments".to_owned(),
            "the ClusterServiceVersion has no deployments".to_owned(),
            "add the deployment of the operator",
        );
    }
    for deployment in csv.deployments() {
        let name = quote(deployment.name);
        let labels = labels_of(&deployment);
        let selector = deployment.spec.and_then(|spec| spec.get("selector"));
        let selected = selector.and_then(|selector| selector.get("matchLabels"));
        let expressions = selector.and_then(|selector| selector.get("matchExpressions"));
        if selected.is_none_or(Node::is_empty) && expressions.is_none_or(Node::is_empty) {
            let help = "add `selector.matchLabels` with labels of the template";
            report(
                format!("{}/spec/selector", deployment.pointer),
                format!("deployment {name} selects no labels"),
                help,
            );
        }
        for (key, value) in selected.into_iter().flat_map(Node::members) {
            let text = value.as_str().unwrap_or_default();
            if labels.and_then(|labels| labels.get_str(key)) != Some(text) {
                let start = format!("{}/spec/selector/matchLabels", deployment.pointer);
                let shown = quote(&format!("{key}: {text}"));
                let message = format!("deployment {name} selects {shown}, which its template has not");
                report(pointer(&start, key), message, "give the template the same label");
            }
        }
        let mut seen = BTreeSet::new();
        for container in deployment.containers() {
            let shown = quote(container.name);
            if container.name.is_empty() {
                let message = format!("a container of deployment {name} has no name");
                report(container.pointer, message, "name it, for instance `manager`");
            } else if container.node.get_str("image").unwrap_or_default().is_empty() {
                let message = format!("container {shown} of deployment {name} has no image");
                report(format!("{}/image", container.pointer), message, "name the image");
            } else if !seen.insert(container.name) {
                let message = format!("deployment {name} has two containers named {shown}");
                report(format!("{}/name", container.pointer), message, "rename one of them");
            }
        }
        let containers = deployment.pod().and_then(|pod| pod.get("containers"));
        if containers.is_none_or(Node::is_empty) {
            let pointer = format!("{}/spec/template/spec/containers", deployment.pointer);
            report(
                pointer,
                format!("deployment {name} has no containers"),
                "add the container of the operator",
            );
        }
    }
}

fn labels_of<'b>(deployment: &Deployment<'b>) -> Option<Node<'b>> {
    deployment.spec?.get("template")?.get("metadata")?.get("labels")
}
