//! Helm releases, and their records: Secrets in the namespace of operator-controller, owned by the extension.
//!
//! A record is what Helm writes: JSON, packed with gzip, in the key `chunk`. The manifest in it is one JSON object after
//! another. Records are never split: nothing here limits the size of a Secret.
//!
//! Source: `operator-framework/helm-operator-plugins:pkg/storage/chunked.go`, `helm/helm:pkg/release/release.go`.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{Read as _, Write as _};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use fbc_cluster::api::{ApiServer, Caller, DeleteOptions, Patch, Subresource, WriteOptions};
use fbc_cluster::object::{Object, ObjectFields, ObjectName, controller_reference};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::error::HelmError;

/// How many records of a release are kept.
const MOST_RECORDS: usize = 10;

/// Where a release stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// Its objects are being made.
    PendingInstall,
    /// Its objects are being changed.
    PendingUpgrade,
    /// It is the one that counts.
    Deployed,
    /// A later one took its place.
    Superseded,
    /// It could not be applied whole.
    Failed,
}

impl Status {
    const ALL: [(Self, &'static str); 5] = [
        (Self::PendingInstall, "pending-install"),
        (Self::PendingUpgrade, "pending-upgrade"),
        (Self::Deployed, "deployed"),
        (Self::Superseded, "superseded"),
        (Self::Failed, "failed"),
    ];

    fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, known)| *known == name).map(|(status, _)| status)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(status, _)| status == self).map(|(_, name)| *name);
        formatter.write_str(name.unwrap_or_default())
    }
}

/// A release.
#[derive(Debug, Clone, PartialEq)]
pub struct Release {
    /// The extension.
    pub name: String,
    /// The namespace that it installs into.
    pub namespace: String,
    /// Counts from 1.
    pub version: u64,
    /// Where it stands.
    pub status: Status,
    /// The same in words.
    pub description: String,
    /// The bundle, as labels.
    pub labels: BTreeMap<String, String>,
    /// The annotations of the cluster service version.
    pub annotations: BTreeMap<String, String>,
    /// The objects in the order in which they are made.
    pub manifest: Arc<Vec<Value>>,
}

