//! What the manifests of a bundle say, as far as rules ask: taken from its `olm.bundle.object` properties,
//! or, where it has none, from `olm.csv.metadata`, which holds a part of the ClusterServiceVersion.
//!
//! Only facts are kept; manifests are large, and a catalog has thousands.

mod images;

use std::collections::BTreeMap;

use fbc_bundle::operator_conditions::{self, ConditionUse};
use fbc_model::{Bundle, bundle_object};
use fbc_yaml::Node;

pub use images::{ImageUse, running};

use fbc_model::render::CSV_METADATA;

/// Keys of annotations that hold large examples; their text is not kept.
const EXAMPLES: &str = "alm-examples";

/// What the manifests of a bundle say.
#[derive(Clone, Debug, Default)]
pub struct ManifestFacts {
    /// The kinds of the manifests in `olm.bundle.object` properties, each with the number of its property.
    pub kinds: Vec<(usize, String)>,
    /// What is known of the ClusterServiceVersion; nothing where the bundle holds no part of it.
    pub description: Option<Description>,
}

/// What is known of a ClusterServiceVersion.
#[derive(Clone, Debug, Default)]
pub struct Description {
    /// The place of its annotations in the bundle, as a JSON pointer: with the annotation below it where the
    /// catalog holds them as they are, the whole manifest where it is encoded.
    place: String,
    /// The annotations but for examples.
    pub annotations: BTreeMap<String, String>,
    /// The install modes that are supported; nothing where none are given at all.
    pub install_modes: Option<Vec<String>>,
    /// The names of the aggregated APIs that it provides.
    pub owned_api_services: Vec<String>,
    /// The images that it names, in the order in which they stand.
    pub images: Vec<ImageUse>,
    /// What only the whole manifest tells; nothing where the catalog holds `olm.csv.metadata` alone.
    pub whole: Option<WholeDescription>,
}

/// What only the whole ClusterServiceVersion tells.
#[derive(Clone, Debug, Default)]
pub struct WholeDescription {
    /// `spec.version` as written; nothing where it is missing or no text.
    pub version: Option<String>,
    /// The names of its webhooks.
    pub webhooks: Vec<String>,
    /// Whether it asks for the right to create, delete, and update or patch network policies.
    pub manages_network_policies: bool,
    /// How the operator uses OperatorConditions, if it does.
    pub operator_conditions: Option<ConditionUse>,
}

impl Description {
    /// Where it is in the bundle, as a JSON pointer.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The place of its install modes in the bundle, as a JSON pointer.
    #[must_use]
    pub fn install_modes_place(&self) -> String {
        if self.whole.is_some() { self.place.clone() } else { format!("{}/installModes", self.place) }
    }

    /// The place of an annotation in the bundle, as a JSON pointer.
    #[must_use]
    pub fn annotation_place(&self, key: &str) -> String {
        if self.whole.is_some() { self.place.clone() } else { pointer_to(&self.place, key) }
    }
}

fn pointer_to(place: &str, key: &str) -> String {
    format!("{place}/annotations/{}", key.replace('~', "~0").replace('/', "~1"))
}

impl ManifestFacts {
    /// Reads the manifests of a bundle.
    #[must_use]
    pub fn from_bundle(bundle: &Bundle) -> Self {
        let mut facts = Self::default();
        for (index, manifest) in bundle_object::numbered_manifests(bundle) {
            let root = manifest.root();
            let kind = root.get_str("kind").unwrap_or_default();
            facts.kinds.push((index, kind.to_owned()));
            if kind == "ClusterServiceVersion" && facts.description.is_none() {
                facts.description = Some(of_manifest(root, format!("/properties/{index}/value/data")));
            }
        }
        if facts.description.is_none() {
            let metadata = bundle.properties.iter().enumerate();
            let mut metadata = metadata.filter(|(_, property)| property.kind == CSV_METADATA);
            let value = metadata.find_map(|(index, property)| Some((index, property.value.as_ref()?.node())));
            facts.description =
                value.map(|(index, value)| of_metadata(value, format!("/properties/{index}/value")));
        }
        facts
    }
}

fn of_metadata(value: Node<'_>, place: String) -> Description {
    let mut description =
        common(value.get("annotations"), value.get("installModes"), |key| pointer_to(&place, key));
    description.owned_api_services =
        names(value.get("apiServiceDefinitions").and_then(|apis| apis.get("owned")));
    Description { place, ..description }
}

fn of_manifest(root: Node<'_>, place: String) -> Description {
    let spec = root.get("spec");
    let field = |name: &str| spec.and_then(|spec| spec.get(name));
    let annotations = root.get("metadata").and_then(|metadata| metadata.get("annotations"));
    let mut description = common(annotations, field("installModes"), |_| place.clone());
    description.owned_api_services = names(field("apiservicedefinitions").and_then(|apis| apis.get("owned")));
    description.images.extend(images::running(root, &place));
    let install = field("install").and_then(|install| install.get("spec"));
    let rights = || {
        let kinds = ["clusterPermissions", "permissions"].into_iter();
        let lists = kinds.flat_map(|kind| items(install.and_then(|install| install.get(kind))));
        lists.flat_map(|permission| items(permission.get("rules")))
    };
    description.whole = Some(WholeDescription {
        version: field("version").and_then(Node::as_str).map(str::to_owned),
        webhooks: items(field("webhookdefinitions"))
            .map(|webhook| webhook.get_str("generateName").unwrap_or_default().to_owned())
            .collect(),
        manages_network_policies: rights().any(manages_network_policies),
        operator_conditions: operator_conditions::first_use(root),
    });
    Description { place, ..description }
}

fn common(
    annotations: Option<Node<'_>>,
    install_modes: Option<Node<'_>>,
    pointer: impl Fn(&str) -> String,
) -> Description {
    let mut description = Description::default();
    for (key, value) in annotations.into_iter().flat_map(Node::members) {
        let Some(text) = value.as_str() else { continue };
        description.images.extend(images::of_annotation(key, text, &pointer(key)));
        if !key.starts_with(EXAMPLES) {
            description.annotations.insert(key.to_owned(), text.to_owned());
        }
    }
    description.install_modes = install_modes.map(|modes| {
        let supported =
            modes.items().filter(|mode| mode.get("supported").and_then(Node::as_bool) == Some(true));
        supported.filter_map(|mode| mode.get_str("type")).map(str::to_owned).collect()
    });
    description
}

fn items(list: Option<Node<'_>>) -> impl Iterator<Item = Node<'_>> {
    list.into_iter().flat_map(Node::items)
}

fn names(list: Option<Node<'_>>) -> Vec<String> {
    items(list).map(|item| item.get_str("name").unwrap_or_default().to_owned()).collect()
}

/// Whether a list of a permission rule holds a word, or `*` where that is among the words asked for.
fn holds(rule: Node<'_>, list: &str, words: &[&str]) -> bool {
    items(rule.get(list)).filter_map(Node::as_str).any(|word| words.contains(&word))
}

/// Source: `conforma/policy:policy/release/olm/olm.rego` (`_is_network_policy_rule`).
fn manages_network_policies(rule: Node<'_>) -> bool {
    let verb = |verb: &str| holds(rule, "verbs", &[verb]);
    holds(rule, "apiGroups", &["networking.k8s.io", "*"])
        && holds(rule, "resources", &["networkpolicies", "*"])
        && (verb("*") || verb("create") && verb("delete") && (verb("update") || verb("patch")))
}
