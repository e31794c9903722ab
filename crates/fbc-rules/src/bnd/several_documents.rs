//! Files with more than one document.

use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::Origin;
use fbc_yaml::Kind;
use fbc_yaml::stream::Fault;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND201",
    name: "several-documents",
    since: "0.1.0",
    summary: "A file of a bundle holds more than one document",
    explanation: "\
Of each file only the first document is read. What stands behind the next `---` line is in no catalog and on
no cluster, and nobody says so. Put every object into a file of its own.",
    sources: &[Source::Code("operator-framework/operator-registry:pkg/registry/decode.go", "decodeFileFS")],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("several_documents.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    for (file, content) in context.contents.files.iter().enumerate() {
        let Ok(documents) = &content.documents else { continue };
        for (number, document) in documents.iter().enumerate().skip(1) {
            if matches!(document.object, Err(Fault::Rejected(Kind::Null))) {
                continue;
            }
            let origin = Origin { file: file as u32, document: number as u32 };
            let message = format!("document {} of the file is not read", number + 1);
            findings.push(
                context
                    .finding(&RULE, origin, "", message)
                    .label("nobody reads this")
                    .help("move it into a file of its own"),
            );
        }
    }
}