/// What is wrong with the record of a release.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// It is not base64.
    #[error(transparent)]
    Base64(#[from] base64::DecodeError),
    /// It is not compressed, or cannot be.
    #[error(transparent)]
    Compression(#[from] std::io::Error),
    /// It is not JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// It has a status that no release has.
    #[error("unknown status {0:?}")]
    Status(String),
}

/// A record that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("failed to decode release {record:?}: {error}")]
pub struct HistoryError {
    record: String,
    error: RecordError,
}

impl Release {
    /// Says where the release stands.
    pub fn set(&mut self, status: Status, description: &str) {
        self.status = status;
        description.clone_into(&mut self.description);
    }

    fn record_name(&self) -> String {
        format!("sh.helm.release.v1.{}.v{}", self.name, self.version)
    }

    /// The packed record.
    fn pack(&self) -> Result<String, RecordError> {
        let manifest: String = self.manifest.iter().map(|object| format!("{object}\n")).collect();
        let record = json!({
            "name": self.name,
            "namespace": self.namespace,
            "version": self.version,
            "info": {"status": self.status.to_string(), "description": self.description},
            "chart": {"metadata": {"apiVersion": "v2", "name": self.name, "annotations": self.annotations}},
            "labels": self.labels,
            "manifest": manifest,
        });
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(record.to_string().as_bytes())?;
        Ok(STANDARD.encode(encoder.finish()?))
    }

    /// A release from its record.
    ///
    /// # Errors
    /// [`RecordError`]
    pub fn unpack(chunk: &str) -> Result<Self, RecordError> {
        let packed = STANDARD.decode(chunk)?;
        let mut text = String::new();
        GzDecoder::new(packed.as_slice()).read_to_string(&mut text)?;
        let record: Value = serde_json::from_str(&text)?;
        let texts = |path: &[&str]| -> BTreeMap<String, String> {
            let members = record.at(path).and_then(Value::as_object).into_iter().flatten();
            members.map(|(key, value)| (key.clone(), value.as_str().unwrap_or_default().to_owned())).collect()
        };
        let objects = serde_json::Deserializer::from_str(record.text(&["manifest"])).into_iter();
        let manifest: Result<Vec<Value>, _> = objects.collect();
        let status = record.text(&["info", "status"]);
        Ok(Self {
            name: record.text(&["name"]).to_owned(),
            namespace: record.text(&["namespace"]).to_owned(),
            version: record.at(&["version"]).and_then(Value::as_u64).unwrap_or_default(),
            status: Status::named(status).ok_or_else(|| RecordError::Status(status.to_owned()))?,
            description: record.text(&["info", "description"]).to_owned(),
            labels: texts(&["labels"]),
            annotations: texts(&["chart", "metadata", "annotations"]),
            manifest: Arc::new(manifest?),
        })
    }
}

/// The records of all releases.
#[derive(Debug)]
pub struct Releases {
    namespace: String,
    caller: Caller,
    /// What was read already: by the name of the record, with its resource version.
    read: BTreeMap<String, (String, Arc<Release>)>,
}

impl Releases {
    /// The records in a namespace, written by this caller.
    pub fn new(namespace: &str, caller: Caller) -> Self {
        Self { namespace: namespace.to_owned(), caller, read: BTreeMap::new() }
    }

    /// The releases of an extension, the newest first.
    ///
    /// # Errors
    /// [`HistoryError`]: a record cannot be read.
    pub fn history(&mut self, extension: &str, api: &ApiServer) -> Result<Vec<Arc<Release>>, HistoryError> {
        let Some(kind) = api.kind_id("", "Secret") else { return Ok(Vec::new()) };
        let mut releases = Vec::new();
        for secret in api.store().with_label(kind, "name", extension) {
            let is_record = secret.namespace() == self.namespace
                && secret.label("owner") == Some("operator-controller")
                && secret.label("type") == Some("index");
            if !is_record {
                continue;
            }
            let revision = secret.text(&["metadata", "resourceVersion"]);
            if let Some((known, release)) = self.read.get(secret.name())
                && known == revision
            {
                releases.push(Arc::clone(release));
                continue;
            }
            let release = Release::unpack(secret.text(&["data", "chunk"]))
                .map_err(|error| HistoryError { record: secret.name().to_owned(), error })?;
            let release = Arc::new(release);
            self.read.insert(secret.name().to_owned(), (revision.to_owned(), Arc::clone(&release)));
            releases.push(release);
        }
        releases.sort_by_key(|release| std::cmp::Reverse(release.version));
        Ok(releases)
    }

    /// Writes the record of a new release, and takes the oldest ones away.
    pub(super) fn create(
        &mut self,
        release: &Release,
        extension: &Object,
        api: &mut ApiServer,
    ) -> Result<(), HelmError> {
        self.limit(&release.name, api)?;
        let seconds = api.now().0 / fbc_cluster::time::SECOND;
        let secret = json!({
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {
                "name": release.record_name(),
                "namespace": self.namespace,
                "labels": {
                    "createdAt": seconds.to_string(),
                    "key": release.record_name(),
                    "modifiedAt": seconds.to_string(),
                    "name": release.name,
                    "owner": "operator-controller",
                    "status": release.status.to_string(),
                    "type": "index",
                    "version": release.version.to_string(),
                },
                "ownerReferences": [controller_reference(extension)],
            },
            "immutable": false,
            "type": "operatorframework.io/index.v1",
            "data": {"chunk": release.pack()?},
        });
        let stored = api
            .create(&self.caller, secret, WriteOptions::default())
            .map_err(HelmError::during("create: failed to create"))?;
        self.remember(release, &stored);
        Ok(())
    }

    /// Writes the record of a release that changed.
    pub(super) fn update(&mut self, release: &Release, api: &mut ApiServer) -> Result<(), HelmError> {
        let Some(kind) = api.kind_id("", "Secret") else { return Ok(()) };
        let name = ObjectName::namespaced(self.namespace.clone(), release.record_name());
        let seconds = api.now().0 / fbc_cluster::time::SECOND;
        let labels = json!({"modifiedAt": seconds.to_string(), "status": release.status.to_string()});
        let patch = Patch::Merge(json!({"metadata": {"labels": labels}, "data": {"chunk": release.pack()?}}));
        let stored = api
            .patch(&self.caller, kind, &name, &patch, Subresource::None, WriteOptions::default())
            .map_err(HelmError::during("update: failed to update"))?;
        self.remember(release, &stored);
        Ok(())
    }

    fn remember(&mut self, release: &Release, stored: &Object) {
        let revision = stored.text(&["metadata", "resourceVersion"]).to_owned();
        self.read.insert(release.record_name(), (revision, Arc::new(release.clone())));
    }

    /// Takes the oldest records away, so that one more fits; never the one that is deployed.
    fn limit(&mut self, extension: &str, api: &mut ApiServer) -> Result<(), HistoryError> {
        let history = self.history(extension, api)?;
        let excess = (history.len() + 1).saturating_sub(MOST_RECORDS);
        let Some(kind) = api.kind_id("", "Secret") else { return Ok(()) };
        let oldest = history.iter().rev().filter(|release| release.status != Status::Deployed).take(excess);
        for release in oldest {
            let name = ObjectName::namespaced(self.namespace.clone(), release.record_name());
            self.read.remove(&name.name);
            // A record that somebody else took away is no loss.
            let _ = api.delete(&self.caller, kind, &name, &DeleteOptions::default());
        }
        Ok(())
    }

    /// Forgets what was read of an extension.
    pub(super) fn forget(&mut self, extension: &str) {
        let prefix = format!("sh.helm.release.v1.{extension}.v");
        let keys: Vec<String> = self
            .read
            .range(prefix.clone()..)
            .take_while(|(name, _)| name.starts_with(&prefix))
            .map(|(name, _)| name.clone())
            .collect();
        for key in keys {
            self.read.remove(&key);
        }
    }
}
