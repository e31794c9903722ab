//! The revision that an extension should have.
//!
//! Source: `SimpleRevisionGenerator` in
//! `operator-framework/operator-controller:internal/operator-controller/applier/boxcutter.go`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use fbc_cluster::object::{Object, ObjectFields, controller_reference};
use serde_json::{Map, Value, json};

use super::secrets::{PackError, Packer};
use super::{phases, probes};
use crate::names;
use crate::operator_controller::applier::RevisionMetadata;
use crate::operator_controller::rendering::Rendered;

/// The fields of `metadata` that objects in a revision keep.
const KEPT_METADATA: [&str; 4] = ["annotations", "labels", "name", "namespace"];

/// The revisions that extensions should have, worked out once while what they follow from stays the same.
#[derive(Debug, Default)]
pub(super) struct DesiredRevisions {
    by_extension: RefCell<BTreeMap<String, Known>>,
}

#[derive(Debug)]
struct Known {
    rendered: Arc<Rendered>,
    bundle: RevisionMetadata,
    uid: String,
    generation: i64,
    desired: Rc<Desired>,
}

impl DesiredRevisions {
    /// The revision that an extension should have.
    pub(super) fn get(
        &self,
        extension: &Object,
        bundle: &RevisionMetadata,
        rendered: &Arc<Rendered>,
        account_counts: bool,
    ) -> Rc<Desired> {
        let (uid, generation) = (extension.uid(), extension.generation());
        let mut by_extension = self.by_extension.borrow_mut();
        if let Some(known) = by_extension.get(extension.name())
            && Arc::ptr_eq(&known.rendered, rendered)
            && (known.uid.as_str(), known.generation, &known.bundle) == (uid, generation, bundle)
        {
            return Rc::clone(&known.desired);
        }
        let revision = of_rendered(extension, bundle, rendered, account_counts);
        let desired = Rc::new(Desired { revision, packed: RefCell::default() });
        let known = Known {
            rendered: Arc::clone(rendered),
            bundle: bundle.clone(),
            uid: uid.to_owned(),
            generation,
            desired: Rc::clone(&desired),
        };
        by_extension.insert(extension.name().to_owned(), known);
        desired
    }

    /// Forgets an extension that is gone.
    pub(super) fn forget(&self, extension: &str) {
        self.by_extension.borrow_mut().remove(extension);
    }
}

/// A revision of a rendered bundle.
#[derive(Debug)]
pub(super) struct Desired {
    /// Without name and number, objects in it as they are.
    revision: Object,
    /// The phases as they were packed last, with the name of the revision that they were packed for.
    packed: RefCell<Option<(String, Value)>>,
}

impl Desired {
    /// Its objects.
    pub(super) fn objects(&self) -> impl Iterator<Item = &Object> {
        let phases = self.revision.list(&["spec", "phases"]).iter();
        phases.flat_map(|phase| phase.list(&["objects"])).map(|entry| &entry["object"])
    }

    /// The revision with a name and a number, its objects packed into Secrets.
    pub(super) fn pack(
        &self,
        number: &Value,
        packer: &Packer<'_>,
    ) -> Result<(Object, Vec<Object>), PackError> {
        let (phases, secrets) = packer.pack(&self.revision["spec"]["phases"])?;
        *self.packed.borrow_mut() = Some((packer.revision.to_owned(), phases.clone()));
        Ok((self.named(packer.revision, number, phases), secrets))
    }

    /// The same without the Secrets, which are there already.
    pub(super) fn packed(&self, number: &Value, packer: &Packer<'_>) -> Result<Object, PackError> {
        if let Some((name, phases)) = &*self.packed.borrow()
            && name == packer.revision
        {
            return Ok(self.named(name, number, phases.clone()));
        }
        self.pack(number, packer).map(|(revision, _)| revision)
    }

    fn named(&self, name: &str, number: &Value, phases: Value) -> Object {
        let mut revision = without_phases(&self.revision);
        revision.set(&["metadata", "name"], name);
        revision.set(&["spec", "revision"], number.clone());
        revision.set(&["spec", "phases"], phases);
        revision
    }
}

