//! What an update from one payload to another changes.

use std::collections::{BTreeMap, BTreeSet};

use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use serde_json::{Value, json};

use super::manifest::Manifest;
use super::payload::Payload;

/// An object of a payload: group, kind, namespace and name.
pub type Identity = (String, String, ObjectName);

/// A version of a definition that a cluster no longer serves after the update.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct LostApi {
    /// The group.
    pub group: String,
    /// The version.
    pub version: String,
    /// The kind.
    pub kind: String,
}

/// The difference of two payloads.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Difference {
    /// The versions of both.
    pub versions: (String, String),
    /// Whether the new one names the old one among the versions that may be updated to it.
    pub is_update: bool,
    /// Objects that come.
    pub added: Vec<Identity>,
    /// Objects that are no longer delivered. They stay on the cluster as they are.
    pub left: Vec<Identity>,
    /// Objects that the update deletes.
    pub deleted: Vec<Identity>,
    /// Objects that change, and the paths that differ.
    pub changed: Vec<(Identity, Vec<String>)>,
    /// Versions of definitions that are no longer served.
    pub lost: Vec<LostApi>,
    /// Images by name: before and after.
    pub images: Vec<(String, Option<String>, Option<String>)>,
}

impl Difference {
    /// Compares two payloads as one kind of cluster sees them.
    pub fn between(old: &Payload, new: &Payload) -> Self {
        let (before, after) = (objects(&old.manifests), objects(&new.manifests));
        let mut difference = Self {
            versions: (old.release.version.clone(), new.release.version.clone()),
            is_update: new.previous.contains(&old.release.version),
            ..Self::default()
        };
        for (identity, manifest) in &after {
            match (is_tombstone(manifest), before.get(identity)) {
                // What the old release deletes too is gone before this update.
                (true, Some(earlier)) if is_tombstone(earlier) => {}
                (true, _) => difference.deleted.push(identity.clone()),
                (false, Some(earlier)) if !is_tombstone(earlier) => {
                    let mut paths = Vec::new();
                    compare(&earlier.object, &manifest.object, String::new(), &mut paths);
                    if !paths.is_empty() {
                        difference.changed.push((identity.clone(), paths));
                    }
                }
                _ => difference.added.push(identity.clone()),
            }
        }
        let gone = before
            .iter()
            .filter(|(identity, manifest)| !after.contains_key(identity) && !is_tombstone(manifest));
        difference.left = gone.map(|(identity, _)| identity.clone()).collect();
        // A definition that is no longer delivered stays, so only what the new payload says takes versions away.
        let delivered: BTreeSet<&str> =
            new.manifests.iter().filter(|one| is_definition(one)).map(|one| one.object.name()).collect();
        let (served, wanted) = (served(&old.manifests), served(&new.manifests));
        difference.lost = served
            .into_iter()
            .filter(|(name, api)| {
                delivered.contains(name.as_str()) && !wanted.contains(&(name.clone(), api.clone()))
            })
            .map(|(_, api)| api)
            .collect();
        let names: BTreeSet<&String> = old.images.keys().chain(new.images.keys()).collect();
        difference.images = names
            .into_iter()
            .map(|name| (name.clone(), old.images.get(name).cloned(), new.images.get(name).cloned()))
            .filter(|(_, before, after)| before != after)
            .collect();
        difference
    }

    /// As JSON.
    pub fn to_value(&self) -> Value {
        let object = |(group, kind, name): &Identity| json!({"group": group, "kind": kind, "namespace": name.namespace, "name": name.name});
        let objects = |list: &[Identity]| list.iter().map(object).collect::<Vec<_>>();
        let changed = |(identity, paths): &(Identity, Vec<String>)| {
            let mut value = object(identity);
            value.set(&["paths"], paths.as_slice());
            value
        };
        json!({
            "from": self.versions.0,
            "to": self.versions.1,
            "isUpdate": self.is_update,
            "added": objects(&self.added),
            "noLongerDelivered": objects(&self.left),
            "deleted": objects(&self.deleted),
            "changed": self.changed.iter().map(changed).collect::<Vec<_>>(),
            "lostApis": self.lost.iter().map(|api| json!({"group": api.group, "version": api.version, "kind": api.kind})).collect::<Vec<_>>(),
            "images": self.images.iter().map(|(name, old, new)| json!({"name": name, "from": old, "to": new})).collect::<Vec<_>>(),
        })
    }
}

