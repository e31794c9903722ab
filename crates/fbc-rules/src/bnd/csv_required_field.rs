//! Fields that a cluster service version must have.

use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_yaml::{Kind, Node};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND007",
    name: "csv-required-field",
    since: "0.1.0",
    summary: "A ClusterServiceVersion lacks a field that it must have",
    explanation: "\
A ClusterServiceVersion must have `apiVersion`, `spec.displayName`, `spec.install.strategy`, and deployments in
`spec.install.spec.deployments` if that section is there. operator-sdk refuses a bundle without.",
    sources: &[Source::Code(
        "operator-framework/api:pkg/validation/internal/typecheck.go",
        "checkEmptyFields",
    )],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("csv_required_field.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let mut missing = |holder: &str, key: &str, help: &str| {
        let path = format!("{holder}/{key}");
        let shown = path.trim_start_matches('/').replace('/', ".");
        let message = format!("the ClusterServiceVersion has no `{shown}`");
        let value = match key {
            "apiVersion" => Some("operators.coreos.com/v1alpha1"),
            "strategy" => Some("deployment"),
            _ => None,
        };
        let fix = value
            .map(|value| Fix::safe(format!("add `{key}: {value}`")).set(csv.origin(), path.clone(), value));
        findings.push(context.finding(&RULE, csv.origin(), path, message).help(help).fix_if(fix));
    };
    let api_version = csv.object.node.get("apiVersion");
    if api_version.is_none_or(is_empty) {
        missing("", "apiVersion", "write `apiVersion: operators.coreos.com/v1alpha1`");
    }
    if csv.object.node.get("spec").is_none_or(is_empty) {
        missing("", "spec", "describe the operator in `spec`");
    } else {
        if csv.spec("displayName").is_none_or(is_empty) {
            missing("/spec", "displayName", "name the operator for people: `displayName: My Operator`");
        }
        let install = csv.spec("install").filter(|install| !is_empty(*install));
        match install {
            None => missing("/spec", "install", "say how the operator is installed: `strategy: deployment`"),
            Some(install) if install.get("strategy").is_none_or(is_empty) => {
                missing("/spec/install", "strategy", "write `strategy: deployment`");
            }
            Some(install) => {
                let strategy = install.get("spec").filter(|strategy| !is_empty(*strategy));
                if strategy.is_some_and(|strategy| strategy.get("deployments").is_none_or(Node::is_null)) {
                    missing("/spec/install/spec", "deployments", "list the deployments of the operator");
                }
            }
        }
    }
}

fn is_empty(value: Node<'_>) -> bool {
    match value.kind() {
        Kind::Null => true,
        Kind::String => value.as_str() == Some(""),
        Kind::Object => value.is_empty(),
        Kind::Bool | Kind::Number | Kind::Array => false,
    }
}
