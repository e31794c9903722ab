//! Blobs that opm takes and the documented schemas do not.

use fbc_lint::context::Context;
use fbc_lint::finding::{Finding, Findings};
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_lint::schema::{self, BlobKind, SchemaRule};
use fbc_model::Origin;
use fbc_model::go_type::push_key;
use fbc_yaml::stream;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC101",
    name: "documented-form",
    since: "0.1.0",
    summary: "A blob does not have the form that the documents ask for",
    explanation: "\
The product documents define the format in CUE, and that is stricter than opm: names, images and messages
must not be empty, a property must have a value that is not null, deprecations must deprecate something.
opm accepts all of that, and other tools that read the catalog may not.

`fbc schema` shows the schemas; an editor that knows them points such places out while you type.",
    sources: &[
        Source::Statement("D-FBC-14", "4.1.3"),
        Source::Statement("D-FBC-18", "4.1.3.1"),
        Source::Statement("D-FBC-19", "4.1.3.2"),
        Source::Statement("D-FBC-24", "4.1.3.3"),
        Source::Statement("D-FBC-27", "4.1.3.4"),
    ],
    basis: Basis::Documents,
    check: Check::Catalog(check),
    cases: include_str!("documented_form.cases"),
};

/// Fields without which opm refuses a blob, so that other rules speak of them.
const REFUSED_BY_OPM: [(BlobKind, &str); 7] = [
    (BlobKind::Package, "/name"),
    (BlobKind::Package, "/defaultChannel"),
    (BlobKind::Channel, "/name"),
    (BlobKind::Channel, "/package"),
    (BlobKind::Bundle, "/name"),
    (BlobKind::Bundle, "/package"),
    (BlobKind::Deprecations, "/package"),
];

fn check(context: &Context<'_>, findings: &mut Findings) {
    for (file_index, file) in context.catalog.files.iter().enumerate() {
        if !file.documents.iter().any(|document| document.is_marked) {
            continue;
        }
        // A file that is gone by now has other problems.
        let Ok(bytes) = context.tree.read(&file.path) else { continue };
        for (index, document) in file.documents.iter().enumerate().filter(|(_, document)| document.is_marked)
        {
            let origin = Origin { file: file_index as u32, document: index as u32 };
            let text = bytes.get(document.range.clone()).unwrap_or_default();
            let Ok(blob) = stream::read_one(text) else { continue };
            let kind = BlobKind::from_blob(blob.root());
            for violation in schema::violations(blob.root(), kind) {
                // Unknown fields and schemas have rules that know more.
                if violation.rule == SchemaRule::UnknownField || kind == BlobKind::Reserved {
                    continue;
                }
                let mut pointer = violation.pointer;
                if !violation.missing.is_empty() {
                    push_key(&mut pointer, &violation.missing);
                }
                if REFUSED_BY_OPM.contains(&(kind, pointer.as_str())) {
                    continue;
                }
                findings.push(
                    Finding::new(&RULE, violation.message)
                        .at(context.value(origin, pointer))
                        .label(violation.expected)
                        .help(violation.help),
                );
            }
        }
    }
}
