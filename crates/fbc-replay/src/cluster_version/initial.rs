//! The objects that a recorded case begins with.

use std::path::Path;

use fbc_cluster::api::{ApiServer, Caller, Subresource, WriteOptions};
use fbc_cluster::object::{Object, ObjectFields};
use fbc_model::tree::Tree;
use fbc_openshift::definitions;
use serde_json::{Value, json};

use super::ReplayError;
use super::world::START;

/// A definition that some clusters have from the start.
const WIDGETS: &str =
    "cvo/payloads/small-4.19.0/release-manifests/0000_03_config-operator_01_widgets.crd.yaml";

/// Puts the objects of the beginning in place.
pub(super) fn fill(
    recordings: &dyn Tree,
    api: &mut ApiServer,
    initial: &Value,
    key: Option<&str>,
) -> Result<(), ReplayError> {
    let objects = initial.as_array().map(Vec::as_slice).unwrap_or_default();
    install_definitions(recordings, api, objects)?;
    create_objects(api, objects, key)
}

fn install_definitions(
    recordings: &dyn Tree,
    api: &mut ApiServer,
    objects: &[Value],
) -> Result<(), ReplayError> {
    let mut kinds = definitions::of_updates();
    if objects.iter().any(|one| one.to_string().contains("ClusterUpdateAcceptRisks")) {
        let accepting = definitions::with_accepted_risks();
        if let Some(kind) = kinds.iter_mut().find(|kind| kind.name() == accepting.name()) {
            *kind = accepting;
        }
    }
    if objects.iter().any(|one| one.name() == "widgets.test.openshift.io") {
        let bytes = recordings
            .read(Path::new(WIDGETS))
            .map_err(|error| ReplayError::Read { file: WIDGETS.to_owned(), error })?;
        let document =
            fbc_yaml::stream::read_one(&bytes).map_err(|error| ReplayError::Yaml { file: WIDGETS, error })?;
        kinds.push(document.root().to_json());
    }
    for mut kind in kinds {
        if let Some(recorded) = objects.iter().find(|one| one.name() == kind.name()) {
            kind["metadata"] = recorded["metadata"].clone();
            kind.remove(&["metadata", "ownerReferences"]);
        }
        let name = kind.name().to_owned();
        api.install_definition(kind).map_err(|error| ReplayError::Refused { object: name, error })?;
    }
    Ok(())
}

fn create_objects(api: &mut ApiServer, objects: &[Value], key: Option<&str>) -> Result<(), ReplayError> {
    let administrator = Caller::administrator("installer");
    let mut uid = String::new();
    for recorded in objects.iter().filter(|one| one.kind() != "CustomResourceDefinition") {
        let text = recorded
            .to_string()
            .replace("<time>", &START.to_string())
            .replace("<uid>", &uid)
            .replace("http://signatures.example/", "http://127.0.0.1:18080/");
        let mut object: Value = serde_json::from_str(&text)?;
        if api.kind_of(&object).is_err() {
            continue;
        }
        if let Some(key) = key.filter(|_| object.name() == "release-verification") {
            object.set(&["data", "verifier-public-key-test"], format!("{}\n", key.trim_end()));
        }
        let status = object.remove(&["status"]);
        for field in ["uid", "resourceVersion", "creationTimestamp"] {
            object.remove(&["metadata", field]);
        }
        let needs_spec = ["ClusterOperator", "FeatureGate"].contains(&object.kind());
        if needs_spec && object.get("spec").is_none() {
            object.set(&["spec"], json!({}));
        }
        let name = format!("{} {}", object.kind(), object.object_name());
        let created = match api.create(&administrator, object, WriteOptions::default()) {
            Ok(created) => created,
            Err(error) if error.is_already_exists() => continue,
            Err(error) => return Err(ReplayError::Refused { object: name, error }),
        };
        if created.kind() == "ClusterVersion" {
            uid = created.uid().to_owned();
        }
        if let Some(status) = status {
            let mut object = Object::clone(&created);
            object.set(&["status"], status);
            api.update(&administrator, object, Subresource::Status, WriteOptions::default())
                .map_err(|error| ReplayError::Refused { object: name, error })?;
        }
    }
    Ok(())
}
