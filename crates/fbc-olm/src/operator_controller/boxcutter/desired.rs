//! The revision that an extension should have.
//!
//! Source: `SimpleRevisionGenerator` in
//! `operator-framework/operator-controller:internal/operator-controller/applier/boxcutter.go`.

use serde_json::{Map, Value, json};

use super::{phases, probes};
use crate::names;
use crate::operator_controller::applier::{Content, RevisionMetadata};
use fbc_cluster::object::{Object, ObjectFields, controller_reference};

/// The fields of `metadata` that objects in a revision keep.
const KEPT_METADATA: [&str; 4] = ["annotations", "labels", "name", "namespace"];

/// A revision of a rendered bundle, without name and number, objects in it as they are.
pub(super) fn of_content(
    extension: &Object,
    resolved: &RevisionMetadata,
    content: &Content<'_>,
    account_counts: bool,
) -> Object {
    let annotations = object_annotations(resolved, false);
    let objects = content
        .objects
        .iter()
        .map(|object| prepared(object.value.root().to_json(), extension, &annotations))
        .collect();
    let mut revision = revision(extension, resolved, objects, account_counts);
    if let Some(properties) = content.properties {
        revision.set(&["metadata", "annotations", names::PROPERTIES], properties);
    }
    revision.set(&["spec", "collisionProtection"], "Prevent");
    revision
}

/// The first revision of an extension, from what Helm installed: it takes over objects that are there.
pub(super) fn of_release(
    extension: &Object,
    release: &RevisionMetadata,
    objects: Vec<Object>,
    account_counts: bool,
) -> Object {
    let annotations = object_annotations(release, true);
    let objects = objects.into_iter().map(|object| prepared(object, extension, &annotations)).collect();
    let mut revision = revision(extension, release, objects, account_counts);
    revision.set(&["metadata", "name"], format!("{}-1", extension.name()));
    revision.set(&["metadata", "labels", names::MIGRATED_FROM_HELM], "true");
    revision.set(&["spec", "collisionProtection"], "None");
    revision.set(&["spec", "revision"], 1);
    revision
}

fn revision(
    extension: &Object,
    bundle: &RevisionMetadata,
    objects: Vec<Object>,
    account_counts: bool,
) -> Object {
    let mut annotations = json!({
        names::BUNDLE_NAME: bundle.name,
        names::PACKAGE_NAME: bundle.package,
        names::BUNDLE_VERSION: bundle.version,
        names::BUNDLE_REFERENCE: bundle.image,
    });
    if let Some(release) = &bundle.release {
        annotations[names::BUNDLE_RELEASE] = release.as_str().into();
    }
    if account_counts {
        annotations[names::SERVICE_ACCOUNT_NAME] = extension.text(&["spec", "serviceAccount", "name"]).into();
        annotations[names::SERVICE_ACCOUNT_NAMESPACE] = extension.text(&["spec", "namespace"]).into();
    }
    let mut spec = json!({"lifecycleState": "Active", "progressionProbes": probes::defaults()});
    spec["phases"] = phases::sorted(objects);
    if let Some(minutes) =
        extension.number(&["spec", "progressDeadlineMinutes"]).filter(|minutes| *minutes > 0)
    {
        spec["progressDeadlineMinutes"] = minutes.into();
    }
    let mut revision = json!({
        "apiVersion": names::API_VERSION,
        "kind": names::CLUSTER_OBJECT_SET,
        "metadata": {
            "annotations": annotations,
            "labels": owner_labels(extension),
            "ownerReferences": [controller_reference(extension)],
        },
    });
    revision["spec"] = spec;
    revision
}

/// The labels of everything that belongs to an extension.
fn owner_labels(extension: &Object) -> Value {
    json!({names::OWNER_KIND: names::CLUSTER_EXTENSION, names::OWNER_NAME: extension.name()})
}

/// What each object of a revision says about its bundle.
fn object_annotations(bundle: &RevisionMetadata, with_release: bool) -> Map<String, Value> {
    let texts = [(names::BUNDLE_VERSION, &bundle.version), (names::PACKAGE_NAME, &bundle.package)];
    let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
    let release = bundle.release.iter().filter(|_| with_release);
    texts
        .chain(release.map(|release| (names::BUNDLE_RELEASE, release)))
        .map(|(key, text)| (key.to_owned(), text.as_str().into()))
        .collect()
}

/// An object as a revision holds it: without status and without the metadata that only a cluster sets.
fn prepared(mut object: Object, extension: &Object, annotations: &Map<String, Value>) -> Object {
    object.remove(&["status"]);
    merge(object.place(&["metadata", "labels"]), &owner_labels(extension));
    let own = object.place(&["metadata", "annotations"]);
    merge(own, &Value::Object(annotations.clone()));
    own.remove(&[names::LAST_APPLIED]);
    if own.as_object().is_some_and(Map::is_empty) {
        object.remove(&["metadata", "annotations"]);
    }
    if let Some(metadata) = object.place(&["metadata"]).as_object_mut() {
        metadata.retain(|field, _| KEPT_METADATA.contains(&field.as_str()));
    }
    object
}

/// Adds the entries of a map to another one.
fn merge(map: &mut Value, entries: &Value) {
    for (key, value) in entries.as_object().into_iter().flatten() {
        map.set(&[key], value.clone());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_lose_what_a_cluster_sets() {
        let object = json!({
            "apiVersion": "v1", "kind": "ConfigMap", "status": {},
            "metadata": {
                "name": "a", "creationTimestamp": null, "finalizers": ["x"],
                "labels": {"app": "demo"}, "annotations": {names::LAST_APPLIED: "{}"},
            },
        });
        let extension = json!({"metadata": {"name": "demo"}});
        let bundle = RevisionMetadata { version: "1.0.0".into(), ..RevisionMetadata::default() };
        let expected = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": {
                "name": "a",
                "labels": {"app": "demo", names::OWNER_KIND: "ClusterExtension", names::OWNER_NAME: "demo"},
                "annotations": {names::BUNDLE_VERSION: "1.0.0"},
            },
        });
        assert_eq!(prepared(object.clone(), &extension, &object_annotations(&bundle, false)), expected);
        let without = prepared(object, &extension, &Map::new());
        assert_eq!(without.at(&["metadata", "annotations"]), None);
    }
}
