//! The objects of a revision: where they are kept, and whether they still are what they were.
//!
//! Source: `operator-framework/operator-controller:internal/operator-controller/controllers/clusterobjectset_controller.go`.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fbc_cluster::api::ApiServer;
use fbc_cluster::object::{Object, ObjectFields, ObjectName};
use fbc_go::json;
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::error::{ReferenceError, RevisionError};
use crate::names;

/// How large an object may be that was compressed.
pub(super) const LARGEST_OBJECT: usize = 10 * 1024 * 1024;

/// How objects are protected that somebody else made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Protection {
    /// Objects that are there already stay as they are.
    #[default]
    Prevent,
    /// Objects without controller are taken over.
    IfNoController,
    /// All objects are taken over.
    None,
}

impl Protection {
    /// That of the object, else that of the phase, else that of the revision.
    fn of(revision: &Value, phase: &Value, entry: &Value) -> Self {
        let texts = [entry, phase, &revision["spec"]].map(|place| place.text(&["collisionProtection"]));
        match texts.into_iter().find(|text| !text.is_empty()) {
            Some("IfNoController") => Self::IfNoController,
            Some("None") => Self::None,
            _ => Self::Prevent,
        }
    }
}

/// Objects that roll out together.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Phase {
    pub(super) name: String,
    pub(super) objects: Vec<Wanted>,
    /// The digest of the phase as its author wrote it.
    digest: String,
}

/// An object of a revision.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Wanted {
    pub(super) object: Object,
    pub(super) protection: Protection,
}

/// Secrets by the names that a revision has for them; those that are not there as well.
type Secrets<'a> = [(ObjectName, Option<&'a Arc<Object>>)];

/// The Secrets that a revision refers to, in the order of the references.
pub(super) fn secrets<'a>(
    revision: &Object,
    api: &'a ApiServer,
) -> Vec<(ObjectName, Option<&'a Arc<Object>>)> {
    let mut secrets: Vec<(ObjectName, Option<&Arc<Object>>)> = Vec::new();
    let entries = revision.list(&["spec", "phases"]).iter().flat_map(|phase| phase.list(&["objects"]));
    for reference in entries.filter_map(|entry| entry.get("ref")) {
        let (namespace, name) = (reference.text(&["namespace"]), reference.text(&["name"]));
        let is_same = |known: &ObjectName| known.name == name && known.namespace == namespace;
        if name.is_empty() || secrets.iter().any(|(known, _)| is_same(known)) {
            continue;
        }
        let name = ObjectName::namespaced(namespace, name);
        let secret = api.find("", "Secret", &name);
        secrets.push((name, secret));
    }
    secrets
}

/// Refuses Secrets that somebody could change.
pub(super) fn check_immutable(secrets: &Secrets<'_>) -> Result<(), RevisionError> {
    let mutable: Vec<String> = secrets
        .iter()
        .filter(|(_, secret)| secret.is_some_and(|secret| secret["immutable"] != true))
        .map(|(name, _)| name.to_string())
        .collect();
    if mutable.is_empty() { Ok(()) } else { Err(RevisionError::MutableSecrets(mutable.join(", "))) }
}

/// The phases of revisions with all their objects, read once while what they are read from stays the same.
#[derive(Debug, Default)]
pub(super) struct Contents {
    by_revision: BTreeMap<String, Known>,
}

#[derive(Debug)]
struct Known {
    revision: Arc<Object>,
    secrets: Vec<Arc<Object>>,
    phases: Arc<Vec<Phase>>,
}

impl Known {
    /// Whether the same would be read again.
    fn is_of(&self, revision: &Object, secrets: &Secrets<'_>) -> bool {
        let secrets = || secrets.iter().filter_map(|(_, secret)| *secret);
        let owner = |revision: &Object| revision.label(names::OWNER_NAME).map(str::to_owned);
        self.secrets.len() == secrets().count()
            && self.secrets.iter().zip(secrets()).all(|(known, secret)| Arc::ptr_eq(known, secret))
            && self.revision["spec"] == revision["spec"]
            && owner(&self.revision) == owner(revision)
    }
}

