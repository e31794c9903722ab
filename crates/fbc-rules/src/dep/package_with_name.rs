//! Deprecations of packages that give a name.

use fbc_go::text::quote;
use fbc_lint::context::Context;
use fbc_lint::finding::Findings;
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::blob::schema;

use super::references::references;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "DEP008",
    name: "package-deprecation-with-name",
    since: "0.1.0",
    summary: "A deprecation of a package gives a name",
    explanation: "\
A deprecation of the package itself has `reference.schema: olm.package` and no `reference.name`: which
package it is follows from `package` of the blob.

Remove the name. If a channel or a bundle is meant, set the schema accordingly.",
    sources: &[
        Source::Code(
            "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
            "ConvertToModel",
        ),
        Source::Statement("D-FBC-28", "4.1.3.4"),
    ],
    basis: Basis::Opm,
    check: Check::Catalog(check),
    cases: include_str!("package_with_name.cases"),
};

fn check(context: &Context<'_>, findings: &mut Findings) {
    for reference in references(context) {
        let name = reference.entry.name.as_str();
        if reference.is_repeated || reference.entry.schema != schema::PACKAGE || name.is_empty() {
            continue;
        }
        let (package, name) = (quote(&reference.blob.package), quote(name));
        let pointer = format!("/entries/{}/reference/name", reference.number);
        let message = format!("the deprecation of package {package} gives a name, {name}");
        let text = format!("package name must be empty for deprecated package {package} (specified {name})");
        findings.push(
            reference
                .refused(context, &RULE, 8, message, text)
                .label("must not be here")
                .fix(Fix::safe("remove `name`").remove(reference.blob.origin, pointer))
                .help("remove `name`: the package follows from `package` of the blob"),
        );
    }
}
