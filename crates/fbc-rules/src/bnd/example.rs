//! Examples that consoles cannot show.

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::bundle::{embedded_json, pointer};
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_yaml::Kind;

use super::examples;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND019",
    name: "example",
    since: "0.1.0",
    summary: "The examples of a ClusterServiceVersion cannot be read, or are of other kinds",
    explanation: "\
The annotation `alm-examples` is a JSON list of custom resources, which consoles offer to users to start from. Each
must be of a group, version and kind that the operator owns.",
    sources: &[Source::Code(
        "operator-framework/api:pkg/validation/internal/csv.go",
        "validateExamplesAnnotations",
    )],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("example.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let Some((key, text)) = examples::annotation(&csv) else { return };
    let mut report = |message: String, help: &str| {
        let pointer = pointer("/metadata/annotations", key);
        findings.push(context.finding(&RULE, csv.origin(), pointer, message).help(help));
    };
    if text.is_empty() {
        return;
    }
    let document = match embedded_json(text) {
        Ok(document) => document,
        Err(error) => {
            report(format!("`{key}` is not JSON: {error}"), "fix it; `jq` or an editor shows the place");
            return;
        }
    };
    let root = document.root();
    if root.kind() != Kind::Array || root.items().any(|item| item.kind() != Kind::Object) {
        report(format!("`{key}` is not a list of objects"), "write a list, also for one example: `[{...}]`");
        return;
    }
    let provided = examples::provided(&csv);
    for (number, item) in root.items().enumerate() {
        let (api_version, kind) = examples::type_of(item);
        if !provided.contains(&(api_version.to_owned(), kind.to_owned())) {
            let message = format!(
                "example {} is a {} of {}, which the operator does not own",
                number + 1,
                quote(kind),
                quote(api_version)
            );
            report(message, "give it a version that is owned, or remove it");
        }
    }
}
