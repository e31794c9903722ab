//! The PackageManifests of a catalog.
//!
//! Source: `openshift/operator-framework-olm:staging/operator-lifecycle-manager/pkg/package-server/provider/registry.go`
//! (`newPackageManifest`), `apis/operators/packagemanifest.go` (`CreateCSVDescription`).

use std::collections::{BTreeMap, BTreeSet};

use fbc_cluster::object::{Object, ObjectFields};
use fbc_model::{Bundle, Catalog, Channel, bundle_object, render};
use fbc_resolve_v0::property::kind;
use fbc_version::Version;
use serde_json::{Map, Value, json};

use super::{PACKAGE_MANIFEST, PACKAGES_GROUP};
use crate::names::CLUSTER_SERVICE_VERSION;

/// Fields of the description of a version, with the names that they have in its specification.
const DESCRIBED: [(&str, &str); 11] = [
    ("displayName", "displayName"),
    ("version", "version"),
    ("provider", "provider"),
    ("keywords", "keywords"),
    ("links", "links"),
    ("maintainers", "maintainers"),
    ("maturity", "maturity"),
    ("description", "description"),
    ("installModes", "installModes"),
    ("nativeApis", "nativeAPIs"),
    ("minKubeVersion", "minKubeVersion"),
];

/// The manifests, by package. Packages without a channel whose head can be read are left out.
pub(super) fn of_catalog(source: &Object, catalog: &Catalog) -> Vec<Object> {
    let mut packages: Vec<_> = catalog.packages.iter().collect();
    packages.sort_by(|one, other| one.name.cmp(&other.name));
    packages
        .into_iter()
        .filter_map(|package| of_package(source, catalog, &package.name, &package.default_channel))
        .collect()
}

fn of_package(source: &Object, catalog: &Catalog, name: &str, default: &str) -> Option<Object> {
    let bundles: BTreeMap<&str, &Bundle> = catalog
        .bundles
        .iter()
        .filter(|bundle| bundle.package == name)
        .map(|bundle| (bundle.name.as_str(), bundle))
        .collect();
    let note = |schema: &str, of: &str| {
        let entries =
            catalog.deprecations.iter().filter(|one| one.package == name).flat_map(|one| one.entries());
        let mut found = entries.filter(|entry| entry.schema == schema && (of.is_empty() || entry.name == of));
        found.next().map(|entry| json!({"message": entry.message}))
    };
    let mut of_package: Vec<&Channel> =
        catalog.channels.iter().filter(|channel| channel.package == name).collect();
    of_package.sort_by(|one, other| one.name.cmp(&other.name));
    let mut channels = Vec::new();
    let mut head_of_default = None;
    let mut is_default_elided = false;
    for channel in of_package {
        let head = head(channel).and_then(|head| bundles.get(head)).and_then(|bundle| version_of(bundle));
        let Some(head) = head else {
            is_default_elided |= channel.name == default;
            continue;
        };
        let mut shown = json!({
            "name": channel.name, "currentCSV": head.name(), "currentCSVDesc": description(&head),
            "entries": entries(channel, &bundles, &note),
        });
        if let Some(note) = note("olm.channel", &channel.name) {
            shown["deprecation"] = note;
        }
        channels.push(shown);
        if head_of_default.is_none() || channel.name == default {
            head_of_default = Some(head);
        }
    }
    let first = channels.first()?.text(&["name"]).to_owned();
    let head = head_of_default?;
    let provider = head["spec"].get("provider").cloned().unwrap_or(json!({}));
    let mut labels =
        source.at(&["metadata", "labels"]).and_then(Value::as_object).cloned().unwrap_or_default();
    for (key, value) in [
        ("catalog", source.name()),
        ("catalog-namespace", source.namespace()),
        ("provider", provider.text(&["name"])),
        ("provider-url", provider.text(&["url"])),
    ] {
        labels.insert(key.to_owned(), value.into());
    }
    let of_version = head.at(&["metadata", "labels"]).and_then(Value::as_object);
    labels.extend(of_version.into_iter().flatten().map(|(key, value)| (key.clone(), value.clone())));
    platforms(&mut labels);
    let mut status = json!({
        "catalogSource": source.name(), "catalogSourceNamespace": source.namespace(),
        "catalogSourceDisplayName": source.text(&["spec", "displayName"]),
        "catalogSourcePublisher": source.text(&["spec", "publisher"]), "provider": provider, "packageName": name,
        "channels": channels, "defaultChannel": if is_default_elided { &first } else { default },
    });
    if let Some(note) = note(kind::PACKAGE, "") {
        status["deprecation"] = note;
    }
    Some(json!({
        "apiVersion": format!("{PACKAGES_GROUP}/v1"), "kind": PACKAGE_MANIFEST,
        "metadata": {
            "name": name, "namespace": source.namespace(), "labels": labels,
            "creationTimestamp": source.at(&["metadata", "creationTimestamp"]).cloned().unwrap_or_default(),
        },
        "spec": {}, "status": status,
    }))
}

