//! Package names that catalogs refuse.

use fbc_go::text::quote;

use crate::bundle::BundleContext;
use crate::bundle::pointer;
use crate::finding::Findings;
use crate::rule::{Basis, Case, Check, Rule, Source};

use super::annotation_keys::PACKAGE;
use super::names;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND205",
    name: "package-annotation",
    since: "0.1.0",
    summary: "The package name of a bundle is not an RFC 1123 label",
    explanation: "\
The bundle renders, but opm refuses the catalog that it becomes part of: the name of a package must be an RFC
1123 label of at most 63 lower-case letters, digits and `-`, beginning and ending with a letter or digit (see
FBC012). OLM v1 refuses a bundle without a package name.",
    sources: &[
        Source::Code(
            "operator-framework/operator-registry:alpha/declcfg/declcfg_to_model.go",
            "ConvertToModel",
        ),
        Source::Code(
            "operator-framework/operator-controller:internal/operator-controller/rukpak/render/registryv1/validators/validator.go",
            "CheckPackageNameNotEmpty",
        ),
    ],
    basis: Basis::Advice,
    check: Check::Bundle(check),
    cases: &[
        Case {
            title: "a label",
            files: "\
-- metadata/annotations.yaml --
annotations:
  operators.operatorframework.io.bundle.mediatype.v1: registry+v1
  operators.operatorframework.io.bundle.manifests.v1: manifests/
  operators.operatorframework.io.bundle.metadata.v1: metadata/
  operators.operatorframework.io.bundle.package.v1: foo
  operators.operatorframework.io.bundle.channels.v1: stable,fast
  operators.operatorframework.io.bundle.channel.default.v1: stable
",
            findings: &[],
        },
        Case {
            title: "a capital letter",
            files: "\
-- metadata/annotations.yaml --
annotations:
  operators.operatorframework.io.bundle.mediatype.v1: registry+v1
  operators.operatorframework.io.bundle.manifests.v1: manifests/
  operators.operatorframework.io.bundle.metadata.v1: metadata/
  operators.operatorframework.io.bundle.package.v1: Foo
  operators.operatorframework.io.bundle.channels.v1: stable,fast
  operators.operatorframework.io.bundle.channel.default.v1: stable
",
            findings: &["metadata/annotations.yaml:5:53 the package name \"Foo\" is not an RFC 1123 label"],
        },
        Case {
            title: "empty",
            files: "\
-- metadata/annotations.yaml --
annotations:
  operators.operatorframework.io.bundle.mediatype.v1: registry+v1
  operators.operatorframework.io.bundle.manifests.v1: manifests/
  operators.operatorframework.io.bundle.metadata.v1: metadata/
  operators.operatorframework.io.bundle.package.v1: \"\"
  operators.operatorframework.io.bundle.channels.v1: stable,fast
  operators.operatorframework.io.bundle.channel.default.v1: stable
",
            findings: &["metadata/annotations.yaml:5:53 the package name is empty"],
        },
    ],
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(annotations) = context.annotations else { return };
    let Some(name) = annotations.node.get_str(PACKAGE) else { return };
    let message = if name.is_empty() {
        "the package name is empty".to_owned()
    } else if !names::is_dns_label(name) {
        format!("the package name {} is not an RFC 1123 label", quote(name))
    } else {
        return;
    };
    findings.push(
        context
            .finding(&RULE, annotations.origin, pointer("/annotations", PACKAGE), message)
            .help("use at most 63 lower-case letters, digits and `-`, with a letter or digit at both ends"),
    );
}
