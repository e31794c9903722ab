//! Properties in an annotation that nobody can read.

use fbc_lint::bundle::BundleContext;
use fbc_lint::bundle::{embedded_json, pointer};
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_yaml::{Kind, Node};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND223",
    name: "properties-annotation",
    since: "0.1.0",
    summary: "The annotation `olm.properties` is not a list of properties",
    explanation: "\
The annotation `olm.properties` of a ClusterServiceVersion is a JSON list of objects with `type` and `value`. opm skips
a text that is not, and with it every property: a highest OpenShift release for instance. Properties are better kept
in `metadata/properties.yaml`.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:pkg/registry/parse.go",
        "derivedProperties",
    )],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("properties_annotation.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let Some(text) = csv.annotation("olm.properties") else { return };
    let is_property = |item: Node<'_>| item.get_str("type").is_some_and(|kind| !kind.is_empty());
    let message = match embedded_json(text) {
        Err(error) => format!("`olm.properties` is not JSON: {error}"),
        Ok(document) => {
            let root = document.root();
            if root.kind() == Kind::Array && root.items().all(is_property) {
                return;
            }
            "`olm.properties` is not a list of objects with a type".to_owned()
        }
    };
    let pointer = pointer("/metadata/annotations", "olm.properties");
    findings.push(
        context
            .finding(&RULE, csv.origin(), pointer, message)
            .label("opm skips all of it")
            .help("write the properties to `metadata/properties.yaml`, and remove the annotation"),
    );
}
