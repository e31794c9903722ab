//! What a cluster needs whose releases the Cluster Version Operator applies.

use fbc_openshift::cluster_operators;
use fbc_openshift::cluster_update::Pool;
use fbc_openshift::update_service::Facts;
use serde_json::Value;

use super::Reference;
use crate::fault::Place;

/// The Cluster Version Operator, and what it applies and asks.
#[derive(Debug, Clone)]
pub struct ClusterVersion {
    /// Where it stands.
    pub place: Place,
    /// The version that the cluster has at first; that of the first payload without one.
    pub release: Option<String>,
    /// Whether the cluster has it at the start, or begins with its installation.
    pub is_installed: bool,
    /// Payloads of releases.
    pub payloads: Vec<PayloadImage>,
    /// How releases are signed; without it, all count as signed.
    pub signatures: Option<Signatures>,
    /// Update services.
    pub services: Vec<UpdateService>,
    /// What is known of the cluster, for risks of updates; without any, no server of metrics answers.
    pub facts: Option<Facts>,
    /// How cluster operators behave.
    pub operators: Vec<cluster_operators::Behaviour>,
    /// Pools with their nodes.
    pub pools: Vec<Pool>,
}

/// Who must sign releases, and where signatures are.
#[derive(Debug, Clone, Default)]
pub struct Signatures {
    /// Files with armored OpenPGP keys; without any, the payload that runs says which keys count.
    pub keys: Vec<Reference>,
    /// Addresses of stores, and directories with what they hold: `ALGORITHM=HEX/signature-N`. With keys all are asked;
    /// without, those that the payload that runs names.
    pub stores: Vec<(String, Reference)>,
}

/// A release image.
#[derive(Debug, Clone)]
pub struct PayloadImage {
    /// The pull spec; one by digest is made of the payload without it.
    pub image: Option<String>,
    /// The directory of the payload.
    pub content: Reference,
    /// Whether it is meant to be one that the operator cannot load.
    pub is_broken: bool,
}

/// What an update service answers.
#[derive(Debug, Clone)]
pub struct UpdateService {
    /// Its address.
    pub address: String,
    /// The status code with its words.
    pub status: String,
    /// Its graph: a file, or the graph itself.
    pub graph: Graph,
}

/// A graph of updates.
#[derive(Debug, Clone)]
pub enum Graph {
    /// None: the answer has no body.
    Empty,
    /// A file.
    File(Reference),
    /// The graph itself.
    Inline(Value),
}
