//! Names of cluster service versions that say another version.

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::finding::Findings;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::bundle_name;
use fbc_version::Version;

use super::annotation_keys::PACKAGE;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND207",
    name: "csv-name-form",
    since: "0.1.0",
    summary: "The name of a ClusterServiceVersion has not the form `name.vX.Y.Z`, or says another version",
    explanation: "\
By custom the name of a ClusterServiceVersion is that of the operator, `.v`, and the version. People and scripts
read the version from it. A name that says another version than `spec.version` is nearly always a forgotten edit.

A bundle with `spec.release` has the name `<package>-v<version>-<release>`; opm refuses a catalog in which it has another (FBC030).",
    sources: &[
        Source::Code("operator-framework/api:pkg/validation/internal/good_practices.go", "checkBundleName"),
        Source::Code("operator-framework/operator-registry:alpha/model/model.go", "Bundle.normalizeName"),
    ],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: include_str!("csv_name_form.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(csv) = context.csv else { return };
    let name = csv.object.name;
    let version = Version::parse(csv.spec_text("version"));
    if name.is_empty() {
        return;
    }
    let said = bundle_name::parse(name);
    let package = match context.annotation(PACKAGE) {
        "" => said.as_ref().map_or("my-operator", |said| said.package),
        package => package,
    };
    if !csv.release().is_empty() {
        // One that is not valid is another rule's.
        let wanted = csv.version_release().and_then(|version| version.normalized_bundle_name(package));
        if let Some(wanted) = wanted.filter(|wanted| wanted != name) {
            let message =
                format!("the name {} is not that of release {}", quote(name), quote(&csv.release()));
            let help =
                format!("name it `{wanted}`: opm refuses a bundle with a release that has another name");
            findings.push(context.finding(&RULE, csv.origin(), "/metadata/name", message).help(help));
        }
        return;
    }
    let (message, help) = match name.split_once(".v").map(|(start, said)| (start, said, Version::parse(said)))
    {
        Some((start, said, Ok(parsed))) if !start.is_empty() => match version {
            // Build metadata cannot be in a name.
            Ok(version) if version.clone().without_build() != parsed && version != parsed => (
                format!(
                    "the name {} says version {}, but the version is {}",
                    quote(name),
                    quote(said),
                    quote(&version.to_string())
                ),
                format!("name it `{start}.v{}`, or correct `spec.version`", version.without_build()),
            ),
            _ => return,
        },
        _ => (
            format!("the name {} has not the form `name.vX.Y.Z`", quote(name)),
            match version {
                Ok(version) => format!("name it `{package}.v{}`", version.without_build()),
                Err(_) => "name it as the operator, `.v`, and three numbers".to_owned(),
            },
        ),
    };
    findings.push(context.finding(&RULE, csv.origin(), "/metadata/name", message).help(help));
}
