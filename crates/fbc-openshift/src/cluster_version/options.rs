//! How the Cluster Version Operator is started, and what it reaches outside of the cluster.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::sync::Arc;

use fbc_cluster::time::{MINUTE, Milliseconds};
use fbc_model::tree::Tree;

use super::generation::Generation;
use crate::release::inclusion::DEFAULT_PROFILE;
use crate::update_service::MetricsError;

/// Flags and environment of the operator.
#[derive(Debug, Clone)]
pub struct Options {
    /// The release image that the operator itself comes from.
    pub image: String,
    /// How it behaves, in place of what its release says.
    pub generation: Option<Generation>,
    /// The cluster profile.
    pub profile: String,
    /// Manifests with this identifier are left out.
    pub exclude: String,
    /// Capabilities that are on whatever ClusterVersion says.
    pub always_enabled: BTreeSet<String>,
    /// The update service, in place of that of ClusterVersion.
    pub update_service: String,
    /// The node that the operator runs on, where payloads are retrieved.
    pub node: String,
    /// The time between two passes. The operator draws it from 2 to 4 minutes.
    pub interval: Milliseconds,
    /// What chance adds to the waits after failing passes, one after another: up to a fifth in the real program.
    pub extra_waits: Vec<Milliseconds>,
    /// What it takes the node to end the operator and start that of another image.
    pub handover_duration: Milliseconds,
    /// What a manifest takes to be applied.
    pub task_duration: Milliseconds,
    /// For so long a worker keeps the client that all workers share.
    pub request_duration: Milliseconds,
}

impl Options {
    /// The operator of a release image, as clusters start it.
    pub fn of_image(image: impl Into<String>) -> Self {
        Self {
            image: image.into(),
            generation: None,
            profile: DEFAULT_PROFILE.to_owned(),
            exclude: String::new(),
            always_enabled: BTreeSet::new(),
            update_service: String::new(),
            node: "master-0".to_owned(),
            interval: 2 * MINUTE,
            extra_waits: Vec::new(),
            handover_duration: 200,
            task_duration: 10,
            request_duration: 2,
        }
    }
}

/// The answer of an update service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status code with its words, such as `404 Not Found`.
    pub status: String,
    /// The body.
    pub body: Vec<u8>,
    /// Whether releases outside of the channel that is asked for are left out, as real services do.
    pub by_channel: bool,
}

/// What the operator reaches outside of the cluster.
#[derive(Default)]
pub struct Outside {
    /// The payloads of release images, by pull spec.
    pub payloads: BTreeMap<String, Arc<dyn Tree>>,
    /// Answers of update services, by address.
    pub update_services: BTreeMap<String, Answer>,
    /// Stores of signatures by address: signed OpenPGP messages, by the digest of the image.
    pub signature_stores: BTreeMap<String, BTreeMap<String, Vec<Vec<u8>>>>,
    /// How releases are verified, in place of the ConfigMap of the payload that runs: keys `verifier-public-key-NAME` with
    /// armored key rings, and `store-NAME` with addresses.
    pub verification: Option<serde_json::Map<String, serde_json::Value>>,
    /// Digests that need no signature: whoever simulates vouches for them.
    pub vouched: BTreeSet<String>,
    /// The metrics of the cluster; none where no server answers.
    pub metrics: Option<Box<dyn crate::update_service::Metrics>>,
}

impl crate::update_service::Metrics for Outside {
    fn query(&self, query: &str) -> Result<Vec<f64>, MetricsError> {
        match &self.metrics {
            Some(metrics) => metrics.query(query),
            None => Err(MetricsError::NoServer),
        }
    }
}