/// The entry that no other one replaces or skips.
fn head(channel: &Channel) -> Option<&str> {
    let entries = channel.entries();
    let passed: BTreeSet<&str> = entries
        .iter()
        .flat_map(|entry| {
            std::iter::once(entry.replaces.as_str()).chain(entry.skips.iter().map(String::as_str))
        })
        .collect();
    entries.iter().map(|entry| entry.name.as_str()).find(|name| !passed.contains(name))
}

/// The entries of a channel, the highest version first, without those that must not be installed.
fn entries(
    channel: &Channel,
    bundles: &BTreeMap<&str, &Bundle>,
    note: &dyn Fn(&str, &str) -> Option<Value>,
) -> Vec<Value> {
    let mut entries: Vec<(Option<Version>, Value)> = channel
        .entries()
        .iter()
        .filter_map(|entry| {
            let bundle = bundles.get(entry.name.as_str())?;
            if bundle.properties.iter().any(|property| property.kind == kind::DEPRECATED) {
                return None;
            }
            let version =
                bundle.property_values(kind::PACKAGE).next().and_then(|value| value.get_str("version"));
            let version = version.unwrap_or_default();
            let mut shown = json!({"name": entry.name, "version": version});
            if let Some(note) = note("olm.bundle", &entry.name) {
                shown["deprecation"] = note;
            }
            Some((Version::parse(version).ok(), shown))
        })
        .collect();
    entries.sort_by(|(one, _), (other, _)| match (one, other) {
        (Some(one), Some(other)) => other.compare_precedence(one),
        (one, other) => other.is_some().cmp(&one.is_some()),
    });
    entries.into_iter().map(|(_, shown)| shown).collect()
}

/// The ClusterServiceVersion of a bundle: its manifest, or as much of it as the catalog has.
fn version_of(bundle: &Bundle) -> Option<Object> {
    let of_kind = |kind: &str| {
        let properties = bundle.properties.iter().filter(move |property| property.kind == kind);
        properties.filter_map(|property| property.value.as_ref()).collect::<Vec<_>>()
    };
    let manifests = of_kind(bundle_object::PROPERTY_TYPE).into_iter().filter_map(|value| {
        let bytes = fbc_go::base64::decode(value.node().get_str("data")?).ok()?;
        let document = fbc_yaml::stream::read_one(&bytes).ok()?;
        serde_json::from_str::<Value>(&fbc_yaml::json_writer::compact(document.root())).ok()
    });
    if let Some(version) = manifests.into_iter().find(|one| one.kind() == CLUSTER_SERVICE_VERSION) {
        return Some(version);
    }
    let metadata = of_kind(render::CSV_METADATA).into_iter().next()?;
    let mut spec: Value = serde_json::from_str(&fbc_yaml::json_writer::compact(metadata.node())).ok()?;
    let mut version = json!({
        "kind": CLUSTER_SERVICE_VERSION,
        "metadata": {
            "name": bundle.name, "annotations": spec.remove(&["annotations"]), "labels": spec.remove(&["labels"]),
        },
    });
    let images: Vec<Value> =
        bundle.related_images.iter().map(|one| json!({"name": one.name, "image": one.image})).collect();
    spec.set(&["relatedImages"], images);
    let package = bundle.property_values(kind::PACKAGE).next();
    spec.set(&["version"], package.and_then(|value| value.get_str("version")).unwrap_or_default());
    version["spec"] = spec;
    Some(version)
}

/// What is told of the version at the head of a channel. Icons are left out.
fn description(version: &Object) -> Value {
    let spec = &version["spec"];
    let mut description = json!({
        "customresourcedefinitions": spec.get("customresourcedefinitions").cloned().unwrap_or(json!({})),
        "apiservicedefinitions": spec.get("apiservicedefinitions").cloned().unwrap_or(json!({})),
        "provider": spec.get("provider").cloned().unwrap_or(json!({})),
        "version": spec.get("version").cloned().unwrap_or(json!("0.0.0")),
    });
    for (name, of_spec) in DESCRIBED {
        if let Some(value) = spec.given(&[of_spec]).filter(|value| has_content(value)) {
            description[name] = value.clone();
        }
    }
    if let Some(annotations) = version.given(&["metadata", "annotations"]).filter(|value| has_content(value))
    {
        description["annotations"] = annotations.clone();
    }
    let images = images(spec);
    if !images.is_empty() {
        description["relatedImages"] = json!(images);
    }
    description
}

fn has_content(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        _ => true,
    }
}

/// The images that a version names, sorted.
fn images(spec: &Value) -> BTreeSet<String> {
    let deployments = spec.list(&["install", "spec", "deployments"]).iter();
    let containers = deployments.flat_map(|deployment| {
        ["containers", "initContainers"]
            .into_iter()
            .flat_map(|field| deployment.list(&["spec", "template", "spec", field]))
    });
    let all = containers.chain(spec.list(&["relatedImages"]));
    all.map(|one| one.text(&["image"]).to_owned()).filter(|image| !image.is_empty()).collect()
}

/// Who says nothing of operating systems or architectures supports Linux on amd64.
fn platforms(labels: &mut Map<String, Value>) {
    for (prefix, usual) in [("operatorframework.io/os.", "linux"), ("operatorframework.io/arch.", "amd64")] {
        if !labels.keys().any(|key| key.starts_with(prefix)) {
            labels.insert(format!("{prefix}{usual}"), "supported".into());
        }
    }
}
