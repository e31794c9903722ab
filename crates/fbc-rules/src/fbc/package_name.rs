//! Package names are RFC 1123 labels.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::{ConversionOrder, Finding, Findings, OpmText, Phase, Subject};
use fbc_lint::rule::{Basis, Check, Rule, Source};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC012",
    name: "package-name",
    since: "0.1.0",
    summary: "The name of a package is not an RFC 1123 label",
    explanation: "\
The name of a package becomes part of the names of Kubernetes objects, so it must be an RFC 1123
label: at most 63 lower-case letters, digits and `-`, beginning and ending with a letter or digit.

Rename the package before it is published. A published name cannot change: to its users, a package of
another name is another package.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
        "ConvertToModel",
    )],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("package_name.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (index, package) in context.catalog.packages.iter().enumerate() {
        let name = package.name.as_str();
        if name.is_empty() {
            continue;
        }
        let (mut problems, mut opm) = (Vec::new(), Vec::new());
        if name.len() > 63 {
            problems.push("use at most 63 characters");
            opm.push("must be no more than 63 characters");
        }
        if !is_label(name) && name.split('.').all(is_label) {
            problems.push("use no dots");
            opm.push("must not contain dots");
        } else if !is_label(name) {
            problems.push("use lower-case letters, digits and '-', with a letter or digit at both ends");
            opm.push(LABEL_TEXT);
        }
        if problems.is_empty() {
            continue;
        }
        findings.push(
            Finding::new(
                &RULE,
                format!("{} is not a valid package name: {}", quote(name), problems.join("; ")),
            )
            .at(context.value(package.origin, "/name"))
            .about(Subject::package(name))
            .opm(OpmText::Conversion {
                order: ConversionOrder { phase: Phase::Packages, blob: index as u32, check: 3, item: 0 },
                text: format!("invalid package name {}: [{}]", quote(name), opm.join(" ")),
            }),
        );
    }
}

const LABEL_TEXT: &str = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', \
    and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for \
    validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

fn is_label(name: &str) -> bool {
    let is_word = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9');
    let bytes = name.as_bytes();
    bytes.first().copied().is_some_and(is_word)
        && bytes.last().copied().is_some_and(is_word)
        && bytes.iter().all(|&byte| is_word(byte) || byte == b'-')
}
