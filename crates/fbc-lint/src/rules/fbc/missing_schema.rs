//! Documents without a schema.

use fbc_model::load::{LoadFault, LoadFaultKind};
use fbc_yaml::json_reader;

use crate::context::Context;
use crate::finding::Findings;
use crate::rule::{Basis, Case, Check, Rule};

use super::{load_fault, suggest};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC008",
    name: "missing-schema",
    summary: "A document has no schema",
    explanation: "\
Every document of a catalog is a blob, and its `schema` says of which kind it is: `olm.package`,
`olm.channel`, `olm.bundle`, `olm.deprecations`, or one of your own.

A document may also lack a schema because it holds nothing at all. The usual reason is a licence header
with a `---` line below it: what stands before the line is a document of its own, which consists of
comments only. Remove that line, and separators with nothing between them.

A file that is no part of the catalog, such as a Kubernetes manifest or a `README.md`, belongs into
`.indexignore`: opm reads every file, whatever its name.",
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: &[
        Case {
            title: "a header without a separator",
            files: "# Licence\nschema: olm.package\nname: foo\n",
            findings: &[],
        },
        Case {
            title: "a header with a separator",
            files: "# Licence\n---\nschema: olm.package\nname: foo\n",
            findings: &["1:1 the document holds nothing but comments or blank lines"],
        },
        Case {
            title: "a misspelt key",
            files: "shcema: olm.package\nname: foo\n",
            findings: &["1:1 the document has no `schema`"],
        },
        Case {
            title: "an empty schema",
            files: "schema: ''\nname: foo\n",
            findings: &["1:1 the `schema` of the document is empty"],
        },
    ],
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for fault in load_fault::of_kind(context, LoadFaultKind::NoSchema) {
        let (message, help) = if fault.message.starts_with("object '' ") {
            (
                "the document holds nothing but comments or blank lines",
                help_for_nothing(context, fault).to_owned(),
            )
        } else {
            help_for_object(&fault.message)
        };
        findings.push(
            load_fault::finding(&RULE, fault, message)
                .label("no schema")
                .help(load_fault::stray_file_help(&fault.path, help)),
        );
    }
}

fn help_for_nothing(context: &Context<'_>, fault: &LoadFault) -> &'static str {
    let Some(origin) = fault.origin else { return "" };
    let documents = context.catalog.file(origin).map_or(0, |file| file.documents.len());
    match (origin.document, documents) {
        (_, 1) => {
            "remove the file, or name it in `.indexignore`; a file without a single byte would do no harm"
        }
        (0, _) => "remove the `---` line below the comments: what stands before it is a document of its own",
        _ => "remove the superfluous `---` line; move the comments into the document before or after",
    }
}

fn help_for_object(message: &str) -> (&'static str, String) {
    let text = message.strip_prefix("object '").and_then(|rest| rest.rsplit_once("' is missing"));
    let text = text.map_or("", |(text, _)| text);
    let no_schema = "the document has no `schema`";
    let Ok((document, _)) = json_reader::read_value(text.as_bytes(), 0) else {
        return (no_schema, String::new());
    };
    let root = document.root();
    let has = |name: &str| root.members().any(|(key, _)| key.eq_ignore_ascii_case(name));
    if has("schema") {
        return ("the `schema` of the document is empty", "write which kind of blob this is".to_owned());
    }
    if root.get("apiVersion").is_some() && root.get("kind").is_some() {
        let help = "this is a Kubernetes object, not a blob of a catalog; name the file in `.indexignore`";
        return (no_schema, help.to_owned());
    }
    let keys = root.members().map(|(key, _)| key);
    match suggest::closest("schema", keys) {
        Some(key) => (no_schema, format!("did you mean `schema` by `{key}`?")),
        None => (
            no_schema,
            "add a `schema` that says which kind of blob this is, such as `olm.package`".to_owned(),
        ),
    }
}
