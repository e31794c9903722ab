//! What the rules about custom resource definitions share.

use fbc_lint::bundle::{BundleContext, CustomResource, Object};
use fbc_yaml::Node;

/// A version of a custom resource that a bundle defines.
#[derive(Clone, Debug)]
pub(super) struct Defined<'b> {
    /// The definition.
    pub(super) object: Object<'b>,
    /// The group of the resource.
    pub(super) group: &'b str,
    /// The version.
    pub(super) version: &'b str,
    /// The kind.
    pub(super) kind: &'b str,
    /// The JSON pointer of the version.
    pub(super) pointer: String,
}

impl Defined<'_> {
    /// Whether it is what a cluster service version names.
    pub(super) fn is(&self, resource: &CustomResource<'_>) -> bool {
        Some(self.group) == resource.group() && self.kind == resource.kind && self.version == resource.version
    }
}

/// All versions of custom resources that the bundle defines.
pub(super) fn defined<'b>(context: &BundleContext<'b>) -> Vec<Defined<'b>> {
    context.custom_resource_definitions().flat_map(|object| versions(*object)).collect()
}

/// The versions of a definition. `spec.version` is of `v1beta1`, and counts where there is no list.
fn versions(object: Object<'_>) -> Vec<Defined<'_>> {
    let Some(spec) = object.node.get("spec") else { return Vec::new() };
    let kind = spec.get("names").and_then(|names| names.get_str("kind")).unwrap_or_default();
    let defined = |version, pointer| Defined {
        object,
        group: spec.get_str("group").unwrap_or_default(),
        version,
        kind,
        pointer,
    };
    let listed: Vec<Defined<'_>> = spec
        .get("versions")
        .into_iter()
        .flat_map(Node::items)
        .enumerate()
        .map(|(number, version)| {
            defined(version.get_str("name").unwrap_or_default(), format!("/spec/versions/{number}/name"))
        })
        .collect();
    if listed.is_empty() && object.version == "v1beta1" {
        let single = spec.get_str("version").map(|version| defined(version, "/spec/version".to_owned()));
        return single.into_iter().collect();
    }
    listed
}
