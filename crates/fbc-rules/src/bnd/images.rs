//! The images that a cluster service version uses, and those that it lists.

use fbc_lint::bundle::{ClusterServiceVersion, pointer};
use fbc_yaml::Node;

/// Why an image counts as used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reason {
    /// A container runs it.
    Container,
    /// An environment variable `RELATED_IMAGE_...` holds it.
    Variable,
    /// The annotation `containerImage` shows it.
    Annotation,
}

/// A use of an image.
#[derive(Clone, Debug)]
pub(super) struct Used<'b> {
    pub(super) image: &'b str,
    pub(super) reason: Reason,
    /// Its JSON pointer.
    pub(super) pointer: String,
}

/// The uses of images, in the order of the manifest.
pub(super) fn used<'b>(csv: &ClusterServiceVersion<'b>) -> Vec<Used<'b>> {
    let mut found = Vec::new();
    if let Some(image) = csv.annotation("containerImage") {
        let pointer = pointer("/metadata/annotations", "containerImage");
        found.push(Used { image, reason: Reason::Annotation, pointer });
    }
    for container in csv.deployments().flat_map(|deployment| deployment.containers().collect::<Vec<_>>()) {
        if let Some(image) = container.node.get_str("image") {
            let pointer = format!("{}/image", container.pointer);
            found.push(Used { image, reason: Reason::Container, pointer });
        }
        let variables = container.node.get("env").into_iter().flat_map(Node::items).enumerate();
        for (number, variable) in variables {
            let is_image = variable.get_str("name").is_some_and(|name| name.starts_with("RELATED_IMAGE_"));
            if let Some(image) = variable.get_str("value").filter(|_| is_image) {
                let pointer = format!("{}/env/{number}/value", container.pointer);
                found.push(Used { image, reason: Reason::Variable, pointer });
            }
        }
    }
    found.retain(|used| !used.image.is_empty());
    found
}

/// The images under `relatedImages`: number, name and image of each.
pub(super) fn listed<'b>(csv: &ClusterServiceVersion<'b>) -> impl Iterator<Item = (usize, &'b str, &'b str)> {
    csv.list("relatedImages").map(|(number, item)| {
        let text = |key: &str| item.get_str(key).unwrap_or_default();
        (number, text("name"), text("image"))
    })
}
