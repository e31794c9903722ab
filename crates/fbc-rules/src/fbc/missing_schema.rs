//! Documents without a schema.

use fbc_lint::context::Context;
use fbc_lint::finding::Findings;
use fbc_lint::fix::Fix;
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::blob::schema;
use fbc_model::load::{LoadFault, LoadFaultKind};
use fbc_yaml::{Document, Node, json_reader};

use super::load_fault;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "FBC008",
    name: "missing-schema",
    since: "0.1.0",
    summary: "A document has no schema",
    explanation: "\
Every document of a catalog is a blob, and its `schema` says of which kind it is: `olm.package`,
`olm.channel`, `olm.bundle`, `olm.deprecations`, or one of your own.

A document may also lack a schema because it holds nothing at all. The usual reason is a license header
with a `---` line below it: what stands before the line is a document of its own, which consists of
comments only. Remove that line, and separators with nothing between them.

A file that is not part of the catalog, such as a Kubernetes manifest or a `README.md`, belongs into
`.indexignore`: opm reads every file, whatever its name.",
    sources: &[Source::Code("operator-framework/operator-registry:alpha/declcfg/load.go", "addMeta")],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("missing_schema.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    let mut fixes = 0..names::MAX_SUGGESTIONS;
    for fault in load_fault::of_kind(context, LoadFaultKind::NoSchema) {
        let fix = fixes.next().and_then(|_| fix(context, fault));
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
                .fix_if(fix)
                .help(load_fault::stray_file_help(&fault.path, help)),
        );
    }
}

/// The value of a document without a schema, as opm's text holds it.
fn object_of(message: &str) -> Option<Document> {
    let (text, _) = message.strip_prefix("object '")?.rsplit_once("' is missing")?;
    json_reader::read_value(text.as_bytes(), 0).ok().map(|(document, _)| document)
}

fn fix(context: &Context<'_>, fault: &LoadFault) -> Option<Fix> {
    let origin = fault.origin?;
    if fault.message.starts_with("object '' ") {
        return separator_below(context, fault);
    }
    let document = object_of(&fault.message)?;
    let root = document.root();
    let has = |name: &str| root.get(name).is_some();
    if root.members().any(|(key, _)| key.eq_ignore_ascii_case("schema")) || has("apiVersion") && has("kind") {
        return None;
    }
    if let Some(key) = names::meant("schema", root.members().map(|(key, _)| key)) {
        let pointer = fbc_lint::bundle::pointer("", key);
        return Some(
            Fix::safe(format!("write `schema` in place of `{key}`")).rename(origin, pointer, "schema"),
        );
    }
    let items = || root.get("entries").into_iter().flat_map(Node::items);
    let kind = if items().any(|entry| entry.get("reference").is_some()) {
        schema::DEPRECATIONS
    } else if has("entries") && has("name") {
        schema::CHANNEL
    } else if has("defaultChannel") {
        schema::PACKAGE
    } else if has("image") && has("name") && has("package") {
        schema::BUNDLE
    } else {
        return None;
    };
    Some(Fix::risky(format!("add `schema: {kind}`")).set(origin, "/schema", kind))
}

/// Joins comments above the first separator with the document below it.
fn separator_below(context: &Context<'_>, fault: &LoadFault) -> Option<Fix> {
    let origin = fault.origin.filter(|origin| origin.document == 0)?;
    let end = context.catalog.document(origin)?.range.end;
    let text = context.tree.read(&fault.path).ok()?;
    let line = text.get(end..)?.strip_prefix(b"---")?;
    let length = line.iter().position(|&byte| byte == b'\n')?;
    let is_bare = line.get(..length)?.trim_ascii().is_empty();
    is_bare.then(|| {
        Fix::safe("remove the `---` line below the comments").replace(origin, end..end + 3 + length + 1, "")
    })
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
    let no_schema = "the document has no `schema`";
    let Some(document) = object_of(message) else { return (no_schema, String::new()) };
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
    match names::meant("schema", keys) {
        Some(key) => (no_schema, format!("did you mean `schema` by `{key}`?")),
        None => (
            no_schema,
            "add a `schema` that says which kind of blob this is, such as `olm.package`".to_owned(),
        ),
    }
}
