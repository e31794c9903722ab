//! A graph from a directory of graph data (channels, blocked edges, raw metadata) and the metadata of releases, as the update
//! service makes it for a channel and an architecture.
//!
//! Sources: `openshift/cincinnati:cincinnati/src/plugins`, `openshift/cincinnati-graph-data:README.md` (US-6 to US-10).

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use fbc_cluster::object::ObjectFields;
use fbc_go::regexp::{InvalidExpression, Pattern, Steps};
use fbc_model::tree::Tree;
use fbc_version::Version;
use serde_json::{Map, Value, json};

use super::graph::{ConditionalEdges, Graph, Node};
use crate::DataError;

const CHANNELS: &str = "io.openshift.upgrades.graph.release.channels";
const REMOVE_PATTERN: &str = "io.openshift.upgrades.graph.previous.remove_regex";
const KEY: &str = "io.openshift.upgrades.graph.";

/// A release image, with what its metadata says.
#[derive(Debug, Clone, PartialEq)]
pub struct ReleaseRecord {
    /// The version.
    pub version: Version,
    /// The architecture of its nodes, or `multi`.
    pub architecture: String,
    /// The pull spec.
    pub image: String,
    /// Versions that may be updated to it.
    pub previous: Vec<String>,
    /// Versions that it may be updated to.
    pub next: Vec<String>,
    /// What else the metadata holds.
    pub metadata: Map<String, Value>,
}

/// What is wrong with graph data, and the file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {message}")]
pub struct GraphDataError {
    /// The file, from the root of the directory.
    pub file: String,
    /// What is wrong.
    pub message: String,
}

impl ReleaseRecord {
    /// Reads `{image, architecture, version, previous, next, metadata}`: the document `release-metadata` of a release with
    /// its pull spec. The architecture is amd64 unless it is given.
    ///
    /// # Errors
    /// [`DataError`]
    pub fn read(value: &Value) -> Result<Self, DataError> {
        let text = |field: &str| value.text(&[field]).to_owned();
        let texts = |field: &str| -> Vec<String> {
            value.list(&[field]).iter().filter_map(Value::as_str).map(str::to_owned).collect()
        };
        if text("image").is_empty() {
            return Err(DataError::Together("image is missing: the pull spec of the release"));
        }
        let version = Version::parse(&text("version"))?;
        let metadata = value.at(&["metadata"]).and_then(Value::as_object).cloned().unwrap_or_default();
        let of_metadata = metadata.get("release.openshift.io/architecture").and_then(Value::as_str);
        let architecture = match (text("architecture").as_str(), of_metadata) {
            ("", Some(architecture)) => architecture.to_owned(),
            ("", None) => "amd64".to_owned(),
            (architecture, _) => architecture.to_owned(),
        };
        Ok(Self {
            version,
            architecture,
            image: text("image"),
            previous: texts("previous"),
            next: texts("next"),
            metadata,
        })
    }
}

/// What a directory of graph data says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct GraphData {
    /// Versions by channel.
    channels: BTreeMap<String, Vec<String>>,
    blocks: Vec<Block>,
    /// Values by version and key.
    raw: BTreeMap<String, BTreeMap<String, String>>,
}

/// A blocked edge.
#[derive(Debug, Clone, PartialEq)]
struct Block {
    to: String,
    from: Pattern,
    /// The risk; without one no cluster is offered the update.
    risk: Option<Value>,
}

impl GraphData {
    /// Reads a directory.
    ///
    /// # Errors
    /// The first file that cannot be read, or does not say what it must.
    pub fn read(tree: &dyn Tree) -> Result<Self, GraphDataError> {
        let mut data = Self::default();
        let version = bytes(tree, "version")?;
        let version = String::from_utf8_lossy(&version).trim().to_owned();
        if version.split('.').next() != Some("1") {
            let message = format!("the schema version is {version:?}, and only 1 is known");
            return Err(GraphDataError { file: "version".to_owned(), message });
        }
        for (file, value) in documents(tree, "channels")? {
            let name = value.text(&["name"]).to_owned();
            if name.is_empty() {
                return Err(GraphDataError { file, message: "the channel has no name".to_owned() });
            }
            let versions = value.list(&["versions"]).iter().filter_map(Value::as_str).map(str::to_owned);
            data.channels.entry(name).or_default().extend(versions);
        }
        for (file, value) in documents(tree, "blocked-edges")? {
            let fail = |message: String| GraphDataError { file: file.clone(), message };
            let text = |field: &str| value.text(&[field]);
            if text("to").is_empty() || text("from").is_empty() {
                return Err(fail("a blocked edge needs `to` and `from`".to_owned()));
            }
            let from = Pattern::new(text("from"));
            match from.fault() {
                None => {}
                Some(InvalidExpression::Syntax(_)) => {
                    return Err(fail(format!("from: {:?} is not a pattern", text("from"))));
                }
                Some(too_large) => return Err(fail(format!("from: {too_large}"))),
            }
            let fields = ["url", "name", "message"];
            let there = fields.iter().filter(|field| !text(field).is_empty()).count();
            let rules = value.list(&["matchingRules"]);
            let risk = match (there, rules.is_empty()) {
                (0, true) => None,
                (3, false) => Some(json!({
                    "url": text("url"), "name": text("name"), "message": text("message"), "matchingRules": rules,
                })),
                _ => {
                    let text = "a risk needs all of `url`, `name`, `message` and `matchingRules`";
                    return Err(fail(text.to_owned()));
                }
            };
            data.blocks.push(Block { to: text("to").to_owned(), from, risk });
        }
        if let Ok(bytes) = tree.read(Path::new("raw/metadata.json")) {
            data.raw = serde_json::from_slice(&bytes).map_err(|error| GraphDataError {
                file: "raw/metadata.json".to_owned(),
                message: error.to_string(),
            })?;
        }
        Ok(data)
    }

