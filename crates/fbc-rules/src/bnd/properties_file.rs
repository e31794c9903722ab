//! Properties that are not properties.

use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_yaml::{Kind, Node};

use crate::fbc::go_words;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND217",
    name: "properties-file",
    since: "0.1.0",
    summary: "`metadata/properties.yaml` holds something other than properties",
    explanation: "\
`properties` is a list of mappings with `type`, a text, and `value`, whatever the type asks for. opm skips what is
none, so that the property is missing from the catalog.",
    sources: &[Source::Code("operator-framework/operator-registry:pkg/registry/parse.go", "addMetadata")],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("properties_file.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(properties) = context.properties else { return };
    let mut report = |pointer: String, message: String| {
        findings.push(
            context
                .finding(&RULE, properties.origin, pointer, message)
                .help("write a list of mappings: `- {type: ..., value: ...}`"),
        );
    };
    if !matches!(properties.node.kind(), Kind::Array | Kind::Null) {
        let kind = go_words::found_kind(properties.node.kind().go_name());
        report("/properties".to_owned(), format!("`properties` is {kind}, not a list"));
    }
    for (number, item) in properties.node.items().enumerate() {
        let pointer = format!("/properties/{number}");
        if item.get_str("type").unwrap_or_default().is_empty() {
            report(pointer, format!("property {} has no type", number + 1));
        } else if item.get("value").is_none_or(Node::is_null) {
            report(pointer, format!("property {} has no value", number + 1));
        }
    }
}