/// A copy of a revision without its phases, which are most of it.
fn without_phases(revision: &Object) -> Object {
    let mut copy = Map::new();
    for (field, value) in revision.as_object().into_iter().flatten() {
        let value = match value.as_object().filter(|_| field == "spec") {
            Some(spec) => {
                let kept = spec.iter().filter(|(field, _)| *field != "phases");
                kept.map(|(field, value)| (field.clone(), value.clone())).collect()
            }
            None => value.clone(),
        };
        copy.insert(field.clone(), value);
    }
    copy.into()
}

/// A revision of a rendered bundle, without name and number, objects in it as they are.
pub(super) fn of_rendered(
    extension: &Object,
    resolved: &RevisionMetadata,
    rendered: &Rendered,
    account_counts: bool,
) -> Object {
    let annotations = object_annotations(resolved, false);
    let objects = rendered
        .objects
        .iter()
        .map(|object| prepared(object.value.root().to_json(), extension, &annotations))
        .collect();
    let mut revision = revision(extension, resolved, objects, account_counts);
    if let Some(properties) = rendered.annotations.get("olm.properties") {
        revision.set(&["metadata", "annotations", names::PROPERTIES], properties.as_str());
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
    fn a_revision_is_worked_out_anew_when_anything_that_it_follows_from_changes() {
        let extension = |uid: &str, generation: i64| json!({"metadata": {"name": "demo", "uid": uid, "generation": generation}});
        let bundle =
            |version: &str| RevisionMetadata { version: version.into(), ..RevisionMetadata::default() };
        let rendered = || Arc::new(Rendered { objects: Vec::new(), annotations: BTreeMap::new() });
        let (one, other) = (rendered(), rendered());
        let desired = DesiredRevisions::default();
        let get = |uid: &str, generation, version: &str, rendered| {
            desired.get(&extension(uid, generation), &bundle(version), rendered, true)
        };
        let first = get("1", 1, "1.0.0", &one);
        assert!(Rc::ptr_eq(&first, &get("1", 1, "1.0.0", &one)));
        for (uid, generation, version, rendered) in [
            ("2", 1, "1.0.0", &one),
            ("2", 2, "1.0.0", &one),
            ("2", 2, "1.1.0", &one),
            ("2", 2, "1.1.0", &other),
        ] {
            let before = Rc::clone(&desired.by_extension.borrow()["demo"].desired);
            assert!(
                !Rc::ptr_eq(&before, &get(uid, generation, version, rendered)),
                "{uid} {generation} {version}"
            );
        }
        desired.forget("demo");
        assert!(desired.by_extension.borrow().is_empty());
    }

    #[test]
    fn objects_are_packed_for_each_revision_by_its_name() {
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}});
        let document = fbc_yaml::stream::read_one(object.to_string().as_bytes()).expect("JSON");
        let objects = vec![fbc_bundle::manifests::Object::new(Arc::new(document))];
        let rendered = Arc::new(Rendered { objects, annotations: BTreeMap::new() });
        let extension = json!({"metadata": {"name": "demo", "uid": "1", "generation": 1}});
        let desired =
            DesiredRevisions::default().get(&extension, &RevisionMetadata::default(), &rendered, true);
        let packer = |revision| Packer { revision, owner: "demo", namespace: "olmv1-system" };
        let secret =
            |revision: &Object| revision["spec"]["phases"][0]["objects"][0].text(&["ref", "name"]).to_owned();
        for (name, number) in [("demo-1", 1), ("demo-2", 2)] {
            let (made, secrets) = desired.pack(&number.into(), &packer(name)).expect("packed");
            assert_eq!(secret(&made), secrets[0].name());
            assert!(secrets[0].name().starts_with(name));
            assert_eq!(desired.packed(&number.into(), &packer(name)).expect("packed"), made);
        }
        let again = desired.packed(&1.into(), &packer("demo-1")).expect("packed");
        assert!(secret(&again).starts_with("demo-1"));
        assert_eq!(again["spec"]["revision"], 1);
        assert_eq!(desired.objects().count(), 1);
    }

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