impl Contents {
    /// The phases of a revision with these Secrets.
    pub(super) fn phases(
        &mut self,
        revision: &Arc<Object>,
        secrets: &Secrets<'_>,
        api: &ApiServer,
    ) -> Result<Arc<Vec<Phase>>, RevisionError> {
        if let Some(known) = self.by_revision.get(revision.name())
            && known.is_of(revision, secrets)
        {
            return Ok(Arc::clone(&known.phases));
        }
        let written = revision.list(&["spec", "phases"]).iter();
        let phases: Vec<Phase> =
            written.map(|phase| resolve(revision, phase, api)).collect::<Result<_, _>>()?;
        let known = Known {
            revision: Arc::clone(revision),
            secrets: secrets.iter().filter_map(|(_, secret)| secret.cloned()).collect(),
            phases: Arc::new(phases),
        };
        let phases = Arc::clone(&known.phases);
        self.by_revision.insert(revision.name().to_owned(), known);
        Ok(phases)
    }

    /// Forgets a revision that rolls out no more.
    pub(super) fn forget(&mut self, revision: &str) {
        self.by_revision.remove(revision);
    }
}

fn resolve(revision: &Object, phase: &Value, api: &ApiServer) -> Result<Phase, RevisionError> {
    let name = phase.text(&["name"]).to_owned();
    let entries = phase.list(&["objects"]);
    let mut objects = Vec::with_capacity(entries.len());
    for entry in entries {
        objects.push(match (entry.get("object"), entry.get("ref")) {
            (Some(object), _) if !object.is_null() => object.clone(),
            (_, Some(reference)) if !reference.text(&["name"]).is_empty() => referenced(reference, api)
                .map_err(|error| RevisionError::Reference { phase: name.clone(), error })?,
            _ => return Err(RevisionError::NoObject { phase: name }),
        });
    }
    // Put together as text: a value of both would be a copy of all objects.
    let encoded: Vec<String> = objects.iter().map(json::encode).collect();
    let name_text = json::encode(&name.as_str().into());
    let text = format!("{{\"name\":{name_text},\"objects\":[{}]}}", encoded.join(","));
    let digest = Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let owner = revision.label(names::OWNER_NAME).unwrap_or_default();
    let wanted = objects.into_iter().zip(entries).map(|(mut object, entry)| {
        object.set(&["metadata", "labels", names::OWNER_NAME], owner);
        Wanted { object, protection: Protection::of(revision, phase, entry) }
    });
    Ok(Phase { objects: wanted.collect(), digest: format!("sha256:{digest}"), name })
}

/// The object behind a reference to an entry of a Secret.
fn referenced(reference: &Value, api: &ApiServer) -> Result<Object, ReferenceError> {
    let name = name_of(reference);
    let secret = api.find("", "Secret", &name).ok_or_else(|| ReferenceError::NoSecret(name.clone()))?;
    let key = reference.text(&["key"]);
    let place = || format!("key {key:?} in Secret {name}");
    let data = secret.at(&["data", key]).and_then(Value::as_str);
    let missing = || ReferenceError::NoKey { key: key.to_owned(), secret: name.clone() };
    let mut data = STANDARD
        .decode(data.ok_or_else(missing)?)
        .map_err(|error| ReferenceError::Base64 { place: place(), error })?;
    if data.starts_with(&[0x1f, 0x8b]) {
        let limit = u64::try_from(LARGEST_OBJECT).unwrap_or(u64::MAX).saturating_add(1);
        let mut whole = Vec::new();
        GzDecoder::new(data.as_slice())
            .take(limit)
            .read_to_end(&mut whole)
            .map_err(|error| ReferenceError::Compression { place: place(), error })?;
        if whole.len() > LARGEST_OBJECT {
            return Err(ReferenceError::TooLarge(place()));
        }
        data = whole;
    }
    let object: Value =
        serde_json::from_slice(&data).map_err(|error| ReferenceError::Json { place: place(), error })?;
    if object.is_object() { Ok(object) } else { Err(ReferenceError::NoObject(place())) }
}

