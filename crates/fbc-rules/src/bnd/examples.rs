//! What the rules about examples share.

use std::collections::BTreeSet;

use fbc_lint::bundle::ClusterServiceVersion;
use fbc_yaml::Node;

/// The annotation with the examples that counts, and its text.
pub(super) fn annotation<'b>(csv: &ClusterServiceVersion<'b>) -> Option<(&'static str, &'b str)> {
    ["alm-examples", "olm.examples"].into_iter().find_map(|key| Some((key, csv.annotation(key)?)))
}

/// `apiVersion` and kind of everything that the operator owns.
pub(super) fn provided(csv: &ClusterServiceVersion<'_>) -> BTreeSet<(String, String)> {
    let resources = csv.custom_resources("owned").filter_map(|(_, owned)| {
        Some((format!("{}/{}", owned.group()?, owned.version), owned.kind.to_owned()))
    });
    let services = csv.spec("apiservicedefinitions").and_then(|section| section.get("owned"));
    let services = services.into_iter().flat_map(Node::items).map(|service| {
        let text = |key: &str| service.get_str(key).unwrap_or_default();
        (format!("{}/{}", text("group"), text("version")), text("kind").to_owned())
    });
    resources.chain(services).collect()
}

/// `apiVersion` and kind of an example.
pub(super) fn type_of(example: Node<'_>) -> (&str, &str) {
    let text = |key: &str| example.get_str(key).unwrap_or_default();
    (text("apiVersion"), text("kind"))
}