    /// The names of the channels.
    pub fn channels(&self) -> impl Iterator<Item = &str> {
        self.channels.keys().map(String::as_str)
    }

    /// The graph of all releases of an architecture, whatever channels they are in.
    pub fn graph(&self, releases: &[ReleaseRecord], architecture: &str) -> Graph {
        let mut releases: Vec<&ReleaseRecord> =
            releases.iter().filter(|release| release.architecture == architecture).collect();
        releases.sort_by(|one, other| one.version.compare_precedence(&other.version));
        releases.dedup_by(|one, other| one.version == other.version);
        let mut nodes: Vec<Node> = releases
            .iter()
            .map(|release| Node {
                version: release.version.clone(),
                image: release.image.clone(),
                metadata: release.metadata.clone(),
            })
            .collect();
        for node in &mut nodes {
            self.describe(node, architecture);
        }
        let names: Vec<String> = nodes.iter().map(|node| node.version.to_string()).collect();
        let place: BTreeMap<&str, usize> =
            names.iter().enumerate().map(|(index, name)| (name.as_str(), index)).collect();
        let find = |name: &str| place.get(name).copied();
        let mut edges = BTreeSet::new();
        for (to, release) in releases.iter().enumerate() {
            edges.extend(release.previous.iter().filter_map(|from| Some((find(from)?, to))));
            edges.extend(release.next.iter().filter_map(|next| Some((to, find(next)?))));
        }
        // What raw metadata adds comes first: risks and blocks hold for it as well.
        for (index, node) in nodes.iter().enumerate() {
            edges.extend(list(node, "previous.add").iter().filter_map(|from| Some((find(from)?, index))));
            edges.extend(list(node, "next.add").iter().filter_map(|to| Some((index, find(to)?))));
        }
        let (conditional, blocked) = self.conditional(&names, &edges, architecture);
        let removals: Vec<Removal> = nodes.iter().map(Removal::of).collect();
        edges.retain(|edge @ (from, to)| {
            let removes = |(index, other): (usize, usize), what: fn(&Removal, &str, &str) -> bool| {
                let (removal, name) = (removals.get(index), names.get(other));
                removal.zip(name).is_some_and(|(removal, name)| what(removal, name, architecture))
            };
            !blocked.contains(edge)
                && !removes((*to, *from), Removal::takes_previous)
                && !removes((*from, *to), Removal::takes_next)
        });
        let keeps: Vec<bool> = nodes.iter().map(|node| list(node, "release.remove") != ["true"]).collect();
        for node in &mut nodes {
            node.metadata.retain(|key, _| !key.starts_with(KEY) || key == CHANNELS);
        }
        Graph { nodes, edges: edges.into_iter().collect(), conditional_edges: conditional }.keeping(&keeps)
    }

    /// Adds raw metadata and channels.
    fn describe(&self, node: &mut Node, architecture: &str) {
        let plain = node.version.to_string();
        let full = format!("{plain}+{architecture}");
        let mut add = |key: &str, value: &str| {
            let before = node.metadata.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
            let value = before.map_or_else(|| value.to_owned(), |before| format!("{before},{value}"));
            node.metadata.insert(key.to_owned(), Value::String(value));
        };
        for (key, value) in [&plain, &full].into_iter().filter_map(|name| self.raw.get(name)).flatten() {
            add(key, value);
        }
        for (name, versions) in &self.channels {
            if versions.iter().any(|version| *version == plain || *version == full) {
                add(CHANNELS, name);
            }
        }
        if let Some(text) = node.metadata.get(CHANNELS).and_then(Value::as_str) {
            let mut names: Vec<&str> = text.split(',').filter(|name| !name.is_empty()).collect();
            names.sort_by_key(|name| (name.split_once('-').map_or("", |(_, rest)| rest), *name));
            names.dedup();
            let text = names.join(",");
            node.metadata.insert(CHANNELS.to_owned(), Value::String(text));
        }
    }