fn name_of(reference: &Value) -> ObjectName {
    ObjectName::namespaced(reference.text(&["namespace"]), reference.text(&["name"]))
}

/// Remembers the digests of the phases, or refuses phases whose digest is another than the one remembered.
pub(super) fn observe(revision: &mut Object, phases: &[Phase]) -> Result<(), RevisionError> {
    let observed = revision.list(&["status", "observedPhases"]);
    if observed.is_empty() {
        let present: Vec<Value> =
            phases.iter().map(|phase| json!({"name": phase.name, "digest": phase.digest})).collect();
        if !present.is_empty() {
            revision.set(&["status", "observedPhases"], present);
        }
        return Ok(());
    }
    if observed.len() != phases.len() {
        return Err(RevisionError::PhaseCount { expected: observed.len(), found: phases.len() });
    }
    let changed: Vec<String> = phases
        .iter()
        .filter_map(|phase| {
            let before = observed.iter().find(|before| before["name"] == phase.name.as_str())?;
            let expected = before.text(&["digest"]);
            (expected != phase.digest)
                .then(|| format!("phase {:?} (expected digest {expected}, got {})", phase.name, phase.digest))
        })
        .collect();
    if changed.is_empty() { Ok(()) } else { Err(RevisionError::PhasesChanged(changed)) }
}

#[cfg(test)]
mod tests {
    use fbc_cluster::api::{Caller, DeleteOptions, WriteOptions};
    use fbc_cluster::control_plane::api_server;
    use fbc_cluster::time::Moment;

    use super::*;

    fn secret(text: &str) -> Value {
        let object = json!({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": text}});
        json!({
            "apiVersion": "v1", "kind": "Secret", "metadata": {"name": "objects", "namespace": "olm"},
            "immutable": true, "data": {"one": STANDARD.encode(object.to_string())},
        })
    }

    #[test]
    fn objects_are_read_anew_when_what_they_are_read_from_changes() {
        let mut api = api_server(&["olm"], 1, Moment::START);
        let caller = Caller::administrator("test");
        api.create(&caller, secret("a"), WriteOptions::default()).unwrap();
        let revision = |owner: &str, phase: &str| {
            let entry = json!({"ref": {"name": "objects", "namespace": "olm", "key": "one"}});
            Arc::new(json!({
                "metadata": {"name": "demo-1", "labels": {names::OWNER_NAME: owner}},
                "spec": {"phases": [{"name": phase, "objects": [entry]}]},
            }))
        };
        let mut contents = Contents::default();
        let mut phases =
            |revision: &Arc<Object>, api: &ApiServer| contents.phases(revision, &secrets(revision, api), api);
        let first = phases(&revision("demo", "deploy"), &api).unwrap();
        assert!(Arc::ptr_eq(&first, &phases(&revision("demo", "deploy"), &api).unwrap()));
        let other = phases(&revision("other", "deploy"), &api).unwrap();
        assert_eq!(other[0].objects[0].object.label(names::OWNER_NAME), Some("other"));
        assert_eq!(phases(&revision("other", "roles"), &api).unwrap()[0].name, "roles");
        let (kind, name) = (api.kind_id("", "Secret").unwrap(), ObjectName::namespaced("olm", "objects"));
        api.delete(&caller, kind, &name, &DeleteOptions::default()).unwrap();
        assert!(phases(&revision("other", "roles"), &api).is_err());
        api.create(&caller, secret("b"), WriteOptions::default()).unwrap();
        let again = phases(&revision("other", "roles"), &api).unwrap();
        assert_eq!(again[0].objects[0].object.name(), "b");
        contents.forget("demo-1");
        assert!(contents.by_revision.is_empty());
    }
}
