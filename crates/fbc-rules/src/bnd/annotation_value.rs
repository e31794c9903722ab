//! Values of annotations that opm refuses.

use fbc_go::text::quote;
use fbc_lint::bundle::BundleContext;
use fbc_lint::bundle::pointer;
use fbc_lint::finding::Findings;
use fbc_lint::fix::Fix;
use fbc_lint::rule::{Basis, Check, Rule, Source};

use super::annotation_keys::{CHANNELS, DEFAULT_CHANNEL, MEDIA_TYPE};

/// See [`Rule::explanation`].
pub static RULE: Rule = Rule {
    code: "BND004",
    name: "annotation-value",
    since: "0.1.0",
    summary: "An annotation of a bundle has a value that opm refuses",
    explanation: "\
`mediatype.v1` names the format of the manifests. `registry+v1` is the one that OLM installs: a cluster service
version and other Kubernetes objects. `plain+v0` and `helm+v0` were experiments. The list of channels and the
default channel, if it is given, must not be empty.",
    sources: &[Source::Code(
        "operator-framework/operator-registry:pkg/lib/bundle/validate.go",
        "validateAnnotations",
    )],
    basis: Basis::Validators,
    check: Check::Bundle(check),
    cases: include_str!("annotation_value.cases"),
};

fn check(context: &BundleContext<'_>, findings: &mut Findings) {
    let Some(annotations) = context.annotations else { return };
    let text = |key: &str| annotations.node.get_str(key);
    if let Some(media_type) = text(MEDIA_TYPE).filter(|media_type| *media_type != "registry+v1") {
        let message = format!("the media type of the bundle is {}, not \"registry+v1\"", quote(media_type));
        findings.push(
            context
                .finding(&RULE, annotations.origin, pointer("/annotations", MEDIA_TYPE), message)
                .label("no format that OLM installs")
                .help("write `registry+v1`")
                .fix(Fix::safe("write `registry+v1`").set(
                    annotations.origin,
                    pointer("/annotations", MEDIA_TYPE),
                    "registry+v1",
                )),
        );
    }
    for key in [CHANNELS, DEFAULT_CHANNEL] {
        if text(key) == Some("") {
            let message = format!("annotation {} is empty", quote(key));
            findings.push(
                context
                    .finding(&RULE, annotations.origin, pointer("/annotations", key), message)
                    .help(if key == CHANNELS {
                        "name at least one channel, such as `stable`"
                    } else {
                        "name one of the channels, or remove the annotation"
                    })
                    .fix_if((key == DEFAULT_CHANNEL).then(|| {
                        Fix::safe("remove the annotation")
                            .remove(annotations.origin, pointer("/annotations", key))
                    })),
            );
        }
    }
}
