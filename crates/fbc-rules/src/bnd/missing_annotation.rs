//! Annotations that a bundle must have.

use fbc_bundle::contents::METADATA;
use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::bundle::pointer;
use fbc_lint::finding::{Finding, Findings, Place, Spot};
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};
use fbc_model::bundle_name;
use fbc_yaml::Kind;

use super::annotation_keys::{CHANNELS, MANIFESTS_PATH, MEDIA_TYPE, METADATA_PATH, PACKAGE};
use crate::fbc::go_words;

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND003",
    name: "missing-annotation",
    since: "0.1.0",
    summary: "A bundle lacks `annotations.yaml` or one of its annotations",
    explanation: "\
A file of the directory `metadata`, by custom `annotations.yaml`, names the package and the channels of a bundle
under the key `annotations`. opm reads the first file that has them, and takes no bundle without. The default
channel may be left out.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:pkg/lib/bundle/validate.go",
        "validateAnnotations",
    )],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("missing_annotation.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(annotations) = context.annotations else {
        let place = Place { path: METADATA.into(), origin: None, spot: Spot::File };
        findings.push(
            Finding::new(&RULE, "no file in `metadata` has `annotations`")
                .at(place)
                .about(context.subject())
                .help("write `metadata/annotations.yaml`; `fbc explain BND003` says what belongs into it"),
        );
        return;
    };
    if annotations.node.kind() != Kind::Object {
        let kind = go_words::found_kind(annotations.node.kind().go_name());
        let message = format!("`annotations` is {kind}, not a mapping of texts");
        findings.push(context.finding(&RULE, annotations.origin, "/annotations", message));
        return;
    }
    for key in REQUIRED {
        match annotations.node.get(key) {
            Some(value) if value.as_str().is_some() => {}
            Some(value) => {
                let kind = go_words::found_kind(value.kind().go_name());
                let message = format!("annotation {} is {kind}, not text", quote(key));
                findings.push(
                    context
                        .finding(&RULE, annotations.origin, pointer("/annotations", key), message)
                        .help("put the value in quotes")
                        .fix_if(matches!(value.kind(), Kind::Number | Kind::Bool).then(|| {
                            Fix::safe("put the value in quotes")
                                .quote(annotations.origin, pointer("/annotations", key))
                        })),
                );
            }
            None => findings.push(
                context
                    .finding(
                        &RULE,
                        annotations.origin,
                        "/annotations",
                        format!("annotation {} is missing", quote(key)),
                    )
                    .help(format!("add `{key}: {}`", example(key)))
                    .fix_if(value_of(context, key).map(|(is_safe, value)| {
                        Fix::safe_if(is_safe, format!("add `{key}: {value}`")).set(
                            annotations.origin,
                            pointer("/annotations", key),
                            value,
                        )
                    })),
            ),
        }
    }
}

/// The annotations that opm's validation asks for.
const REQUIRED: [&str; 5] = [MEDIA_TYPE, MANIFESTS_PATH, METADATA_PATH, PACKAGE, CHANNELS];

/// What the annotation must be, or is likely to be; whether it must.
fn value_of<'b>(context: &BundleContext<'b>, key: &str) -> Option<(bool, &'b str)> {
    match key {
        MEDIA_TYPE | MANIFESTS_PATH | METADATA_PATH => Some((true, example(key))),
        PACKAGE => {
            let name = context.csv?.object.name;
            let (package, _) = match bundle_name::parse(name) {
                Some(found) => (found.package, ""),
                None => name.split_once(".v")?,
            };
            (!package.is_empty()).then_some((false, package))
        }
        _ => None,
    }
}

fn example(key: &str) -> &'static str {
    match key {
        MEDIA_TYPE => "registry+v1",
        MANIFESTS_PATH => "manifests/",
        METADATA_PATH => "metadata/",
        PACKAGE => "my-operator",
        _ => "stable",
    }
}
