//! What a bundle holds, as sets: APIs, dependencies, limits, install modes, images, other properties.

use std::collections::{BTreeMap, BTreeSet};

use fbc_model::{Bundle, Property, RelatedImage, Value};
use fbc_yaml::{Node, json_writer};

/// Properties that hold the manifests of a bundle, in either of two forms.
const OBJECT: &str = "olm.bundle.object";
const METADATA: &str = "olm.csv.metadata";
const GVK: &str = "olm.gvk";
const PACKAGE: &str = "olm.package";
const PLATFORM_LIMIT: &str = "olm.maxOpenShiftVersion";
const DEPENDENCIES: [&str; 3] = ["olm.package.required", "olm.gvk.required", "olm.constraint"];

/// What counts of a bundle.
pub(super) struct Content<'c> {
    /// The APIs that it provides.
    pub(super) apis: BTreeSet<String>,
    /// What it needs.
    pub(super) dependencies: BTreeSet<String>,
    /// The highest OpenShift version that it supports, as written.
    pub(super) platform_limit: Option<String>,
    /// The install modes that it supports; nothing where it does not tell.
    pub(super) install_modes: Option<BTreeSet<&'c str>>,
    /// The images that it needs.
    pub(super) related_images: BTreeSet<(&'c str, &'c str)>,
    /// All other properties as type and JSON.
    pub(super) properties: BTreeSet<(&'c str, String)>,
    /// The manifests, whatever their form.
    pub(super) manifests: Manifests<'c>,
}

/// The manifests of a bundle.
#[derive(PartialEq)]
pub(super) struct Manifests<'c> {
    /// The objects as JSON.
    pub(super) objects: BTreeSet<String>,
    /// The metadata of the cluster service version.
    pub(super) metadata: Vec<Node<'c>>,
}

impl<'c> Content<'c> {
    pub(super) fn from_bundle(bundle: &'c Bundle) -> Self {
        let mut content = Self {
            apis: BTreeSet::new(),
            dependencies: BTreeSet::new(),
            platform_limit: None,
            install_modes: None,
            related_images: bundle.related_images.iter().map(image_pair).collect(),
            properties: BTreeSet::new(),
            manifests: Manifests { objects: BTreeSet::new(), metadata: Vec::new() },
        };
        for property in &bundle.properties {
            content.add(property);
        }
        content
    }

    fn add(&mut self, property: &'c Property) {
        let kind = property.kind.as_str();
        let Some(value) = property.value.as_ref().map(Value::node) else {
            self.properties.insert((kind, String::new()));
            return;
        };
        match kind {
            GVK => {
                self.apis.insert(api(value));
            }
            PLATFORM_LIMIT => {
                self.platform_limit =
                    Some(value.as_str().map_or_else(|| json_writer::compact(value), str::to_owned));
            }
            OBJECT => {
                self.manifests.objects.insert(json_writer::compact(value));
            }
            METADATA => {
                self.manifests.metadata.push(value);
                self.install_modes = value.get("installModes").map(supported_modes);
            }
            // The version has a kind of change to itself.
            PACKAGE => {}
            kind if DEPENDENCIES.contains(&kind) => {
                self.dependencies.insert(dependency(kind, value));
            }
            _ => {
                self.properties.insert((kind, json_writer::compact(value)));
            }
        }
    }
}

impl Manifests<'_> {
    /// Whether the two are the same thing in two forms, as far as can be told without the manifests.
    pub(super) fn is_other_form_of(&self, other: &Self) -> bool {
        let one_way =
            |a: &Self, b: &Self| !a.objects.is_empty() && a.metadata.is_empty() && b.objects.is_empty();
        one_way(self, other) && !other.metadata.is_empty()
            || one_way(other, self) && !self.metadata.is_empty()
    }

    /// The keys of the metadata that differ.
    pub(super) fn differing_keys(&self, other: &Self) -> BTreeSet<String> {
        let members = |manifests: &Self| -> BTreeMap<String, String> {
            let members = manifests.metadata.iter().flat_map(|node| node.members());
            members.map(|(key, value)| (key.to_owned(), json_writer::compact(value))).collect()
        };
        let (a, b) = (members(self), members(other));
        let differs = |key: &&String| a.get(*key) != b.get(*key);
        a.keys().chain(b.keys()).filter(differs).cloned().collect()
    }
}

/// Whether two bundles of one name hold the same, whatever the order.
pub(super) fn is_same(a: &Bundle, b: &Bundle) -> bool {
    if a.image != b.image {
        return false;
    }
    if a.properties == b.properties && a.related_images == b.related_images {
        return true;
    }
    let images = |bundle: &Bundle| -> BTreeSet<(String, String)> {
        let pairs = bundle.related_images.iter().map(image_pair);
        pairs.map(|(name, image)| (name.to_owned(), image.to_owned())).collect()
    };
    let properties = |bundle: &Bundle| -> BTreeSet<(String, Option<String>)> {
        let properties = bundle.properties.iter();
        let json =
            |property: &Property| property.value.as_ref().map(|value| json_writer::compact(value.node()));
        properties.map(|property| (property.kind.clone(), json(property))).collect()
    };
    images(a) == images(b) && properties(a) == properties(b)
}

/// Properties as a set, for packages and channels.
pub(super) fn property_set(properties: &[Property]) -> BTreeSet<(&str, String)> {
    let json = |property: &Property| {
        property.value.as_ref().map(|value| json_writer::compact(value.node())).unwrap_or_default()
    };
    properties.iter().map(|property| (property.kind.as_str(), json(property))).collect()
}

fn image_pair(image: &RelatedImage) -> (&str, &str) {
    (&image.name, &image.image)
}

/// `group/version Kind`
fn api(value: Node<'_>) -> String {
    let text = |name| value.get_str(name).unwrap_or_default();
    format!("{}/{} {}", text("group"), text("version"), text("kind"))
}

fn dependency(kind: &str, value: Node<'_>) -> String {
    match kind {
        "olm.package.required" => {
            let text = |name| value.get_str(name).unwrap_or_default();
            format!("package {} {}", text("packageName"), text("versionRange"))
        }
        "olm.gvk.required" => format!("API {}", api(value)),
        _ => format!("constraint {}", json_writer::compact(value)),
    }
}

fn supported_modes(modes: Node<'_>) -> BTreeSet<&str> {
    let supported = modes.items().filter(|mode| mode.get("supported").and_then(Node::as_bool) == Some(true));
    supported.filter_map(|mode| mode.get_str("type")).collect()
}