fn objects(manifests: &[Manifest]) -> BTreeMap<Identity, &Manifest> {
    // Of two manifests of one object the later is what remains.
    manifests.iter().map(|one| ((one.group.clone(), one.kind().to_owned(), one.name()), one)).collect()
}

fn is_tombstone(manifest: &Manifest) -> bool {
    !manifest.is_cluster_operator()
        && manifest.object.annotation("release.openshift.io/delete") == Some("true")
}

fn is_definition(manifest: &Manifest) -> bool {
    manifest.kind() == "CustomResourceDefinition"
}

/// Definitions with the versions that they serve.
fn served(manifests: &[Manifest]) -> BTreeSet<(String, LostApi)> {
    let definitions = manifests.iter().filter(|one| is_definition(one) && !is_tombstone(one));
    definitions
        .flat_map(|one| {
            let object = &one.object;
            let versions =
                object.list(&["spec", "versions"]).iter().filter(|version| version["served"] == true);
            versions.map(|version| {
                let text = |value: &str| value.to_owned();
                let api = LostApi {
                    group: text(object.text(&["spec", "group"])),
                    version: text(version.text(&["name"])),
                    kind: text(object.text(&["spec", "names", "kind"])),
                };
                (text(object.name()), api)
            })
        })
        .collect()
}

/// The paths at which two objects differ; a list that differs is one path.
fn compare(old: &Object, new: &Object, path: String, paths: &mut Vec<String>) {
    match (old, new) {
        (Value::Object(old), Value::Object(new)) => {
            let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            for name in names {
                let (before, after) = (old.get(name), new.get(name));
                let below = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                match (before, after) {
                    (Some(before), Some(after)) => compare(before, after, below, paths),
                    _ => paths.push(below),
                }
            }
        }
        _ if old == new => {}
        _ => paths.push(path),
    }
}

#[cfg(test)]
mod tests {
    use fbc_model::tree::MemoryTree;

    use super::super::inclusion::Inclusion;
    use super::*;

    fn payload(manifests: &str) -> Payload {
        let mut tree = MemoryTree::default();
        for (file, text) in [
            ("release-metadata", r#"{"kind": "cincinnati-metadata-v0", "version": "4.19.0"}"#),
            (
                "image-references",
                r#"{"kind": "ImageStream", "apiVersion": "image.openshift.io/v1", "metadata": {"name": "4.19.0"}}"#,
            ),
            ("0000_50_sea_00_all.yaml", manifests),
        ] {
            tree.insert(format!("release-manifests/{file}"), text.as_bytes().to_vec());
        }
        Payload::load(&tree, "registry.example/release:1", &Inclusion::default()).unwrap()
    }

    fn buoy(more: &str) -> String {
        format!(
            "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: buoy\n  namespace: sea\n  annotations: \
             {{include.release.openshift.io/self-managed-high-availability: \"true\"{more}}}\n"
        )
    }

    #[test]
    fn an_object_is_deleted_once() {
        let (object, tombstone) = (buoy(""), buoy(", release.openshift.io/delete: \"true\""));
        let other = object.replace("buoy", "other");
        for (old, new, expected) in [
            (&object, &tombstone, [0, 1, 0]),
            // A release in between may have delivered it.
            (&other, &tombstone, [0, 1, 0]),
            (&tombstone, &tombstone, [0, 0, 0]),
            (&tombstone, &object, [1, 0, 0]),
        ] {
            let Difference { added, deleted, changed, .. } =
                Difference::between(&payload(old), &payload(new));
            assert_eq!([added.len(), deleted.len(), changed.len()], expected, "{old}{new}");
        }
    }

    #[test]
    fn profiles_are_also_those_of_manifests_that_this_cluster_does_not_take() {
        let other =
            buoy("").replace("buoy", "other").replace("self-managed-high-availability", "single-node");
        let both = format!("{}---\n{other}", buoy(""));
        let profiles = BTreeSet::from(["self-managed-high-availability", "single-node"]);
        assert_eq!(payload(&both).profiles(), profiles);
    }
}
