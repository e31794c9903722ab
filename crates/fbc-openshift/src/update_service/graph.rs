//! The graph that an update service answers with.
//!
//! Source: `openshift/cluster-version-operator:pkg/cincinnati/cincinnati.go`; `openshift/cincinnati:docs/design/cincinnati.md`.

use fbc_cluster::object::ObjectFields;
use fbc_version::Version;
use serde_json::{Map, Value, json};

use crate::release::Release;

/// A graph of releases.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Graph {
    /// The releases.
    pub nodes: Vec<Node>,
    /// Recommended updates: from and to, as indexes of nodes.
    pub edges: Vec<(usize, usize)>,
    /// Updates with risks.
    pub conditional_edges: Vec<ConditionalEdges>,
}

/// A release in a graph.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// The version.
    pub version: Version,
    /// The pull spec.
    pub image: String,
    /// What else is known of it.
    pub metadata: Map<String, Value>,
}

/// Updates that share risks.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConditionalEdges {
    /// From and to, as versions.
    pub edges: Vec<(String, String)>,
    /// The risks, as they stand in ClusterVersion.
    pub risks: Vec<Value>,
}

/// Why an answer is not a graph.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct GraphError(pub String);

impl Node {
    /// The channels that it is in, sorted.
    pub fn channels(&self) -> Vec<String> {
        Release::of_metadata(&self.metadata).channels
    }

    /// The release as ClusterVersion names it.
    ///
    /// # Errors
    /// If the metadata names an architecture that nobody knows.
    pub fn release(&self) -> Result<Release, GraphError> {
        const ARCHITECTURE: &str = "release.openshift.io/architecture";
        match self.metadata.get(ARCHITECTURE).and_then(Value::as_str) {
            None | Some("multi") => {}
            Some(other) => return Err(GraphError(format!("unrecognized {ARCHITECTURE} value {other:?}"))),
        }
        Ok(Release {
            version: self.version.to_string(),
            image: self.image.clone(),
            ..Release::of_metadata(&self.metadata)
        })
    }
}

impl Graph {
    /// Reads an answer.
    ///
    /// # Errors
    /// What the client of the Cluster Version Operator says about it.
    pub fn parse(bytes: &[u8]) -> Result<Self, GraphError> {
        if bytes.trim_ascii().is_empty() {
            return Err(GraphError("unexpected end of JSON input".to_owned()));
        }
        let value: Value = serde_json::from_slice(bytes).map_err(|error| {
            let text = match error.is_eof() {
                true => "unexpected end of JSON input".to_owned(),
                false => error.to_string(),
            };
            GraphError(text)
        })?;
        let nodes = value.list(&["nodes"]).iter().map(|node| {
            let version = node.text(&["version"]);
            Ok(Node {
                version: Version::parse(version).map_err(|error| GraphError(error.to_string()))?,
                image: node.text(&["payload"]).to_owned(),
                metadata: node.at(&["metadata"]).and_then(Value::as_object).cloned().unwrap_or_default(),
            })
        });
        let nodes = nodes.collect::<Result<Vec<Node>, GraphError>>()?;
        let mut edges = Vec::new();
        for edge in value.list(&["edges"]) {
            let fields = edge.as_array().map(Vec::as_slice).unwrap_or_default();
            let index = |place: usize| {
                fields.get(place).and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok())
            };
            match (index(0), index(1), fields.len()) {
                (Some(from), Some(to), 2) => edges.push((from, to)),
                (_, _, 2) => return Err(GraphError("an edge is not a pair of indexes of nodes".to_owned())),
                (_, _, number) => return Err(GraphError(format!("expected 2 fields, found {number}"))),
            }
        }
        let conditional = value.list(&["conditionalEdges"]).iter().map(|group| ConditionalEdges {
            edges: group
                .list(&["edges"])
                .iter()
                .map(|edge| (edge.text(&["from"]).to_owned(), edge.text(&["to"]).to_owned()))
                .collect(),
            risks: group.list(&["risks"]).to_vec(),
        });
        Ok(Self { nodes, edges, conditional_edges: conditional.collect() })
    }

    /// As the service answers.
    pub fn to_value(&self) -> Value {
        let node = |node: &Node| json!({"version": node.version.to_string(), "payload": node.image, "metadata": node.metadata});
        let group = |group: &ConditionalEdges| {
            let edges: Vec<Value> =
                group.edges.iter().map(|(from, to)| json!({"from": from, "to": to})).collect();
            json!({"edges": edges, "risks": group.risks})
        };
        json!({
            "version": 1,
            "nodes": self.nodes.iter().map(node).collect::<Vec<_>>(),
            "edges": self.edges.iter().map(|(from, to)| json!([from, to])).collect::<Vec<_>>(),
            "conditionalEdges": self.conditional_edges.iter().map(group).collect::<Vec<_>>(),
        })
    }

    /// The graph in the language of graphviz; updates with risks are dashed and carry the names of the risks.
    pub fn dot(&self) -> String {
        use std::fmt::Write as _;
        let mut text = "digraph updates {\n  rankdir=BT;\n  node [shape=box];\n".to_owned();
        let name =
            |index: usize| self.nodes.get(index).map(|node| node.version.to_string()).unwrap_or_default();
        for node in &self.nodes {
            let _ = writeln!(text, "  {:?};", node.version.to_string());
        }
        for (from, to) in self.edges.iter().filter(|(from, to)| (*from).max(*to) < self.nodes.len()) {
            let _ = writeln!(text, "  {:?} -> {:?};", name(*from), name(*to));
        }
        for group in &self.conditional_edges {
            let names: Vec<&str> = group.risks.iter().map(|risk| risk.text(&["name"])).collect();
            for (from, to) in &group.edges {
                let _ = writeln!(text, "  {from:?} -> {to:?} [style=dashed, label={:?}];", names.join(", "));
            }
        }
        text.push_str("}\n");
        text
    }

    /// What is wrong with a graph that can be read: edges to nowhere, and versions that are there twice.
    pub fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            if self.nodes.iter().take(index).any(|other| other.version == node.version) {
                faults.push(format!("the version {} is there more than once", node.version));
            }
        }
        for (from, to) in &self.edges {
            for index in [from, to].into_iter().filter(|index| **index >= self.nodes.len()) {
                faults.push(format!(
                    "the edge [{from}, {to}] names node {index}, and there are {}",
                    self.nodes.len()
                ));
            }
        }
        let names = |version: &String| self.nodes.iter().any(|node| node.version.to_string() == *version);
        for (from, to) in self.conditional_edges.iter().flat_map(|group| &group.edges) {
            for version in [from, to].into_iter().filter(|version| !names(version)) {
                faults.push(format!(
                    "the conditional edge from {from} to {to} names {version}, which is not a node"
                ));
            }
        }
        faults
    }
}
