//! What the engines that apply bundles answer.

use serde_json::{Value, json};

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
