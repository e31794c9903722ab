//! Dependencies that nobody can resolve.

use fbc_go::text::quote;
use fbc_lint::bundle::{BundleContext, Metadata};
use fbc_lint::finding::Findings;
use fbc_lint::fix::Fix;
use fbc_lint::names;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::constraint::{Constraint, ConstraintFault, FaultKind, TYPE};
use fbc_version::blang::Range;
use fbc_yaml::Kind;

use crate::fbc::{constraint, go_words};
use crate::grf::invalid_skip_range;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND024",
    name: "dependency",
    since: "0.1.0",
    summary: "A dependency of the bundle is malformed",
    explanation: "\
`metadata/dependencies.yaml` has a list `dependencies` of mappings with `type` and `value`. The types are
`olm.package` (`packageName` and `version`, a range in the grammar of GRF010), `olm.gvk` (`group`, `version`, `kind`),
`olm.label` (`label`) and `olm.constraint`, whose value FBC247 explains; it can be a property in `metadata/properties.yaml` as well.
opm renders what it does not understand without a word; OLM then finds no update, or ignores it. OLM v1 installs no
bundle with dependencies on packages, kinds or constraints at all.

`opm alpha bundle validate` knows constraints with `cel` alone, and refuses those with `package`, `gvk`, `all`, `any` and `not`, which OLM takes
(operator-framework/operator-registry#916).",
    sources: &[
        Source::Code(
            "operator-framework/operator-registry:pkg/lib/bundle/validate.go",
            "validateDependencies",
        ),
        Source::Code("operator-framework/operator-registry:pkg/registry/types.go", ""),
        Source::Code("operator-framework/api:pkg/constraints/constraint.go", "Parse"),
    ],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("dependency.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    constraints(context, context.properties, "properties", findings);
    let Some(dependencies) = context.dependencies else { return };
    constraints(context, Some(dependencies), "dependencies", findings);
    let origin = dependencies.origin;
    let mut report = |pointer: String, message: String, help: String, fix: Option<Fix>| {
        findings.push(context.finding(&RULE, origin, pointer, message).help(help).fix_if(fix));
    };
    if !matches!(dependencies.node.kind(), Kind::Array | Kind::Null) {
        let kind = go_words::found_kind(dependencies.node.kind().go_name());
        let message = format!("`dependencies` is {kind}, not a list");
        report(
            "/dependencies".to_owned(),
            message,
            "write each dependency as an item of a list".to_owned(),
            None,
        );
    }
    for (number, item) in dependencies.node.items().enumerate() {
        let start = format!("/dependencies/{number}");
        let kind = item.get_str("type").unwrap_or_default();
        let Some((_, fields)) = TYPES.iter().find(|(known, _)| *known == kind) else {
            let question = names::did_you_mean(kind, TYPES.map(|(known, _)| known));
            let known = TYPES.map(|(known, _)| known).join(", ");
            let message = format!("{} is not a type of dependency", quote(kind));
            let fix = names::meant(kind, TYPES.map(|(known, _)| known)).map(|meant| {
                Fix::safe(format!("write `{meant}`")).set(origin, format!("{start}/type"), meant)
            });
            report(format!("{start}/type"), message, format!("{question}known are {known}"), fix);
            continue;
        };
        let value = item.get("value");
        for field in *fields {
            let text = value.and_then(|value| value.get(field));
            if text.is_none_or(|text| text.is_null() || text.as_str() == Some("")) {
                let message = format!("dependency {} has no `{field}`", quote(kind));
                report(format!("{start}/value/{field}"), message, format!("add `{field}`"), None);
            } else if let Some(other) = text.filter(|text| text.as_str().is_none()) {
                let found = go_words::found_kind(other.kind().go_name());
                let message = format!("`{field}` of dependency {} is {found}, not text", quote(kind));
                let pointer = format!("{start}/value/{field}");
                let fix = matches!(other.kind(), Kind::Number | Kind::Bool)
                    .then(|| Fix::safe("put the value in quotes").quote(origin, pointer.clone()));
                report(pointer, message, "put the value in quotes".to_owned(), fix);
            }
        }
        let range = value.and_then(|value| value.get_str("version")).filter(|range| !range.is_empty());
        if let Some(range) = range.filter(|_| kind == "olm.package")
            && Range::parse(range).is_err()
        {
            let name = value.and_then(|value| value.get_str("packageName")).unwrap_or_default();
            let message = format!("the range {} of dependency {} cannot be read", quote(range), quote(name));
            let fix = invalid_skip_range::meant(range).map(|meant| {
                Fix::safe(format!("write {}", quote(&meant))).set(
                    origin,
                    format!("{start}/value/version"),
                    &meant,
                )
            });
            report(format!("{start}/value/version"), message, invalid_skip_range::help(range), fix);
        }
    }
}

/// Checks the constraints in a list of metadata.
fn constraints(context: &BundleContext<'_>, list: Option<Metadata<'_>>, name: &str, findings: &mut Findings) {
    let Some(list) = list else { return };
    for (number, item) in list.node.items().enumerate() {
        if item.get_str("type") != Some(TYPE) {
            continue;
        }
        let place = format!("/{name}/{number}/value");
        let parsed = match item.get("value") {
            Some(value) => Constraint::parse(value),
            None => Err(vec![ConstraintFault { pointer: String::new(), kind: FaultKind::Empty }]),
        };
        for fault in parsed.err().unwrap_or_default() {
            let message = constraint::message(&format!("dependency {}", quote(TYPE)), &fault);
            findings.push(
                context
                    .finding(&RULE, list.origin, format!("{place}{}", fault.pointer), message)
                    .help(constraint::help(&fault))
                    .fix_if(constraint::fix(&fault, list.origin, &place)),
            );
        }
    }
}

/// The types of dependencies with the texts that each must have.
const TYPES: [(&str, &[&str]); 4] = [
    ("olm.package", &["packageName", "version"]),
    ("olm.gvk", &["group", "version", "kind"]),
    ("olm.label", &["label"]),
    ("olm.constraint", &[]),
];
