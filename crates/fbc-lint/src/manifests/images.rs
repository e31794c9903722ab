//! The images that a ClusterServiceVersion names: those that a cluster runs, and those in annotations, for people.

use fbc_model::image_reference;
use fbc_yaml::Node;

use super::items;

/// An image that a ClusterServiceVersion names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ImageUse {
    /// The reference.
    pub image: String,
    /// Where it stands, in words of the manifest, such as `annotation "containerImage"`.
    pub at: String,
    /// Its place in the bundle as a JSON pointer.
    pub pointer: String,
    /// Its place in the manifest as a JSON pointer; nothing for a part of an annotation.
    pub within: Option<String>,
}

impl ImageUse {
    /// Whether a cluster pulls it; an annotation shows an image to people.
    #[must_use]
    pub fn runs(&self) -> bool {
        self.within.is_some()
    }
}

/// A container of a deployment.
struct Container<'d> {
    node: Node<'d>,
    deployment: &'d str,
    pointer: String,
}

/// The containers of all deployments, in the order in which they stand.
fn containers(manifest: Node<'_>) -> impl Iterator<Item = Container<'_>> {
    let deployments = at(manifest, &["spec", "install", "spec", "deployments"]);
    items(deployments).enumerate().flat_map(|(index, deployment)| {
        let pod = at(deployment, &["spec", "template", "spec"]);
        let name = deployment.get_str("name").unwrap_or_default();
        ["initContainers", "containers"].into_iter().flat_map(move |kind| {
            let list = pod.and_then(|pod| pod.get(kind));
            items(list).enumerate().map(move |(number, node)| Container {
                node,
                deployment: name,
                pointer: format!("/spec/install/spec/deployments/{index}/spec/template/spec/{kind}/{number}"),
            })
        })
    })
}

fn at<'d>(node: Node<'d>, keys: &[&str]) -> Option<Node<'d>> {
    keys.iter().try_fold(node, |node, key| node.get(key))
}

/// The images that a cluster pulls for a ClusterServiceVersion, which lies at a place in its bundle.
#[must_use]
pub fn running(manifest: Node<'_>, place: &str) -> Vec<ImageUse> {
    let mut images = Vec::new();
    let mut add = |image: Option<&str>, at: String, within: String| {
        if let Some(image) = image.map(str::trim).filter(|image| !image.is_empty()) {
            let (image, pointer) = (image.to_owned(), place.to_owned());
            images.push(ImageUse { image, at, pointer, within: Some(within) });
        }
    };
    for (index, related) in items(at(manifest, &["spec", "relatedImages"])).enumerate() {
        let at = format!("spec.relatedImages[{index}]");
        add(related.get_str("image"), at, format!("/spec/relatedImages/{index}/image"));
    }
    for Container { node, deployment, pointer } in containers(manifest) {
        let of = node.get_str("name").unwrap_or_default();
        let at = format!("container {of:?} of deployment {deployment:?}");
        add(node.get_str("image"), at, format!("{pointer}/image"));
        for (index, variable) in items(node.get("env")).enumerate() {
            let key = variable.get_str("name").unwrap_or_default();
            if key.starts_with("RELATED_IMAGE_") {
                let at = format!("{key} of container {of:?}");
                add(variable.get_str("value"), at, format!("{pointer}/env/{index}/value"));
            }
        }
    }
    images
}

/// The images in an annotation, which lies at a place in its bundle.
pub(super) fn of_annotation(key: &str, text: &str, place: &str) -> impl Iterator<Item = ImageUse> {
    images_in(key, text).map(move |image| ImageUse {
        image: image.to_owned(),
        at: format!("annotation {key:?}"),
        pointer: place.to_owned(),
        within: None,
    })
}

/// The words of an annotation that are image references with a registry, and, unless the annotation is the
/// one for the image of the operator, with a tag or digest.
///
/// Source: `conforma/policy:policy/release/olm/olm.rego` (`all_image_ref`). That takes every word with a
/// slash for an image, `and/or` and `go.kubebuilder.io/v4` too.
fn images_in<'t>(key: &str, text: &'t str) -> impl Iterator<Item = &'t str> {
    let is_for_image = key == "containerImage";
    text.split([',', ';', ' ', '\t', '\r', '\n']).filter(move |word| {
        let Some((registry, path)) = word.split_once('/') else { return false };
        let is_registry = registry.contains('.') && !registry.contains("..") || registry.contains(':');
        let is_exact = is_for_image || path.contains([':', '@']);
        is_registry
            && is_exact
            && !path.is_empty()
            && !path.starts_with('/')
            && image_reference::parse(word).is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::images_in;

    #[test]
    fn images_in_annotations() {
        let pinned =
            "registry.redhat.io/d@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
        let text =
            format!("quay.io/a/b:v1, localhost:5000/c:1;and/or https://example.com/x\n{pinned} a.io/v4");
        let found = |key: &str, text: &str| images_in(key, text).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(found("other", &text), ["quay.io/a/b:v1", "localhost:5000/c:1", pinned]);
        assert_eq!(found("containerImage", "quay.io/a/b"), ["quay.io/a/b"]);
    }
}
