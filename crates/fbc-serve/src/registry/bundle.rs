//! Bundles as messages.
//!
//! Source: `operator-framework/operator-registry:pkg/api/model_to_api.go`.

use fbc_model::bundle_object;
use fbc_model::cluster_service_version;
use fbc_model::render::CSV_METADATA;
use fbc_model::{Bundle, Package};
use fbc_yaml::{DocumentBuilder, Node, json_writer};

use super::index::{Entry, EntryKey, Registry};
use super::message::{self, Dependency, Deprecation, GroupVersionKind, Property};

/// The properties that carry manifests or describe them; they are not properties of the API.
const CONTENT: [&str; 2] = [bundle_object::PROPERTY_TYPE, CSV_METADATA];

/// A bundle with so many descriptions of its cluster service version, which opm accepts in a catalog but does not serve.
#[derive(Debug, thiserror::Error)]
#[error("parse properties: expected at most 1 property of type {CSV_METADATA:?}, found {0}")]
pub(super) struct SeveralDescriptions(usize);

/// Refuses what cannot be served.
pub(super) fn check(bundle: &Bundle) -> Result<(), SeveralDescriptions> {
    let metadata = bundle.properties.iter().filter(|property| property.kind == CSV_METADATA).count();
    if metadata > 1 { Err(SeveralDescriptions(metadata)) } else { Ok(()) }
}

/// The kinds that a bundle brings, in the order of its properties.
pub(super) fn provided(bundle: &Bundle) -> impl Iterator<Item = GroupVersionKind> {
    bundle.property_values("olm.gvk").map(kind)
}

fn kind(value: Node<'_>) -> GroupVersionKind {
    let text = |name: &str| value.get_str(name).unwrap_or_default().to_owned();
    GroupVersionKind {
        group: text("group"),
        version: text("version"),
        kind: text("kind"),
        plural: String::new(),
    }
}

/// How much of a bundle goes into its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// What a list has: edges, but no manifests if there is an image.
    Listed,
    /// What a request for one bundle gets: manifests, but no edges.
    Single,
}

impl Registry {
    pub(super) fn message(&self, key: &EntryKey, extent: Extent) -> Option<message::Bundle> {
        let package = self.packages.get(&*key.package)?;
        let entry = package.channels.get(&*key.channel)?.entries.get(&*key.bundle)?;
        let bundle = self.catalog.bundles.get(entry.bundle)?;
        let mut message = described(bundle, entry);
        message.channel_name = key.channel.to_string();
        let (channel, number) = entry.place;
        let edges = self.catalog.channels.get(channel).and_then(|channel| channel.entries().get(number));
        message.skip_range = edges.map(|edges| edges.skip_range.clone()).unwrap_or_default();
        if extent == Extent::Listed {
            message.replaces = edges.map(|edges| edges.replaces.clone()).unwrap_or_default();
            message.skips = edges.map(|edges| edges.skips.clone()).unwrap_or_default();
        }
        if extent == Extent::Single || bundle.image.is_empty() {
            let blob = self.catalog.packages.get(package.blob);
            (message.csv_json, message.object) = manifests(bundle, blob);
        }
        Some(message)
    }
}

/// All of a message that follows from the bundle itself.
fn described(bundle: &Bundle, entry: &Entry) -> message::Bundle {
    let version = bundle.property_values("olm.package").next().and_then(|value| value.get_str("version"));
    let properties = bundle.properties.iter().filter(|property| !CONTENT.contains(&property.kind.as_str()));
    message::Bundle {
        csv_name: bundle.name.clone(),
        package_name: bundle.package.clone(),
        bundle_path: bundle.image.clone(),
        provided_apis: provided(bundle).collect(),
        required_apis: bundle.property_values("olm.gvk.required").map(kind).collect(),
        version: version.unwrap_or_default().to_owned(),
        dependencies: bundle.properties.iter().filter_map(dependency).collect(),
        properties: properties
            .map(|property| Property { r#type: property.kind.clone(), value: json_of(property) })
            .collect(),
        deprecation: entry.deprecation.clone().map(|message| Deprecation { message }),
        ..message::Bundle::default()
    }
}

fn json_of(property: &fbc_model::Property) -> String {
    property.value.as_ref().map(|value| json_writer::compact(value.node())).unwrap_or_default()
}

/// Requirements as dependencies of OLM v0; constraints are none.
fn dependency(property: &fbc_model::Property) -> Option<Dependency> {
    match property.kind.as_str() {
        "olm.gvk.required" => Some(Dependency { r#type: "olm.gvk".to_owned(), value: json_of(property) }),
        "olm.package.required" => {
            let value = property.value.as_ref()?.node();
            let mut builder = DocumentBuilder::in_written_order();
            let mark = builder.open();
            for (name, source) in [("packageName", "packageName"), ("version", "versionRange")] {
                let text = builder.string(value.get_str(source).unwrap_or_default());
                builder.push_member(name, text);
            }
            let root = builder.close_object(mark);
            let value = json_writer::compact(builder.finish(root).root());
            Some(Dependency { r#type: "olm.package".to_owned(), value })
        }
        _ => None,
    }
}

/// What Go's encoder writes unless it is told otherwise: `<`, `>` and `&` escaped.
fn html_safe(json: &str) -> String {
    // Outside of strings these characters do not occur.
    json.replace('&', "\\u0026").replace('<', "\\u003c").replace('>', "\\u003e")
}

/// The manifest in a property, if it is written as JSON: opm hands it on as it is.
///
/// Source: `kubernetes/apimachinery:pkg/util/yaml/decoder.go` (`ToJSON`).
fn written_as_json(bundle: &Bundle, property: usize) -> Option<String> {
    let value = bundle.properties.get(property)?.value.as_ref()?;
    let text = String::from_utf8(fbc_go::base64::decode(value.node().get_str("data")?).ok()?).ok()?;
    text.trim_start().starts_with('{').then_some(text)
}

/// The cluster service version and all manifests as JSON. Without manifests, what describes them stands in.
fn manifests(bundle: &Bundle, package: Option<&Package>) -> (String, Vec<String>) {
    let objects: Vec<(bool, String)> = bundle_object::numbered_manifests(bundle)
        .map(|(index, manifest)| {
            let is_version = manifest.root().get_str("kind") == Some("ClusterServiceVersion");
            let written = written_as_json(bundle, index);
            (is_version, written.unwrap_or_else(|| json_writer::compact(manifest.root())))
        })
        .collect();
    let version = objects.iter().find(|(is_version, _)| *is_version).map(|(_, json)| json.clone());
    let objects: Vec<String> = objects.into_iter().map(|(_, json)| json).collect();
    if let Some(version) = version {
        return (version, objects);
    }
    let Some(metadata) = bundle.property_values(CSV_METADATA).next() else {
        return (String::new(), objects);
    };
    let stand_in = cluster_service_version::stand_in(bundle, metadata, package);
    let version = html_safe(&json_writer::compact(stand_in.root()));
    let objects = if objects.is_empty() { vec![version.clone()] } else { objects };
    (version, objects)
}
