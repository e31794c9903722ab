//! What the controller of ClusterExtensions asks of the engine that applies bundles.

use fbc_bundle::manifests;
use serde_json::{Value, json};

use fbc_cluster::api::ApiServer;
use fbc_cluster::object::Object;

/// An engine that applies bundles.
pub trait Applier {
    /// Takes over what another engine left behind. The text of a failure comes without `migrating storage: `.
    fn migrate(&self, extension: &Object, api: &mut ApiServer) -> Result<(), String>;

    /// What is installed, and what is on its way.
    fn revision_states(&self, extension: &Object, api: &ApiServer) -> Result<RevisionStates, String>;

    /// Brings a bundle into the cluster, and writes into the status of the extension what only this engine reports.
    /// `Installed`, and `Progressing` of failures, stay with the caller.
    fn apply(
        &self,
        extension: &mut Object,
        resolved: &RevisionMetadata,
        content: Option<&Content<'_>>,
        states: &RevisionStates,
        api: &mut ApiServer,
    ) -> Result<(), ApplyError>;
}

/// What an engine is to apply: a bundle, rendered for the extension.
#[derive(Debug, Clone, Copy)]
pub struct Content<'c> {
    /// The objects.
    pub objects: &'c [manifests::Object],
    /// The annotation `olm.properties` of the bundle, if it has one.
    pub properties: Option<&'c str>,
}

/// Why a bundle was not applied.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApplyError {
    /// It may work next time.
    #[error("{0}")]
    Retry(String),
    /// It will not work until something changes.
    #[error("{0}")]
    Terminal(String),
}

/// What an extension has in the cluster.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RevisionStates {
    /// What rolled out whole.
    pub installed: Option<RevisionMetadata>,
    /// What has not rolled out yet, the oldest first.
    pub rolling_out: Vec<RevisionMetadata>,
}

/// A bundle in a cluster.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RevisionMetadata {
    /// The name of the ClusterObjectSet; empty where there is none.
    pub revision_name: String,
    /// The package.
    pub package: String,
    /// The image.
    pub image: String,
    /// The name of the bundle.
    pub name: String,
    /// The version of the bundle.
    pub version: String,
    /// The release of the bundle, if one is known, even an empty one.
    pub release: Option<String>,
    /// The conditions of the ClusterObjectSet.
    pub conditions: Vec<Value>,
}

impl RevisionMetadata {
    /// The condition of a type.
    pub fn condition(&self, condition_type: &str) -> Option<&Value> {
        self.conditions.iter().find(|condition| condition["type"] == condition_type)
    }

    /// `status.install.bundle` of an extension.
    pub fn to_bundle(&self) -> Value {
        let mut bundle = json!({"name": self.name, "version": self.version});
        if let Some(release) = &self.release {
            bundle["release"] = release.as_str().into();
        }
        bundle
    }
}