    /// Updates with risks, and all updates that are not recommended any more. A plain block beside a risk leaves the
    /// update with its risk.
    fn conditional(
        &self,
        names: &[String],
        edges: &BTreeSet<(usize, usize)>,
        architecture: &str,
    ) -> (Vec<ConditionalEdges>, BTreeSet<(usize, usize)>) {
        let full: Vec<String> = names.iter().map(|name| format!("{name}+{architecture}")).collect();
        let mut place: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, (name, full)) in names.iter().zip(&full).enumerate() {
            place.extend([(name.as_str(), index), (full.as_str(), index)]);
        }
        let mut previous: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (from, to) in edges {
            previous.entry(*to).or_default().push(*from);
        }
        // Equal risks have one number, that of the first block with it.
        let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
        let mut risks: BTreeMap<(usize, usize), Vec<usize>> = BTreeMap::new();
        let mut blocked = BTreeSet::new();
        for (number, block) in self.blocks.iter().enumerate() {
            let Some(to) = place.get(block.to.as_str()) else { continue };
            let number = block.risk.as_ref().map(|risk| *numbers.entry(risk.to_string()).or_insert(number));
            for from in previous.get(to).into_iter().flatten() {
                if full.get(*from).is_some_and(|name| finds(&block.from, name)) {
                    blocked.insert((*from, *to));
                    risks.entry((*from, *to)).or_default().extend(number);
                }
            }
        }
        let mut groups: Vec<ConditionalEdges> = Vec::new();
        let mut group_of: BTreeMap<Vec<usize>, usize> = BTreeMap::new();
        for ((from, to), numbers) in risks.into_iter().filter(|(_, numbers)| !numbers.is_empty()) {
            let (Some(source), Some(target)) = (names.get(from), names.get(to)) else { continue };
            let edge = (source.clone(), target.clone());
            match group_of.get(&numbers).and_then(|group| groups.get_mut(*group)) {
                Some(group) => group.edges.push(edge),
                None => {
                    let risk = |number: &usize| self.blocks.get(*number)?.risk.clone();
                    let risks = numbers.iter().filter_map(risk).collect();
                    group_of.insert(numbers, groups.len());
                    groups.push(ConditionalEdges { edges: vec![edge], risks });
                }
            }
        }
        (groups, blocked)
    }
}

/// The names behind a key of raw metadata.
fn list(node: &Node, key: &str) -> Vec<String> {
    let text = node.metadata.get(&format!("{KEY}{key}")).and_then(Value::as_str).unwrap_or_default();
    text.split(',').map(|part| part.trim().to_owned()).filter(|part| !part.is_empty()).collect()
}

/// Updates that raw metadata takes away.
struct Removal {
    previous: Vec<String>,
    pattern: Option<Pattern>,
    next: Vec<String>,
}

impl Removal {
    fn of(node: &Node) -> Self {
        let pattern = node.metadata.get(REMOVE_PATTERN).and_then(Value::as_str).map(Pattern::new);
        Self { previous: list(node, "previous.remove"), pattern, next: list(node, "next.remove") }
    }

    /// Whether the update from this version to the release is gone.
    fn takes_previous(&self, name: &str, architecture: &str) -> bool {
        self.previous.iter().any(|one| one == name || one == "*")
            || self.pattern.as_ref().is_some_and(|pattern| finds(pattern, &format!("{name}+{architecture}")))
    }

    /// Whether the update from the release to this version is gone.
    fn takes_next(&self, name: &str, _: &str) -> bool {
        self.next.iter().any(|one| one == name)
    }
}

/// Whether a pattern finds a version; one that would take too long is said to, so that no update is offered by mistake.
fn finds(pattern: &Pattern, version: &str) -> bool {
    pattern.is_match(version, &Steps::default()).unwrap_or(true)
}

fn bytes(tree: &dyn Tree, file: &str) -> Result<Vec<u8>, GraphDataError> {
    let fail = |error: std::io::Error| GraphDataError { file: file.to_owned(), message: error.to_string() };
    tree.read(Path::new(file)).map_err(fail)
}

/// The YAML files of a directory, in the order of their names; none if there is no such directory.
fn documents(tree: &dyn Tree, directory: &str) -> Result<Vec<(String, Value)>, GraphDataError> {
    let Ok(entries) = tree.list(Path::new(directory)) else { return Ok(Vec::new()) };
    let mut all = Vec::new();
    for entry in entries {
        let name = entry.name.to_string_lossy().into_owned();
        let path: PathBuf = [directory, &name].iter().collect();
        if !matches!(path.extension().and_then(|extension| extension.to_str()), Some("yaml" | "yml")) {
            continue;
        }
        let file = format!("{directory}/{name}");
        let document = fbc_yaml::stream::read_one(&bytes(tree, &file)?)
            .map_err(|error| GraphDataError { file: file.clone(), message: error.to_string() })?;
        all.push((file, document.root().to_json()));
    }
    Ok(all)
}

#[cfg(test)]
mod tests;
