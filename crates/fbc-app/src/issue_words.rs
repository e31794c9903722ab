//! Why OLM v1 of a release does not install a bundle, in words.

use fbc_bundle::readiness::{Feature, Issue};

/// An issue, in words.
pub fn words(issue: &Issue) -> String {
    let feature = |feature: &Feature| match feature {
        Feature::Webhooks => "webhooks",
        Feature::SingleNamespaces => "install modes without AllNamespaces",
    };
    match issue {
        Issue::NoOlmV1 => "OLM v1 is not part of this release; it came with 4.18".to_owned(),
        Issue::Refused(text) => format!("operator-controller: {text}"),
        Issue::NotRenderable(text) => format!("no catalog can hold the bundle: {text}"),
        Issue::Dependency(kind) => {
            format!("the bundle has a dependency declared via property \"{kind}\" which is currently not supported")
        }
        Issue::Missing(of) => format!("{} are not supported", feature(of)),
        Issue::Preview(of) => format!("{} are a Technology Preview: TechPreviewNoUpgrade is needed", feature(of)),
        Issue::OperatorConditions => {
            "warning: the operator uses the API OperatorCondition, which OLM v1 does not serve; it may fail at its start \
             or later"
                .to_owned()
        }
    }
}
